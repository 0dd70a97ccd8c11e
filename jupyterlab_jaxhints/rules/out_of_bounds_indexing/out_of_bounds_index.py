"""A constant index beyond the end of an array.

## What JAX does
An accelerator cannot raise in the middle of a program. A read out of bounds gives the nearest element
(`jnp.take` gives NaN), `dynamic_slice` moves its window back, an update out of bounds is dropped. Gradients
follow: they end in the wrong element, or nowhere.

## Fix
For one index of a read: `.at[i].get(mode="fill", fill_value=jnp.nan)`, which shows that nothing is there. `take` gets the
same mode.

## Fix safety
Unsafe: the result is NaN (the lowest number for integers) where an element was. An index within bounds is
better. For `take` nothing changes: the mode says that NaN is meant.

## When it is fine
`mode=` given on purpose, slices, which end at the end as in NumPy, and negative indices that count from the
end.

## References
- [Sharp bits: out-of-bounds indexing](guide#out-of-bounds-indexing)
"""
from ...engine.callables import At
from ...engine.events import Call, ItemLoad
from ...engine.values import JAX
from ..base import Clean, Example, Fix, Hint, Rule, on, short
from ._bounds import beyond, outside, window

RULE = Rule(
    section="out-of-bounds indexing",
    kind="silent",
    says={"": "Index {index} is out of bounds for `{array}` (length {size}): the nearest element comes back",
          "nan": "Index {index} is out of bounds for `{array}` (length {size}): NaN comes back",
          "shift": "The window of {length} at {index} leaves `{array}` (length {size}): JAX moves it",
          "dropped": "Index {index} is out of bounds for `{array}` (length {size}): the update is dropped",
          "promised": "Index {index} is out of bounds for `{array}` (length {size}), against the promise"},
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax.numpy as jnp\nx = jnp.arange(10.0)\ny = «x[11]»"],
        sees="float(y) == 9.0",
        fixed=["import jax.numpy as jnp\nx = jnp.arange(10.0)\ny = x.at[11].get(mode=\"fill\", fill_value=jnp.nan)"],
        gives="bool(jnp.isnan(y))",
    ),
    Example(
        bad=["import jax.numpy as jnp\nslots = jnp.zeros(5)\nslots = «slots.at[5].set(1.0)»"],
        sees="float(slots.sum()) == 0.0",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\nx = jnp.arange(5)\nlast = «jax.lax.dynamic_slice_in_dim(x, 3, 3)»"],
        sees="last.tolist() == [2, 3, 4]",
    ),
    Example(
        bad=["import jax.numpy as jnp\nx = jnp.arange(4.0)\ny = «jnp.take(x, 9)»"],
        sees="bool(jnp.isnan(y))",
        fixed=["import jax.numpy as jnp\nx = jnp.arange(4.0)\ny = jnp.take(x, 9, mode=\"fill\", fill_value=jnp.nan)"],
        gives="bool(jnp.isnan(y))",
    ),
]

CLEAN = [
    Clean(["import jax.numpy as jnp\nx = jnp.arange(4)\ny = x[3], x[-4], x[2:9], x[jnp.array([0, 3])]"],
          because="all indices are within bounds, and slices end at the end"),
    Clean(["import jax.numpy as jnp\nx = jnp.arange(4.0)\ny = x.at[7].get(mode='fill'), x.at[7].set(1.0, mode='drop')"],
          because="the mode says what is meant"),
    Clean(["import jax.numpy as jnp\nx = jnp.ones((2, 5))\ny = x[:, 4], x[..., 4], x[None, 1]"],
          because="the index belongs to the longer axis"),
    Clean(["import jax, jax.numpy as jnp\nx = jnp.arange(5)\ny = jax.lax.dynamic_slice_in_dim(x, 2, 3), jax.lax.dynamic_slice_in_dim(x, -2, 2)"],
          because="the windows end where the array ends"),
    Clean(["import jax.numpy as jnp\nx = jnp.arange(4)\nfor i in range(5):\n    y = x[i % 4]"], because="the index is not known"),
]

WINDOWS = {"jax.lax.dynamic_slice": "slice_sizes", "jax.lax.dynamic_update_slice": "update"}
IN_DIM = {"jax.lax.dynamic_slice_in_dim": ("slice_size", 3), "jax.lax.dynamic_index_in_dim": ("", 2),
          "jax.lax.dynamic_update_slice_in_dim": ("update", 3), "jax.lax.dynamic_update_index_in_dim": ("", 3)}


def _hint(event, node, array_node, found, variant="", data=None, **words):
    return Hint(node, variant=variant, array=short(event.text(array_node), 16), index=str(found[0]), size=str(found[1]), data=data, **words)


def _asked_for(event):
    """An `except IndexError` around it: caught-index-error speaks there."""
    return any(block.catches & {"IndexError", "LookupError"} for _, block in event.ctx.tries)


@on(ItemLoad)
def check_read(event):
    """`x[11]`."""
    if event.at or not event.base.must_be(JAX) or _asked_for(event):
        return
    found = outside(event, event.base, event.index)
    if found is not None:
        yield _hint(event, event.node, event.base_node, found, data=event)


@on(Call)
def check_at(event):
    """`x.at[11].set(1)`, `x.at[11].get()`."""
    at = event.receiver.target if event.receiver is not None else None
    if not event.name.startswith("at.") or not isinstance(at, At) or at.index is None or not at.base.must_be(JAX):
        return
    mode = event.argument("mode")
    promised = mode is not None and mode.value.known and str(mode.value.const) == "promise_in_bounds"
    if mode is not None and not promised:
        return
    found = outside(event, at.base, at.index)
    if found is not None:
        variant = "promised" if promised else "" if event.name == "at.get" else "dropped"
        yield _hint(event, event.node, at.base_node, found, variant)


@on(Call)
def check_call(event):
    """`jnp.take`, and the windows of `lax`."""
    if any(arg.star for arg in event.args):
        return
    if event.name in ("jax.numpy.take", "array.take"):
        yield from _take(event)
    elif event.name in WINDOWS or event.name in IN_DIM:
        found = window(event, WINDOWS.get(event.name), IN_DIM.get(event.name))
        if found is not None:
            yield _hint(event, event.node, event.args[0].node, found, "shift", length=str(found[2]))


def _take(event):
    method = event.name == "array.take"
    array = event.receiver if method else event.value("a", 0)
    indices, axis = event.value("indices", 0 if method else 1), event.value("axis", 1 if method else 2)
    if array is None or indices is None or array.shape is None or event.argument("mode") or event.argument("fill_value"):
        return
    if axis is None:
        size = array.size
    else:
        known = axis.known and isinstance(axis.const, int) and -len(array.shape) <= axis.const < len(array.shape)
        size = array.shape[axis.const] if known else None
    found = beyond(indices, size)
    if found is not None and array.must_be(JAX):
        inexact = (array.dtype or "").startswith(("float", "bfloat", "complex"))
        node = event.receiver_node if method else event.args[0].node
        if inexact:
            yield _hint(event, event.node, node, found, "nan", data=event)


def fixes(hint, edit):
    """`.at[i].get(mode="fill")`, or the same mode of `take`."""
    event = hint.data
    if event is None:
        return
    if hint.variant == "nan":
        module, edits = edit.import_needed("jax.numpy", alias="jnp")
        text = f', mode="fill", fill_value={module}.nan'
        yield Fix("Say that NaN is meant", [edit.insert_after(event.args[-1].node, text), *edits], safe=False)
        return
    base = edit.operand(event.base_node)
    index = edit.text(event.node)[len(edit.text(event.base_node, parens=True)):].strip()
    fill, edits = "", []
    if (event.base.dtype or "").startswith(("float", "bfloat", "complex")):
        module, edits = edit.import_needed("jax.numpy", alias="jnp")
        fill = f", fill_value={module}.nan"
    yield Fix("Fill with NaN" if fill else "Fill what is not there",
              [edit.replace(event.node, f'{base}.at{index}.get(mode="fill"{fill})'), *edits], safe=False)
