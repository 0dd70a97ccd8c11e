"""Shapes that an operation cannot bring together.

## What JAX does
Shapes are checked while JAX traces, as NumPy checks them: dimensions that neither agree nor are 1 raise `TypeError` or
`ValueError` in arithmetic; a product needs equal inner dimensions; `reshape` needs the same number of elements;
`concatenate` and `stack` need equal shapes beside the axis. The trace knows the shapes of a cell before it has run.

## Fix
None: which of the shapes is meant is not known. The shapes of all names stand beside the code.

## When it is fine
Dimensions of size 1 and missing leading dimensions broadcast. Inside `vmap` the mapped axis does not count.

## References
- [Thinking in JAX](guide#non-array-inputs)
"""
from ..base import Clean, Example, Rule

RULE = Rule(
    section="non-array inputs",
    kind="error",
    says="`{text}` gets shapes that do not fit",
    lanes="T",
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\n@jax.jit\ndef layer(w, x):\n    return «x @ w»\ny = layer(jnp.ones((4, 2)), jnp.ones((8, 3)))"],
        raises="TypeError",
    ),
    Example(
        bad=["import jax.numpy as jnp\nx, mean = jnp.ones((4, 3)), jnp.ones(4)\ny = «x - mean»"],
        raises="ValueError",
    ),
    Example(
        bad=["import jax.numpy as jnp\nx = «jnp.arange(10).reshape(3, 4)»"],
        raises="TypeError",
    ),
]

CLEAN = [
    Clean(["import jax.numpy as jnp\nx = jnp.ones((4, 3))\ny = x - x.mean(axis=1, keepdims=True) + jnp.ones(3)"],
          because="a dimension of 1 and a missing one broadcast"),
    Clean(["import jax, jax.numpy as jnp\ny = jax.vmap(lambda row, w: row @ w, in_axes=(0, None))(jnp.ones((8, 3)), jnp.ones((3, 2)))"],
          because="in each lane the inner dimensions are equal"),
    Clean(["import jax.numpy as jnp\nx = jnp.concatenate([jnp.ones((2, 3)), jnp.zeros((5, 3))])"],
          because="the shapes agree beside the axis"),
]
