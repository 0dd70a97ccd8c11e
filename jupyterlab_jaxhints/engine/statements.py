"""Cuts a cell into top-level statements and recovers broken ones.

A cell is too big a unit: 200 lines need 11 ms to parse, and one broken line loses all of it. A statement
needs 0.1 ms and stays in the cache while its neighbours change. Positions count from the statement's start,
so moving it is free.
"""
from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property

from ..protocol import Position, Range
from . import recovery
from .cells import Cell
from .magics import MAX_CELL, mask, scan
from .masked import Masked, Scan
from .scanner import LogicalLine
from .trees import (
    MAX_CHAIN,
    MAX_DEPTH,
    MAX_STATEMENT,
    Statement,
    Stats,
    clear_cache,
    failure_line,
    parse,
    refusal,
    stats,
)

__all__ = ["SKIPPED", "CellCode", "Piece", "Statement", "Stats", "clear_cache", "failure_line", "parse",
           "parse_piece", "read", "split", "stats"]

MAX_RESCANS = 40  # a cell, so that many broken brackets do not make its scan quadratic

SKIPPED = {
    "nesting": f"Not analysed: more than {MAX_DEPTH} brackets are nested or {MAX_CHAIN} operators chained",
    "statement": f"Not analysed: this statement is longer than {MAX_STATEMENT:,} characters",
    "cell": f"Not analysed: this cell is longer than {MAX_CELL:,} characters",
}

_CONTINUES = re.compile(r"(?:else|elif|except|finally)\b")
_CONTINUED = re.compile(r"(?:async[ \t]+)?(?:if|for|while|try)\b")


@dataclass(frozen=True)
class Piece:
    """One top-level statement as the analysis reads it, and where it stands in its cell.

    text: masked, without the cell's margin, ends in a line break. start_line: zero-based in the cell. shifts:
    how many columns each line lost. repaired_lines: lines of the piece that a stand-in replaces. skipped: a
    key of `SKIPPED` where a guard keeps it from the parser.
    """

    text: str
    start_line: int
    masked: Masked = field(repr=False, compare=False)
    shifts: tuple[int, ...] = ()
    repaired_lines: tuple[int, ...] = ()
    skipped: str | None = None

    @property
    def repaired(self) -> bool:
        return bool(self.repaired_lines)

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """Offset of each line in `text`."""
        return (0, *(match.end() for match in re.finditer("\n", self.text)))

    def line_column(self, offset: int) -> tuple[int, int]:
        """Zero-based line and code-point column in the cell of an offset in `text`."""
        line, column = self._place(offset)
        return line, column + (self.masked.mark_width if line == 0 else 0)

    def _place(self, offset: int) -> tuple[int, int]:
        """Line and column in `masked.source`."""
        index = bisect_right(self.line_starts, offset) - 1
        column = offset - self.line_starts[index]
        if self.shifts:
            column += self.shifts[min(index, len(self.shifts) - 1)]
        line = self.start_line + index
        return line, min(column, len(self.masked.line_text(line)))

    def position(self, offset: int) -> Position:
        """The place in the cell of an offset in `text`, in UTF-16 units."""
        line, column = self._place(offset)
        return self.masked.position_at(line, column)

    def range(self, start: int, end: int) -> Range:
        """The place in the cell of a span of `text`."""
        return Range(start=self.position(start), end=self.position(end))

    def source_offset(self, offset: int) -> int:
        """Where in `masked.source` an offset in `text` lies."""
        line, column = self._place(offset)
        starts = self.masked.line_starts
        return starts[line] + column if line < len(starts) else len(self.masked.source)

    def row_column(self, offset: int) -> tuple[int, int]:
        """One-based row and code-point column in the cell, as the command line prints them."""
        line, column = self.line_column(offset)
        return line + 1, column + 1


@dataclass(frozen=True)
class CellCode:
    """A cell with its masked text and its statements, in order."""

    cell: Cell
    masked: Masked
    pieces: tuple[Piece, ...]

    @property
    def id(self) -> str:
        return self.cell.id

    @property
    def skipped(self) -> list[tuple[Range, str]]:
        """One note for each guard that kept something from being analysed."""
        if self.masked.too_long:
            start = Position(line=0, character=0)
            return [(Range(start=start, end=start), SKIPPED["cell"])]
        skipped = (piece for piece in self.pieces if piece.skipped)
        return [(piece.range(0, piece.text.index("\n")), SKIPPED[piece.skipped]) for piece in skipped]


def read(cell: Cell, cursor_line: int | None = None) -> CellCode:
    """Masks and cuts a cell."""
    masked = mask(cell.text)
    return CellCode(cell, masked, tuple(split(masked, cursor_line)))


# --- cutting ------------------------------------------------------------------------------------------------


def split(masked: Masked, cursor_line: int | None = None) -> list[Piece]:
    """The top-level statements. A broken one is cut again, then repaired, the cursor's line first."""
    whole = Scan(masked.text, masked.lines, (), masked.flush)
    return _Cutter(masked, cursor_line).pieces(whole, 0)


class _Cutter:
    def __init__(self, masked: Masked, cursor_line: int | None) -> None:
        self.masked, self.cursor_line = masked, cursor_line
        self.rescans = 0

    def pieces(self, seen: Scan, base: int) -> list[Piece]:
        """The statements of a scanned part of the cell that begins at offset `base`."""
        found: list[Piece] = []
        for chunk in _chunks(seen, self.masked.margin):
            found += self._read(seen, base, chunk)
        return found

    def _read(self, seen: Scan, base: int, chunk: list[LogicalLine]) -> list[Piece]:
        start, end = chunk[0].start, chunk[-1].end
        piece = self._piece(seen, base, start, end)
        if parse(piece.text):
            return [piece]
        why = refusal(piece.text)
        swallows = any(line.open for line in chunk)
        if self.rescans < MAX_RESCANS and (swallows or not why):
            cut = recovery.next_start(seen.text, start, end, self.masked.margin)
            if cut is not None:
                return self._recut(seen, base, start, cut, end)
        return [_skip(piece, why) if why else self._repair(piece)]

    def _recut(self, seen: Scan, base: int, start: int, cut: int, end: int) -> list[Piece]:
        """What an open bracket or quote swallowed is scanned anew, from a line that looks like a start."""
        self.rescans += 1
        head = self._piece(seen, base, start, cut)
        rest = scan(recovery.visible(self.masked, base + cut, base + end), 0, self.masked.margin)
        if not parse(head.text):
            why = refusal(head.text)
            head = _skip(head, why) if why else self._repair(head)
        return [head, *self.pieces(rest, base + cut)]

    def _piece(self, seen: Scan, base: int, start: int, end: int) -> Piece:
        margin = self.masked.margin
        lines = seen.text[start:end].rstrip(" \t\n").split("\n")
        shifts: tuple[int, ...] = ()
        if margin:
            shifts = tuple(len(margin) if line.startswith(margin) else 0 for line in lines)
        if start in seen.flush:
            shifts = (seen.flush[start] - start, *(shifts[1:] or (0,) * (len(lines) - 1)))
        if shifts:
            lines = [line[shift:] for line, shift in zip(lines, shifts)]
        return Piece("\n".join(lines) + "\n", self.masked.line_of(base + start), self.masked, shifts)

    def _repair(self, piece: Piece) -> Piece:
        cursor = None if self.cursor_line is None else self.cursor_line - piece.start_line
        failed = failure_line(piece.text)
        fixed = recovery.repair(piece.text, cursor, failed, lambda text: parse(text, repaired=True))
        if fixed is None:
            return piece
        text, lines = fixed
        return Piece(text, piece.start_line, piece.masked, piece.shifts, lines)


def _skip(piece: Piece, why: str) -> Piece:
    return Piece(piece.text, piece.start_line, piece.masked, piece.shifts, (), why)


def _chunks(seen: Scan, margin: str) -> list[list[LogicalLine]]:
    """Logical lines by top-level statement; blank and comment lines between statements are left out."""
    chunks: list[list[LogicalLine]] = []
    decorated = continued = False
    text, width = seen.text, len(margin)
    for line in seen.lines:
        at = seen.flush.get(line.start)
        if at is None:
            at = line.start + (width if text.startswith(margin, line.start) else 0)
        body = recovery.code_start(text, at, line.end)
        if body is None:
            continue
        follows = body > at or decorated or continued and _CONTINUES.match(text, body)
        if chunks and follows:
            chunks[-1].append(line)
        else:
            chunks.append([line])
            continued = bool(_CONTINUED.match(text, body))
        if body == at:
            decorated = text[at] == "@"
    return chunks


def parse_piece(piece: Piece) -> Statement | None:
    """The tree of a piece; None where it is broken or skipped."""
    return None if piece.skipped else parse(piece.text, piece.repaired)
