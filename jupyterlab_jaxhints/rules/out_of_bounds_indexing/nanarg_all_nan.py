"""The place of the smallest or largest number where all are NaN.

## What JAX does
`jnp.nanargmin` and `jnp.nanargmax` give -1 for a slice of NaNs alone, where NumPy raises `ValueError`. As an
index, -1 is the last element.

## Fix
None: ask `jnp.isnan(x).all()` first, or `jnp.where` over the result.

## When it is fine
Slices with at least one number.

## References
- [Sharp bits: out-of-bounds indexing](guide#out-of-bounds-indexing)
"""
from ...engine.events import Call
from ...engine.values import ARRAYLIKE
from ..base import Clean, Example, Hint, Rule, on, short

RULE = Rule(
    section="out-of-bounds indexing",
    kind="silent",
    says="`{array}` has a slice of NaNs alone: `{function}` gives -1 for it",
)

EXAMPLES = [
    Example(
        bad=["import jax.numpy as jnp\ngaps = jnp.array([jnp.nan, jnp.nan])\nplace = «jnp.nanargmin(gaps)»"],
        sees="int(place) == -1",
    ),
    Example(
        bad=["import jax.numpy as jnp\nx = jnp.array([[1.0, 2.0], [jnp.nan, jnp.nan]])", "best = «jnp.nanargmax(x, axis=1)»"],
        sees="best.tolist() == [1, -1]",
    ),
]

CLEAN = [
    Clean(["import jax.numpy as jnp\nbest = jnp.nanargmax(jnp.array([[1.0, jnp.nan], [jnp.nan, 2.0]]), axis=1)"],
          because="each row has a number"),
    Clean(["import jax.numpy as jnp\nbest = jnp.nanargmax(jnp.array([[1.0, 2.0], [jnp.nan, jnp.nan]]))"],
          because="without an axis all rows are one slice"),
    Clean(["import jax.numpy as jnp\nbest = jnp.argmax(jnp.array([jnp.nan, jnp.nan]))"], because="`argmax` takes NaN for the largest"),
    Clean(["import numpy as np\nimport jax.numpy as jnp\nx = jnp.sqrt(jnp.arange(-2.0, 2.0))\nplace = jnp.nanargmin(x)"],
          because="the values are not known"),
]

FUNCTIONS = ("jax.numpy.nanargmin", "jax.numpy.nanargmax")


@on(Call)
def check(event):
    """Known values, with a slice that holds no number."""
    array = event.value("a", 0) if event.name in FUNCTIONS else None
    if array is None or not array.known or not array.must_be(ARRAYLIKE) or any(arg.star for arg in event.args):
        return
    axis = event.value("axis", 1)
    if axis is not None and not axis.known:
        return
    if any(all(number != number for number in part) for part in _slices(array.const, axis.const if axis else None)):
        text = " ".join(event.text(event.args[0].node).split())
        yield Hint(event.node, array=short(text), function=event.text(event.func_node),
                   certain=False, evidence=[array.made])


def _slices(constant, axis):
    """The slices of an array of one or two dimensions that the function goes through; none of larger arrays."""
    if not isinstance(constant, tuple) or not constant:
        return []
    rows = isinstance(constant[0], tuple)
    if rows and any(isinstance(number, tuple) for row in constant for number in row):
        return []
    if axis is None:
        return [[number for row in constant for number in row]] if rows else [constant]
    if not rows:
        return [constant] if axis in (0, -1) else []
    return constant if axis in (1, -1) else zip(*constant) if axis in (0, -2) else []
