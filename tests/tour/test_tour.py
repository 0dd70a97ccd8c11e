"""The tour answers the guide row by row; nothing but its rows is marked."""
from __future__ import annotations

import json
from pathlib import Path

import pytest

from jupyterlab_jaxhints.analyzer import Analyzer
from jupyterlab_jaxhints.engine.cells import Cell

ROWS = json.loads((Path(__file__).parent / "rows.json").read_text())
BOOK = json.loads((Path(__file__).parents[2] / "jupyterlab_jaxhints" / "tour" / "tour.ipynb").read_text())
# cells that show something of the product, not of the guide
OTHER = {"unused": {"unused-suppression"}}


@pytest.fixture(scope="module")
def found() -> dict[str, list[str]]:
    analyzer = Analyzer(strict=True)
    analyzer.update([Cell(cell["id"], "".join(cell["source"])) for cell in BOOK["cells"] if cell["cell_type"] == "code"])
    return {result.id: [d.rule for d in result.diagnostics] for result in analyzer.results()}


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['row']}-{row['cell']}" for row in ROWS])
def test_each_row_of_the_guide_has_its_hint(row: dict, found: dict[str, list[str]]) -> None:
    if row["rule"] is None:
        assert found[row["cell"]] == []
    else:
        assert found[row["cell"]].count(row["rule"]) == row.get("count", 1)


def test_every_row_is_there() -> None:
    assert sorted({row["row"] for row in ROWS}) == list(range(1, 41))


def test_nothing_else_is_marked(found: dict[str, list[str]]) -> None:
    expected = {cell["id"]: set() for cell in BOOK["cells"]}
    for row in ROWS:
        expected[row["cell"]] |= {row["rule"]} - {None}
    expected |= OTHER
    assert {cell: set(rules) for cell, rules in found.items() if set(rules) - expected[cell]} == {}
