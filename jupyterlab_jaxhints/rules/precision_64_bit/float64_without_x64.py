"""Asking for 64 bits while they are off.

## What JAX does
JAX computes with 32 bits by default. `dtype=jnp.float64`, `"float64"` or `.astype(np.int64)` then gives the 32-bit type,
with a warning at most: large integers wrap around, small differences vanish.

## Fix
Switches 64 bits on as the first thing that is done with JAX; the second fix writes the 32-bit type that is used anyway.

## Fix safety
Unsafe: with 64 bits on every array without a dtype becomes wider, slower and larger.

## When it is fine
`dtype=float`, `int` and `complex` mean JAX's default width. NumPy's own arrays are not JAX's.

## References
- [Sharp bits: double (64 bit) precision](guide#64-bit-precision)
"""
import libcst as cst

from ...engine import shapes
from ...engine.events import Call
from ...engine.values import JAX, STRING, TREE
from ...knowledge import api
from ..base import Clean, Example, Fix, Hint, Rule, on
from ._flags import first_line

RULE = Rule(
    section="64-bit precision",
    kind="silent",
    says="`{dtype}` is {narrow} here: JAX computes with 32 bits",
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax\nimport jax.numpy as jnp\nx = jnp.ones(3, dtype=«jnp.float64»)"],
        sees="x.dtype == 'float32'",
        fixed=["import jax\njax.config.update(\"jax_enable_x64\", True)\nimport jax.numpy as jnp\nx = jnp.ones(3, dtype=jnp.float64)"],
        gives="x.dtype == 'float64'",
    ),
    Example(
        bad=["import numpy as np\nimport jax.numpy as jnp\nx = jnp.arange(3).astype(«np.int64»)"],
        sees="x.dtype == 'int32'",
        fixed=["import numpy as np\nimport jax\njax.config.update(\"jax_enable_x64\", True)\nimport jax.numpy as jnp\nx = jnp.arange(3).astype(np.int64)"],
        gives="x.dtype == 'int64'",
    ),
]

CLEAN = [
    Clean(["import jax\njax.config.update('jax_enable_x64', True)\nimport jax.numpy as jnp\nx = jnp.ones(3, dtype=jnp.float64)"],
          because="64 bits are on"),
    Clean(["import jax.numpy as jnp\nx = jnp.zeros(2, dtype=float).astype(int)"], because="the default widths"),
    Clean(["import numpy as np, jax.numpy as jnp\nx = np.asarray(jnp.ones(2), dtype=np.float64)"], because="the array is NumPy's"),
    Clean(["import jax.numpy as jnp\neps = jnp.finfo(jnp.float64).eps\nsame = jnp.ones(1).dtype == jnp.float64"],
          because="the type is looked up and compared with, no array is asked for"),
]

WIDE = {"float64": "float32", "complex128": "complex64", "int64": "int32", "uint64": "uint32"}
DEFAULTS = ("float", "int", "complex", "uint")  # JAX's default widths
PARAMETERS = ("dtype", "new_dtype", "param_dtype", "preferred_element_type")


@on(Call)
def check(event):
    """A call that makes a JAX array of a 64-bit dtype by name."""
    if event.machine.x64 is not False or event.machine.state.used.get(("flag", "jax_explicit_x64_dtypes")) is not None:
        return
    short = event.name.removeprefix("jax.numpy.")
    if short in WIDE and event.args:
        yield _hint(event, event.func_node, short)
        return
    argument = _dtype_argument(event)
    if argument is None or not (argument.value.name or argument.value.must_be(STRING)):
        return
    name = argument.value.name or argument.value.const
    if not isinstance(name, str) or name.startswith("builtins.") or name in DEFAULTS or name.endswith("_"):
        return
    asked = shapes.dtype_of(argument.value)
    if asked in WIDE:
        yield _hint(event, argument.node, asked)


def _dtype_argument(event):
    if event.name in ("array.astype", "array.view"):
        return event.argument("dtype", 0) if event.receiver is not None and event.receiver.must_be(JAX | TREE) else None
    if not event.name.startswith("jax.") or not event.result.may_be(JAX) or event.result.is_unknown:
        return None
    entry = api.lookup(event.name)
    if entry is None or entry.result == "numpy":
        return None
    for name in PARAMETERS:
        found = event.argument(name, entry.index(name))
        if found is not None:
            return found
    return None


def _hint(event, node, asked):
    never_set = event.machine.state.used.get(("flag", "jax_enable_x64")) is None
    return Hint(node, dtype=event.text(node)[:30], narrow=WIDE[asked], data=(asked, never_set))


def fixes(hint, edit):
    """The configuration line; the narrow type."""
    asked, never_set = hint.data
    if never_set:
        yield Fix("Switch 64 bits on", first_line(edit, "jax_enable_x64"), safe=False)
    node, narrow = hint.node, WIDE[asked]
    if isinstance(node, cst.Attribute) and node.attr.value == asked:
        yield Fix(f"Use {narrow}", [edit.replace(node.attr, narrow)], safe=False)
    elif isinstance(node, cst.SimpleString):
        quote = node.value[-1]
        yield Fix(f"Use {narrow}", [edit.replace(node, f"{quote}{narrow}{quote}")], safe=False)
