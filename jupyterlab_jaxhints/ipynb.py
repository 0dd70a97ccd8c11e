"""Changes cell sources inside a notebook file's text and leaves every other byte as it is.

Only the JSON strings of changed lines are written anew; a source keeps its form (one string, or a list of lines), its
indentation, and the escapes of the lines that stay.
"""
from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_SCALAR = re.compile(r"[^,\]}\s]+")
_BRACKET = re.compile(r'["\[\]{}]')
_UNIT = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL)
_LONE = re.compile("[\ud800-\udfff]")
_NEWLINES = {"\\n", "\\u000a", "\\u000A"}

Span = tuple[int, int]


@dataclass(frozen=True)
class _Line:
    """A line of a source as it stands in the file: its text, and its JSON without the line's end."""

    text: str
    raw: str


@dataclass(frozen=True)
class _Layout:
    """What stands between the brackets and the elements of a list of lines."""

    first: str
    between: str
    last: str


def with_sources(text: str, sources: Mapping[int, str]) -> str:
    """The notebook's JSON with these sources, by the index of the cell among all cells."""
    cells = list(_elements(text, _member(text, _start(text, 0), "cells")[0]))
    spans = {index: _member(text, cells[index][0], "source") for index in sources}
    escape = text.isascii() and re.search(r"\\u[0-9a-fA-F]{4}", text) is not None
    for index, (start, end) in sorted(spans.items(), reverse=True):
        text = text[:start] + _source(text, start, end, sources[index], escape) + text[end:]
    return text


def _source(text: str, start: int, end: int, new: str, escape: bool) -> str:
    if text[start] == '"':
        return '"' + "".join(_rewritten(list(_lines(text[start + 1:end - 1])), new, escape)) + '"'
    elements = list(_elements(text, start))
    old = [line for first, last in elements for line in _lines(text[first + 1:last - 1])]
    lines = [f'"{line}"' for line in _rewritten(old, new, escape)]
    if not lines:
        return "[]"
    layout = _layout(text, start, end, elements)
    return f"[{layout.first}{layout.between.join(lines)}{layout.last}]"


def _rewritten(old: list[_Line], new: str, escape: bool) -> Iterator[str]:
    """JSON of each line of the new source, without quotes; lines that were there before keep theirs."""
    lines = new.split("\n")
    raws: list[str | None] = [None] * len(lines)
    matcher = difflib.SequenceMatcher(None, [line.text for line in old], lines, autojunk=False)
    for first, second, size in matcher.get_matching_blocks():
        raws[second:second + size] = [line.raw for line in old[first:first + size]]
    for index, line in enumerate(lines):
        raw = raws[index]
        raw = _encoded(line, escape) if raw is None else raw
        if index < len(lines) - 1:
            yield raw + "\\n"
        elif raw:
            yield raw


def _lines(raw: str) -> Iterator[_Line]:
    units: list[str] = []
    for unit in _UNIT.findall(raw):
        if unit in _NEWLINES:
            yield _line(units)
            units = []
        else:
            units.append(unit)
    if units:
        yield _line(units)


def _line(units: list[str]) -> _Line:
    raw = "".join(units)
    return _Line(json.loads(f'"{raw}"', strict=False), raw)


def _encoded(line: str, escape: bool) -> str:
    raw = json.dumps(line, ensure_ascii=escape)[1:-1]
    return _LONE.sub(lambda match: f"\\u{ord(match[0]):04x}", raw)


def _layout(text: str, start: int, end: int, elements: list[Span]) -> _Layout:
    if not elements:
        return _default_layout(text, start)
    first = text[start + 1:elements[0][0]]
    last = text[elements[-1][1]:end - 1]
    between = text[elements[0][1]:elements[1][0]] if len(elements) > 1 else f",{first or ' '}"
    return _Layout(first, between, last)


def _default_layout(text: str, start: int) -> _Layout:
    """For a list that was empty: one line below the key and one step further in, where the file is indented."""
    line = text[text.rfind("\n", 0, start) + 1:start]
    margin = line[:len(line) - len(line.lstrip())]
    if not margin:
        return _Layout("", ", ", "")
    newline = "\r\n" if "\r\n" in text else "\n"
    step = re.search(r"\n([ \t]+)", text)
    inner = newline + margin + (step[1] if step else " ")
    return _Layout(inner, "," + inner, newline + margin)


def _start(text: str, index: int) -> int:
    if index == 0 and text.startswith("\ufeff"):
        index = 1
    return _SPACE.match(text, index).end()


def _end(text: str, start: int) -> int:
    """Where the JSON value that starts here ends."""
    if text[start] == '"':
        return _STRING.match(text, start).end()
    if text[start] not in "[{":
        return _SCALAR.match(text, start).end()
    depth, index = 0, start
    while True:
        match = _BRACKET.search(text, index)
        index = match.end()
        if match[0] == '"':
            index = _STRING.match(text, match.start()).end()
            continue
        depth += 1 if match[0] in "[{" else -1
        if depth == 0:
            return index


def _elements(text: str, start: int) -> Iterator[Span]:
    """Spans of the elements of the list that starts here."""
    index = _start(text, start + 1)
    while text[index] != "]":
        end = _end(text, index)
        yield index, end
        index = _start(text, end)
        if text[index] == ",":
            index = _start(text, index + 1)


def _member(text: str, start: int, name: str) -> Span:
    """Span of the value under this key of the object that starts here; the last one, as JSON readers take it."""
    found = None
    index = _start(text, start + 1)
    while text[index] != "}":
        end = _end(text, index)
        key = json.loads(text[index:end])
        index = _start(text, _start(text, end) + 1)
        end = _end(text, index)
        if key == name:
            found = index, end
        index = _start(text, end)
        if text[index] == ",":
            index = _start(text, index + 1)
    if found is None:
        raise KeyError(name)
    return found
