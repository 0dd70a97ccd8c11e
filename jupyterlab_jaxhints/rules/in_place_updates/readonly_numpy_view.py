"""Writing into a NumPy view of a JAX array.

## What JAX does
`np.asarray(jax_array)` may share the array's memory, so NumPy marks it read-only: writing into it raises `ValueError`.

## Fix
Makes a copy with `np.array`, which can be written.

## Fix safety
Safe: the copy holds the same values.

## When it is fine
`np.array(jax_array)` copies; a view that is only read needs no copy.

## References
- [Sharp bits: in-place updates](guide#in-place-updates)
"""
import libcst as cst

from ...engine.events import Call, ItemStore, NameAugment
from ...engine.values import NUMPY
from ..base import Clean, Example, Fix, Hint, Rule, on

RULE = Rule(
    section="in-place updates",
    kind="error",
    says="`{array}` is a read-only view of a JAX array: writing into it raises",
)

EXAMPLES = [
    Example(
        bad=["import numpy as np\nimport jax.numpy as jnp\nv = np.asarray(jnp.ones(3))\n«v[0] = 5.0»"],
        raises="ValueError",
        fixed=["import numpy as np\nimport jax.numpy as jnp\nv = np.array(jnp.ones(3))\nv[0] = 5.0"],
        gives="v.tolist() == [5.0, 1.0, 1.0]",
    ),
    Example(
        bad=["import numpy as np\nimport jax.numpy as jnp\nv = np.asarray(jnp.arange(3))", "«v += 1»"],
        raises="ValueError",
        fixed=["import numpy as np\nimport jax.numpy as jnp\nv = np.array(jnp.arange(3))", "v += 1"],
        gives="v.tolist() == [1, 2, 3]",
    ),
]

CLEAN = [
    Clean(["import numpy as np\nimport jax.numpy as jnp\nv = np.array(jnp.ones(3))\nv[0] = 5.0"], because="a copy"),
    Clean(["import numpy as np\nimport jax.numpy as jnp\nv = np.asarray(jnp.ones(3)).copy()\nv[0] = 5.0"], because="a copy"),
    Clean(["import numpy as np\nimport jax.numpy as jnp\nv = np.asarray([1.0, 2.0])\nv[0] = 5.0"],
          because="made of a list, not of a JAX array"),
    Clean(["import numpy as np\nimport jax.numpy as jnp\nv = np.asarray(jnp.ones(3))\nv = v + 1.0\nv[0] = 5.0"],
          because="the sum is a new array"),
]

WRITERS = frozenset({"ndarray.sort", "ndarray.fill", "ndarray.resize", "ndarray.partition", "ndarray.put"})


def _is_view(value):
    return value.must_be(NUMPY) and "readonly" in value.flags


@on(ItemStore)
def check_store(event):
    """An item of the view is assigned."""
    if _is_view(event.base):
        yield Hint(event.node, array=event.text(event.base_node), evidence=[event.base.made], data=event.base.made)


@on(NameAugment)
def check_augment(event):
    """`v += 1` writes in place."""
    if _is_view(event.before):
        yield Hint(event.node, array=event.name, evidence=[event.before.made], data=event.before.made)


@on(Call)
def check_method(event):
    """`v.sort()`, `v.fill(0)`."""
    if event.name in WRITERS and event.receiver is not None and _is_view(event.receiver):
        yield Hint(event.node, array=event.text(event.receiver_node), evidence=[event.receiver.made],
                   data=event.receiver.made)


def fixes(hint, edit):
    """Copy where the view is made."""
    made = hint.data
    call = made.node if made is not None else None
    if not isinstance(call, cst.Call) or made.place is None:
        return
    there = edit.elsewhere(made.place)
    if isinstance(call.func, cst.Attribute):
        yield Fix("Copy with np.array", [there.replace(call.func.attr, "array")])
