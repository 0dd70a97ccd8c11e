"""What the fix of a branch needs to know of `if`, `elif` and `else` that belong together."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import libcst as cst

from ...engine.scopes import names_in, target_names
from ...engine.textedits import EditRefused
from ._rewrite import simple_statements

# what makes a test one of Python's own, which JAX knows while it traces
_STATIC = (" is ", "isinstance", "hasattr", "len(", ".shape", ".ndim", ".size", ".dtype")


@dataclass(frozen=True)
class Way:
    """One way through: the test that leads to it ('' for `else`), its block, and the test's node."""

    test: str
    body: Any
    node: Any = None


def ways(edit: Any, statement: Any) -> list[Way]:
    """The `if`, each `elif` and the `else`; refuses later tests that only Python can ask."""
    if isinstance(statement, cst.Match):
        return _cases(edit, statement)
    out = [Way(edit.argument(statement.test), statement.body, statement.test)]
    rest = statement.orelse
    while isinstance(rest, cst.If):
        text = edit.argument(rest.test)
        if _is_static(text):
            raise EditRefused("a later test is known while JAX traces")
        out.append(Way(text, rest.body, rest.test))
        rest = rest.orelse
    return [*out, Way("", rest.body)] if rest is not None else out


def _cases(edit: Any, statement: Any) -> list[Way]:
    """The cases of a `match` on numbers, as comparisons."""
    subject, out = statement.subject, []
    if not isinstance(subject, cst.Name):
        raise EditRefused("the subject is more than a name")
    for case in statement.cases:
        if case.guard is not None or out and not out[-1].test:
            raise EditRefused("a case asks for more than a number")
        pattern = case.pattern
        if isinstance(pattern, cst.MatchAs) and pattern.pattern is None and pattern.name is None:
            out.append(Way("", case.body))
            continue
        parts = [each.pattern for each in pattern.patterns] if isinstance(pattern, cst.MatchOr) else [pattern]
        if not all(isinstance(part, cst.MatchValue) and isinstance(_number(part.value), (cst.Integer, cst.Float)) for part in parts):
            raise EditRefused("a case asks for more than a number")
        tests = [f"{subject.value} == {edit.text(part.value)}" for part in parts]
        out.append(Way(tests[0] if len(tests) == 1 else " | ".join(f"({test})" for test in tests), case.body, subject))
    return out


def _number(node: Any) -> Any:
    return node.expression if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus) else node


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


@dataclass(frozen=True)
class Returns:
    """What the ways of a statement return: the values in order, what is bound before them, and the `return` that the last
    one comes from, where the text up to it is replaced."""

    values: list[Any]
    before: list[str]
    last: Any = None


def returned_values(edit: Any, statement: Any, found: list[Way]) -> Returns:
    """What each of the ways returns; the last `return` may stand behind the whole statement."""
    blocks = [_returning(edit, simple_statements(way.body)) for way in found]
    last = None
    if found[-1].test:
        outer = statement
        while _is_elif(edit.path(outer)[-2], outer):
            outer = edit.path(outer)[-2]
            if not returns(outer.body):
                raise EditRefused("another way leads to what follows")
        behind, near = _behind(edit, outer)
        blocks.append(_returning(edit, behind))
        last = behind[-1] if near else None
    elif isinstance(found[-1].body, cst.IndentedBlock):
        last = blocks[-1][1]
    _check_apart(blocks, [names_in(way.node) for way in found if way.node is not None])
    return Returns([block[1].value for block in blocks], [line for block in blocks for line in block[0]], last)


def _returning(edit: Any, statements: list[Any]) -> tuple[list[str], Any, frozenset[str], frozenset[str]]:
    """A block that binds names and returns: its lines, the `return`, the names that it binds and those that it reads."""
    *before, last = statements or [None]
    if not isinstance(last, cst.Return) or last.value is None:
        raise EditRefused("the block does not just return a value")
    lines, bound, read = [], set(), set(names_in(last.value))
    for each in before:
        targets = [t.target for t in each.targets] if isinstance(each, cst.Assign) else [getattr(each, "target", None)]
        plain = isinstance(each, (cst.Assign, cst.AugAssign)) and all(isinstance(t, (cst.Name, cst.Tuple)) for t in targets)
        names = [name for target in targets if plain for name in target_names(target)]
        if not names or any(len(names_in(t)) != len(set(target_names(t))) for t in targets) or "\n" in edit.text(each):
            raise EditRefused("the block does more than bind names")
        lines.append(edit.text(each))
        bound |= set(names)
        read |= names_in(each)
    return lines, last, frozenset(bound), frozenset(read)


def _check_apart(blocks: list[Any], tests: list[frozenset[str]]) -> None:
    """What one way binds is nothing that the tests or the other ways read."""
    for _, _, bound, _ in blocks:
        others = [read for block in blocks if block[2] is not bound for read in (block[3],)]
        if any(bound & read for read in (*tests, *others)):
            raise EditRefused("a way binds what another one reads")


def _behind(edit: Any, statement: Any) -> tuple[list[Any], bool]:
    """The statements behind one up to the `return`, and whether they stand in its own block: it may be the last of a block
    whose `if` is followed by the `return`."""
    path = edit.path(statement)
    body = list(getattr(path[-2], "body", ()))
    rest = body[body.index(statement) + 1:] if statement in body else []
    if rest:
        ended = next((i for i, line in enumerate(rest) if returns(path[-2].with_changes(body=[line]))), len(rest))
        return simple_statements(path[-2].with_changes(body=rest[:ended + 1])), True
    outer = path[-3] if len(path) > 2 else None
    if not isinstance(path[-2], cst.IndentedBlock) or not isinstance(outer, cst.If):
        raise EditRefused("nothing is returned otherwise")
    while _is_elif(edit.path(outer)[-2], outer):
        outer = edit.path(outer)[-2]
    line = _behind(edit, outer)[0]
    if len(line) != 1:
        raise EditRefused("more than a return follows")
    return line, False


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
