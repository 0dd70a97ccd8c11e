"""Statements: where they are cut, what a broken one costs the others, where their nodes stand."""
from __future__ import annotations

import libcst as cst
import libcst.matchers as m
import pytest

from jupyterlab_jaxhints.engine import spans, statements
from jupyterlab_jaxhints.engine.cells import Cell
from jupyterlab_jaxhints.engine.magics import MAX_CELL, mask
from jupyterlab_jaxhints.engine.statements import parse, parse_piece, read, split, stats
from jupyterlab_jaxhints.texts import part

from .cell_samples import SAMPLES


def texts(text: str, cursor: int | None = None) -> list[str]:
    return [piece.text for piece in split(mask(text), cursor)]


def lines(text: str) -> list[int]:
    return [piece.start_line for piece in split(mask(text))]


@pytest.mark.parametrize(("text", "starts"), [
    ("a = 1\nb = 2", [0, 1]),
    ("# c\n\na = 1\n\n# d\nb = 2\n", [2, 5]),
    ("a = 1; b = 2", [0]),
    ("if a:\n    b\n\n# c\nelse:\n    d\ne", [0, 6]),
    ("try:\n    a\nexcept E:\n    b\nelse:\n    c\nfinally:\n    d\ne", [0, 8]),
    ("@jit\n# c\n@other\n\ndef f():\n    pass\ng", [0, 6]),
    ("x = (\n1,\n2)\ny", [0, 3]),
    ("x = '''\ny = 1\n'''\nz", [0, 3]),
    ("x = 1 + \\\n2\ny", [0, 2]),
    ("match x:\n    case 1:\n        pass\ny", [0, 3]),
    ("async def f():\n    await g()\nawait f()", [0, 2]),
    ("def f():\n    pass\n  # odd comment\nx", [0, 3]),
    ("", []),
    ("# only words\n\n", []),
])
def test_a_cell_is_cut_at_its_top_level_statements(text: str, starts: list[int]) -> None:
    assert lines(text) == starts
    assert all(parse(piece) for piece in texts(text))


def test_an_indented_cell_is_read_as_if_it_were_not() -> None:
    pieces = split(mask("    x = 1\n    if x:\n        %time y = f(x)\n"))
    assert [piece.text for piece in pieces] == ["x = 1\n", "if x:\n    if .1:y = f(x)\n"]
    statement = parse_piece(pieces[1])
    name = m.findall(statement.module, m.Name("y"))[0]
    place = pieces[1].range(*statement.span(name))
    assert (place.start.line, place.start.character, place.end.character) == (2, 14, 15)


def test_the_block_behind_a_line_magic_is_read_where_it_stands() -> None:
    piece, = split(mask("%time for i in range(3): f(i)"))
    statement = parse_piece(piece)
    call = m.findall(statement.module, m.Call(func=m.Name("f")))[0]
    assert part("%time for i in range(3): f(i)", piece.range(*statement.span(call))) == "f(i)"


# --- broken statements ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "broken", "read_as"), [
    ("a = 1\nx = (1,\nb = 2\nc = f(b)", ["x = (1,"], ["a = 1", "b = 2", "c = f(b)"]),
    ("a = 1\nx = '''\nb = 2\nc = f(b)", ["x = '''"], ["a = 1", "b = 2", "c = f(b)"]),
    ("x = {\n@jit\ndef f(x):\n    return x\nb = f(2)", ["x = {"], ["@jit\ndef f(x):\n    return x", "b = f(2)"]),
    ("a = 1\ndef f(x\nb = 2\nc = 3", ["def f(x"], ["a = 1", "b = 2", "c = 3"]),
    ("a = 1\nx = \nb = 2", ["x ="], ["a = 1", "b = 2"]),
    ("a = 1\nb = 2\nelse:\nc = 3", ["else:"], ["a = 1", "b = 2", "c = 3"]),
    ("a = f(1))\n)\nc = 3", ["a = f(1))", ")"], ["c = 3"]),
    ("x = [\n!ls\n%time b = f(2)\nc = 3", ["x = ["], ["0", "if .1:b = f(2)", "c = 3"]),
    ("a = 1\nprint 'x'\nb = 2", ["print 'x'"], ["a = 1", "b = 2"]),
])
def test_a_broken_statement_does_not_silence_the_others(text: str, broken: list[str], read_as: list[str]) -> None:
    pieces = split(mask(text))
    assert [piece.text.strip() for piece in pieces if parse_piece(piece) is None] == broken
    assert [piece.text.strip() for piece in pieces if parse_piece(piece)] == read_as


def test_the_decorator_stays_with_its_function_when_the_function_is_broken() -> None:
    assert texts("@jit\ndef f(x:\n    return x\ny = 1") == ["@jit\ndef f(x:\n    return x\n", "y = 1\n"]


@pytest.mark.parametrize(("text", "cursor", "fixed"), [
    ("def f(x):\n    y = x +\n    return x", None, "def f(x):\n    pass\n    return x\n"),
    ("def f(x):\n    y = g(x\n    return x", 1, "def f(x):\n    pass\n    return x\n"),
    ("for i in x:\n    if i ==\n        f(i)\n    g(i)", None, "for i in x:\n    if _0:\n        f(i)\n    g(i)\n"),
    ("def f(x):\n    for i in (:\n        g(i)", 1, "def f(x):\n    for i in _0:\n        g(i)\n"),
    ("def f(x):\n    y = '''\n    return x", 1, "def f(x):\n    pass\n    return x\n"),
])
def test_a_broken_line_in_a_block_is_replaced(text: str, cursor: int | None, fixed: str) -> None:
    piece, = split(mask(text), cursor)
    assert piece.text == fixed
    assert piece.repaired
    assert parse_piece(piece).repaired


def test_the_header_of_a_function_is_never_replaced() -> None:
    piece, = split(mask("def f(x,:\n    x[0] = 1\n    return x"), 0)
    assert parse_piece(piece) is None
    assert not piece.repaired


def test_a_repaired_text_is_not_taken_for_a_whole_one() -> None:
    split(mask("def f(x):\n    y = x +\n    return x"))
    assert parse("def f(x):\n    pass\n    return x\n").repaired is False


# --- work and guards --------------------------------------------------------------------------------------------


def test_a_statement_is_parsed_once() -> None:
    statements.clear_cache()
    stats.reset()
    for text in ("aa = 1\nbb = 2", "bb = 2\naa = 1", "cc = 3\naa = 1\n"):
        for piece in split(mask(text)):
            parse_piece(piece)
    assert stats.parsed == 3


def test_the_cache_forgets_what_was_used_least_recently() -> None:
    from jupyterlab_jaxhints.engine.trees import _Cache

    cache = _Cache(characters=6)
    for key in ("aa", "bb", "cc"):
        cache.put((key, False), key)
    cache.get(("aa", False))
    cache.put(("dd", False), "dd")
    assert [key for key, _ in cache.kept] == ["cc", "aa", "dd"]


@pytest.mark.parametrize(("text", "why"), [
    ("x = " + "[" * 200 + "]" * 200, "nesting"),
    ("x = [" + "1, " * 10_000 + "]", "statement"),
    ("x = '" + "y" * 30_000 + "'", "statement"),
])
def test_what_a_guard_keeps_from_the_parser_is_said_and_the_rest_is_read(text: str, why: str) -> None:
    code = read(Cell("c", f"a = 1\n{text}\nb = 2"))
    assert [piece.skipped for piece in code.pieces] == [None, why, None]
    assert parse_piece(code.pieces[1]) is None
    (place, message), = code.skipped
    assert place.start.line == 1
    assert message.startswith("Not analysed")
    assert len(message) <= 90


def test_nesting_below_the_guard_is_read() -> None:
    assert parse_piece(split(mask("x = " + "[" * 50 + "]" * 50))[0])


def test_unclosed_brackets_cost_only_themselves() -> None:
    code = read(Cell("c", "a = 1\nx = " + "[" * 200 + "\nb = 2\n" * 2))
    assert [piece.skipped for piece in code.pieces] == [None, "nesting", None, None]


def test_a_cell_of_a_megabyte_gets_one_note() -> None:
    code = read(Cell("c", "x = 1\n" * (1_000_000 // 6)))
    assert code.pieces == ()
    assert len(code.skipped) == 1
    assert len(read(Cell("c", "x = 1\n" * (MAX_CELL // 6))).pieces) > 1000


@pytest.mark.parametrize("text", [
    "x = " + "a+" * 9_900 + "a", "x = a" + ".b" * 9_900, "x = " + "a and " * 3_300 + "a", "x = " + "-" * 19_000 + "1",
    "x = " + "'a' " * 4_900, "x = " + "not " * 4_900 + "a", "x = " + "lambda:" * 2_800 + "1",
    "if a:\n    b\n" + "elif a:\n    b\n" * 1_400, "x = a" + "[0]" * 6_000, "x = " + "a if b else " * 1_600 + "c",
    "".join(" " * n + "if a:\n" for n in range(150)) + " " * 150 + "b", "x = a" + "()" * 9_000,
    "x = f'" + "{a}" * 6_000 + "'", "x = " + "a**" * 6_000 + "a", "x" + " = x" * 4_900,
])
def test_long_chains_leave_the_process_alive(text: str) -> None:
    piece, = split(mask(text))
    statement = parse_piece(piece)
    if statement is not None:
        assert statement.span(statement.body[0])[0] == 0


# --- positions --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [
    "é = '😀'; y = f(x)", "a = 1\r\n\r\n  \r\ny = f(x)\r\n", "a\ry = f(x)", "\ufeffy = f(x)", "s = '\u2028\x85'; y = f(x)",
    "!echo 😀 é\n%time y = f(x)", "files = !echo 😀\ny = f(x)", "    a = '😀'\n    y = f(x)", "z = (\n😀 = \ny = f(x)",
    "s = '\ud83d'; y = f(x)", "\tif a:\n\t\ty = f(x)", "\x0cy = f(x)", "a\n\x0c\ny = '\x0c' + f(x)",
])
def test_a_node_is_found_in_the_cell_as_the_user_has_it(text: str) -> None:
    found = []
    for piece in split(mask(text)):
        statement = parse_piece(piece)
        for call in m.findall(statement.module, m.Call(func=m.Name("f"))) if statement else ():
            start, end = statement.span(call)
            found.append(part(text, piece.range(start, end)))
            row, column = piece.row_column(start)
            line = mask(text).original.replace("\r\n", "\n").replace("\r", "\n").split("\n")[row - 1]
            assert line[column - 1:].startswith("f(x)")
    assert found == ["f(x)"]


def test_spans_leave_out_parentheses_unless_wanted() -> None:
    statement = parse("y = ( (x + 1) ) * f((2), *a)  # c\n")
    value = statement.body[0].body[0].value
    assert [statement.text[slice(*statement.span(node))] for node in (value, value.left, value.right.args[0], value.right.args[1])] \
        == ["( (x + 1) ) * f((2), *a)", "x + 1", "(2)", "*a"]
    assert statement.text[slice(*statement.span(value.left, parens=True))] == "( (x + 1) )"
    assert statement.text[slice(*statement.span(statement.body[0]))] == "y = ( (x + 1) ) * f((2), *a)"


def _all_nodes(node: cst.CSTNode) -> list[cst.CSTNode]:
    return [node, *(inner for child in node.children for inner in _all_nodes(child))]


@pytest.mark.parametrize("text", SAMPLES)
def test_spans_are_those_of_the_public_provider(text: str) -> None:
    for piece in split(mask(text)):
        statement = parse_piece(piece)
        mine, theirs = spans.record(statement.module, piece.text), spans.by_provider(statement.module, piece.text)
        for node in _all_nodes(statement.module):
            if isinstance(node, (cst.BaseExpression, cst.BaseSmallStatement, cst.BaseCompoundStatement, cst.Arg, cst.Param,
                                 cst.SimpleStatementLine, cst.Decorator, cst.ImportAlias, cst.SubscriptElement)):
                assert mine.inner(node) == theirs.inner(node), node
                assert mine.outer(node) == theirs.outer(node), node
