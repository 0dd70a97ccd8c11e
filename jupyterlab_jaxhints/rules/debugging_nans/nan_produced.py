"""A NaN or an infinity that comes out of the cell's function.

## What JAX does
`nan` and `inf` are values like others: nothing raises, and they spread to all that is computed from them, in the result or
in its gradient alone.

## Fix
None is written: the hint stands at the operation that made the first NaN. A safe argument in front of it
(`jnp.where(x > 0, x, 1.0)`), a clipped one, or `jax.lax.cond` keeps it away.

## Fix safety
No fix is offered.

## When it is fine
Where `nan` marks missing values on purpose.

## References
- [Sharp bits: debugging NaNs and Infs](guide#nan-and-inf)
"""
from ..base import Clean, Example, Rule

RULE = Rule(
    section="debugging NaNs",
    kind="silent",
    says="`{primitive}` makes a NaN from the real arguments",
    lanes="T",
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\n@jax.jit\ndef entropy(p):\n    return -(p * «jnp.log(p)»).sum()\nh = entropy(jnp.array([1.0, 0.0]))"],
        sees="bool(jnp.isnan(h))",
    ),
]

CLEAN = [
    Clean(["import jax, jax.numpy as jnp\n@jax.jit\ndef entropy(p):\n    return -(p * jnp.log(jnp.maximum(p, 1e-9))).sum()\nh = entropy(jnp.array([1.0, 0.0]))"],
          because="the argument is kept away from zero"),
]
