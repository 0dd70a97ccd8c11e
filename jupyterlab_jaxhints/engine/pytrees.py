"""How a class of the notebook is taken apart and put together as a pytree, as far as its code shows it."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import libcst as cst

from .callables import Class, Function
from .classes import _returned_and_bound
from .scopes import children, names_in


@dataclass(frozen=True)
class Layout:
    """children, aux: attribute → node in flatten's result; mentioned: every attribute that flatten reads. whole: the
    expression that flatten returns. rebuilt: the call of the class in unflatten, where there is one."""

    children: dict[str, Any]
    aux: dict[str, Any]
    mentioned: frozenset[str]
    whole: Any
    rebuilt: Any


def layout(cls: Class, flatten: Function, unflatten: Function | None) -> Layout | None:
    """None where the object is used in another way than by reading its attributes."""
    returned, bound = _returned_and_bound(flatten)
    if not flatten.positional or not isinstance(returned, cst.Tuple) or len(returned.elements) != 2:
        return None
    subject = flatten.positional[0]
    read = list(_attributes(flatten.node.body, subject))
    if len(read) != sum(1 for name in _names(flatten.node.body) if name == subject):
        return None
    parts = [bound.get(e.value.value, e.value) if isinstance(e.value, cst.Name) else e.value for e in returned.elements]
    first, second = ({node.attr.value: node for node in _attributes(part, subject)} for part in parts)
    mentioned = _with_members(cls, {node.attr.value for node in read})
    return Layout(first, second, mentioned, returned, _rebuilt(cls, unflatten))


def _with_members(cls: Class, names: set[str]) -> frozenset[str]:
    """The names, and what the properties and methods among them read."""
    todo, found = list(names), set(names)
    while todo:
        member = cls.lookup(todo.pop())
        function = member.target if member is not None else None
        if isinstance(function, Function) and function.positional:
            read = {node.attr.value for node in _attributes(function.node.body, function.positional[0])} - found
            found |= read
            todo += read
    return frozenset(found)


def _rebuilt(cls: Class, unflatten: Function | None) -> Any:
    if unflatten is None:
        return None
    returned, _ = _returned_and_bound(unflatten)
    own = {cls.name, *(unflatten.positional[:1] if unflatten.cls is not None else ())}
    called = isinstance(returned, cst.Call) and isinstance(returned.func, cst.Name) and returned.func.value in own
    return returned if called else None


def _names(node: Any) -> Iterator[str]:
    if isinstance(node, cst.Name):
        yield node.value
    elif isinstance(node, cst.Attribute):
        yield from _names(node.value)
    elif isinstance(node, cst.Arg):
        yield from _names(node.value)
    else:
        for child in children(node):
            yield from _names(child)


def _attributes(node: Any, subject: str) -> Iterator[Any]:
    """Reads of an attribute of the name `subject`."""
    if isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.value.value == subject:
        if not node.attr.value.startswith("__"):
            yield node
        return
    for child in children(node):
        yield from _attributes(child, subject)


def given_attributes(init: Function) -> dict[str, str]:
    """Attributes that `__init__` sets to a parameter as it is: attribute → parameter."""
    out: dict[str, str] = {}
    subject, parameters = init.positional[0], {p.name.value for p in init.parameters}
    for line in init.node.body.body:
        for part in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            plain = isinstance(part, (cst.Assign, cst.AnnAssign)) and isinstance(part.value, cst.Name)
            if plain and part.value.value in parameters:
                targets = [t.target for t in part.targets] if isinstance(part, cst.Assign) else [part.target]
                out |= {t.attr.value: part.value.value for t in targets if isinstance(t, cst.Attribute)
                        and isinstance(t.value, cst.Name) and t.value.value == subject}
    return out


def check_of(init: Function, parameters: frozenset[str]) -> Any:
    """A test in `__init__` that asks one of these parameters for its shape or value and may raise, or None."""
    for statement in init.node.body.body:
        if isinstance(statement, cst.If) and any(
                isinstance(line, cst.SimpleStatementLine) and isinstance(line.body[0], cst.Raise)
                for line in statement.body.body):
            if _asks(statement.test, parameters):
                return statement.test
        elif isinstance(statement, cst.SimpleStatementLine):
            for part in statement.body:
                if isinstance(part, cst.Assert) and _asks(part.test, parameters):
                    return part.test
    return None


def _asks(test: Any, parameters: frozenset[str]) -> bool:
    text = cst.Module([]).code_for_node(test)
    return bool(names_in(test) & parameters) and " is " not in text and "isinstance" not in text and "hasattr" not in text
