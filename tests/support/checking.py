"""Asking the analyzer about cells, and applying what it offers."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jupyterlab_jaxhints import texts
from jupyterlab_jaxhints.analyzer import Analyzer
from jupyterlab_jaxhints.checker import _choose, _edited
from jupyterlab_jaxhints.engine.cells import Cell
from jupyterlab_jaxhints.protocol import CellResult, Diagnostic

from .marks import Span


@dataclass(frozen=True)
class Book:
    """Cells in the form that the checker's fix machinery takes."""

    cells: tuple[Cell, ...]

    def cell(self, cell_id: str) -> Cell:
        return next(cell for cell in self.cells if cell.id == cell_id)


def book(cells: Sequence[str]) -> Book:
    return Book(tuple(Cell(f"c{index}", text, index + 1) for index, text in enumerate(cells)))


def results(cells: Sequence[str]) -> list[CellResult]:
    """What is found in a notebook of these cells; an exception in a rule is not caught."""
    analyzer = Analyzer(strict=True)
    analyzer.update(book(cells).cells)
    return analyzer.results()


def diagnostics(cells: Sequence[str]) -> list[Diagnostic]:
    return [diagnostic for result in results(cells) for diagnostic in result.diagnostics]


def span(cells: Sequence[str], diagnostic: Diagnostic) -> Span:
    """A diagnostic's range in the terms of the marks."""
    index = int(diagnostic.cell[1:])
    lines = texts.lines(cells[index])
    (row, column), (last, end) = (texts.row_and_column(lines, position)
                                  for position in (diagnostic.range.start, diagnostic.range.end))
    return index, row - 1, column - 1, last - 1, end - 1


def found(cells: Sequence[str]) -> list[tuple[str, Span]]:
    """Rule and range of everything that is found."""
    return sorted((diagnostic.rule, span(cells, diagnostic)) for diagnostic in diagnostics(cells))


def fixed(cells: Sequence[str], rule: str) -> tuple[str, ...]:
    """The cells after the first fix of each hint of the rule, in as many rounds as fixes that touch each other need."""
    for _ in range(5):
        own = [result.model_copy(update={"diagnostics": [d for d in result.diagnostics if d.rule == rule]})
               for result in results(cells)]
        edits, _ = _choose(own, True)
        if not edits:
            break
        now = _edited(book(cells), edits)
        cells = [now.get(f"c{index}", text) for index, text in enumerate(cells)]
    return tuple(cells)
