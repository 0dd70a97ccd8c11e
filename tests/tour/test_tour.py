"""The tour answers the guide row by row; nothing but its rows is marked, and what the kernel adds is what it says."""
from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from jupyterlab_jaxhints.analyzer import Analyzer
from jupyterlab_jaxhints.cli import main
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


# what the kernel knows and reading does not: the cells of "With the kernel's help", with the marked text
TRACED = {
    "shapes-unfit": ("shape-mismatch", "queries @ keys", "`queries @ keys` gets `f32[6,8]` and `f32[6,8]`: the shapes do not fit"),
    "traced-twice": ("retrace", "smoothed(mean, value)", "`smoothed` is traced again: `mean` was `i32[]*`, now `f32[]`"),
    "array-baked-in": ("large-constant", "table",
                       "`table` (f32[1000,1000], 3.8 MiB) is captured: it becomes part of the program"),
    "nan-made": ("nan-produced", "centred / jnp.sqrt((centred ** 2).mean())", "`div` makes a NaN from the real arguments"),
}


def test_the_kernels_help_is_as_the_tour_says(tmp_path: Path) -> None:
    cells = [cell for cell in BOOK["cells"] if cell["id"] in {"imports", "shapes-shown", *TRACED}]
    (tmp_path / "tour.ipynb").write_text(json.dumps(BOOK | {"cells": cells}))
    result = CliRunner().invoke(main, ["check", "--trace", "--device-checks", "--output-format", "json",
                                       str(tmp_path / "tour.ipynb")])
    assert result.stderr == "", "what raises on purpose is tagged so"
    seen = {}
    for item in json.loads(result.stdout):
        cell, start, end = cells[item["cell"] - 1], item["location"], item["end_location"]
        line = "".join(cell["source"]).splitlines()[start["row"] - 1]
        seen[cell["id"]] = item["code"], line[start["column"] - 1:end["column"] - 1], item["message"]
        assert item["lane"] == "trace"
    assert seen == TRACED
