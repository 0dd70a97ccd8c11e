"""Finds logical lines, strings, comments and brackets in Python text, without a grammar; it never fails."""
from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)|(?P<quote>\"\"\"|'''|"|')|(?P<open>[(\[{])|(?P<close>[)\]}])"""
    r"""|(?P<join>\\(?:\n|\Z))|(?P<help>\?{1,2}[ \t]*(?=\n|\Z))|(?P<newline>\n)"""
)
_ENDS = {'"""': '"""', "'''": "'''", '"': '"|\n', "'": "'|\n"}  # what may end a string's text
_PLAIN_END = {quote: re.compile(r"\\.|" + end, re.DOTALL) for quote, end in _ENDS.items()}
_TEMPLATE_TEXT = {
    quote: re.compile(r"\\N\{[^{}\n]*\}|\\[^{}]|\{\{|\}\}|[{}]|" + end, re.DOTALL)
    for quote, end in _ENDS.items()
}
_TEMPLATE_CODE = re.compile(r"""\"\"\"|'''|["'()\[\]{}:#]""")
_PREFIX = re.compile(r"(?<![\w])[A-Za-z]{1,2}\Z")
_TEMPLATE_NESTING = 5


@dataclass(frozen=True)
class LogicalLine:
    """One logical line: from the start of its first physical line to behind its line break.

    depth: the deepest bracket. comments: (start, end) each. tied: offsets of line breaks before which no
    comment can stand, in a string or behind a backslash. asks: it ends in `?`. open: the text ended inside a
    bracket or string.
    """

    start: int
    end: int
    depth: int = 0
    comments: tuple[tuple[int, int], ...] = ()
    tied: tuple[int, ...] = ()
    asks: bool = False
    open: bool = False


def logical_line(text: str, start: int, pos: int | None = None) -> LogicalLine:
    """The logical line that begins at `start`; scanning begins at `pos`."""
    pos = start if pos is None else pos
    depth = deepest = 0
    comments: list[tuple[int, int]] = []
    tied: list[int] = []
    asks = False
    while True:
        match = _TOKEN.search(text, pos)
        if not match:
            return LogicalLine(start, len(text), deepest, tuple(comments), tuple(tied), asks, depth > 0)
        kind, pos = match.lastgroup, match.end()
        if kind == "quote":
            end = string_end(text, match.start(), match[0])
            tied += _breaks(text, pos, end)
            if end == len(text) and not text.endswith(match[0]):
                swallows = len(match[0]) == 3 or depth > 0
                return LogicalLine(start, end, deepest, tuple(comments), tuple(tied), False, swallows)
            pos = end
        elif kind == "open":
            depth += 1
            deepest = max(deepest, depth)
        elif kind == "close":
            depth = max(0, depth - 1)
        elif kind == "comment":
            comments.append(match.span())
        elif kind == "join":
            tied.append(match.start() + 1)
        elif kind == "help":
            asks = depth == 0
        elif depth == 0:
            return LogicalLine(start, pos, deepest, tuple(comments), tuple(tied), asks)


def string_end(text: str, start: int, quote: str, nesting: int = 0) -> int:
    """Where the string whose quotes stand at `start` ends; an open one ends with its line or the text."""
    body = start + len(quote)
    plain, closed = _plain_end(text, body, quote)
    prefix = _PREFIX.search(text, max(0, start - 3), start)
    if prefix and prefix[0].lower() in ("f", "t", "rf", "fr", "rt", "tr") and nesting < _TEMPLATE_NESTING:
        end = _template_end(text, body, quote, nesting)
        # in a single-quoted one a field may span lines, but far more often its brace was not closed yet
        if end is not None and not (closed and len(quote) == 1 and "\n" in text[body:end]):
            return end
    return plain


def _plain_end(text: str, pos: int, quote: str) -> tuple[int, bool]:
    pattern = _PLAIN_END[quote]
    while match := pattern.search(text, pos):
        if match[0] == quote:
            return match.end(), True
        if match[0] == "\n":
            return match.start(), False
        pos = match.end()
    return len(text), False


def _template_end(text: str, pos: int, quote: str, nesting: int) -> int | None:
    """The end of an f-string or t-string, whose fields may hold any string (PEP 701); None if it has none."""
    pattern = _TEMPLATE_TEXT[quote]
    fields = 0  # format specs that we are in
    while match := pattern.search(text, pos):
        token, pos = match[0], match.end()
        if token == "{":
            found = _field_end(text, pos, nesting)
            if found is None:
                return None
            pos, in_spec = found
            fields += in_spec
        elif token[0] == "}" and fields:
            fields -= 1
            pos = match.start() + 1
        elif token == quote:
            return pos if not fields else None
        elif token == "\n":
            return None
    return None


def _field_end(text: str, pos: int, nesting: int) -> tuple[int, bool] | None:
    """Behind a field's `}`, or behind the `:` that begins its format spec (then True)."""
    depth = 0
    while match := _TEMPLATE_CODE.search(text, pos):
        token, pos = match[0], match.end()
        if token in "([{":
            depth += 1
        elif token in ")]}":
            if depth == 0:
                return (pos, False) if token == "}" else None
            depth -= 1
        elif token == ":":
            if depth == 0:
                return pos, True
        elif token == "#":
            pos = text.find("\n", pos)
            if pos < 0:
                return None
        else:
            pos = string_end(text, match.start(), token, nesting + 1)
            if not text.startswith(token, pos - len(token)) or pos - len(token) <= match.start():
                return None
    return None


def _breaks(text: str, start: int, end: int) -> list[int]:
    found, pos = [], text.find("\n", start, end)
    while pos >= 0:
        found.append(pos)
        pos = text.find("\n", pos + 1, end)
    return found
