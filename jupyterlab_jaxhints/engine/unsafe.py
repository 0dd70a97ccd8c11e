"""Operations whose slope is not finite everywhere, and what guards them."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import libcst as cst

from . import reuse, scopes
from . import values as v
from .events import KeySite

# functions that have no finite slope at the edge of their domain
SINGULAR = frozenset({"sqrt", "log", "log2", "log10", "log1p", "arccos", "arcsin", "acos", "asin", "arccosh", "arctanh",
                      "reciprocal", "rsqrt", "norm", "cbrt", "power"})
GRADIENTS = ("`grad`", "`value_and_grad`", "`jacrev`", "`jacfwd`", "`hessian`", "`vjp`", "`jvp`", "`jacobian`", "`linearize`",
             "`filter_grad`", "`filter_value_and_grad`")
_CALLS = scopes.Known()


class Unsafe(NamedTuple):
    """The operation, what it is applied to, and the argument of `where` (1 or 2) that it stands in."""

    operation: Any
    operand: Any
    side: int


def in_where(event: Any) -> Unsafe | None:
    """An operation in one side of `where` that its condition guards in value only."""
    site = KeySite(0, event.node, event.place, None)
    above = reuse.path(site)
    if any(isinstance(n, cst.Call) and _name(n) == "stop_gradient" for n in above):
        return None
    function = next((n for n in reversed(above) if isinstance(n, (cst.FunctionDef, cst.Lambda))), None)
    bound = _assigned(function)
    guard = _names(event.args[0].node, bound)
    for side in (1, 2):
        for operation, operand in _operations(event.args[side].node):
            if _is_differentiated(event, operand) and _is_guarded(operand, guard, bound):
                return Unsafe(operation, operand, side)
    return None


def _operations(node: Any) -> Any:
    if isinstance(node, cst.Call):
        if _name(node) == "where":
            return
        if _name(node) in SINGULAR and len(node.args) >= 1:
            if _name(node) != "power" or len(node.args) == 2 and _is_fraction(node.args[1].value):
                yield node, node.args[0].value
    elif isinstance(node, cst.BinaryOperation):
        if isinstance(node.operator, cst.Divide):
            yield node, node.right
        elif isinstance(node.operator, cst.Power) and _is_fraction(node.right):
            yield node, node.left
    for child in scopes.children(node):
        yield from _operations(child)


def _is_fraction(node: Any) -> bool:
    """A power between 0 and 1, or below 0."""
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        return True
    if isinstance(node, cst.Float):
        return 0.0 < float(node.value) < 1.0
    return isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Divide) and all(
        isinstance(n, (cst.Integer, cst.Float)) for n in (node.left, node.right)) and float(node.left.value) < float(node.right.value)


def _is_guarded(operand: Any, guard: frozenset, bound: dict[str, Any]) -> bool:
    """The condition asks for the operand itself, or the operand is a distance, which is zero between equal points."""
    made = bound.get(operand.value) if isinstance(operand, cst.Name) else operand
    if made is not None and _is_distance(made):
        return True
    if isinstance(operand, cst.Name):
        if made is not None and (not isinstance(made, (cst.Name, cst.Subscript)) and not _is_square(made)):
            return operand.value in guard and not _is_kept_away(made)
        return operand.value in guard
    return isinstance(operand, (cst.Attribute, cst.Subscript)) and bool(scopes.names_in(operand) & guard)


def _is_kept_away(node: Any) -> bool:
    """Made by a guard of its own, or with a constant added."""
    if isinstance(node, cst.Call):
        return _name(node) in ("where", "maximum", "clip", "softmax", "exp", "sigmoid", "softplus", "square", "cosh")
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add):
        return any(isinstance(n, (cst.Float, cst.Integer, cst.Name)) for n in (node.left, node.right))
    return False


def _is_square(node: Any) -> bool:
    return isinstance(node, cst.Call) and _name(node) == "sum"


def _is_distance(node: Any) -> bool:
    """`|x[:, None] - x[None, :]|`: zero on the diagonal."""
    while isinstance(node, cst.Call) and _name(node) in ("abs", "absolute", "norm", "sqrt", "sum", "square") and node.args:
        node = node.args[0].value
    while isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Power):
        node = node.left
    if not (isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Subtract)):
        return False
    left, right = node.left, node.right
    return isinstance(left, cst.Subscript) and isinstance(right, cst.Subscript) and left.value.deep_equals(right.value)


def _is_differentiated(event: Any, node: Any) -> bool:
    """The operand depends on what the gradient is taken of."""
    for name in scopes.names_in(node):
        value = event.machine.lookup(name)
        if value.must_be(v.LINEAR) or value.must_be(v.TREE) and "linear" in value.flags:
            return True
        if value.must_be(v.ABSTRACT) and value.traced is not None:
            if value.traced.message.startswith(GRADIENTS) or _compiled_inside(event):
                return True
    return False


def _compiled_inside(event: Any) -> bool:
    """The gradient is taken of a compiled function of one argument."""
    markers = [frame for frame in event.ctx.live if frame.transform]
    if len(markers) < 2 or not any(frame.tracer == "linear" for frame in markers[:-1]) or markers[-1].tracer == "linear":
        return False
    inner = event.ctx.live[event.ctx.live.index(markers[-1]) + 1:]
    return bool(inner) and len(inner[0].given) == 1


def _names(node: Any, bound: dict[str, Any]) -> frozenset:
    """Names in a condition, those behind a name for it included."""
    names = set(scopes.names_in(node))
    for name in list(names):
        if name in bound:
            names |= scopes.names_in(bound[name])
    return frozenset(names)


def _assigned(function: Any) -> dict[str, Any]:
    """Names that a function binds once, by an assignment of its own body."""
    out: dict[str, Any] = {}
    body = getattr(getattr(function, "body", None), "body", ())
    for line in body if isinstance(body, (list, tuple)) else ():
        for part in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            if isinstance(part, cst.Assign) and isinstance(part.targets[0].target, cst.Name):
                name = part.targets[0].target.value
                out[name] = part.value
    return out


def _name(call: Any) -> str:
    return call.func.attr.value if isinstance(call.func, cst.Attribute) else getattr(call.func, "value", "")


def norm_of_equals(event: Any) -> Any:
    """`norm(a - b)` in a function whose gradient is taken with one array for both."""
    if not event.wrapped.transform.endswith("grad") or event.function is None or len(event.args) < 2:
        return None
    values = {name: value for name, value in event.bound.items() if value.ident is not None and value.must_be(v.ARRAY)}
    for node in _calls(event.function.node):
        if _name(node) == "norm" and len(node.args) == 1 and isinstance(node.args[0].value, cst.BinaryOperation) and isinstance(
                node.args[0].value.operator, cst.Subtract):
            left, right = (getattr(side, "value", None) for side in (node.args[0].value.left, node.args[0].value.right))
            if isinstance(left, str) and isinstance(right, str) and left in values and right in values and (
                    values[left].ident == values[right].ident):
                return node
    return None


def _calls(node: Any) -> tuple[Any, ...]:
    """The calls in a piece of code."""
    return _CALLS.get(node, lambda node: tuple(_walk_calls(node)))


def _walk_calls(node: Any) -> Iterator[Any]:
    if type(node) is cst.Call:
        yield node
    for child in scopes.children(node):
        yield from _walk_calls(child)
