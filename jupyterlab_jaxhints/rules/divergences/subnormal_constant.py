"""Computing with a subnormal constant.

## What JAX does
A number below about 1.2e-38 has no normal form in `float32`. The compiled code flushes such numbers to zero, so that
`x + 1e-40` adds nothing and `jnp.log(0.0 + 1e-40)` is `-inf`. NumPy computes with them.

## Fix
None is written: take a constant that the type holds, as `jnp.finfo(x.dtype).tiny` or `1e-30`.

## Fix safety
No fix is offered.

## When it is fine
With 64 bits on, where 1e-40 is a normal number; in Python's and NumPy's own arithmetic.

## References
- [Sharp bits: miscellaneous divergences from NumPy](guide#divergences)
"""
from ...engine import shapes
from ...engine.events import Binary, Call
from ...engine.values import JAX, NUMBER
from ..base import Clean, Example, Hint, Rule, on

RULE = Rule(section="divergences", kind="silent", says="`{number}` is subnormal in {dtype}: JAX flushes it to zero")

EXAMPLES = [
    Example(
        bad=["import jax.numpy as jnp\np = jnp.array([0.5, 0.0])\ny = jnp.log(p + «1e-40»)"],
        sees="y.tolist()[1] == float('-inf')",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\nfloor = 1e-42\n@jax.jit\ndef inverse(x):\n    return 1.0 / (x + «floor»)\ny = inverse(jnp.zeros(1))"],
        sees="y.tolist() == [float('inf')]",
    ),
]

CLEAN = [
    Clean(["import jax.numpy as jnp\ny = jnp.log(jnp.zeros(2) + 1e-37)"], because="small, but a normal number"),
    Clean(["import jax\njax.config.update('jax_enable_x64', True)\nimport jax.numpy as jnp\ny = jnp.log(jnp.zeros(2) + 1e-40)"],
          because="a normal number in float64"),
    Clean(["import numpy as np\nimport jax.numpy as jnp\ny = np.log(np.zeros(2) + 1e-300)\nz = jnp.ones(2)"], because="NumPy's doubles"),
]

OPERATORS = ("+", "-", "*", "/")
FUNCTIONS = tuple(f"jax.numpy.{name}" for name in ("add", "subtract", "multiply", "divide", "true_divide"))


@on(Binary)
def check_operator(event):
    """An operator between a JAX array and the constant."""
    if event.operator in OPERATORS:
        yield from _check(event, ((event.left, event.left_node), (event.right, event.right_node)))


@on(Call)
def check_call(event):
    """The operator's function."""
    if event.name in FUNCTIONS and len(event.args) == 2:
        yield from _check(event, [(arg.value, arg.node) for arg in event.args])


def _check(event, operands):
    for (number, node), (array, _) in (operands, operands[::-1]):
        dtype = event.result.dtype
        if not number.must_be(NUMBER) or not number.known or not array.must_be(JAX) or dtype is None:
            continue
        if shapes.is_subnormal(number.const, dtype):
            yield Hint(node, number=event.text(node)[:30], dtype=dtype, evidence=[array.made])
