"""Cell texts: digests, places in them, and text edits applied to them.

Lines end at `\\r\\n`, `\\r` or `\\n` only, as in LibCST and CodeMirror; columns on the wire count UTF-16 units.
"""
from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from .protocol import Position, Range, TextEdit

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")


def digest(text: str) -> str:
    """A short name for a text; equal for equal texts."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def lines(text: str) -> list[str]:
    """The lines with their ends. The last one may be empty; there is always one."""
    found = [match[0] for match in _LINE.finditer(text)]
    # the pattern also matches the empty rest of a text whose last line has no end
    if len(found) > 1 and not found[-1] and not found[-2].endswith(("\r", "\n")):
        found.pop()
    return found


def code_point(line: str, character: int) -> int:
    """The code point index in a line at a UTF-16 column; the line's length where the column lies beyond."""
    if line.isascii():
        return min(character, len(line))
    units = 0
    for index, char in enumerate(line):
        if units >= character:
            return index
        units += 2 if ord(char) > 0xFFFF else 1
    return len(line)


def row_and_column(text_lines: list[str], position: Position) -> tuple[int, int]:
    """One-based row and code-point column, as the command line prints them."""
    line = text_lines[position.line] if position.line < len(text_lines) else ""
    return position.line + 1, code_point(line, position.character) + 1


def offset(text_lines: list[str], position: Position) -> int:
    """Index into the whole text."""
    if position.line >= len(text_lines):
        return sum(map(len, text_lines))
    before = sum(map(len, text_lines[: position.line]))
    return before + code_point(text_lines[position.line], position.character)


def part(text: str, place: Range) -> str:
    """The text of a range."""
    text_lines = lines(text)
    return text[offset(text_lines, place.start):offset(text_lines, place.end)]


def apply(text: str, edits: Iterable[TextEdit]) -> str:
    """The text after all edits; their ranges belong to the text as it was and do not overlap.

    New lines are ended as the text ends its own.
    """
    text_lines = lines(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    spans = sorted(
        ((offset(text_lines, edit.range.start), offset(text_lines, edit.range.end), edit.new_text) for edit in edits),
        key=lambda span: span[:2], reverse=True,
    )
    for start, end, new in spans:
        text = text[:start] + new.replace("\n", newline) + text[end:]
    return text


def overlap(a: Range, b: Range) -> bool:
    """Two ranges share text, or are inserted at the same place."""
    first, second = sorted((_key(a), _key(b)))
    return second[0] < first[1] or first == second


def _key(place: Range) -> tuple[tuple[int, int], tuple[int, int]]:
    return (place.start.line, place.start.character), (place.end.line, place.end.character)
