"""Compiling a new function object on every turn of a loop.

## What JAX does
`jit` finds its compiled programs by the function object. A lambda, a nested function, `partial(f)`, a bound method or
`grad(f)` made inside of a loop is a new object each time: JAX traces and compiles again on every turn.

## Fix
None is written: make the jitted function once, above the loop, and pass what changes as an argument.

## Fix safety
No fix is offered.

## When it is fine
`jit(f)` of a function with a name finds the program again. A function that differs on every turn (it captures the
setting of a sweep) has to be compiled anyway.

## References
- [Just-in-time compilation](guide#pure-functions)
"""
from ...engine.events import Transform
from ..base import Clean, Example, Hint, Rule, on

RULE = Rule(
    section="jit",
    kind="slow",
    says="`{function}` is a new object on every turn: JAX compiles it each time",
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\nx = jnp.ones(2)\nfor _ in range(5):\n    x = «jax.jit(lambda y: 0.5 * y)»(x)"],
        sees="x.tolist() == [0.03125, 0.03125]",
    ),
    Example(
        bad=["import jax\nimport jax.numpy as jnp\ndef loss(w):\n    return ((w - 1.0) ** 2).sum()\nw = jnp.zeros(2)\nfor _ in range(3):\n    w = w - 0.1 * «jax.jit(jax.grad(loss))»(w)"],
        sees="w.shape == (2,)",
    ),
]

CLEAN = [
    Clean(["import jax, jax.numpy as jnp\ndef f(x):\n    return 2 * x\nx = jnp.ones(2)\nfor _ in range(5):\n    x = jax.jit(f)(x)"],
          because="the function has a name: its program is found again"),
    Clean(["import jax, jax.numpy as jnp\nfor power in (2, 3, 4):\n    f = jax.jit(lambda x: x ** power)\n    y = f(jnp.ones(2))"],
          because="each turn asks for another program"),
    Clean(["import jax, jax.numpy as jnp\nf = jax.jit(lambda x: 2 * x)\nx = jnp.ones(2)\nfor _ in range(5):\n    x = f(x)"],
          because="made once, above the loop"),
    Clean(["import jax\nimport optimizers\nrule = optimizers.momentum(0.1)\nstate = rule.init(1.0)\nfor g in (0.5, 0.25):\n    step, state = jax.jit(rule.update)(g, state)"],
          because="an attribute may hold one function, as in the named tuples of optax and haiku", runs=False),
]

COMPILES = ("jax.jit", "jax.pmap", "equinox.filter_jit", "flax.nnx.jit", "equinox.filter_pmap")


@on(Transform)
def check(event):
    """A compiled wrapper of a fresh object, for the second time in an eager loop."""
    if event.wrapped.transform in COMPILES and event.fresh and event.repeats and not event.ctx.traced:
        text = " ".join(event.text(event.function_node).split())
        yield Hint(event.node, function=text if len(text) <= 40 else text[:37] + "…", evidence=event.ctx.calls())
