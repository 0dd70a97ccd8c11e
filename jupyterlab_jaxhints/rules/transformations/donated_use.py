"""Using an array after its buffer was donated.

## What JAX does
A call of a function with `donate_argnums` or `donate_argnames` takes the buffers of these arguments for its
results. The old arrays are deleted: reading one raises `RuntimeError`, giving it to a call again
`ValueError`. One buffer that a call gets twice raises as well.

## Fix
Gives a copy where one buffer comes twice. For a buffer that is gone: bind the result to the old name, or keep a copy from
before the call.

## When it is fine
The old name bound to the result; shapes and dtypes of the old array; buffers for which no result has the same
shape, which JAX leaves alone.

## References
- [Buffer donation](guide#transformations)
"""
from ...engine.events import Binary, Call, Format, ItemLoad, TransformedCall
from ...engine.values import ARRAY
from ...knowledge import api
from ..base import Clean, Example, Fix, Hint, Rule, on, short

RULE = Rule(
    section="transformations",
    kind="error",
    says={"": "`{array}` was donated to a call before: its buffer is gone and this raises",
          "twice": "`{array}` shares a buffer with another argument that is donated: this raises"},
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\nstep = jax.jit(lambda w: 0.9 * w, donate_argnums=0)\nw = jnp.ones(3)\nnew = step(w)\nmoved = new - «w»"],
        raises="RuntimeError",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\ndef step(w, g):\n    return w - g\nfast = jax.jit(step, donate_argnames=('w',))", "w = jnp.ones(3)\nfor _ in range(3):\n    new = fast(«w», 0.1)"],
        raises="ValueError",
    ),
    Example(  # two names of one buffer
        bad=["import jax, jax.numpy as jnp\nstep = jax.jit(lambda a, b: (a + b, a - b), donate_argnums=(0, 1))", "online = jnp.ones(3)\ntarget = online\nout = step(online, «target»)"],
        raises="RuntimeError",
        fixed=["import jax, jax.numpy as jnp\nstep = jax.jit(lambda a, b: (a + b, a - b), donate_argnums=(0, 1))", "online = jnp.ones(3)\ntarget = online\nout = step(online, target.copy())"],
        gives="out[0].tolist() == [2.0, 2.0, 2.0]",
    ),
]

CLEAN = [
    Clean(["import jax, jax.numpy as jnp\nstep = jax.jit(lambda w: 0.9 * w, donate_argnums=0)\nw = jnp.ones(3)\nfor _ in range(3):\n    w = step(w)\nprint(w)"],
          because="the name is bound to the result"),
    Clean(["import jax, jax.numpy as jnp\nstep = jax.jit(lambda w: 0.9 * w, donate_argnums=0)\nw = jnp.ones(3)\nnew = step(w)\nprint(w.shape, w.dtype, jnp.zeros_like(w))"],
          because="shape and dtype outlive the buffer"),
    Clean(["import jax, jax.numpy as jnp\ntotal = jax.jit(lambda w: w.sum(), donate_argnums=0)\nw = jnp.ones(3)\nout = total(w)\nprint(w)"],
          because="no result could use the buffer, so JAX leaves it alone"),
    Clean(["import jax, jax.numpy as jnp\nstep = jax.jit(lambda w: 0.9 * w, donate_argnums=0)\nw = jnp.ones(3)\nnew = step(w.copy())\nprint(w)"],
          because="a copy was donated"),
]

# functions of others that read the values of an array
READS = frozenset({"builtins.print", "builtins.float", "builtins.int", "builtins.bool", "builtins.str", "builtins.repr",
                   "builtins.list", "builtins.sum", "builtins.max", "builtins.min", "builtins.abs", "jax.device_get",
                   "jax.device_put", "jax.block_until_ready"})
ONLY_SHAPES = frozenset({"shape", "ndim", "size", "result_type", "zeros_like", "ones_like", "empty_like", "full_like"})
METHODS_FINE = frozenset({"array.is_deleted", "array.delete", "array.devices", "array.addressable_data"})


@on(TransformedCall)
def check_call(event):
    """An argument of a transformed function is gone, or comes twice."""
    if event.ctx.traced:
        return
    for argument, step in event.gone:
        yield _hint(event, argument.node, step)
    if event.twice is not None and not event.gone:
        yield Hint(event.twice.node, variant="twice", array=short(event.text(event.twice.node)),
                   data=event.twice.node if event.twice.value.must_be(ARRAY) else None)


@on(Binary)
def check_operand(event):
    """An operand is gone."""
    for value, node in ((event.left, event.left_node), (event.right, event.right_node)):
        yield from _read(event, value, node)


@on(ItemLoad)
def check_item(event):
    """An item of an array that is gone."""
    yield from _read(event, event.base, event.base_node)


@on(Format)
def check_format(event):
    """The array is put into a string."""
    yield from _read(event, event.value, event.node)


@on(Call)
def check_function(event):
    """A method of an array that is gone, or a function that reads it."""
    if event.name.startswith("array.") and event.name not in METHODS_FINE and event.receiver is not None:
        yield from _read(event, event.receiver, event.receiver_node)
    if event.name in READS or _computes(event):
        for argument in event.args:
            yield from _read(event, argument.value, argument.node)


def _computes(event):
    """A function of JAX or NumPy that computes with values."""
    package, _, short = event.name.rpartition(".")
    if short in ONLY_SHAPES or not package.startswith(("jax.numpy", "jax.lax", "jax.nn", "jax.scipy", "numpy")):
        return False
    entry = api.lookup(event.name, event.machine.jax_version)
    return entry is None or entry.result in ("array", "tuple", "list", "numpy")


def _read(event, value, node):
    if value.must_be(ARRAY):
        step = event.donated(value)
        if step is not None:
            yield _hint(event, node, step)


def _hint(event, node, step):
    return Hint(node, array=short(event.text(node)), evidence=[step])


def fixes(hint, edit):
    """A copy for the second of the two."""
    if hint.data is not None:
        yield Fix("Give a copy", [edit.replace(hint.data, f"{edit.operand(hint.data)}.copy()", parens=True)])
