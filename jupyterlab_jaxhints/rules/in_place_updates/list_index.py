"""Indexing a JAX array by a list.

## What JAX does
A list or a tuple of sequences as the whole index raises `TypeError`: turning it into an array would be slow and easily
hidden. Inside a tuple of indices (`x[:, [0, 2]]`) a list works.

## Fix
Makes the list an array of indices.

## Fix safety
Safe: that is what NumPy would do.

## When it is fine
NumPy arrays, and lists inside a tuple index.

## References
- [Sharp bits: in-place updates](guide#in-place-updates)
"""
from ...engine.events import ItemLoad, ItemStore
from ...engine.values import JAX, LIST, SEQUENCE
from ..base import Clean, Example, Fix, Hint, Rule, on, short

RULE = Rule(
    section="in-place updates",
    kind="error",
    says="`{array}` is a JAX array: the list `{index}` as an index raises",
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax.numpy as jnp\nx = jnp.arange(4)\ny = x[«[0, 2]»]"],
        raises="TypeError",
        fixed=["import jax.numpy as jnp\nx = jnp.arange(4)\ny = x[jnp.array([0, 2])]"],
        gives="y.tolist() == [0, 2]",
    ),
    Example(
        bad=["import jax.numpy as jnp\nrows = [1, 0]\nm = jnp.eye(2)", "m = m.at[«rows»].set(5.0)"],
        raises="TypeError",
        fixed=["import jax.numpy as jnp\nrows = [1, 0]\nm = jnp.eye(2)", "m = m.at[jnp.array(rows)].set(5.0)"],
        gives="m.tolist() == [[5.0, 5.0], [5.0, 5.0]]",
    ),
]

CLEAN = [
    Clean(["import jax.numpy as jnp\nx = jnp.ones((2, 3))\ny = x[:, [0, 2]]"], because="inside a tuple lists work"),
    Clean(["import jax.numpy as jnp\nimport numpy as np\nx = np.arange(4)\ny = x[[0, 2]]"], because="NumPy takes lists"),
    Clean(["import jax.numpy as jnp\nx = jnp.ones((2, 3))\nat = (0, 1)\ny = x[at]"], because="a tuple is several indices"),
    Clean(["import jax.numpy as jnp\nrows = {'a': [1]}\ny = rows['a']"], because="the dict is indexed, not an array"),
]


@on(ItemLoad)
def check_load(event):
    """A list as the whole index of a read or of `.at`."""
    if event.base.must_be(JAX) and _is_list(event.index):
        yield Hint(event.index_node, array=event.text(event.base_node), index=short(event.text(event.index_node), 20),
                   evidence=[event.base.made])


@on(ItemStore)
def check_store(event):
    """Stores raise anyway: item-assignment speaks there; its fix must not keep the list."""
    if event.base.must_be(JAX) and _is_list(event.index):
        yield Hint(event.index_node, array=event.text(event.base_node), index=short(event.text(event.index_node), 20),
                   evidence=[event.base.made])


def _is_list(index):
    return index.must_be(SEQUENCE) and index.flags >= LIST


def fixes(hint, edit):
    """Wrap it in `jnp.array`."""
    module, edits = edit.import_needed("jax.numpy", alias="jnp")
    yield Fix("Make the index an array", [*edit.wrap(hint.node, f"{module}.array(", ")"), *edits])
