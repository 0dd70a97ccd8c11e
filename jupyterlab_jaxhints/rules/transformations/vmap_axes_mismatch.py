"""Axes given to `vmap` that do not fit its arguments.

## What JAX does
`in_axes` says for each positional argument which axis is mapped, None for those that stay whole. An axis that
an argument does not have, mapped axes of different lengths, or a tuple of another length than the arguments
raise `ValueError`. Arguments given by keyword are always mapped over their first axis.

## Fix
None: which axis is meant is not known. The shapes of all arguments stand beside the hint.

## When it is fine
None for scalars and for arrays that every lane shares.

## References
- [Automatic vectorization](guide#transformations)
"""
from ..base import Clean, Example, Rule

RULE = Rule(
    section="transformations",
    kind="error",
    says="`{text}` maps an axis that does not fit an argument",
    lanes="T",
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\ndef scaled(x, c):\n    return x * c", "y = «jax.vmap(scaled)(jnp.ones(3), jnp.ones(2))»"],
        raises="ValueError",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\nx = jnp.ones(4)\ny = «jax.vmap(lambda row: row.sum(), in_axes=1)(x)»"],
        raises="ValueError",
    ),
]

CLEAN = [
    Clean(["import jax, jax.numpy as jnp\ny = jax.vmap(lambda x, c: x * c, in_axes=(0, None))(jnp.ones(3), 2.0)"],
          because="the scalar is shared by all lanes"),
    Clean(["import jax, jax.numpy as jnp\ny = jax.vmap(lambda x, y: x @ y, in_axes=(1, 0))(jnp.ones((2, 3)), jnp.ones((3, 2)))"],
          because="both mapped axes have three elements"),
]
