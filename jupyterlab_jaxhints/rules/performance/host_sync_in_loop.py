"""Reading a result on every turn of a loop.

## What JAX does
JAX runs ahead of Python: a loop can hand over many steps while the device works. `float(loss)`, `.item()`,
`np.asarray` and printing wait for the value, so each turn ends with the device idle.

## Fix
None: keep the arrays and read them after the loop, or every hundredth turn.

## Fix safety
No fix is offered.

## When it is fine
In short loops, behind a test such as `if step % 100 == 0`, and where the value decides what comes next.

## References
- [Asynchronous dispatch](jax/async_dispatch.html)
"""
from ...engine.events import Call
from ...engine.values import ARRAY
from ..base import Clean, Example, Hint, Rule, on, short

RULE = Rule(
    section="performance",
    kind="slow",
    says="`{call}` waits for the device on every turn of this loop",
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\nstep = jax.jit(lambda w: (0.5 * w, (w ** 2).sum()))\nw, seen = jnp.ones(2), []",
             "for _ in range(50):\n    w, loss = step(w)\n    seen.append(«float(loss)»)"],
        sees="len(seen) == 50",
    ),
]

CLEAN = [
    Clean(["import jax, jax.numpy as jnp\nstep = jax.jit(lambda w: (0.5 * w, (w ** 2).sum()))\nw = jnp.ones(2)\nfor i in range(50):\n    w, loss = step(w)\n    if i % 10 == 0:\n        print(float(loss))"],
          because="every tenth turn"),
    Clean(["import jax, jax.numpy as jnp\nstep = jax.jit(lambda w: (0.5 * w, (w ** 2).sum()))\nw, seen = jnp.ones(2), []\nfor _ in range(50):\n    w, loss = step(w)\n    seen.append(loss)\ntotal = float(sum(seen))"],
          because="read after the loop"),
]

READS = ("builtins.float", "builtins.int", "array.item", "array.tolist", "numpy.asarray", "numpy.array", "builtins.print")
SHORT = 10


@on(Call)
def check(event):
    """A host read of a compiled step's result on each turn of an eager loop."""
    loop = event.ctx.own_loop
    if event.name not in READS or loop is None or loop.form != "for" or event.ctx.traced or event.ctx.generic:
        return
    if loop.turns is not None and loop.turns <= SHORT or event.machine.branches > loop.branches:
        return
    values = [arg.value for arg in event.args] + ([event.receiver] if event.receiver is not None else [])
    values += [part for value in values for part in value.elements or ()]
    if any(value.must_be(ARRAY) and "compiled" in value.flags for value in values):
        yield Hint(event.node, call=short(event.text(event.node), 40), certain=False)
