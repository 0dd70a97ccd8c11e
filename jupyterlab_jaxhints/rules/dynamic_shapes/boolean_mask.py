"""Choosing elements with a mask in traced code.

## What JAX does
How many elements `x[mask]` has depends on the values of the mask. While JAX traces a function these are not
known, and every array needs a fixed shape: `NonConcreteBooleanIndexError`. The same holds for `x.at[mask]`.

## Fix
Keeps the shape: `jnp.where(mask, x, 0)` in front of a sum, `where=mask` for a mean, `jnp.where(mask, value,
x)` in place of `x.at[mask].set(value)`.

## Fix safety
Safe: the elements that the mask leaves out do not count.

## When it is fine
Outside of traced code, under `grad` alone, and with a mask that is a NumPy array or was made before the
trace.

## References
- [Sharp bits: dynamic shapes](guide#dynamic-shapes)
"""
from ...engine.callables import At
from ...engine.events import Call, ItemLoad
from ...engine.values import ABSTRACT, JAX, NUMBER, SEQUENCE, TREE
from ..base import Clean, Example, Fix, Hint, Rule, on, short
from ._masks import is_inexact, masked, same_rank

RULE = Rule(
    section="dynamic shapes",
    kind="error",
    says={"": "`{mask}` is a traced mask: the size of `{array}[…]` is not known, which raises",
          "at": "`{mask}` is a traced mask: `{array}.at[…]` with it raises"},
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\n@jax.jit\ndef gains(x):\n    return jnp.sum(«x[x > 0]»)", "y = gains(jnp.array([1.0, -2.0, 3.0]))"],
        raises="NonConcreteBooleanIndexError",
        fixed=["import jax, jax.numpy as jnp\n@jax.jit\ndef gains(x):\n    return jnp.sum(jnp.where(x > 0, x, 0))", "y = gains(jnp.array([1.0, -2.0, 3.0]))"],
        gives="float(y) == 4.0",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\ndef clipped(row):\n    low = row < 0\n    return «row.at[low]».set(0.0)", "y = jax.vmap(clipped)(jnp.array([[1.0, -2.0]]))"],
        raises="NonConcreteBooleanIndexError",
        fixed=["import jax, jax.numpy as jnp\ndef clipped(row):\n    low = row < 0\n    return jnp.where(low, 0.0, row)", "y = jax.vmap(clipped)(jnp.array([[1.0, -2.0]]))"],
        gives="y.tolist() == [[1.0, 0.0]]",
    ),
]

CLEAN = [
    Clean(["import jax.numpy as jnp\nx = jnp.array([1.0, -2.0])\ny = x[x > 0]"], because="the mask has values outside of a trace"),
    Clean(["import jax, jax.numpy as jnp\ny = jax.grad(lambda x: x[x > 0].sum())(jnp.array([1.0, -2.0]))"],
          because="under `grad` alone the values are there"),
    Clean(["import numpy as np\nimport jax, jax.numpy as jnp\nodd = np.arange(4) % 2 == 1\nf = jax.jit(lambda x: x[odd])\ny = f(jnp.ones(4))"],
          because="a NumPy mask is known while tracing"),
    Clean(["import jax, jax.numpy as jnp\nat = jnp.array([0, 2])\nf = jax.jit(lambda x, i: x[i])\ny = f(jnp.ones(4), at)"],
          because="integer indices give an array of their own shape"),
    Clean(["import jax, jax.numpy as jnp\nf = jax.jit(lambda x: jnp.where(x > 0, x, 0.0)[:2])\ny = f(jnp.ones(4))"],
          because="`jnp.where` with three arguments keeps the shape"),
]

# rows of `.at` → the new values, of the array and what is given
UPDATES = {"set": "{value}", "add": "{array} + {value}", "subtract": "{array} - {value}", "multiply": "{array} * {value}",
           "mul": "{array} * {value}", "divide": "{array} / {value}", "power": "{array} ** {value}"}


def _mask(event, index, index_node):
    """The traced mask in an index: its value, and its node where it is the whole index."""
    if index.must_be(ABSTRACT) and index.dtype == "bool":
        return index, index_node
    parts = event.parts(index) if index.must_be(SEQUENCE) and "list" not in index.flags else []
    return next(((part, None) for part in parts if part.must_be(ABSTRACT) and part.dtype == "bool"), (None, None))


@on(ItemLoad)
def check_read(event):
    """`x[mask]`."""
    mask, node = _mask(event, event.index, event.index_node)
    if event.at or mask is None or not event.base.must_be(JAX | TREE):
        return
    yield Hint(event.node, array=short(event.text(event.base_node), 22), mask=short(event.text(node or event.index_node), 22),
               evidence=[mask.made or mask.traced, mask.traced], data=(event, mask, node, None))


@on(Call)
def check_update(event):
    """`x.at[mask].set(…)` and the other methods."""
    at = event.receiver.target if event.receiver is not None else None
    if not event.name.startswith("at.") or not isinstance(at, At) or at.index is None or not at.base.must_be(JAX | TREE):
        return
    mask, node = _mask(event, at.index, at.index_node)
    if mask is not None:
        yield Hint(event.receiver_node, variant="at", array=short(event.text(at.base_node), 22),
                   mask=short(event.text(node or at.index_node), 22), evidence=[mask.traced], data=(event, mask, node, at))


def fixes(hint, edit):
    """`jnp.where` in front of a reduction, or instead of the update."""
    event, mask, node, at = hint.data
    if node is None:
        return
    base, base_node = (at.base, at.base_node) if at else (event.base, event.base_node)
    if not same_rank(base, mask, event.text(base_node), node, event.text):
        return
    if at is None:
        yield Fix("Use the mask in the reduction",
                  masked(edit, event.node, edit.argument(base_node), edit.argument(node), is_inexact(base)))
        return
    row = UPDATES.get(event.name.removeprefix("at."))
    if row is None or len(event.args) != 1 or event.args[0].keyword or event.args[0].star or not _is_scalar(event.args[0].value):
        return
    module, edits = edit.import_needed("jax.numpy", alias="jnp")
    array, given = edit.argument(base_node), event.args[0].node
    value = edit.argument(given) if row == "{value}" else edit.operand(given)
    new = row.format(array=edit.operand(base_node), value=value)
    yield Fix("Use jnp.where", [edit.replace(event.node, f"{module}.where({edit.argument(node)}, {new}, {array})"), *edits])


def _is_scalar(value):
    return value.must_be(NUMBER) or value.must_be(JAX) and value.shape == ()
