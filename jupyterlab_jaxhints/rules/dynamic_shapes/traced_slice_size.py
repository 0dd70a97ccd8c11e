"""A slice with traced bounds.

## What JAX does
`x[a:b]` has `b - a` elements, and shapes have to be known while JAX traces a function. With a traced bound it
raises, also where the difference is a constant: `x[i:i + 3]`. `jax.lax.dynamic_slice_in_dim(x, i, 3)` takes a
traced start and a size.

## Fix
`lax.dynamic_slice_in_dim` where the size is a constant; in front of a sum, a mask over the whole array.

## Fix safety
Safe with a constant size, except that a start too far to the right is moved to the left. The mask reads every
element.

## When it is fine
Bounds from shapes, numbers and static arguments; outside of traced code and under `grad` alone.

## References
- [Sharp bits: dynamic shapes](guide#dynamic-shapes)
"""
import libcst as cst

from ...engine.events import ItemLoad
from ...engine.values import ABSTRACT, ARRAYLIKE, JAX, SEQUENCE, SLICE, TREE
from ..base import Clean, Example, Fix, Hint, Rule, on, short
from ._masks import is_inexact, is_static, masked

RULE = Rule(
    section="dynamic shapes",
    kind="error",
    says="`{bound}` is traced, but the bounds of a slice set its size: this raises",
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\n@jax.jit\ndef window(x, i):\n    return «x[i:i + 2]»", "y = window(jnp.arange(5), 1)"],
        raises="IndexError",
        fixed=["import jax, jax.numpy as jnp\n@jax.jit\ndef window(x, i):\n    return jax.lax.dynamic_slice_in_dim(x, i, 2)", "y = window(jnp.arange(5), 1)"],
        gives="y.tolist() == [1, 2]",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\n@jax.jit\ndef rise(x):\n    top = jnp.argmax(x)\n    return «x[:top]».sum()", "y = rise(jnp.array([1.0, 2.0, 7.0, 3.0]))"],
        raises="IndexError",
        fixed=["import jax, jax.numpy as jnp\n@jax.jit\ndef rise(x):\n    top = jnp.argmax(x)\n    return jnp.where(jnp.arange(x.shape[0]) < top, x, 0).sum()", "y = rise(jnp.array([1.0, 2.0, 7.0, 3.0]))"],
        gives="float(y) == 3.0",
    ),
]

CLEAN = [
    Clean(["import jax, jax.numpy as jnp\nf = jax.jit(lambda x: x[x.shape[0] // 2:] + x[:2])\ny = f(jnp.ones(4))"], because="shapes are known while tracing"),
    Clean(["import jax, jax.numpy as jnp\nf = jax.jit(lambda x, i: jax.lax.dynamic_slice_in_dim(x, i, 2))\ny = f(jnp.ones(4), 1)"],
          because="the size is known, the start may be traced"),
    Clean(["import jax, jax.numpy as jnp\nx = jnp.arange(5)\ntop = jnp.argmax(x)\ny = x[:top]"], because="nothing is traced"),
    Clean(["import jax, jax.numpy as jnp\nf = jax.jit(lambda x, i: x[i])\ny = f(jnp.ones(4), 1)"], because="one traced index is no slice"),
]


@on(ItemLoad)
def check(event):
    """A slice with a bound that must be a tracer."""
    if not event.base.must_be(ARRAYLIKE | SEQUENCE | TREE):
        return
    parts = [event.index] if event.index.must_be(SLICE) else event.parts(event.index) if event.index.must_be(SEQUENCE) else []
    for place, part in enumerate(parts):
        bounds = part.elements if part.must_be(SLICE) and part.elements else ()
        traced = next((i for i, bound in enumerate(bounds) if bound.must_be(ABSTRACT)), None)
        if traced is None:
            continue
        node = event.node.slice[place].slice
        if not isinstance(node, cst.Slice):  # the slice object was made elsewhere
            return
        bound = (node.lower, node.upper, node.step)[traced]
        yield Hint(event.node, bound=short(event.text(bound)), evidence=[bounds[traced].made, bounds[traced].traced],
                   data=(event, place, node, _size(event, node)))
        return


def _size(event, node):
    """Node of the constant `k` in `i:i + k`, `i:k + i` or `i - k:i`; None where the size is not constant."""
    if node.step is not None or node.lower is None or node.upper is None:
        return None
    for whole, other, kind in ((node.upper, node.lower, cst.Add), (node.lower, node.upper, cst.Subtract)):
        if not isinstance(whole, cst.BinaryOperation) or not isinstance(whole.operator, kind):
            continue
        if whole.left.deep_equals(other) and is_static(event.machine, whole.right):
            return whole.right
        if kind is cst.Add and whole.right.deep_equals(other) and is_static(event.machine, whole.left):
            return whole.left
    return None


def fixes(hint, edit):
    """`lax.dynamic_slice_in_dim`, or a mask in the reduction that follows."""
    event, axis, node, size = hint.data
    if event.at or not event.base.must_be(ARRAYLIKE):
        return
    others = [part for part in event.node.slice if part.slice is not node]
    if any(not isinstance(part.slice, cst.Slice) or part.slice.lower or part.slice.upper or part.slice.step for part in others):
        return
    array = edit.argument(event.base_node)
    if size is not None:
        module, edits = edit.import_needed("jax")
        where = f", axis={axis}" if axis else ""
        text = f"{module}.lax.dynamic_slice_in_dim({array}, {edit.argument(node.lower)}, {edit.argument(size)}{where})"
        yield Fix("Use lax.dynamic_slice_in_dim", [edit.replace(event.node, text), *edits])
    elif event.base.must_be(JAX) and event.base.rank == 1 and node.step is None:
        module, edits = edit.import_needed("jax.numpy", alias="jnp")
        place = f"{module}.arange({edit.operand(event.base_node)}.shape[0])"
        if node.lower is None:
            mask = f"{place} < {edit.operand(node.upper)}"
        elif node.upper is None:
            mask = f"{place} >= {edit.operand(node.lower)}"
        else:
            mask = f"({place} >= {edit.operand(node.lower)}) & ({place} < {edit.operand(node.upper)})"
        yield Fix("Mask the whole array", [masked(edit, event.node, array, mask, is_inexact(event.base)), *edits], safe=False)
