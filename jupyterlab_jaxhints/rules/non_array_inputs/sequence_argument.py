"""A list or tuple where JAX takes arrays.

## What JAX does
NumPy makes an array of a list without a word. JAX refuses: every element would become an operand of its own,
which is slow and easily hidden. `jnp.sum([1, 2])`, `x.dot([1, 2])` and `x + [1, 2]` raise `TypeError`.

## Fix
Makes an array of it.

## Fix safety
Safe: that is what NumPy would do.

## When it is fine
Functions that take sequences: `stack`, `concatenate`, `array`, shapes, axes; and NumPy's own functions.

## References
- [Sharp bits: non-array inputs](guide#non-array-inputs)
"""
from ...engine.events import Binary, Call
from ...engine.values import JAX, SEQUENCE, STRING
from ...knowledge import api
from ..base import Clean, Example, Fix, Hint, Rule, on, short

RULE = Rule(
    section="non-array inputs",
    kind="error",
    says={"": "`{function}` takes arrays: the {what} `{given}` raises",
          "operator": "`{function}` between a JAX array and the {what} `{given}` raises"},
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax.numpy as jnp\nlosses = [1.0, 2.0]\nmean = jnp.mean(«losses»)"],
        raises="TypeError",
        fixed=["import jax.numpy as jnp\nlosses = [1.0, 2.0]\nmean = jnp.mean(jnp.array(losses))"],
        gives="float(mean) == 1.5",
    ),
    Example(
        bad=["import jax.numpy as jnp\nx = jnp.arange(3.0)\ny = x * «[1, 0, 1]»"],
        raises="TypeError",
        fixed=["import jax.numpy as jnp\nx = jnp.arange(3.0)\ny = x * jnp.array([1, 0, 1])"],
        gives="y.tolist() == [0.0, 0.0, 2.0]",
    ),
]

CLEAN = [
    Clean(["import jax.numpy as jnp\ny = jnp.stack([jnp.ones(2), jnp.zeros(2)]), jnp.array([1, 2]), jnp.zeros((2, 3))"],
          because="these take sequences"),
    Clean(["import numpy as np\ny = np.sum([1, 2]), np.ones(2) + [1, 2]"], because="NumPy takes lists"),
    Clean(["import jax.numpy as jnp\nx = jnp.ones((2, 3))\ny = jnp.sum(x, axis=(0, 1)), x.reshape((3, 2)), x.transpose([1, 0])"],
          because="axes and shapes are sequences"),
    Clean(["import jax, jax.numpy as jnp\ny = jax.jit(lambda parts: parts[0] + parts[1])([1.0, 2.0])"],
          because="a transformed function takes trees"),
    Clean(["import jax.numpy as jnp\nx = jnp.ones(3)\nsame = x.shape == (3,)\ny = [0.0] + [1.0]"], because="no array is an operand"),
]

# methods of arrays that take another array, and where
METHODS = {"array.dot": "b", "array.take": "indices", "array.searchsorted": "v"}
PACKAGES = ("jax.numpy.", "jax.lax.", "jax.nn.", "jax.scipy.", "jax.random.", "jax.ops.")
# these take trees of arrays
TREES = frozenset({"jax.lax.map", "jax.lax.associative_scan", "jax.lax.reduce"})


@on(Call)
def check_call(event):
    """A function of JAX that refuses sequences, given one."""
    asked = event.name.startswith(PACKAGES) and event.name not in TREES and not _has_axes(event)
    entry = api.lookup(event.name, event.machine.jax_version) if asked else None
    for place, argument in enumerate(event.args):
        if argument.star:
            return
        if entry is not None:
            parameter = entry.parameter(argument.keyword) if argument.keyword else entry.parameter_at(place)
            refused = parameter is not None and parameter.name in entry.refuses
        else:
            refused = event.name in METHODS and argument.keyword in ("", METHODS[event.name]) and (place == 0 or argument.keyword)
        if refused and _is_plain(argument.value):
            yield _hint(event, argument.value, argument.node, function=event.text(event.func_node))


@on(Binary)
def check_operator(event):
    """An operator between a JAX array and a list or tuple."""
    if event.operator in ("in", "not in", "is", "is not"):
        return
    for array, value, node in ((event.left, event.right, event.right_node), (event.right, event.left, event.left_node)):
        if array.must_be(JAX) and _is_plain(value):
            yield _hint(event, value, node, variant="operator", function=event.operator)


def _has_axes(event):
    """`einsum` with lists of axes instead of a string."""
    return event.name == "jax.numpy.einsum" and bool(event.args) and not event.args[0].value.must_be(STRING)


def _is_plain(value):
    """A list, tuple or range of Python."""
    return value.must_be(SEQUENCE)


def _hint(event, value, node, **words):
    what = "range" if "range" in value.flags else "tuple" if "tuple" in value.flags else "list"
    return Hint(node, what=what, given=short(event.text(node)), evidence=[value.made],
                data=event.parts(value), **words)


def fixes(hint, edit):
    """`jnp.array(…)`."""
    parts = hint.data
    ranks = {part.rank for part in parts if part.must_be(JAX)}
    if len(ranks) > 1:
        return
    module, edits = edit.import_needed("jax.numpy", alias="jnp")
    yield Fix("Make it an array", [edit.replace(hint.node, f"{module}.array({edit.argument(hint.node)})", parens=True), *edits])
