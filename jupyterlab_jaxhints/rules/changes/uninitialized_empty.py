"""Reading an array that `jnp.empty` made.

## What JAX does
Before JAX 0.11 `jnp.empty` and `jnp.empty_like` gave zeros. From 0.11 on the array holds whatever was in memory: reading
it before writing gives other numbers each time.

## Fix
Uses `zeros` or `zeros_like`.

## Fix safety
Safe: zeros are what older releases gave.

## When it is fine
Where every element is written before it is read.

## References
- [Change log of JAX](jax/changelog.html)
"""
import libcst as cst

from ...engine.events import Binary, Call, ItemLoad
from ..base import Clean, Example, Fix, Hint, Rule, on

RULE = Rule(
    section="changes",
    kind="silent",
    says="`{array}` is read before it is written: from JAX 0.11 on `{function}` holds no zeros",
    jax=">=0.11",
)

EXAMPLES = [
    Example(
        bad=["import jax.numpy as jnp\ntotal = «jnp.empty(3)» + 1.0"],
        sees="total.shape == (3,)",
        fixed=["import jax.numpy as jnp\ntotal = jnp.zeros(3) + 1.0"],
        gives="total.tolist() == [1.0, 1.0, 1.0]",
    ),
]

CLEAN = [
    Clean(["import jax.numpy as jnp\nx = jnp.empty(2)\nx = x.at[:].set(1.0)\ny = x + 1.0"], because="written first"),
    Clean(["import numpy as np\nimport jax\nx = np.empty(2)\ny = x + 1.0"], because="NumPy's `empty` was never zeros"),
    Clean(["import jax.numpy as jnp\nx = jnp.empty((), dtype=jnp.complex64)\ndtype = jnp.real(x).dtype"],
          because="only its dtype is asked for"),
    Clean(["import jax.numpy as jnp\nx = jnp.empty((0, 2))\ny = x.sum()"], because="there is nothing in it to read"),
]


# functions that ask for shape and dtype, or give the same elements in another form: the array is not looked into
LAYS_OUT = frozenset(
    "shape ndim size result_type promote_types issubdtype can_cast iscomplexobj isrealobj zeros_like ones_like full_like"
    " empty_like real imag conj asarray array copy astype reshape ravel flatten squeeze expand_dims broadcast_to"
    " broadcast_arrays transpose swapaxes moveaxis atleast_1d atleast_2d view".split())


def _hints(event, values):
    for value in values:
        made = value.made
        if "uninitialized" in value.flags and value.size != 0 and made is not None and isinstance(made.node, cst.Call):
            text = " ".join(event.machine.text(made.node).split())
            yield Hint(made.node, place=made.place, array=text if len(text) <= 24 else text[:21] + "…)", function=event.machine.text(
                made.node.func))


@on(Binary)
def check_operator(event):
    """Arithmetic on the array as it was made."""
    yield from _hints(event, (event.left, event.right))


@on(Call)
def check_call(event):
    """A function or method that reads it."""
    if event.name.startswith(("jax.numpy.", "jax.lax.", "jax.nn.")) and event.name.rpartition(".")[2] not in LAYS_OUT:
        yield from _hints(event, [argument.value for argument in event.args])
    elif event.name.startswith("array.") and event.name.rpartition(".")[2] not in LAYS_OUT and event.receiver is not None:
        yield from _hints(event, [event.receiver])


@on(ItemLoad)
def check_item(event):
    """An item read from it; `.at` is for writing."""
    if not event.at:
        yield from _hints(event, [event.base])


def fixes(hint, edit):
    """Zeros instead."""
    call = edit.elsewhere(hint.place) if hint.place is not None else edit
    name = call.text(hint.node.func)
    yield Fix(f"Use {name.replace('empty', 'zeros')}", [call.replace(hint.node.func, name.replace("empty", "zeros"))])
