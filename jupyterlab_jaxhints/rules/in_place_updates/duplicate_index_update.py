"""Writing to the same index twice in one update.

## What JAX does
`x.at[i].set(v)` with a repeated index writes all of its values in no fixed order: which one stays is undefined, and may
differ between devices. NumPy keeps the last. `unique_indices=True` and `indices_are_sorted=True` are promises: when the
indices break them, the result is undefined.

## Fix
Takes a broken promise away. For repeated indices there is none: which value is meant is not known.

## Fix safety
Safe: the update is then defined.

## When it is fine
`add`, `multiply`, `min` and `max` apply every value; repeated indices are right there.

## References
- [Sharp bits: in-place updates](guide#in-place-updates)
"""
from ...engine.callables import At
from ...engine.events import Call
from ...engine.values import JAX, NUMPY
from ..base import Clean, Example, Fix, Hint, Rule, on

RULE = Rule(
    section="in-place updates",
    kind="silent",
    says={"": "`{index}` names an index twice: which value `{array}` keeps is undefined",
          "unique_indices": "`{index}` repeats an index: `unique_indices=True` makes the result undefined",
          "indices_are_sorted": "`{index}` is not sorted: `indices_are_sorted=True` makes the result undefined"},
)

EXAMPLES = [
    Example(
        bad=["import jax.numpy as jnp\nx = jnp.zeros(3)\nx = x.at[«jnp.array([0, 0])»].set(jnp.array([1.0, 2.0]))"],
        sees="float(x[0]) in (1.0, 2.0)",
    ),
    Example(
        bad=["import jax.numpy as jnp\nat = jnp.array([1, 1])\nx = jnp.zeros(3)\nx = x.at[«at»].add(1.0, unique_indices=True)"],
        sees="x.shape == (3,)",
        fixed=["import jax.numpy as jnp\nat = jnp.array([1, 1])\nx = jnp.zeros(3)\nx = x.at[at].add(1.0)"],
        gives="x.tolist() == [0.0, 2.0, 0.0]",
    ),
]

CLEAN = [
    Clean(["import jax.numpy as jnp\nx = jnp.zeros(3).at[jnp.array([0, 0])].add(1.0)"], because="both are added"),
    Clean(["import jax.numpy as jnp\nx = jnp.zeros(3).at[jnp.array([0, 2])].set(1.0)"], because="no index is repeated"),
    Clean(["import jax.numpy as jnp\nx = jnp.zeros(3).at[jnp.array([0, 0])].set(1.0)"],
          because="the same value is written twice"),
    Clean(["import jax.numpy as jnp\nx = jnp.zeros(3).at[jnp.array([0, 2])].add(1.0, unique_indices=True)"],
          because="the promise is kept"),
]


@on(Call)
def check(event):
    """An update whose index array is known."""
    at = event.receiver.target if event.receiver is not None else None
    if not event.name.startswith("at.") or not isinstance(at, At) or at.index is None or not at.base.must_be(JAX):
        return
    indices = _flat(at.index)
    if indices is None:
        return
    words = {"index": event.text(at.index_node), "array": event.text(at.base_node), "evidence": [at.index.made]}
    repeated = len(set(indices)) < len(indices)
    for promise, broken in (("unique_indices", repeated), ("indices_are_sorted", list(indices) != sorted(indices))):
        given = event.argument(promise)
        if broken and given is not None and given.value.known and given.value.const is True:
            yield Hint(at.index_node, variant=promise, data=(event, given), **words)
            return
    if repeated and event.name == "at.set" and event.args and _differs(event.args[0].value):
        yield Hint(at.index_node, data=None, **words)


def _differs(value):
    """More than one value is written, as far as is known."""
    if value.known and not isinstance(value.const, tuple):
        return False
    if value.known:
        return len(set(map(str, value.const))) > 1
    return value.must_be(JAX) and value.rank is not None and value.rank > 0 and value.size != 1


def _flat(index):
    """The constant indices of a one-dimensional index array."""
    const = index.const if index.known and index.must_be(JAX | NUMPY) else None
    if isinstance(const, tuple) and const and all(isinstance(i, int) and not isinstance(i, bool) for i in const):
        return const
    return None


def fixes(hint, edit):
    """Take the broken promise away."""
    if hint.data is not None:
        event, given = hint.data
        argument = next(arg for arg in event.node.args if arg.value is given.node)
        yield Fix(f"Remove {hint.variant}=True", [edit.delete(argument)])
