"""What the rules on item stores share: which row of the `.at` table a store is, and how it is written."""
from __future__ import annotations

from typing import Any, NamedTuple

import libcst as cst

from ...engine.textedits import EditRefused

# `x[i] = jnp.minimum(x[i], y)` and so on: function → method of `.at`
FUNCTIONS = {
    "add": "add", "subtract": "subtract", "multiply": "multiply", "divide": "divide", "true_divide": "divide",
    "power": "power", "minimum": "min", "maximum": "max",
}
# `x[i] op= y` → method of `.at`; operators without a row are written out
OPERATORS = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "**": "power"}


class Row(NamedTuple):
    """`x[i] = f(x[i], y)`: the method of `.at`, and the node of `y`."""

    method: str
    operand: Any


def of_update(event: Any) -> Row | None:
    """The row of the `.at` table that a plain store spells out, or None."""
    value = event.value_node
    if not isinstance(value, cst.Call) or len(value.args) != 2 or any(a.keyword or a.star for a in value.args):
        return None
    name = event.machine.callee_name(value.func)
    package, _, function = name.rpartition(".")
    method = FUNCTIONS.get(function) if package in ("jax.numpy", "numpy", "jax.lax") else None
    if method is None:
        return None
    first, second = value.args
    target = event.target
    if first.value.deep_equals(target):
        return Row(method, second.value)
    if second.value.deep_equals(target) and method in ("add", "multiply", "min", "max"):
        return Row(method, first.value)
    return None


def index_text(edit: Any, subscript: cst.Subscript) -> str:
    """What stands between the brackets."""
    whole = edit.text(subscript)
    base = edit.text(subscript.value, parens=True)
    return whole[len(base):].strip()[1:-1].strip()


def rewrite(edit: Any, store: Any, target: cst.Subscript, method: str, value: Any) -> list:
    """`x = x.at[i].method(value)` in place of the whole store; a name alone can be bound anew."""
    if not isinstance(target.value, (cst.Name, cst.Attribute, cst.Subscript)):
        raise EditRefused("only a name, an attribute or an item can be bound to the new array")
    array = edit.text(target.value)
    given = value if isinstance(value, str) else edit.argument(value)
    return [edit.replace(store, f"{array} = {edit.operand(target.value)}.at[{index_text(edit, target)}].{method}({given})")]


# functions of one argument that `np.NAME.at(x, i)` applies
APPLIED = frozenset({"sqrt", "square", "exp", "log", "abs", "absolute", "negative", "sin", "cos", "tanh", "reciprocal",
                     "floor", "ceil", "sign", "log1p", "expm1"})


def keeps_caller_unaware(event: Any) -> bool:
    """The store is into a parameter that the function does not return."""
    return is_unreturned_parameter(event.ctx.function, event.base_node)


def is_unreturned_parameter(function: Any, node: Any) -> bool:
    """The array is a parameter that the function does not return: rebinding it changes nothing for the caller."""
    if function is None or not isinstance(node, cst.Name):
        return False
    names = {parameter.name.value for parameter in function.parameters}
    return node.value in names and not _returns(function.node, node.value)


def _returns(function: Any, name: str) -> bool:
    from ...engine.scopes import children, names_in

    def walk(node: Any) -> bool:
        if isinstance(node, cst.Return):
            return node.value is not None and name in names_in(node.value)
        if isinstance(node, (cst.FunctionDef, cst.Lambda, cst.ClassDef)):
            return False
        return any(walk(child) for child in children(node))

    return isinstance(function, cst.Lambda) or any(walk(part) for part in function.body.body)


def short(index: str) -> str:
    """An index as it fits on a button."""
    return index if len(index) <= 16 and "\n" not in index else "…"
