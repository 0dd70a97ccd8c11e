"""Assigning to an item of a JAX array.

## What JAX does
JAX arrays never change. `x[0] = 1` raises `TypeError` and leaves `x` as it was. `x.at[0].set(1)` builds a new array;
inside `jit` the compiler does it in place when the old one is no longer used.

## Fix
Binds the new array to the old name. Slices, masks and tuples of indices stay as they are.

## Fix safety
Unsafe where the array is a parameter that the function does not return: the caller keeps the old one.

## When it is fine
NumPy arrays, lists, dicts, `jax.Ref` and Pallas references take item assignment.

## References
- [Sharp bits: in-place updates](guide#in-place-updates)
"""
from ...engine.events import ItemStore
from ...engine.values import JAX
from ..base import Clean, Example, Fix, Hint, Rule, on
from ._update import index_text, keeps_caller_unaware, of_update, rewrite, short

RULE = Rule(
    section="in-place updates",
    kind="error",
    says="`{array}` is a JAX array: item assignment raises",
)

EXAMPLES = [
    Example(
        bad=["import jax.numpy as jnp\nx = jnp.zeros(3)\n«x[0] = 1»"],
        raises="TypeError",
        fixed=["import jax.numpy as jnp\nx = jnp.zeros(3)\nx = x.at[0].set(1)"],
        gives="x.tolist() == [1.0, 0.0, 0.0]",
    ),
    Example(  # the array was made in another cell, by a helper
        bad=["import jax.numpy as jnp\ndef blank(n):\n    return jnp.zeros((n, n))", "m = blank(2)\n«m[1, :] = 5.0»"],
        raises="TypeError",
        fixed=["import jax.numpy as jnp\ndef blank(n):\n    return jnp.zeros((n, n))",
               "m = blank(2)\nm = m.at[1, :].set(5.0)"],
        gives="m.tolist() == [[0.0, 0.0], [5.0, 5.0]]",
    ),
]

CLEAN = [
    Clean(["import numpy as np\nx = np.zeros(3)\nx[0] = 1"], because="NumPy arrays change in place"),
    Clean(["import jax\nr = jax.new_ref(0.0)\nr[...] = 1.0"], because="a reference is made to be written", jax=">=0.8"),
    Clean(["import jax.numpy as jnp\nfrom somewhere import load\nx = load()\nx[0] = 1"],
          because="nobody knows what `load` returns", runs=False),
    Clean(["import jax.numpy as jnp\nparts = {'a': jnp.zeros(2)}\nparts['a'] = jnp.ones(2)"],
          because="the dict changes, not the array in it"),
]


@on(ItemStore)
def check(event):
    """An item of what must be a JAX array is assigned, other than through a row of the `.at` table."""
    if event.operator is None and event.base.must_be(JAX) and of_update(event) is None:
        yield Hint(event.node, array=event.text(event.base_node), evidence=[event.base.made],
                   data=(event.target, event.value_node, not keeps_caller_unaware(event)))


def fixes(hint, edit):
    """`x = x.at[i].set(v)`."""
    target, value, safe = hint.data
    edits = rewrite(edit, hint.node, target, "set", value)
    yield Fix(f"Use .at[{short(index_text(edit, target))}].set", edits, safe=safe)
