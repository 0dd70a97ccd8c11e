"""Waiting for an `IndexError` that never comes.

## What JAX does
Indexing a JAX array out of bounds raises nothing: the nearest element comes back, and an update is dropped. A
handler for `IndexError` around it never runs.

## Fix
None: compare the index with `x.shape` first, or read with `.at[i].get(mode="fill")`.

## When it is fine
NumPy arrays, lists and dicts in the same block, which do raise; more indices than dimensions, which raise in
JAX too.

## References
- [Sharp bits: out-of-bounds indexing](guide#out-of-bounds-indexing)
"""
from ...engine.events import TryEnd
from ...engine.values import JAX, MAPPING, NUMBER, SEQUENCE, SLICE
from ..base import Clean, Example, Hint, Rule, on, short

RULE = Rule(
    section="out-of-bounds indexing",
    kind="silent",
    says="`{array}` is a JAX array: indexing it out of bounds raises no `IndexError`",
)

EXAMPLES = [
    Example(
        bad=["import jax.numpy as jnp\nx = jnp.arange(3)\ndef at(i):\n    try:\n        return int(x[i])\n    «except IndexError:\n        return -1»\ny = at(7)"],
        sees="y == 2",
    ),
    Example(
        bad=["from contextlib import suppress\nimport jax.numpy as jnp\nx = jnp.arange(3)\nfound = []\nfor i in (1, 7):\n    with «suppress(IndexError)»:\n        found.append(int(x[i]))"],
        sees="found == [1, 2]",
    ),
]

CLEAN = [
    Clean(["import jax.numpy as jnp\nnames = ['a', 'b']\nx = jnp.arange(3)\ndef at(i):\n    try:\n        return names[i], x[i]\n    except IndexError:\n        return None\ny = at(2)"],
          because="the list does raise"),
    Clean(["import jax.numpy as jnp\nimport numpy as np\nx = np.arange(3)\ntry:\n    y = x[7]\nexcept IndexError:\n    y = -1"],
          because="NumPy raises"),
    Clean(["import jax.numpy as jnp\nx = jnp.arange(3)\ntry:\n    y = x[0, 0]\nexcept IndexError:\n    y = x[0]"],
          because="too many indices raise in JAX too"),
    Clean(["import jax.numpy as jnp\ndef corner(x):\n    try:\n        return x[0, 0]\n    except IndexError:\n        return x[0]\ny = corner(jnp.ones((2, 2)))"],
          because="another call may give an array of one dimension"),
    Clean(["import jax.numpy as jnp\nx = jnp.arange(3)\nstack = []\ntry:\n    y = x[stack.pop()]\nexcept IndexError:\n    y = -1"],
          because="`pop` of an empty list raises"),
]


@on(TryEnd)
def check(event):
    """A handler for IndexError around reads and updates of JAX arrays alone."""
    if not event.catches & {"IndexError", "LookupError"} or event.calls or not event.loads:
        return
    arrays = [load for load in event.loads if load.base.must_be(JAX)]
    others = [load for load in event.loads if not load.base.must_be(JAX | MAPPING)]
    if arrays and not others and all(_is_plain(event, load) for load in arrays):
        array = event.text(arrays[0].base_node)
        yield Hint(event.node, array=short(array), evidence=[arrays[0].base.made])


def _is_plain(event, load):
    """The array has a dimension for each index, whoever gives it, and each index is a number, an array or a slice."""
    index = load.index
    parts = event.parts(index) if index.must_be(SEQUENCE) and "list" not in index.flags else [index]
    frame = event.ctx.frames[-1] if event.ctx.frames else None
    given = frame is not None and any(value.ident == load.base.ident for value in frame.given.values())
    if given and len(parts) > 1:
        return False
    return load.base.rank is not None and 0 < len(parts) <= load.base.rank and all(
        part.must_be(NUMBER | JAX | SLICE) or part.is_unknown for part in parts)
