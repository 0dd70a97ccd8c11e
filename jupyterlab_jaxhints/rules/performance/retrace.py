"""A function that JAX traces again.

## What JAX does
`jit` keeps a program for each combination of shapes, dtypes and static values. A call with another one traces and
compiles again, which takes far longer than the call itself.

## Fix
None is written: pad to one shape, convert once, or let the argument be traced.

## Fix safety
No fix is offered.

## When it is fine
A few shapes that come again and again.

## References
- [Just-in-time compilation](guide#pure-functions)
"""
from ..base import Clean, Example, Rule

RULE = Rule(
    section="performance",
    kind="slow",
    says="`{function}` is traced again: `{argument}` was `{before}`, now it is `{now}`",
    lanes="T",
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\nf = jax.jit(lambda x: x * 2)\nfor n in range(1, 9):\n    y = «f(jnp.ones(n))»"],
        sees="y.shape == (8,)",
    ),
]

CLEAN = [
    Clean(["import jax, jax.numpy as jnp\nf = jax.jit(lambda x: x * 2)\nfor n in range(1, 9):\n    y = f(jnp.ones(8) * n)"],
          because="one shape, one program"),
]
