"""Branches or loop states whose types differ.

## What JAX does
All branches of `lax.cond` and `lax.switch` have to give the same tree of arrays, with the same shapes and
dtypes, and the state of `lax.scan`, `while_loop` and `fori_loop` has to keep its own from turn to turn. `0`
beside `x * 0.5`, or a count that is divided, differ in dtype: `TypeError`.

## Fix
None: which type is meant is not known. Both types stand beside the hint.

## When it is fine
Branches of equal types: `jnp.zeros_like(x)` beside `x`, a state that starts with the type it ends with.

## References
- [Sharp bits: control flow](guide#control-flow)
"""
from ..base import Clean, Example, Rule

RULE = Rule(
    section="control flow",
    kind="error",
    says="`{text}`: branches or loop states differ in shape or dtype",
    lanes="T",
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\ndef halved(x):\n    return «jax.lax.cond(x.sum() > 1, lambda x: x * 0.5, lambda x: 0, x)»", "y = halved(jnp.ones(3))"],
        raises="TypeError",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\nout = «jax.lax.scan(lambda n, x: (n / 2, x), jnp.zeros(2, int), jnp.ones(3))»"],
        raises="TypeError",
    ),
]

CLEAN = [
    Clean(["import jax, jax.numpy as jnp\ny = jax.lax.cond(True, lambda x: x * 2, lambda x: jnp.zeros_like(x), jnp.ones(3))"],
          because="both branches give three floats"),
    Clean(["import jax, jax.numpy as jnp\ny, _ = jax.lax.scan(lambda c, x: (c + x, None), 0.0, jnp.ones(3))"],
          because="the state starts as a float and stays one"),
]
