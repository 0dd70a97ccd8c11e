"""How much work an edit makes in a notebook of 5,000 lines: counts, which are the same on every machine.

The design gives the edited cell 10 ms and what depends on it 40 ms; at some 25 µs a node that is 400 and 1,600 nodes.
"""
from __future__ import annotations

import random
import re

import pytest
from bench import notebooks

from jupyterlab_jaxhints import rules
from jupyterlab_jaxhints.engine import statements, trees
from jupyterlab_jaxhints.engine.cells import Cell
from jupyterlab_jaxhints.engine.notebook import Notebook

EDITED, DEPENDANTS = 400, 1_600  # nodes, in 19 of 20 edits
EDITS = 60
NAME = re.compile(r"\b[a-z]{3,}_\d+\b")


@pytest.fixture(scope="module")
def cells() -> list[Cell]:
    return [Cell(f"c{number}", text, number + 1) for number, text in enumerate(notebooks.cells(5000))]


class Work:
    """A notebook that was analysed, and what each further look at it costs."""

    def __init__(self, cells: list[Cell]) -> None:
        self.notebook = Notebook(rules.load(), strict=True)
        self.nodes = self.parsed = 0
        self.whole = self.of(cells, None)[0]

    def of(self, cells: list[Cell], edited: str | None) -> tuple[int, int, int]:
        """Nodes evaluated for the edited cell, then for the rest, and statements parsed."""
        before, parsed = self.notebook.evaluated, trees.stats.parsed
        self.notebook.update(cells, edited=edited)
        if edited is not None:
            self.notebook.analyze(edited)
        between = self.notebook.evaluated
        self.notebook.analyze()
        rest = self.notebook.evaluated - between
        first = between - before if edited is not None else rest
        return first, rest, trees.stats.parsed - parsed


@pytest.fixture(scope="module")
def work(cells: list[Cell]) -> Work:
    statements.clear_cache()
    return Work(cells)


def with_text(cells: list[Cell], index: int, text: str) -> list[Cell]:
    return [*cells[:index], Cell(cells[index].id, text, index + 1), *cells[index + 1:]]


def usual(counts: list[int]) -> int:
    """What 19 of 20 stay below."""
    return sorted(counts)[int(len(counts) * 0.95)]


def test_the_whole_is_evaluated_once(cells: list[Cell], work: Work) -> None:
    assert len(cells) > 150
    assert 10_000 < work.whole < 100_000


def test_a_letter_typed_costs_its_statement_and_what_reads_it(cells: list[Cell], work: Work) -> None:
    rng = random.Random(3)
    counts = []
    for _ in range(EDITS):
        index = rng.randrange(1, len(cells))
        text = cells[index].text
        place = rng.choice(list(NAME.finditer(text))).end()
        edited = with_text(cells, index, text[:place] + rng.choice("abc") + text[place:])
        counts.append(work.of(edited, cells[index].id))
        counts.append(work.of(cells, cells[index].id))
    own, rest, parsed = zip(*counts)
    assert max(parsed) == 1 and sum(parsed) <= EDITS  # taken back, nothing is parsed
    assert usual(own) < EDITED and usual(rest) < DEPENDANTS
    assert max(own) + max(rest) < work.whole / 10
    assert sum(own) > EDITS, "an edit that costs nothing was not seen"


def test_what_was_undone_is_not_parsed_again(cells: list[Cell], work: Work) -> None:
    index = len(cells) // 2
    work.of(with_text(cells, index, cells[index].text + "\nmore = 1"), cells[index].id)
    assert work.of(cells, cells[index].id)[2] == 0


def test_blank_lines_and_a_look_at_the_same_text_cost_nothing(cells: list[Cell], work: Work) -> None:
    index = len(cells) // 2
    assert work.of(cells, cells[index].id) == (0, 0, 0)
    assert work.of(with_text(cells, index, "\n\n" + cells[index].text), cells[index].id) == (0, 0, 0)
    work.of(cells, None)


def test_a_statement_more_at_the_end_costs_its_own_nodes_and_the_one_before(cells: list[Cell], work: Work) -> None:
    index = len(cells) - 1
    edited = with_text(cells, index, cells[index].text + "\nlast_of_all = 1 + 2")
    own, rest, parsed = work.of(edited, cells[index].id)  # the last expression before is no longer shown
    assert 0 < own + rest < 60 and parsed == 1
    work.of(cells, None)


def test_an_empty_cell_more_costs_nothing(cells: list[Cell], work: Work) -> None:
    place = len(cells) // 2
    assert work.of([*cells[:place], Cell("new", "", place + 1), *cells[place:]], "new") == (0, 0, 0)
    work.of(cells, None)


def test_typing_that_does_not_parse_yet_disturbs_no_other_cell(cells: list[Cell], work: Work) -> None:
    index = len(cells) // 2
    own, rest, _ = work.of(with_text(cells, index, cells[index].text + "\nhalf_typed = ("), cells[index].id)
    assert own + rest < EDITED
    work.of(cells, None)
