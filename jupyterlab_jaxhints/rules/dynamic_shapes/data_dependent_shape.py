"""A function whose result has as many elements as the values say, in traced code.

## What JAX does
`jnp.nonzero`, `jnp.unique`, `jnp.where` with one argument and their like give arrays whose length depends on
the values. While JAX traces a function these are not known: `ConcretizationTypeError`. With `size=` the
length is fixed.

## Fix
Adds `size=`, the number of elements that go in, which is the most that can come out; the rest is filled.

## Fix safety
Unsafe: the result is longer than before, and what follows has to leave the filled part out.

## When it is fine
Outside of traced code, under `grad` alone, and with `size=`.

## References
- [Sharp bits: dynamic shapes](guide#dynamic-shapes)
"""
from ...engine.events import Call
from ...engine.values import ABSTRACT, ARRAY, NONE, NUMPY
from ...knowledge import api
from ..base import Clean, Example, Fix, Hint, Rule, on

RULE = Rule(
    section="dynamic shapes",
    kind="error",
    says="`{function}` sizes its result by traced values, which raises",
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\n@jax.jit\ndef peaks(x):\n    return «jnp.nonzero(x > 1)»[0]", "y = peaks(jnp.array([0.0, 2.0, 3.0]))"],
        raises="ConcretizationTypeError",
        fixed=["import jax, jax.numpy as jnp\n@jax.jit\ndef peaks(x):\n    return jnp.nonzero(x > 1, size=(x > 1).size, fill_value=-1)[0]", "y = peaks(jnp.array([0.0, 2.0, 3.0]))"],
        gives="y.tolist() == [1, 2, -1]",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\ndef labels(ids):\n    return «jnp.unique(ids)»\nfast = jax.jit(labels)", "y = fast(jnp.array([3, 1, 3]))"],
        raises="ConcretizationTypeError",
        fixed=["import jax, jax.numpy as jnp\ndef labels(ids):\n    return jnp.unique(ids, size=ids.size, fill_value=-1)\nfast = jax.jit(labels)", "y = fast(jnp.array([3, 1, 3]))"],
        gives="y.tolist() == [1, 3, -1]",
    ),
]

CLEAN = [
    Clean(["import jax.numpy as jnp\nx = jnp.array([0, 2])\ny = jnp.unique(x), jnp.nonzero(x), jnp.where(x > 0)"],
          because="the values are there outside of a trace"),
    Clean(["import jax, jax.numpy as jnp\nf = jax.jit(lambda x: jnp.nonzero(x, size=3)[0])\ny = f(jnp.arange(4))"],
          because="`size=` fixes the length"),
    Clean(["import jax, jax.numpy as jnp\nf = jax.jit(lambda x: jnp.repeat(x, 2))\ny = f(jnp.arange(4))"],
          because="a number of repeats is known while tracing"),
    Clean(["import jax, jax.numpy as jnp\ny = jax.grad(lambda x: x[jnp.nonzero(x)[0]].sum())(jnp.array([0.0, 2.0]))"],
          because="under `grad` alone the values are there"),
    Clean(["import jax, jax.numpy as jnp\nf = jax.jit(lambda x: jnp.where(x > 0, x, 0.0))\ny = f(jnp.ones(3))"],
          because="with three arguments the shape is the arguments'"),
]

# functions that the measured table does not tell by `size`: the argument asked, its place, the options that lift it
OTHERS = {
    "jax.numpy.where": ("condition", 0, ("size",)),
    "jax.numpy.repeat": ("repeats", 1, ("total_repeat_length",)),
    "jax.numpy.delete": ("obj", 1, ("assume_unique_indices",)),
    "jax.numpy.trim_zeros": ("filt", 0, ()),
    "jax.numpy.roots": ("p", 0, ("strip_zeros",)),
    "array.nonzero": ("self", None, ("size",)),
    "array.repeat": ("repeats", 0, ("total_repeat_length",)),
}
# what fills the places that are left over: no valid index, no valid value
FILLED = frozenset({"nonzero", "flatnonzero", "argwhere", "where", "unique", "union1d"})


@on(Call)
def check(event):
    """A function with a result of unknown length, given traced values."""
    if event.name.startswith("jax.numpy."):
        asked, options = _asked(event)
    elif event.name in OTHERS:
        asked, options = [_method_argument(event)], OTHERS[event.name][2]
    else:
        return
    if not asked or any(arg.star for arg in event.args) or any(_given(event, name) for name in options):
        return
    found = next((value for value in asked if value is not None and _is_hidden(event, value)), None)
    if found is not None:
        yield Hint(event.node, function=event.text(event.func_node), evidence=[found.traced], data=event)


def _asked(event):
    """The values that decide on the length, and the options that fix it."""
    row = OTHERS.get(event.name)
    if row is not None:
        if event.name == "jax.numpy.where" and len([arg for arg in event.args if not arg.keyword]) != 1:
            return [], ()
        return [event.value(row[0], row[1])], row[2]
    entry = api.lookup(event.name, event.machine.jax_version)
    if entry is None or not entry.dynamic or not entry.fixed_by:
        return [], ()
    first = entry.dynamic[:1] if event.name.endswith(("compress", "extract")) else entry.dynamic
    return [event.value(name, entry.index(name)) for name in first], entry.fixed_by


def _method_argument(event):
    name, place, _ = OTHERS[event.name]
    return event.receiver if place is None else event.value(name, place)


def _given(event, name):
    argument = event.argument(name)
    return argument is not None and not argument.value.must_be(NONE)


def _is_hidden(event, value):
    """JAX has no values of this: a tracer, or any array where a function is staged that computes with it."""
    if value.must_be(ABSTRACT):
        return True
    return event.ctx.staged and value.must_be(ARRAY | NUMPY) and event.name not in OTHERS


def fixes(hint, edit):
    """`size=` as large as what goes in."""
    event = hint.data
    short = event.name.rpartition(".")[2]
    if event.name.startswith("array.") or len(event.node.args) != 1 or event.node.args[0].keyword is not None:
        return
    given = event.node.args[0].value
    if short in FILLED:
        size = f"size={edit.operand(given)}.size"
        yield Fix("Fix the size", [edit.insert_after(given, f", {size}, fill_value=-1")], safe=False)
