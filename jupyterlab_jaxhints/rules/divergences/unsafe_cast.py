"""Casting a float to an integer type that cannot hold it.

## What JAX does
`astype` of a float that is out of range is undefined in the compiler: on the CPU the value is cut off at the type's limit,
elsewhere it may wrap around. NumPy mostly wraps: 256.0 becomes 0 in `uint8` there and 255 here.

## Fix
Clips to the type's range first, which is what happens on the CPU, and on every other device too then.

## Fix safety
Unsafe: where wrapping around is meant, `jnp.mod` before the cast says so.

## When it is fine
Values in range; integers cast to integers, which wrap as in NumPy.

## References
- [Sharp bits: miscellaneous divergences from NumPy](guide#divergences)
"""
import libcst as cst

from ...engine import shapes
from ...engine.events import Call
from ...engine.values import ARRAY, MISSING
from ..base import Clean, Example, Fix, Hint, Rule, on

RULE = Rule(
    section="divergences",
    kind="silent",
    says="`{number}` does not fit into `{dtype}`: the cast depends on the device",
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax.numpy as jnp\nx = jnp.array([12.0, 256.0])\ny = «x.astype(jnp.uint8)»"],
        sees="y.tolist() == [12, 255]",
        fixed=["import jax.numpy as jnp\nx = jnp.array([12.0, 256.0])\ny = jnp.clip(x, 0, 255).astype(jnp.uint8)"],
        gives="y.tolist() == [12, 255]",
    ),
]

CLEAN = [
    Clean(["import jax.numpy as jnp\ny = jnp.array([0.0, 255.9]).astype(jnp.uint8)"], because="the values fit"),
    Clean(["import jax.numpy as jnp\ny = jnp.array([-1, 256]).astype(jnp.uint8)"], because="integers wrap around as in NumPy"),
    Clean(["import numpy as np\nimport jax.numpy as jnp\ny = np.array([256.0, 3.0]).astype(np.int16)\nz = jnp.asarray(y)"],
          because="NumPy's cast, and in range"),
    Clean(["import jax.numpy as jnp\nx = jnp.array([300.0])\ny = jnp.clip(x, 0, 255).astype(jnp.uint8)"], because="clipped first"),
]

FLOATS = ("float16", "bfloat16", "float32", "float64")


@on(Call)
def check(event):
    """A cast of a constant float array."""
    if event.name == "array.astype":
        source, wanted = event.receiver, event.value("dtype", 0)
    elif event.name == "jax.lax.convert_element_type":
        source, wanted = event.value("operand", 0), event.value("new_dtype", 1)
    else:
        return
    if source is None or wanted is None or not source.must_be(ARRAY) or source.const is MISSING or source.dtype not in FLOATS:
        return
    asked = shapes.dtype_of(wanted)
    dtype = shapes.canonical(asked, event.machine.x64) if isinstance(asked, str) else None
    number = shapes.overflow(source.const, dtype)
    if number is not None:
        data = dtype if event.name == "array.astype" and number == number else None
        yield Hint(event.node, number=f"{number:g}", dtype=dtype, evidence=[source.made], data=data)


# the largest float32 that does not exceed the type's limit, where that is no float32
LARGEST = {"int32": "2147483520.0", "uint32": "4294967040.0", "int64": "9223371487098961920.0", "uint64": "18446742974197923840.0"}


def fixes(hint, edit):
    """`jnp.clip` around the array."""
    dtype = hint.data
    func = getattr(hint.node, "func", None)
    if dtype is None or not isinstance(func, cst.Attribute):
        return
    bits = int(dtype.lstrip("uint"))
    low = 0 if dtype.startswith("u") else -(1 << bits - 1)
    high = LARGEST.get(dtype) or ((1 << bits) - 1 if dtype.startswith("u") else (1 << bits - 1) - 1)
    module, edits = edit.import_needed("jax.numpy", alias="jnp")
    yield Fix("Clip first", [edit.replace(func.value, f"{module}.clip({edit.argument(func.value)}, {low}, {high})", parens=True),
                             *edits], safe=False)
