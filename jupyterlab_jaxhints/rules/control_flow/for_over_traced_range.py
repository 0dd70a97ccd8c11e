"""Looping a traced number of times.

## What JAX does
`range(n)` needs a Python integer. While JAX traces a function, `n` is a tracer without a value: `range` raises
`TracerIntegerConversionError`. Iterating over a tracer without dimensions raises `TypeError`.

## Fix
`jax.lax.fori_loop(0, n, body, state)` runs the loop on the device; `n` may be traced.

## Fix safety
Unsafe: the state must keep its shapes and dtypes, and reverse-mode gradients do not go through a traced count.

## When it is fine
A count known while tracing: a number, a shape, a static argument. `for row in x` over the rows of an array works.

## References
- [Sharp bits: control flow](guide#control-flow)
"""
import libcst as cst

from ...engine.events import Call, Iterate
from ...engine.values import ABSTRACT
from ..base import Clean, Example, Fix, Hint, Rule, on
from ._rewrite import fori_loop

RULE = Rule(
    section="control flow",
    kind="error",
    says={"": "`{count}` has no value while JAX traces: `range` raises",
          "scalar": "`{count}` is a tracer without dimensions: iterating over it raises"},
    lanes="S+T",
    yields_to=("missing-static-arg",),
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\n@jax.jit\ndef power(x, flags):\n    y = 1.0\n    for i in range(«flags.sum()»):\n        y = y * x\n    return y",
             "out = power(2.0, jnp.array([1, 1, 1]))"],
        raises="TracerIntegerConversionError",
        fixed=["import jax, jax.numpy as jnp\n@jax.jit\ndef power(x, flags):\n    y = 1.0\n    y = jax.lax.fori_loop(0, flags.sum(), lambda i, y: y * x, y)\n    return y",
               "out = power(2.0, jnp.array([1, 1, 1]))"],
        gives="float(out) == 8.0",
    ),
]

CLEAN = [
    Clean(["import jax, jax.numpy as jnp\n@jax.jit\ndef f(x):\n    for i in range(x.shape[0]):\n        x = x + i\n    return x\ny = f(jnp.ones(2))"],
          because="shapes are known while tracing"),
    Clean(["import jax, jax.numpy as jnp\n@jax.jit\ndef f(x):\n    return sum(row.sum() for row in x)\ny = f(jnp.ones((2, 2)))"],
          because="the rows of a traced array can be iterated over"),
    Clean(["import jax\nfrom functools import partial\n@partial(jax.jit, static_argnums=1)\ndef f(x, n):\n    for _ in range(n):\n        x = x * x\n    return x\ny = f(1.5, 2)"],
          because="`n` is static"),
]


@on(Call)
def check_range(event):
    """`range` of a tracer."""
    if event.name == "builtins.range":
        for argument in event.args:
            if argument.value.must_be(ABSTRACT) and not argument.star:
                yield Hint(argument.node, count=event.text(argument.node), evidence=[argument.value.traced], data=event)
                return


@on(Iterate)
def check_scalar(event):
    """Iterating over a tracer of rank 0."""
    if event.form in ("for", "comprehension") and event.value.must_be(ABSTRACT) and event.value.shape == ():
        yield Hint(event.node, variant="scalar", count=event.text(event.node), evidence=[event.value.traced])


def fixes(hint, edit):
    """`lax.fori_loop`."""
    event = hint.data
    if event is None or len(event.args) > 2:
        return
    loop = next((n for n in reversed(edit.path(event.node)) if isinstance(n, cst.For)), None)
    if loop is None or loop.iter is not event.node or not isinstance(loop.target, cst.Name) or loop.orelse is not None:
        return
    bounds = [edit.argument(argument.node) for argument in event.args]
    yield Fix("Use lax.fori_loop", fori_loop(edit, loop, bounds), safe=False)
