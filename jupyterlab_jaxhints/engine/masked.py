"""A cell's text beside the text of equal length that the analysis sees, and the magics found in it."""
from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from ..protocol import Position
from .scanner import LogicalLine


@dataclass(frozen=True)
class Magic:
    """One magic, shell line (`!`) or help request (`?`).

    line: zero-based. args: the text behind the name, options included. span: what of `Masked.source` is
    masked. assigned: the target that takes its value. code: its argument, or for a cell magic the cell's
    body, is analysed as Python. binds: names that it binds to something unknown. binds_any: it may bind or
    remove any name.
    """

    line: int
    name: str
    kind: Literal["line", "cell"]
    args: str
    span: tuple[int, int]
    assigned: str | None = None
    code: bool = False
    binds: tuple[str, ...] = ()
    binds_any: bool = False


@dataclass(frozen=True)
class Scan:
    """What one pass finds, by offsets in its text. flush: lines whose code begins further right."""

    text: str
    lines: tuple[LogicalLine, ...]
    magics: tuple[Magic, ...]
    flush: dict[int, int]


@dataclass(frozen=True, eq=False)
class Masked:
    """A cell's text, and the text of equal length that the analysis sees.

    original: the cell's own text. source: the same with `\\n` for every line break and without a byte order
    mark. text: as long as `source`. python: the body is code (no `%%bash`). margin: the indentation of the
    whole cell, which IPython removes. too_long: nothing is analysed.
    """

    original: str
    source: str
    text: str
    spans: tuple[tuple[int, int], ...] = ()
    magics: tuple[Magic, ...] = ()
    lines: tuple[LogicalLine, ...] = ()
    flush: dict[int, int] = field(default_factory=dict)
    python: bool = True
    margin: str = ""
    too_long: bool = False

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """Offset of each line in `source`."""
        return (0, *(match.end() for match in re.finditer("\n", self.source)))

    def line_of(self, offset: int) -> int:
        """The line, from 0, that an offset in `source` lies on."""
        return bisect_right(self.line_starts, offset) - 1

    def line_text(self, line: int) -> str:
        """A line of `source` without its break; empty beyond the last one."""
        starts = self.line_starts
        if line >= len(starts):
            return ""
        end = starts[line + 1] - 1 if line + 1 < len(starts) else len(self.source)
        return self.source[starts[line]:end]

    def position(self, offset: int) -> Position:
        """The place in the cell of an offset in `source`, in UTF-16 units."""
        line = self.line_of(offset)
        return self.position_at(line, offset - self.line_starts[line])

    def position_at(self, line: int, column: int) -> Position:
        """The same from a line and a column, both of `source`; beyond a line's end means its end."""
        text = self.line_text(line)
        column = min(column, len(text))
        if not text.isascii():
            column = len(text[:column].encode("utf-16-le", "surrogatepass")) // 2
        return Position(line=line, character=column + (self.mark_width if line == 0 else 0))

    def line_end(self, line: int) -> Position:
        """Where a line ends."""
        return self.position_at(line, len(self.line_text(line)))

    @property
    def mark_width(self) -> int:
        """1 where the cell begins with a byte order mark, which shifts the columns of its first line."""
        return int(self.original.startswith("\ufeff"))

    def original_offset(self, offset: int) -> int:
        """Where in the cell's own text an offset in `source` lies."""
        return offset + self.mark_width + bisect_left(self._pairs, offset)

    @cached_property
    def _pairs(self) -> list[int]:
        """Offsets in `source` of the line breaks that are `\\r\\n` in the cell."""
        shift = self.mark_width
        pairs = enumerate(re.finditer("\r\n", self.original))
        return [match.start() - shift - index for index, match in pairs]

    @cached_property
    def comments(self) -> tuple[tuple[int, int], ...]:
        """(start, end) in `source` of each comment."""
        return tuple(span for line in self.lines for span in line.comments)

    @cached_property
    def tied_lines(self) -> frozenset[int]:
        """Lines that end in a string or with a backslash, so that no comment can follow."""
        return frozenset(self.line_of(offset) for line in self.lines for offset in line.tied)

    def touches_mask(self, start: int, end: int) -> bool:
        """Text between the two offsets in `source` is masked; or the masked text encloses equal ones."""
        return any(start < b and a < end or a < start == end < b for a, b in self.spans)
