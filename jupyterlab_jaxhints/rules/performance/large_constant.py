"""A big array baked into a compiled program.

## What JAX does
An array that a jitted function takes from outside, and not as an argument, becomes a constant of the program. A large
one is copied into it, makes compiling slow, and stays in memory as long as the program.

## Fix
None is written: pass the array as an argument.

## Fix safety
No fix is offered.

## When it is fine
Small tables and constants.

## References
- [Just-in-time compilation](guide#pure-functions)
"""
from ..base import Clean, Example, Rule

RULE = Rule(
    section="performance",
    kind="slow",
    says="`{name}` ({size}) is a constant of the compiled program of `{function}`",
    lanes="T",
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\ntable = jnp.ones((1024, 1024))\n@jax.jit\ndef f(x):\n    return «table» @ x\ny = f(jnp.ones(1024))"],
        sees="float(y[0]) == 1024.0",
    ),
]

CLEAN = [
    Clean(["import jax, jax.numpy as jnp\ntable = jnp.ones((1024, 1024))\n@jax.jit\ndef f(table, x):\n    return table @ x\ny = f(table, jnp.ones(1024))"],
          because="the table is an argument"),
]
