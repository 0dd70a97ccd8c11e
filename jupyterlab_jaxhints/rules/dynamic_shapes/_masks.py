"""What the rules on dynamic shapes share: reductions that a mask can take the place of, and what is known while tracing."""
from __future__ import annotations

from typing import Any, NamedTuple

import libcst as cst

from ...engine.scopes import children
from ...engine.textedits import EditRefused
from ...engine.values import ARRAYLIKE, JAX, MODULE, NUMBER

# reduction → what takes the place of elements that do not count; `where=` for those that divide by how many there are
FILLS = {"sum": "0", "nansum": "0", "prod": "1", "any": "False", "all": "True", "max": "-{inf}", "min": "{inf}"}
COUNTING = ("mean", "std", "var")
# parts of an array that are known while tracing
STATIC_PARTS = frozenset({"shape", "ndim", "size", "dtype"})


class Reduction(NamedTuple):
    """`x.sum()` or `jnp.sum(x)` around a node: the call, and its name."""

    call: cst.Call
    name: str
    method: bool


def around(edit: Any, node: Any) -> Reduction | None:
    """The reduction of all elements that a node goes straight into."""
    path = edit.path(node)
    if len(path) > 2 and isinstance(path[-2], cst.Attribute) and isinstance(path[-3], cst.Call):
        call, name = path[-3], path[-2].attr.value
        if path[-2].value is node and call.func is path[-2] and not call.args:
            return Reduction(call, name, True)
    if len(path) > 2 and isinstance(path[-2], cst.Arg) and isinstance(path[-3], cst.Call):
        call = path[-3]
        func = call.func
        if len(call.args) == 1 and not path[-2].star and isinstance(func, (cst.Attribute, cst.Name)):
            return Reduction(call, func.attr.value if isinstance(func, cst.Attribute) else func.value, False)
    return None


def masked(edit: Any, node: Any, array: str, mask: str, inexact: bool) -> list:
    """The edits that make the reduction around `node` one of the whole array under a mask; refuses other uses."""
    found = around(edit, node)
    if found is None:
        raise EditRefused("no reduction follows")
    if found.name in COUNTING and (found.method or isinstance(found.call.func, cst.Attribute)):
        if found.method:
            return [edit.replace(found.call, f"{array}.{found.name}(where={mask})")]
        return [edit.replace(node, f"{array}, where={mask}")]
    fill = FILLS.get(found.name)
    if fill is None or "inf" in fill and not inexact:
        raise EditRefused("no reduction with a neutral element follows")
    module, edits = edit.import_needed("jax.numpy", alias="jnp")
    return [edit.replace(node, f"{module}.where({mask}, {array}, {fill.format(inf=module + '.inf')})"), *edits]


def is_static(machine: Any, node: Any) -> bool:
    """The expression is known while tracing: numbers, names of numbers, shapes of arrays."""
    if isinstance(node, (cst.Integer, cst.Float)):
        return True
    if isinstance(node, cst.Attribute):
        return node.attr.value in STATIC_PARTS or machine.callee_name(node).startswith(("math.", "numpy."))
    if isinstance(node, cst.Name):
        value = machine.lookup(node.value)
        return value.must_be(NUMBER | MODULE)
    if isinstance(node, cst.Subscript):
        base = node.value
        return isinstance(base, cst.Attribute) and base.attr.value == "shape"
    if isinstance(node, (cst.BinaryOperation, cst.UnaryOperation)):
        return all(is_static(machine, child) for child in children(node) if isinstance(child, cst.BaseExpression))
    return isinstance(node, cst.Call) and machine.callee_name(node.func) in ("builtins.len", "math.prod", "math.ceil")


def is_inexact(value: Any) -> bool:
    """The array's dtype is known to have an infinity."""
    return value.must_be(ARRAYLIKE) and (value.dtype or "").startswith(("float", "bfloat", "complex"))


def same_rank(base: Any, index: Any, base_text: str, index_node: Any, text: Any) -> bool:
    """The mask has the array's own shape: by rank, or because it is a comparison of the array itself."""
    if base.must_be(JAX) and base.rank is not None and index.rank is not None:
        return base.rank == index.rank
    if isinstance(index_node, cst.Comparison):
        sides = [index_node.left, *(target.comparator for target in index_node.comparisons)]
        return base_text in [text(side) for side in sides]
    return False
