"""Edits one after the other give what a fresh analysis gives, and evaluate only what they concern."""
from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from jupyterlab_jaxhints import rules
from jupyterlab_jaxhints.engine.cells import Cell
from jupyterlab_jaxhints.engine.notebook import Notebook

CASES = Path(__file__).parents[1] / "cases"
HEAD = "import jax\nimport jax.numpy as jnp\nimport numpy as np"


def book(seed: int) -> list[Cell]:
    """A notebook of the cells of a few cases, as they stand."""
    pick = random.Random(seed)
    cells = [Cell("head", HEAD)]
    for path in pick.sample(sorted(CASES.glob("*/*.json")), 5):
        for number, text in enumerate(json.loads(path.read_text())["cells"]):
            cells.append(Cell(f"{path.stem}-{number}", text))
    return cells


def edit(cells: list[Cell], pick: random.Random) -> tuple[list[Cell], str]:
    """One change as a person makes it: a line gone, a cell moved, a letter typed, a statement more."""
    cells = list(cells)
    place = pick.randrange(len(cells))
    cell = cells[place]
    lines = cell.text.split("\n")
    kind = pick.choice(["line", "letter", "move", "more", "zero"])
    if kind == "line" and len(lines) > 1:
        lines.pop(pick.randrange(len(lines)))
    elif kind == "letter":
        number = pick.randrange(len(lines))
        cut = pick.randrange(len(lines[number]) + 1)
        lines[number] = lines[number][:cut] + pick.choice("ax(1 ") + lines[number][cut:]
    elif kind == "move":
        cells.insert(pick.randrange(len(cells)), cells.pop(place))
        return cells, cell.id
    elif kind == "more":
        lines.append(pick.choice(["x = jnp.zeros(3)", "x[0] = 1", "key = jax.random.key(0)", "y = x"]))
    else:
        lines = [line.replace("jnp", "np", 1) for line in lines]
    cells[place] = Cell(cell.id, "\n".join(lines))
    return cells, cell.id


def hints(notebook: Notebook, only: str | None = None) -> dict[str, list[tuple]]:
    found = notebook.analyze(only)
    return {cell: sorted((f.rule.name, str(f.range), f.rule.message(f.hint)) for f in findings)
            for cell, findings in found.items() if findings}


@pytest.mark.parametrize("seed", range(12))
def test_a_chain_of_edits_gives_what_a_fresh_analysis_gives(seed: int) -> None:
    pick = random.Random(seed)
    cells = book(seed)
    kept = Notebook(rules.load(), strict=True)
    kept.update(cells)
    kept.analyze()
    for _ in range(12):
        before = cells
        cells, edited = edit(cells, pick)
        kept.update(cells, edited=edited)
        kept.analyze(edited)
        if kept.broken:  # what a broken statement bound before goes on serving; then the edit is undone
            kept.analyze()
            cells = before
            kept.update(cells, edited=edited)
        fresh = Notebook(rules.load(), strict=True)
        fresh.update(cells)
        assert hints(kept) == hints(fresh)


def test_an_edit_evaluates_its_own_statement_and_what_reads_it() -> None:
    cells = [Cell("head", HEAD), *(Cell(f"c{n}", f"x{n} = jnp.zeros({n + 1})\ny{n} = x{n} + 1.0") for n in range(150))]
    notebook = Notebook(rules.load(), strict=True)
    notebook.update(cells)
    notebook.analyze()
    whole = notebook.evaluated
    cells[75] = Cell("c74", "x74 = jnp.ones(9)\ny74 = x74 + 1.0")
    notebook.update(cells, edited="c74")
    notebook.analyze("c74")
    notebook.analyze()
    assert 0 < notebook.evaluated - whole < 30
    assert whole > 1000


def test_the_edited_cell_alone_is_answered_as_in_the_whole() -> None:
    cells = [Cell("a", HEAD), Cell("b", "x = jnp.zeros(3)"), Cell("c", "def f(v):\n    v[0] = 1\n    return v"),
             Cell("d", "x[0] = 2.0\nf(x)")]
    notebook = Notebook(rules.load(), strict=True)
    notebook.update(cells)
    assert {cell: len(found) for cell, found in hints(notebook).items()} == {"c": 1, "d": 1}
    cells[1] = Cell("b", "x = np.zeros(3)")
    notebook.update(cells, edited="b")
    assert hints(notebook, "b") == {}
    assert hints(notebook) == {}
