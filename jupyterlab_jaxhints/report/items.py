"""A diagnostic as plain data with the keys that Ruff uses, for JSON and everything that is made from it.

Rows and columns are one-based and count code points. In a notebook they count within the cell, in a Python file
within the file.
"""
from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from .. import pages, rules, texts
from ..checker import FileResult
from ..engine.cells import Cell
from ..files import SourceFile
from ..protocol import Diagnostic, Evidence, Fix, Position, Range, TextEdit

Item = dict[str, Any]


class Places:
    """Turns wire positions of one file into rows and columns."""

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self._cells = {cell.id: cell for cell in source.cells}
        self._lines: dict[str, list[str]] = {}

    def cell(self, cell_id: str) -> Cell:
        return self._cells[cell_id]

    def lines(self, cell_id: str) -> list[str]:
        if cell_id not in self._lines:
            self._lines[cell_id] = texts.lines(self._cells[cell_id].text)
        return self._lines[cell_id]

    def location(self, cell_id: str, position: Position) -> dict[str, int]:
        row, column = texts.row_and_column(self.lines(cell_id), position)
        return {"row": row + self._cells[cell_id].first_line, "column": column}


def all_items(results: Sequence[FileResult]) -> list[Item]:
    """Every diagnostic of every file, in the order of the files."""
    return [item for result in results for item in file_items(result)]


def file_items(result: FileResult) -> list[Item]:
    """The diagnostics of one file."""
    if not result.diagnostics:
        return []
    places = Places(result.after)
    return [_item(result.name, diagnostic, places) for diagnostic in result.diagnostics]


def _item(name: str, diagnostic: Diagnostic, places: Places) -> Item:
    fixes = [_fix(fix, diagnostic.cell, places) for fix in diagnostic.fixes]
    return {
        "filename": name,
        "cell": places.cell(diagnostic.cell).number,
        "code": diagnostic.rule,
        "name": diagnostic.rule,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "url": url(diagnostic.rule),
        **_span(diagnostic.cell, diagnostic.range, places),
        "fix": fixes[0] if fixes else None,
        "fixes": fixes,
        "evidence": [_evidence(step, places) for step in diagnostic.evidence],
        "certainty": diagnostic.certainty,
        "lane": diagnostic.lane,
    }


@functools.lru_cache(maxsize=None)
def url(rule_name: str) -> str | None:
    """Where JAX's documentation speaks of what a rule finds."""
    rule = rules.find(rule_name)
    return pages.address(rule) if rule else None


def _span(cell: str, span: Range, places: Places) -> Item:
    return {"location": places.location(cell, span.start), "end_location": places.location(cell, span.end)}


def _fix(fix: Fix, own: str, places: Places) -> Item:
    return {
        "applicability": fix.applicability,
        "message": fix.title,
        "edits": [_edit(edit, own, places) for edit in fix.edits],
    }


def _edit(edit: TextEdit, own: str, places: Places) -> Item:
    """An edit; its cell is named where it is not the hint's own."""
    other = {} if edit.cell == own else {"cell": places.cell(edit.cell).number}
    return {**other, **_span(edit.cell, edit.range, places), "content": edit.new_text}


def _evidence(step: Evidence, places: Places) -> Item:
    if step.cell is None or step.range is None:
        return {"message": step.message}
    return {"message": step.message, "cell": places.cell(step.cell).number, **_span(step.cell, step.range, places)}
