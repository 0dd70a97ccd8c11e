"""What traced code writes to something outside, returned instead, and written where the function is called."""
from __future__ import annotations

import re
from typing import Any

import libcst as cst

from ...engine import call_sites, scopes
from ...engine.textedits import EditRefused

# an `if` may stand for a magic, which may keep its names to itself
_REPEATING = (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp, cst.Lambda, cst.FunctionDef, cst.ClassDef, cst.If)


def returned(edit: Any, event: Any, function: Any) -> list:
    """`losses.append(x)` in the function as `return …, x`, and `y, new = f(…)`, `losses.append(new)` at each call."""
    statement, value, target = _write(edit, event)
    lines = list(function.body.body)
    last = lines[-1].body[-1] if isinstance(lines[-1], cst.SimpleStatementLine) else None
    holder = next((line for line in lines if isinstance(line, cst.SimpleStatementLine) and statement in line.body), None)
    if not isinstance(last, cst.Return) or last.value is None or _returns(function.body) != 1 or holder is None or len(holder.body) > 1:
        raise EditRefused("the function has more ways than one")
    name, edits = _kept(edit, event, function, statement, value)
    many = isinstance(last.value, cst.Tuple) and not last.value.lpar
    edits += [*(edit.wrap(last.value, "(", ")") if many else []), edit.insert_after(last.value, f", {name}")]
    new = _new_name(edit, f"new_{name.removeprefix('new_')}")
    for there, call in call_sites.calls(edit, function):
        path = there.path(call)
        assign = path[-2]
        if not isinstance(assign, cst.Assign) or len(assign.targets) != 1 or any(isinstance(n, _REPEATING) for n in path):
            raise EditRefused("a call's result is not bound to a name")
        bound = assign.targets[0].target
        if isinstance(bound, cst.Tuple) and not bound.lpar:
            edits += there.wrap(bound, "(", ")")
        elif not isinstance(bound, (cst.Name, cst.Tuple)):
            raise EditRefused("a call's result is not bound to a name")
        edits.append(there.insert_after(bound, f", {target or new}"))
        if not target:
            edits.append(there.insert_after_statement(assign, f"{edit.text(statement.value.func)}({new})"))
    return edits


def _write(edit: Any, event: Any) -> tuple[Any, Any, str]:
    """The statement that writes, what it writes, and the target that a call can assign; '' for `append`."""
    path = edit.path(event.node)
    statement = next((n for n in reversed(path) if isinstance(n, cst.BaseSmallStatement)), None)
    if event.how == "append" and isinstance(statement, cst.Expr) and isinstance(statement.value, cst.Call):
        call = statement.value
        if isinstance(call.func, cst.Attribute) and call.func.attr.value == "append" and isinstance(
                call.func.value, cst.Name) and len(call.args) == 1 and not call.args[0].star:
            return statement, call.args[0].value, ""
    elif event.how in ("global", "item") and isinstance(statement, cst.Assign) and len(statement.targets) == 1:
        target = statement.targets[0].target
        keyed = isinstance(target, cst.Subscript) and isinstance(target.value, cst.Name) and isinstance(
            getattr(target.slice[0].slice, "value", None), (cst.SimpleString, cst.Integer))
        if isinstance(target, cst.Name) or keyed:
            return statement, statement.value, edit.text(target)
    raise EditRefused("it is not written by one plain statement")


def _kept(edit: Any, event: Any, function: Any, statement: Any, value: Any) -> tuple[str, list]:
    """The name that holds the value up to the return, and the edits that make it so."""
    found = scopes.occurrences(function.body)
    if event.how == "global":
        name = statement.targets[0].target.value
        words = [line.body[0] for line in function.body.body if isinstance(line, cst.SimpleStatementLine)
                 and isinstance(line.body[0], cst.Global)]
        told = {id(item.name) for line in words for item in line.names}
        uses = [stored for other, stored, node in found if other == name and id(node) not in told]
        if uses.count(True) != 1 or not uses[0] or len(words) != 1 or len(words[0].names) != 1:
            raise EditRefused("the global is read before it is written")
        return name, [edit.delete(words[0])]
    base = statement.value.func.value if event.how == "append" else statement.targets[0].target.value
    if [other for other, _, _ in found].count(base.value) != 1:
        raise EditRefused("what is written is read as well")
    place = max(i for i, (_, _, node) in enumerate(found) if node is base or node is value)
    if isinstance(value, cst.Name) and not any(other == value.value and stored for other, stored, _ in found[place:]):
        return value.value, [edit.delete(statement)]
    name = _new_name(edit, f"new_{base.value}")
    return name, [edit.replace(statement, f"{name} = {edit.value(value)}")]


def _returns(node: Any) -> int:
    own = isinstance(node, cst.Return)
    return own + sum(_returns(child) for child in scopes.children(node) if not isinstance(child, (cst.FunctionDef, cst.Lambda)))


def _new_name(edit: Any, name: str) -> str:
    if any(re.search(rf"\b{name}\b", cell.masked.text) for cell in edit.cells):
        raise EditRefused("the new name is taken")
    return name
