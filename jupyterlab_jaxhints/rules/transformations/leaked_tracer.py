"""A tracer that outlives its trace.

## What JAX does
While JAX traces a function its values are tracers, which stand for values to come. A tracer that is kept in a
global name, a list or an attribute is of no use afterwards: the next operation on it raises
`UnexpectedTracerError`, often far away from the code that kept it.

## Fix
None: return the value from the function instead, and keep what the call gives.

## When it is fine
Names of the function itself, and containers that are made in it.

## References
- [Errors: UnexpectedTracerError](guide#transformations)
"""
from ..base import Clean, Example, Rule

RULE = Rule(
    section="transformations",
    kind="error",
    says="`{name}` holds a tracer of a trace that is over",
    lanes="T",
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\nclass Probe:\n    pass\nprobe = Probe()\ndef watched(x, store):\n    vars(store)['last'] = x * 2\n    return x + 1",
             "y = jax.jit(lambda x: watched(x, probe))(1.0)", "z = «probe.last» + 1"],
        raises="UnexpectedTracerError",
    ),
]

CLEAN = [
    Clean(["import jax, jax.numpy as jnp\n@jax.jit\ndef f(x):\n    parts = []\n    parts.append(x + 1)\n    return parts[0]\ny = f(1.0)"],
          because="the list is made in the trace and ends with it"),
    Clean(["import jax, jax.numpy as jnp\nkept = []\n@jax.jit\ndef f(x):\n    return x + 1\nkept.append(f(1.0))"],
          because="what the call gives is an array"),
]
