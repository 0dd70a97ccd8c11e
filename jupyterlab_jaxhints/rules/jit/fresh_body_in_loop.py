"""Giving a new body function to a JAX loop on every turn.

## What JAX does
`scan`, `while_loop`, `fori_loop`, `cond`, `switch` and `map` find their compiled programs by the function objects they
are given. A lambda or nested function made inside of an eager loop is new each time: JAX compiles again on every turn.

## Fix
None is written: make the body once, above the loop, or jit the function around it.

## Fix safety
No fix is offered.

## When it is fine
Inside of a jitted function the whole is compiled once. A body with a name of its own is found again.

## References
- [Just-in-time compilation](guide#control-flow)
"""
from ...engine.events import BodyGiven
from ..base import Clean, Example, Hint, Rule, on

RULE = Rule(
    section="jit",
    kind="slow",
    says="The body of `{primitive}` is a new object on every turn: JAX compiles it each time",
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\nx = jnp.ones(2)\nfor _ in range(5):\n    x = «jax.lax.fori_loop(0, 3, lambda i, v: 0.5 * v, x)»"],
        sees="x.shape == (2,)",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\nfrom jax import lax\ndef total(xs):\n    def add(s, x):\n        return s + x, None\n    return «lax.scan(add, 0.0, xs)»[0]",
             "sums = [total(jnp.arange(3.0) * k) for k in range(8)]"],
        sees="float(sums[1]) == 3.0",
    ),
]

CLEAN = [
    Clean(["import jax, jax.numpy as jnp\ndef half(i, v):\n    return 0.5 * v\nx = jnp.ones(2)\nfor _ in range(5):\n    x = jax.lax.fori_loop(0, 3, half, x)"],
          because="the body has a name: its program is found again"),
    Clean(["import jax, jax.numpy as jnp\n@jax.jit\ndef f(x):\n    return jax.lax.fori_loop(0, 3, lambda i, v: 0.5 * v, x)\nx = jnp.ones(2)\nfor _ in range(5):\n    x = f(x)"],
          because="the function around it is compiled once"),
]

PRIMITIVES = ("jax.lax.scan", "jax.lax.while_loop", "jax.lax.fori_loop", "jax.lax.cond", "jax.lax.switch", "jax.lax.map")


@on(BodyGiven)
def check(event):
    """A primitive that compiles, with a fresh function, for the second time in an eager loop."""
    if event.name in PRIMITIVES and event.fresh and event.repeats and not event.ctx.traced:
        yield Hint(event.node, primitive=event.name.removeprefix("jax."), evidence=event.ctx.calls())
