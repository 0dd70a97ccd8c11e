"""A program that needs more memory than the device has.

## What JAX does
The compiler knows how much memory a program needs: arguments, results and what lies between. Where that is more than the
device has, the call fails with `RESOURCE_EXHAUSTED`.

## Fix
None is written: smaller batches, `jax.checkpoint`, donated arguments, or `lax.map` in place of `vmap`.

## Fix safety
No fix is offered.

## When it is fine
Where the need stays below what the device has. It is asked for on request only.

## References
- [Just-in-time compilation](guide#pure-functions)
"""
from ..base import Clean, Example, Rule

RULE = Rule(
    section="performance",
    kind="error",
    says="`{function}` needs {need} on a device that has {has}",
    lanes="T",
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\n@jax.jit\ndef f(x):\n    return (x[:, None] * x[None, :]).sum()\ny = «f(jnp.ones(8))»"],
        sees="float(y) == 64.0",
    ),
]

CLEAN = [
    Clean(["import jax, jax.numpy as jnp\n@jax.jit\ndef f(x):\n    return x.sum() ** 2\ny = f(jnp.ones(8))"],
          because="no large array lies in between"),
]
