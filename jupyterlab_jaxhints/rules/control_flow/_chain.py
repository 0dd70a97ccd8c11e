"""What the fix of a branch needs to know of `if`, `elif` and `else` that belong together."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import libcst as cst

from ...engine.scopes import names_in
from ...engine.textedits import EditRefused
from ._rewrite import following_return, returned

# what makes a test one of Python's own, which JAX knows while it traces
_STATIC = (" is ", "isinstance", "hasattr", "len(", ".shape", ".ndim", ".size", ".dtype")


@dataclass(frozen=True)
class Way:
    """One way through: the test that leads to it ('' for `else`), and its block."""

    test: str
    body: Any


def ways(edit: Any, statement: Any) -> list[Way]:
    """The `if`, each `elif` and the `else`; refuses later tests that only Python can ask."""
    out = [Way(edit.argument(statement.test), statement.body)]
    rest = statement.orelse
    while isinstance(rest, cst.If):
        text = edit.argument(rest.test)
        if _is_static(text):
            raise EditRefused("a later test is known while JAX traces")
        out.append(Way(text, rest.body))
        rest = rest.orelse
    return [*out, Way("", rest.body)] if rest is not None else out


def told_above(edit: Any, statement: Any) -> bool:
    """An `elif` whose `if` asks of the same names: the fix there rewrites both."""
    above = edit.path(statement)[-2]
    if not _is_elif(above, statement):
        return False
    return bool(names_in(above.test) & names_in(statement.test)) and not _is_static(edit.text(above.test))


def returns(body: Any) -> bool:
    """The block ends in a `return`."""
    lines = body.body
    last = lines[-1]
    return isinstance(last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last, cst.Return)


def returned_values(edit: Any, statement: Any, found: list[Way]) -> tuple[Any, list[Any]]:
    """The last `return` of the ways, which may stand behind the whole `if`, and what each of them returns."""
    values = [returned(edit, way.body) for way in found]
    if not found[-1].test:
        line = found[-1].body.body[-1]
        return (line.body[-1] if isinstance(line, cst.SimpleStatementLine) else line), values
    outer = statement
    while _is_elif(edit.path(outer)[-2], outer):
        outer = edit.path(outer)[-2]
        if not returns(outer.body):
            raise EditRefused("another way leads to what follows")
    last = following_return(edit, outer)
    if last is None:
        raise EditRefused("nothing is returned otherwise")
    return last, [*values, last.value]


def nested(edit: Any, found: list[Way], values: list[Any], module: str) -> str:
    """`t1, a, jnp.where(t2, b, c)`: the arguments of the outermost `jnp.where`."""
    texts = [value if isinstance(value, str) else edit.argument(value) for value in values]
    tests = [way.test for way in found if way.test]
    out = texts[-1]
    for place in range(len(tests) - 1, -1, -1):
        out = f"{tests[place]}, {texts[place]}, {out}"
        if place:
            out = f"{module}.where({out})"
    return out


def placed(edit: Any, statement: Any, text: str) -> str:
    """The text where the statement stands; an `elif` becomes an `else` that holds it."""
    if not _is_elif(edit.path(statement)[-2], statement):
        return text
    if not isinstance(statement.body, cst.IndentedBlock):
        raise EditRefused("the block stands on the line of its `elif`")
    return f"else:\n{edit.indent(statement.body.body[0])}{text}"


def _is_elif(parent: Any, statement: Any) -> bool:
    return isinstance(parent, cst.If) and parent.orelse is statement


def _is_static(text: str) -> bool:
    return any(word in text for word in _STATIC)
