"""What the fixes of a changed static object write: a new object, or its parameter traced."""
from __future__ import annotations

from typing import Any

import libcst as cst

from ...engine import classes, programs, pytrees, scopes
from ...engine.callables import Class
from ...engine.stores import OPERATORS
from ...engine.textedits import EditRefused
from . import _register


def edits(edit: Any, change: Any, cls: Class, bound: Any) -> list[Any]:
    """`obj.a = v` → `obj = Cls(v, …)`; a jitted bound method is jitted anew behind it."""
    name = change.base_node
    statement = next((n for n in edit.path(change.node) if isinstance(n, (cst.Assign, cst.AugAssign))), None)
    if not isinstance(name, cst.Name) or statement is None or isinstance(statement, cst.Assign) and (
            len(statement.targets) != 1 or statement.targets[0].target is not change.node):
        raise EditRefused("more than one attribute of a name is assigned")
    call, more = _call(edit, cls, name.value, change.attr, _value(edit, statement))
    text = f"{name.value} = {call}"
    if bound is not None:
        text += "\n" + _again(edit, bound, name.value)
    if "\n" in text and len(edit.path(statement)[-2].body) > 1:
        raise EditRefused("the line holds several statements")
    return [edit.replace(statement, text.replace("\n", "\n" + edit.indent(statement))), *more]


def _value(edit: Any, statement: Any) -> str:
    if isinstance(statement, cst.Assign):
        return edit.argument(statement.value)
    operator = OPERATORS.get(type(statement.operator))
    if operator is None:
        raise EditRefused("the operator is not known")
    return f"{edit.text(statement.target)} {operator} {edit.operand(statement.value)}"


def _call(edit: Any, cls: Class, name: str, attribute: str, value: str) -> tuple[str, list[Any]]:
    """The call that makes the new object from the old one."""
    if _register.is_dataclass(cls):
        replace, more = edit.import_needed("dataclasses", "replace")
        return f"{replace}({name}, {attribute}={value})", more
    init = classes.method(cls, "__init__")
    if init is None or init.cls is not cls or init.node.params.star_kwarg is not None:
        raise EditRefused("nothing says how the object is made")
    given = pytrees.given_attributes(init)
    held = {parameter: own for own, parameter in given.items()}
    wanted = [p.name.value for p in init.parameters][1:]
    if set(wanted) - set(held) or attribute not in given or scopes.attributes_stored(init.node) != set(given):
        raise EditRefused("the object holds more than what it was made from")
    if len(wanted) == 1 and not init.node.params.kwonly_params:
        return f"{cls.name}({value})", []
    parts = [f"{p}={value if held[p] == attribute else f'{name}.{held[p]}'}" for p in wanted]
    return f"{cls.name}({', '.join(parts)})", []


def _again(edit: Any, bound: Any, name: str) -> str:
    """The assignment that jits the object's method, as it is written."""
    there = edit.elsewhere(bound.place)
    statement = there.path(bound.node)[-2]
    plain = isinstance(statement, cst.Assign) and len(statement.targets) == 1 and isinstance(
        statement.targets[0].target, cst.Name) and statement.value is bound.node
    if not plain or name not in scopes.names_in(bound.node) or "\n" in there.text(statement):
        raise EditRefused("the jitted method has no name of its own")
    return there.text(statement)


def traced(edit: Any, wrapped: Any, read: Any) -> list[Any]:
    """The object's parameter taken out of the static ones."""
    objects, frame = programs.objects(read.ctx), read.ctx.frames
    inner = next((f for f in frame[frame.index(read.ctx.staging_frame) + 1:] if f.function is not None), None)
    names = [n for n, value in inner.given.items() if value.ref in objects] if inner is not None else []
    call = getattr(wrapped.node, "decorator", wrapped.node)
    options = [arg for arg in getattr(call, "args", ()) if arg.keyword is not None and arg.keyword.value.startswith("static_arg")]
    if len(names) != 1 or len(options) != 1 or names[0] not in inner.function.positional:
        raise EditRefused("it is not plain what makes the object static")
    there, option = edit.elsewhere(wrapped.place), options[0]
    own = (str(inner.function.positional.index(names[0])), repr(names[0]))
    listed = [e for e in getattr(option.value, "elements", ())]
    values = [_literal(e.value) for e in listed] or [_literal(option.value)]
    if not set(own) & set(values):
        raise EditRefused("the static argument is not written as a constant")
    if len(values) > 1:
        return [there.delete(next(e for e, text in zip(listed, values) if text in own))]
    rest = [arg for arg in call.args if arg is not option]
    if len(rest) == 1 and _is_factory(there, call):
        return [there.replace(call, there.text(rest[0].value))]
    return [there.delete(option)]


def _literal(node: Any) -> str:
    if isinstance(node, cst.SimpleString):
        return repr(node.evaluated_value)
    return node.value if isinstance(node, cst.Integer) else ""


def _is_factory(there: Any, call: Any) -> bool:
    """The call stands as a decorator: `@partial(jit, static_argnums=0)`."""
    return any(isinstance(node, cst.Decorator) for node in there.path(call))
