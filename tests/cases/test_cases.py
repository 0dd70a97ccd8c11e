"""What reading finds in our own cases: every look-alike stays silent, and almost no mistake is missed."""
from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import checking

from jupyterlab_jaxhints import rules

FOLDER = Path(__file__).parent
CASES = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*/*.json"))}
LOUD = {"error", "warning"}
TRACE_ALONE = {rule.name for rule in rules.load() if rule.rule.lanes == "T"}
# of the mistakes that reading can see, as the project asks of itself
RECALL = 0.97


def wanted(case: dict) -> list[tuple[int, int, set[str]]]:
    """(cell, zero-based line, rules that answer it) of each mistake that reading can see."""
    rows = [(e["cell"], e["line"] - 1, set(e["rule"].split("|"))) for e in case["expect"]]
    return [row for row in rows if not row[2] <= TRACE_ALONE]


def answers(diagnostic, cell: int, line: int, names: set[str]) -> bool:
    here = diagnostic.range.start.line <= line <= diagnostic.range.end.line
    return diagnostic.rule in names and diagnostic.cell == f"c{cell}" and here


@pytest.mark.parametrize("name", CASES)
def test_nothing_but_the_mistake_is_loud(name: str) -> None:
    case = CASES[name]
    expected = [(e["cell"], e["line"] - 1, set(e["rule"].split("|"))) for e in case["expect"]]
    found = checking.diagnostics(case["cells"])
    extra = [d for d in found if d.severity in LOUD and not any(answers(d, *row) for row in expected)]
    assert [(d.cell, d.range.start.line, d.rule) for d in extra] == []
    loud = [d for d in checking.diagnostics(case["clean"]) if d.severity in LOUD]
    assert [(d.cell, d.range.start.line, d.rule) for d in loud] == []


def test_almost_every_mistake_is_found() -> None:
    missed, total = [], 0
    for name, case in CASES.items():
        found = checking.diagnostics(case["cells"])
        for row in wanted(case):
            total += 1
            if not any(answers(d, *row) for d in found):
                missed.append((name, *row))
    assert total > 150
    assert 1 - len(missed) / total >= RECALL, missed


def test_two_thirds_are_look_alikes() -> None:
    silent = sum(not case["expect"] for case in CASES.values())
    assert len(CASES) >= 300 and silent / len(CASES) > 0.65
