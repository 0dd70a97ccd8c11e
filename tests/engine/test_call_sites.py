"""Every call of a function is found, or it is said that not all of them are seen."""
from __future__ import annotations

import libcst.matchers as m
import pytest

from jupyterlab_jaxhints.engine import call_sites
from jupyterlab_jaxhints.engine.cells import Cell
from jupyterlab_jaxhints.engine.edits import Edit, EditRefused, Site
from jupyterlab_jaxhints.engine.statements import parse_piece, read

JITTED = "import jax\n@jax.jit\ndef f(x):\n    return x"
PLAIN = "import jax\ndef f(x):\n    return x"


def found(*texts: str) -> list[str]:
    """The calls of `f`, which the first cell defines."""
    cells = [read(Cell(f"c{index}", text)) for index, text in enumerate(texts)]
    for piece in cells[0].pieces:
        statement = parse_piece(piece)
        for function in m.findall(statement.module, m.FunctionDef(name=m.Name("f"))) if statement else ():
            edit = Edit(Site(cells[0].id, piece, statement), cells)
            return [f"{there.site.cell}: {there.text(call)}" for there, call in call_sites.calls(edit, function)]
    raise AssertionError("no such function")


@pytest.mark.parametrize(("cells", "calls"), [
    ((JITTED, "y = f(1)", "for i in range(2):\n    y = f(f(i))"), ["c1: f(1)", "c2: f(f(i))", "c2: f(i)"]),
    ((PLAIN + "\nfast = jax.jit(f)", "y = fast(1) + f(2)"), ["c1: fast(1)", "c1: f(2)"]),
    (("from jax import jit\n@jit\ndef f(x):\n    return x", "y = f(1)  # f is fast"), ["c1: f(1)"]),
    ((JITTED, "%timeit f(1)\ny = f(2)"), ["c1: f(1)", "c1: f(2)"]),
    ((JITTED, "obj.f = 1\ny = f(x=2)\ng(f=3)"), ["c1: f(x=2)"]),
])
def test_calls_are_found_in_all_cells(cells: tuple[str, ...], calls: list[str]) -> None:
    assert sorted(found(*cells)) == sorted(calls)


@pytest.mark.parametrize("cells", [
    (JITTED,),
    (JITTED, "y = jax.vmap(f)(xs)"),
    (JITTED, "g = f\ny = g(1)"),
    (JITTED, "y = f(1)", "def f(x):\n    return 2"),
    (JITTED, "!echo f\ny = f(2)"),
    (JITTED, "y = f(1)", "z = (f(2"),
    (PLAIN + "\nfast = jax.jit(jax.vmap(f))", "y = fast(1)"),
    (PLAIN + "\nfast = jax.jit(f, static_argnums=0)", "y = fast(1)"),
    ("import jax\n@jax.vmap\ndef f(x):\n    return x", "y = f(1)"),
    ("import jax\ndef outer():\n    @jax.jit\n    def f(x):\n        return x\n    return f(1)",),
], ids=str)
def test_where_not_all_calls_are_seen_there_are_none(cells: tuple[str, ...]) -> None:
    with pytest.raises(EditRefused):
        found(*cells)


def test_the_function_itself_is_no_call() -> None:
    assert found(JITTED, "y = f(1)") == ["c1: f(1)"]
