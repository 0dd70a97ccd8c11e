"""Arguments of different dtypes, given to `jax.lax`.

## What JAX does
`jax.numpy` promotes: `jnp.add(1, 1.0)` is 2.0. `jax.lax` is the layer below and does not: arguments of
different dtypes raise `TypeError`, also a Python number of another type, as `0` beside an array of floats.

## Fix
The function of `jax.numpy` that does the same.

## Fix safety
Safe: it promotes first. An update of a slice is cast to the dtype of the array it goes into.

## When it is fine
Equal dtypes; a float beside an array of 32-bit floats; `lax.pow` with an integer exponent.

## References
- [Thinking in JAX: jax.numpy, jax.lax and XLA](guide#non-array-inputs)
"""
from ...engine import shapes
from ...engine.events import Call
from ...engine.values import ARRAYLIKE, NUMBER
from ..base import Clean, Example, Fix, Hint, Rule, on

RULE = Rule(
    section="non-array inputs",
    kind="error",
    says="`{function}` does not promote: {first} beside {second} raises",
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax.numpy as jnp\nfrom jax import lax\nx = jnp.array([-1.0, 2.0])\ny = «lax.max(x, 0)»"],
        raises="TypeError",
        fixed=["import jax.numpy as jnp\nfrom jax import lax\nx = jnp.array([-1.0, 2.0])\ny = jnp.maximum(x, 0)"],
        gives="y.tolist() == [0.0, 2.0]",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\nbuffer = jnp.zeros(3, jnp.float16)\nbuffer = «jax.lax.dynamic_update_slice(buffer, jnp.ones(1), (1,))»"],
        raises="TypeError",
        fixed=["import jax, jax.numpy as jnp\nbuffer = jnp.zeros(3, jnp.float16)\nbuffer = jax.lax.dynamic_update_slice(buffer, jnp.ones(1).astype(buffer.dtype), (1,))"],
        gives="buffer.tolist() == [0.0, 1.0, 0.0]",
    ),
]

CLEAN = [
    Clean(["import jax.numpy as jnp\nfrom jax import lax\ny = lax.add(jnp.ones(2), 1.0), lax.max(jnp.arange(2), 0), lax.pow(jnp.ones(2), 2)"],
          because="the dtypes are equal, and an exponent may be an integer"),
    Clean(["import jax.numpy as jnp\ny = jnp.add(jnp.arange(2), 0.5)"], because="`jax.numpy` promotes"),
    Clean(["import numpy as np\nimport jax.numpy as jnp\nfrom jax import lax\ny = lax.add(jnp.ones(2), np.ones(2))"],
          because="64-bit NumPy arrays become 32-bit ones first"),
    Clean(["import jax.numpy as jnp\nfrom jax import lax\ny = lax.dot(jnp.arange(2), jnp.ones(2))"], because="products promote"),
]

# function of lax → its jax.numpy twin ('' where it has none); the arguments named first have to agree
TWINS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "div": "divide", "max": "maximum", "min": "minimum", "rem": "fmod",
    "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
    "atan2": "arctan2", "nextafter": "nextafter", "bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or",
    "bitwise_xor": "bitwise_xor", "clamp": "", "concatenate": "", "pad": "",
}
SELECTS = {"select": "where", "select_n": ""}
UPDATES = frozenset({"dynamic_update_slice", "dynamic_update_slice_in_dim", "dynamic_update_index_in_dim"})
PYTHON = {"int": "int64", "float": "float64", "complex": "complex128", "bool": "bool"}


@on(Call)
def check(event):
    """Known dtypes that differ."""
    package, _, short = event.name.rpartition(".")
    if package != "jax.lax" or any(arg.star or arg.keyword for arg in event.args):
        return
    values = [arg.value for arg in event.args]
    if short == "concatenate" and values:
        values = event.parts(values[0])
    elif short in UPDATES or short == "pad":
        values = values[:2]
    elif short in SELECTS:
        values = values[1:]
    elif short not in TWINS:
        return
    dtypes = [_dtype(event, value) for value in values]
    if len(dtypes) < 2 or None in dtypes:
        return
    other = next((dtype for dtype in dtypes if dtype != dtypes[0]), None)
    if other is not None:
        yield Hint(event.node, function=event.text(event.func_node), first=dtypes[0], second=other, data=(event, short))


def _dtype(event, value):
    """The dtype that JAX makes of a value; None where it is not known."""
    if value.must_be(NUMBER):
        return shapes.canonical(PYTHON.get(value.dtype or ""), event.machine.x64)
    return shapes.canonical(value.dtype, event.machine.x64) if value.must_be(ARRAYLIKE) else None


def fixes(hint, edit):
    """The twin of `jax.numpy`, or a cast of the update."""
    event, short = hint.data
    twin = TWINS.get(short) or SELECTS.get(short)
    if short in UPDATES:
        array, update = event.args[0].node, event.args[1].node
        if event.args[1].value.must_be(ARRAYLIKE):
            yield Fix("Cast the update", [edit.replace(update, f"{edit.operand(update)}.astype({edit.operand(array)}.dtype)")])
    elif twin:
        module, edits = edit.import_needed("jax.numpy", alias="jnp")
        yield Fix(f"Use {module}.{twin}", [edit.replace(event.func_node, f"{module}.{twin}"), *edits])
