"""Two traces of one function give different programs.

## What JAX does
JAX traces a function again whenever it meets new shapes, dtypes or static arguments, and else goes on with the program it
has. Where two traces with the same arguments give different programs, the result depends on when JAX happened to trace:
something beside the arguments goes in, such as a clock, a generator of random numbers, a counter or an iterator.

## Fix
None: give what changes as an argument.

## When it is fine
Names and messages that differ from trace to trace do not change the program.

## References
- [Sharp bits: pure functions](guide#pure-functions)
"""
from ..base import Clean, Example, Rule

RULE = Rule(
    section="pure functions",
    kind="silent",
    says="Two traces of `{function}` with the same arguments give different programs here",
    lanes="T",
)

EXAMPLES = [
    Example(
        bad=["import jax\ntick = iter([1.0, 2.0, 3.0]).__next__\n@jax.jit\ndef f(x):\n    return x * «tick()»", "y = f(5.0)\nz = f(5.0)"],
        sees="float(y) == 5.0 and float(z) == 5.0",
    ),
]

CLEAN = [
    Clean(["import jax\ntick = iter([1.0, 2.0, 3.0]).__next__\n@jax.jit\ndef f(x, factor):\n    return x * factor", "y = f(5.0, tick())\nz = f(5.0, tick())"],
          because="what changes is an argument"),
    Clean(["import jax\n@jax.jit\ndef f(x):\n    return x * 2\ny = f(1.0)\nz = f(1)"],
          because="another dtype is another program"),
]
