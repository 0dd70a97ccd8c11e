"""Edits are spans of the user's text: what they change, what they leave, and what they refuse."""
from __future__ import annotations

import libcst as cst
import libcst.matchers as m
import pytest

from jupyterlab_jaxhints.engine.cells import Cell
from jupyterlab_jaxhints.engine.edits import Edit, EditRefused, Site, apply, combine
from jupyterlab_jaxhints.engine.statements import parse_piece, read


def notebook(*texts: str) -> list:
    return [read(Cell(f"c{index}", text)) for index, text in enumerate(texts)]


def find(cells: list, pattern: m.BaseMatcherNode, cell: int = -1) -> tuple[Edit, cst.CSTNode]:
    """The first node in a cell that matches, with an edit for its statement."""
    code = cells[cell]
    for piece in code.pieces:
        statement = parse_piece(piece)
        if statement and (found := m.findall(statement.module, pattern)):
            edit = Edit(Site(code.id, piece, statement), cells)
            return edit, min(found, key=lambda node: statement.span(node))
    raise AssertionError("no such node")


def after(cells: list, *edits) -> list[str]:
    return list(apply({code.id: code.cell.text for code in cells}, combine(*edits)).values())


def name(value: str) -> m.Name:
    return m.Name(value=value)


def call(function: str) -> m.Call:
    return m.Call(func=m.Name(value=function))


@pytest.mark.parametrize(("before", "new"), [
    ("y = f( x )  # why\n", "y = g()  # why\n"),
    ("y = (f(x))", "y = (g())"),
    ("é = '😀'; y = f(x)", "é = '😀'; y = g()"),
    ("\ta = 1\n\ty = f(x)", "\ta = 1\n\ty = g()"),
    ("a = 1\r\ny = f(x)\r\n", "a = 1\r\ny = g()\r\n"),
    ("\ufeffy = f(x)", "\ufeffy = g()"),
    ("!ls\n%time y = f(x)", "!ls\n%time y = g()"),
    ("y = '\u2028' + f(x)", "y = '\u2028' + g()"),
    ("y = '''\n😀''' + f(\n  x)\n", "y = '''\n😀''' + g()\n"),
    ("y = z(\nw = f(x)\n", "y = z(\nw = g()\n"),
])
def test_replacing_a_call_leaves_the_rest_as_it_is(before: str, new: str) -> None:
    cells = notebook(before)
    edit, node = find(cells, call("f"))
    assert after(cells, edit.replace(node, "g()")) == [new]


def test_the_text_of_a_node_is_what_the_user_wrote() -> None:
    cells = notebook("y = ( a  +\n  b # sum\n ) * 2")
    edit, node = find(cells, m.BinaryOperation(operator=m.Add()))
    assert edit.text(node) == "a  +\n  b"
    assert edit.text(node, parens=True) == "( a  +\n  b # sum\n )"
    assert edit.operand(node) == "(a  +\n  b)"


@pytest.mark.parametrize(("code", "operand", "argument"), [
    ("y = x", "x", "x"),
    ("y = -x", "(-x)", "-x"),
    ("y = x if a else b", "(x if a else b)", "x if a else b"),
    ("y = 1, 2", "(1, 2)", "(1, 2)"),
    ("y = (1, 2)", "(1, 2)", "(1, 2)"),
    ("y = x.at[0]", "x.at[0]", "x.at[0]"),
    ("y = (x\n  .T)", "(x\n  .T)", "x\n  .T"),
    ("y = f(\n  1)", "f(\n  1)", "f(\n  1)"),
    ("y = [\n1]", "[\n1]", "[\n1]"),
    ("y = 1", "(1)", "1"),
])
def test_parentheses_only_where_they_are_needed(code: str, operand: str, argument: str) -> None:
    cells = notebook(code)
    edit, node = find(cells, m.Assign())
    assert edit.operand(node.value) == operand
    assert edit.argument(node.value) == argument


def test_wrapping_keeps_what_is_inside() -> None:
    cells = notebook("y = g((x  +  1))")
    edit, node = find(cells, m.BinaryOperation())
    assert after(cells, edit.wrap(node, "np.asarray(", ")")) == ["y = g(np.asarray((x  +  1)))"]


@pytest.mark.parametrize(("before", "above", "below"), [
    ("x = 1", "NEW\nx = 1", "x = 1\nNEW"),
    ("def f():\n    x = 1  # one\n    return x", "def f():\n    NEW\n    x = 1  # one\n    return x",
     "def f():\n    x = 1  # one\n    NEW\n    return x"),
    ("a = 1; x = 2", "a = 1; NEW; x = 2", "a = 1; x = 2\nNEW"),
    ("if a: x = 1", "if a: NEW; x = 1", "if a: x = 1; NEW"),
    ("%time x = 1", "NEW\n%time x = 1", "%time x = 1\nNEW"),
    ("  x = 1\n  y = 2", "  NEW\n  x = 1\n  y = 2", "  x = 1\n  NEW\n  y = 2"),
    ("if a:\n\tx = (1,\n2)\n", "if a:\n\tNEW\n\tx = (1,\n2)\n", "if a:\n\tx = (1,\n2)\n\tNEW\n"),
    ("x = 1 \\\n  + 2\r\ny", "NEW\r\nx = 1 \\\n  + 2\r\ny", "x = 1 \\\n  + 2\r\nNEW\r\ny"),
])
def test_lines_above_and_below_a_statement(before: str, above: str, below: str) -> None:
    cells = notebook(before)
    edit, node = find(cells, name("x"))
    assert after(cells, edit.insert_before_statement(node, "NEW")) == [above]
    assert after(cells, edit.insert_after_statement(node, "NEW")) == [below]


def test_lines_around_a_decorated_function_and_an_elif() -> None:
    cells = notebook("@jit\n# note\ndef f(x):\n    return x\n\ng = 1\nif a:\n    pass\nelif b(q):\n    pass\n")
    edit, node = find(cells, m.FunctionDef())
    assert after(cells, edit.insert_before_statement(node, "A"))[0].startswith("A\n@jit\n# note")
    assert "return x\nA\n\ng" in after(cells, edit.insert_after_statement(node, "A"))[0]
    edit, node = find(cells, name("q"))
    assert "g = 1\nA\nif a" in after(cells, edit.insert_before_statement(node, "A"))[0]


def test_the_last_line_of_a_class_is_named_by_its_whole_line() -> None:
    cells = notebook("class A:\n    a = 1\n    b = 2; c = 3\nd = 4")
    edit, node = find(cells, m.ClassDef())
    last = node.body.body[-1]
    assert after(cells, edit.insert_after_statement(last, "e = 5")) == ["class A:\n    a = 1\n    b = 2; c = 3\n    e = 5\nd = 4"]
    assert after(cells, edit.insert_before_statement(last, "e = 5")) == ["class A:\n    a = 1\n    e = 5\n    b = 2; c = 3\nd = 4"]


def test_a_definition_goes_with_its_decorators_and_the_blank_lines_behind_it() -> None:
    cells = notebook("def f():\n    @jit\n    def g(x):\n        return x\n\n\n    return g(1)\n")
    edit, node = find(cells, m.FunctionDef(name=name("g")))
    behind = edit.path(node)[-2].body[1]
    assert after(cells, edit.delete_up_to(node, behind)) == ["def f():\n    return g(1)\n"]


def test_several_lines_do_not_fit_between_semicolons() -> None:
    edit, node = find(notebook("a = 1; x = 2"), name("x"))
    with pytest.raises(EditRefused):
        edit.insert_before_statement(node, "b = 1\nc = 2")


@pytest.mark.parametrize(("before", "new"), [
    ("a = 1\nx = 2  # two\nb = 3", "a = 1\nb = 3"),
    ("a = 1\nx = 2", "a = 1"),
    ("x = 2", ""),
    ("a = 1; x = 2", "a = 1"),
    ("x = 2; a = 1", "a = 1"),
    ("if a:\n    x = 2\n", "if a:\n    pass\n"),
    ("if a:\n    x = 2\n    b = 1\n", "if a:\n    b = 1\n"),
    ("if a: x = 2\n", "if a: pass\n"),
    ("x = (1,\n     2)\nb = 1", "b = 1"),
])
def test_deleting_a_statement(before: str, new: str) -> None:
    cells = notebook(before)
    edit, node = find(cells, m.Assign(targets=[m.AssignTarget(target=name("x"))]))
    assert after(cells, edit.delete(node)) == [new]


@pytest.mark.parametrize(("before", "new"), [
    ("f(a, x, b)", "f(a, b)"), ("f(x, b)", "f(b)"), ("f(a, x)", "f(a)"), ("f(x)", "f()"), ("f(a, x,)", "f(a,)"),
    ("f(\n  a,\n  x,\n)", "f(\n  a,\n)"),
])
def test_deleting_an_argument_takes_its_comma(before: str, new: str) -> None:
    cells = notebook(before)
    edit, node = find(cells, m.Arg(value=name("x")))
    assert after(cells, edit.delete(node)) == [new]


def test_deleting_a_decorator_takes_its_line() -> None:
    cells = notebook("@jit\n@other\ndef f(x):\n    return x")
    edit, node = find(cells, m.Decorator(decorator=name("jit")))
    assert after(cells, edit.delete(node)) == ["@other\ndef f(x):\n    return x"]


@pytest.mark.parametrize("text", [
    "def f():\n    x = 1\n    !ls {x}\n    return x",
    "def f():\n    x = 1\n    y = (\n    return x",
    "def f():\n    x = 1\n    s = '\ud800'\n    return x",
])
def test_magics_broken_lines_and_lone_surrogates_are_never_rewritten(text: str) -> None:
    cells = notebook(text)
    edit, node = find(cells, m.FunctionDef())
    with pytest.raises(EditRefused):
        edit.replace(node, "def f(): pass")
    edit, node = find(cells, m.Integer(value="1"))
    assert "x = 7\n" in after(cells, edit.replace(node, "7"))[0]


class TestImports:
    def test_an_import_goes_behind_the_last_one_of_the_cell(self) -> None:
        cells = notebook("import os", "import jax\nimport numpy as np  # n\n\nx = f(1)")
        edit, _ = find(cells, name("f"))
        local, edits = edit.import_needed("functools", "partial")
        assert local == "partial"
        assert after(cells, edits)[1] == "import jax\nimport numpy as np  # n\nfrom functools import partial\n\nx = f(1)"

    def test_else_behind_the_last_one_above(self) -> None:
        cells = notebook("import os\ny = 1", "z = 2", "x = f(1)")
        edit, _ = find(cells, name("f"))
        assert after(cells, edit.import_needed("jax.numpy", alias="jnp")[1]) == [
            "import os\nimport jax.numpy as jnp\ny = 1", "z = 2", "x = f(1)"]

    @pytest.mark.parametrize(("before", "new"), [
        ("# first\nx = f(1)", "# first\nimport jax\nx = f(1)"),
        ("'''Doc.'''\nx = f(1)", "'''Doc.'''\nimport jax\nx = f(1)"),
        ("%%time\nx = f(1)", "%%time\nimport jax\nx = f(1)"),
        ("  x = f(1)", "  import jax\n  x = f(1)"),
    ])
    def test_else_to_the_top_of_the_cell(self, before: str, new: str) -> None:
        cells = notebook(before)
        edit, _ = find(cells, name("f"))
        assert after(cells, edit.import_needed("jax")[1]) == [new]

    @pytest.mark.parametrize(("have", "module", "what", "local"), [
        ("import jax.numpy as J", "jax.numpy", None, "J"),
        ("from jax import numpy as jnp", "jax.numpy", None, "jnp"),
        ("import jax", "jax.numpy", None, "jax.numpy"),
        ("import jax as j", "jax.lax", None, "j.lax"),
        ("from jax import lax", "jax.lax", "cond", "lax.cond"),
        ("from functools import partial as p", "functools", "partial", "p"),
        ("import functools", "functools", "partial", "functools.partial"),
    ])
    def test_what_is_imported_is_reused(self, have: str, module: str, what: str | None, local: str) -> None:
        edit, _ = find(notebook(have, "x = f(1)"), name("f"))
        assert edit.import_needed(module, what, "alias") == (local, [])

    def test_an_import_below_does_not_count(self) -> None:
        edit, _ = find(notebook("x = f(1)\nimport jax"), name("f"))
        assert edit.import_needed("jax")[1]

    @pytest.mark.parametrize("have", ["import numpy as jnp", "jnp = 3", "def jnp():\n    pass"])
    def test_a_name_that_means_something_else_is_not_taken(self, have: str) -> None:
        edit, _ = find(notebook(have, "x = f(1)"), name("f"))
        with pytest.raises(EditRefused):
            edit.import_needed("jax.numpy", alias="jnp")


def test_the_same_import_asked_for_twice_is_added_once() -> None:
    cells = notebook("import os\nx = f(1)")
    edit, _ = find(cells, name("f"))
    asked = [edit.import_needed("jax")[1], edit.import_needed("jax")[1], edit.import_needed("numpy", alias="np")[1]]
    assert after(cells, asked) == ["import os\nimport jax\nimport numpy as np\nx = f(1)"]


def test_edits_of_several_cells_apply_together() -> None:
    cells = notebook("a = f(1)", "b = f(2)")
    (one, first), (two, second) = (find(cells, call("f"), index) for index in (0, 1))
    assert after(cells, one.replace(first, "1"), one.at(two.site).replace(second, "2")) == ["a = 1", "b = 2"]


def test_overlapping_edits_are_refused() -> None:
    edit, node = find(notebook("y = f(x)"), call("f"))
    inner = node.args[0].value
    with pytest.raises(EditRefused):
        combine(edit.replace(node, "1"), edit.replace(inner, "2"))
