"""The result of an `.at[…]` update is thrown away.

## What JAX does
Arrays never change. `x.at[i].set(v)` builds a new array and leaves `x` as it was; a statement that does not bind the new
array to a name does nothing.

## Fix
Binds the result to the array's name.

## Fix safety
Unsafe where the array is a parameter that the function does not return: the caller keeps the old one.

## When it is fine
`x.at[i].get()` reads; the last expression of a cell is shown, but its new array is lost all the same.

## References
- [Sharp bits: in-place updates](guide#in-place-updates)
"""
import libcst as cst

from ...engine.callables import At
from ...engine.events import Call
from ...engine.values import JAX
from ..base import Clean, Example, Fix, Hint, Rule, on
from ._update import is_unreturned_parameter

RULE = Rule(
    section="in-place updates",
    kind="silent",
    says="`{array}` does not change: `.at[…].{method}` returns a new array",
)

EXAMPLES = [
    Example(
        bad=["import jax.numpy as jnp\nw = jnp.zeros(2)\n«w.at[0].set(1.0)»\nprint(w)"],
        sees="w.tolist() == [0.0, 0.0]",
        fixed=["import jax.numpy as jnp\nw = jnp.zeros(2)\nw = w.at[0].set(1.0)\nprint(w)"],
        gives="w.tolist() == [1.0, 0.0]",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\n@jax.jit\ndef damp(v):\n    v = 2.0 * v\n    «v.at[-1].multiply(0.5)»\n    return v",
             "out = damp(jnp.ones(2))"],
        sees="out.tolist() == [2.0, 2.0]",
        fixed=["import jax, jax.numpy as jnp\n@jax.jit\ndef damp(v):\n    v = 2.0 * v\n    v = v.at[-1].multiply(0.5)\n    return v",
               "out = damp(jnp.ones(2))"],
        gives="out.tolist() == [2.0, 1.0]",
    ),
]

CLEAN = [
    Clean(["import jax.numpy as jnp\nw = jnp.zeros(2)\nw.at[0].get()"], because="a read has nothing to keep"),
    Clean(["import jax.numpy as jnp\nw = jnp.zeros(2)\nw.at[0].set(1.0).sum()"], because="the new array is used"),
    Clean(["import jax.numpy as jnp\nw = jnp.zeros(2)\nprint(w.at[0].set(1.0))"], because="the new array is printed"),
    Clean(["import jax.numpy as jnp\nw = jnp.zeros(2)", "w.at[0].set(1.0)"],
          because="the last expression of a cell is shown: somebody looks at it"),
]

WRITES = frozenset({"set", "add", "subtract", "multiply", "divide", "power", "min", "max", "apply", "mul"})


@on(Call)
def check(event):
    """A writing method of `.at[…]` as a whole statement."""
    method = event.name.removeprefix("at.")
    if not event.statement_level or method == event.name or method not in WRITES:
        return
    at = event.receiver.target if event.receiver is not None else None
    if isinstance(at, At) and at.base.must_be(JAX) and not event.is_shown:
        yield Hint(event.node, array=event.text(at.base_node), method=method, evidence=[at.base.made],
                   data=(at.base_node, not is_unreturned_parameter(event.ctx.function, at.base_node)))


def fixes(hint, edit):
    """Bind the result."""
    base_node, safe = hint.data
    if isinstance(base_node, (cst.Name, cst.Attribute, cst.Subscript)):
        array = edit.text(base_node)
        yield Fix(f"Keep the result in {array}", [edit.insert_before(hint.node, f"{array} = ")], safe=safe)
