"""A result whose dtype is not the one that NumPy would take.

## What JAX does
JAX promotes by a lattice of its own that keeps to narrow types: `int32` with `float16` stays `float16`, `uint32` with
`int32` becomes `int32` while 64 bits are off, a NumPy scalar is strongly typed and widens a `bfloat16` array.

## Fix
None is written: convert one side with `.astype`, or use a Python number in place of the NumPy scalar.

## Fix safety
No fix is offered.

## When it is fine
Integers with `float32`, which everybody expects to give `float32`; Python numbers, which never widen.

## References
- [Type promotion semantics](https://docs.jax.dev/en/latest/type_promotion.html)
"""
from ...engine import shapes
from ...engine.events import Binary
from ...engine.values import ARRAYLIKE, JAX, NUMPY
from ..base import Clean, Example, Hint, Rule, on

RULE = Rule(
    section="divergences",
    kind="silent",
    says={"": "`{left}` with `{right}` gives `{result}` in JAX, `{numpy}` in NumPy",
          "scalar": "A NumPy scalar is strongly typed: `{left}` becomes `{result}`"},
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax.numpy as jnp\nsteps = jnp.array([70000], dtype=jnp.int32)\nrate = jnp.array(2.0, dtype=jnp.float16)\ny = «steps * rate»"],
        sees="y.dtype == 'float16' and y.tolist() == [float('inf')]",
    ),
    Example(
        bad=["import numpy as np\nimport jax.numpy as jnp\nw = jnp.ones(2, dtype=jnp.bfloat16)\ny = «w * np.sqrt(0.5)»"],
        sees="y.dtype == 'float32'",
    ),
]

CLEAN = [
    Clean(["import jax.numpy as jnp\ny = jnp.ones(3) * jnp.arange(3)"], because="integers with float32 give float32"),
    Clean(["import jax.numpy as jnp\ny = jnp.ones(3, dtype=jnp.bfloat16) * 0.5"], because="a Python number does not widen"),
    Clean(["import jax.numpy as jnp\ny = jnp.ones(3, dtype=jnp.float16) * jnp.arange(3).astype(jnp.float16)"], because="the same types"),
]

OPERATORS = ("+", "-", "*", "/", "//", "%", "**")
HALF = ("float16", "bfloat16")
SIGNED, UNSIGNED = ("int32", "int64"), ("uint32", "uint64")


@on(Binary)
def check(event):
    """Arithmetic between two arrays whose result surprises."""
    left, right = event.left, event.right
    if event.operator not in OPERATORS or not (left.must_be(JAX) or right.must_be(JAX)):
        return
    if not (left.must_be(ARRAYLIKE) and right.must_be(ARRAYLIKE)) or left.dtype is None or right.dtype is None:
        return
    found, numpy = shapes.promotion(left, right, event.machine.x64)
    pair = {left.dtype, right.dtype}
    for array, other in ((left, right), (right, left)):
        if array.must_be(JAX) and array.dtype in HALF and other.must_be(NUMPY) and other.shape == () and found not in (
                None, array.dtype):
            yield Hint(event.node, variant="scalar", certain=False, left=array.dtype, result=found)
            return
    strong = left.weak is False and right.weak is False
    mixed = bool(pair & set(SIGNED)) and bool(pair & set(UNSIGNED))
    halved = found in HALF and bool(pair & {*SIGNED, *UNSIGNED})
    numpy = numpy or ("float64" if halved else None)  # of arrays of any shape, from NumPy 2 on
    if strong and found is not None and numpy is not None and found != numpy and (mixed or halved):
        yield Hint(event.node, certain=False, left=left.dtype, right=right.dtype, result=found, numpy=numpy)
