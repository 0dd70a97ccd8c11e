"""The fix for a jitted function that closes over its surroundings: what it closes over becomes arguments."""
from __future__ import annotations

from typing import Any

import libcst as cst

from ...engine import scopes
from ...engine.callables import Function
from ...engine.textedits import EditRefused
from ...engine.values import ARRAY, NUMBER, STRING, Value
from . import _hoist


def captured(function: Value) -> dict[str, str]:
    """Names that a nested function reads from the function around it, and how `jit` can be given them."""
    target = function.target
    scope = target.scope if isinstance(target, Function) else None
    if scope is None:
        return {}
    held = {name: scope.names[name] for name in scopes.names_in(target.node) if name in scope.names}
    return {name: "static" if value.must_be(NUMBER | STRING) else "traced" if value.must_be(ARRAY) else ""
            for name, value in held.items()}


def edits(edit: Any, owner: Any, above: Any, kinds: dict[str, str]) -> list[Any]:
    """The definition above the function, with more parameters, and its calls with more arguments."""
    names = sorted(_hoist.free(owner) & _hoist.bound(above))
    params = owner.params
    if not names or any(not kinds.get(name) for name in names) or len(owner.decorators) != 1 or not params.params or (
            params.kwonly_params or params.star_kwarg or isinstance(params.star_arg, cst.Param)
            or any(p.default is not None for p in params.params)):
        raise EditRefused("it closes over what is no plain argument")
    calls = _calls(edit, owner, above)
    (text,), out = _hoist.move_functions(edit, [owner], above)
    head = f"def {owner.name.value}("
    before, _, behind = text.partition(head)
    line, colon, body = behind.partition("\n")
    parameters = edit.text(params)
    if not line.startswith(parameters + ")"):
        raise EditRefused("the parameters span lines")
    decorator, more = _decorator(edit, owner.decorators[0].decorator, [n for n in names if kinds[n] == "static"])
    given = ", ".join(names)
    text = f"@{decorator}\n{head}{parameters}, {given}{line[len(parameters):]}{colon}{body}"
    return [_hoist.inserted(edit, above, [text]), *out, *(edit.insert_after(c.args[-1].value, f", {given}") for c in calls), *more]


def _decorator(edit: Any, node: Any, static: list[str]) -> tuple[str, list[Any]]:
    if not static:
        return edit.text(node), []
    if not isinstance(node, (cst.Name, cst.Attribute)):
        raise EditRefused("`jit` has options of its own")
    partial, more = edit.import_needed("functools", "partial")
    listed = ", ".join(f'"{name}"' for name in static) + ("," if len(static) == 1 else "")
    return f"{partial}({edit.text(node)}, static_argnames=({listed}))", more


def _calls(edit: Any, owner: Any, above: Any) -> list[Any]:
    """Every use of the function's name, each a plain call."""
    name, calls, todo = owner.name.value, [], [above]
    uses = sum(node.value == name for _, _, node in scopes.occurrences(above))
    while todo:
        node = todo.pop()
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value == name:
            calls.append(node)
        todo += scopes.children(node)
    plain = all(c.args and not any(a.star or a.keyword for a in c.args) for c in calls)
    if not calls or not plain or uses - len(calls) not in (0, 1):
        raise EditRefused("the function is not only called")
    return calls
