"""Expecting an augmented assignment to change another name.

## What JAX does
`b = a; b += 1` makes a new array for `b`; `a` stays as it was. NumPy would change both. The same goes for a loop variable
over a list of arrays, and for a parameter: the list and the caller keep the old arrays.

## Fix
None: what is meant is not known. Build a new list, or return the new array.

## When it is fine
Keeping the old value on purpose (`old = x; x -= g; x - old`) is right in JAX.

## References
- [Sharp bits: in-place updates](guide#in-place-updates)
"""
from ...engine.events import NameAugment
from ...engine.values import JAX
from ..base import Clean, Example, Hint, Rule, on

RULE = Rule(
    section="in-place updates",
    kind="silent",
    says={"alias": "`{name}` gets a new array: `{other}` stays as it was",
          "container": "`{name}` gets a new array: `{other}` keeps the old ones",
          "parameter": "`{name}` gets a new array: the caller's stays as it was"},
)

EXAMPLES = [
    Example(
        bad=["import jax.numpy as jnp\na = jnp.zeros(2)\nb = a\n«b += 10»\nprint(a)"],
        sees="a.tolist() == [0.0, 0.0]",
    ),
    Example(
        bad=["import jax.numpy as jnp\nws = [jnp.ones(2), jnp.ones(1)]\nfor w in ws:\n    «w *= 0.5»\nprint(ws)"],
        sees="ws[0].tolist() == [1.0, 1.0]",
    ),
]

CLEAN = [
    Clean(["import jax.numpy as jnp\nx = jnp.ones(2)\nold = x\nx -= 0.5\nprint(x - old)"], because="the old value is wanted"),
    Clean(["import numpy as np\nimport jax.numpy as jnp\na = np.zeros(2)\nb = a\nb += 1\nprint(a)"],
          because="NumPy changes both"),
    Clean(["import jax.numpy as jnp\na = jnp.zeros(2)\nb = a\nb += 1\nprint(b)"], because="`a` is not used again"),
    Clean(["import jax.numpy as jnp\ndef scaled(x):\n    x *= 2.0\n    return x\ny = scaled(jnp.ones(2))"],
          because="the new array is returned"),
]


@on(NameAugment)
def check(event):
    """The old array has another way to it that is used later, and the new one is not used beside it."""
    if not event.before.must_be(JAX) or not event.result.must_be(JAX):
        return
    containers = [name for name in event.aliases_read_later if name.startswith("container:")]
    if containers and not event.read_later:
        yield Hint(event.node, variant="container", name=event.name, other=containers[0].removeprefix("container:"))
        return
    if event.is_parameter and not event.read_later:
        yield Hint(event.node, variant="parameter", name=event.name)
        return
    plain = [name for name in event.aliases_read_later if not name.startswith("container:")]
    # inside of functions the old array is often wanted beside the new one
    if plain and event.is_copy and not (event.read_later and event.ctx.function is not None):
        yield Hint(event.node, variant="alias", name=event.name, other=plain[0], certain=False)
