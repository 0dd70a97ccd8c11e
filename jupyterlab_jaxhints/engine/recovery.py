"""What to try on a statement that does not parse: where it may end, and which line a stand-in replaces."""
from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from .magics import AUTOMAGICS, UNKNOWN_NAME
from .masked import Masked
from .scanner import LogicalLine, logical_line

MAX_TRIES = 8
MAX_TRIED_LENGTH = 40_000  # of all texts tried for one statement

_START = re.compile(
    r"@|(?:async[ \t]+)?(?:def|class|for|while|if|with|from|import|try|return|raise|del|assert|global)\b|[%!]"
    r"|[A-Za-z_][\w., \t\[\]]*=[^=]|[A-Za-z_][\w.]*\("
    rf"|(?:{AUTOMAGICS})[ \t]+[A-Za-z_-]"
)
_CODE = re.compile(r"[^ \t\n#]")
_FOR = re.compile(r"((?:async[ \t]+)?for\b.+?\bin)\b")
_DEFINES = re.compile(r"(?:async[ \t]+)?(?:def|class)\b|@")
_STRING_OR_COMMENT = re.compile(
    r"\"\"\".*?\"\"\"|'''.*?'''|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|#[^\n]*", re.DOTALL)
_LINK = re.compile(r"[.\[(+\-*/%@&|^<>=~]|\b(?:and|if|is|in|lambda|not|or)\b")
_BETWEEN = re.compile(r"[,;]|\n(?![ \t]*(?:[.\[(+\-*/%@&|^<>=)\]]|(?:and|else|if|is|in|not|or)\b))")
# headers of blocks by first word; `{0}` is a name that nobody binds
_HEADERS = {
    "if": "if {0}:", "elif": "elif {0}:", "while": "while {0}:", "with": "if {0}:", "else": "else:",
    "try": "try:", "except": "except Exception:", "finally": "finally:", "match": "match {0}:",
    "case": "case _:",
}


def code_start(text: str, start: int, end: int) -> int | None:
    """The first character of a logical line that is neither blank nor comment."""
    at = start
    while at < end and text[at] in " \t":
        at += 1
    return at if at < end and text[at] not in "\n#" else None


def next_start(text: str, start: int, end: int, margin: str) -> int | None:
    """The next column-0 line behind the first one that looks like the start of a statement."""
    pos = text.find("\n", start, end) + 1
    decorated = text.startswith("@", start + (len(margin) if text.startswith(margin, start) else 0))
    while 0 < pos < end:
        at = pos + len(margin) if text.startswith(margin, pos) else pos
        if _START.match(text, at) and not decorated:
            return pos
        if _CODE.match(text, at):
            decorated = text[at] == "@"
        pos = text.find("\n", pos, end) + 1
    return None


def visible(masked: Masked, start: int, end: int) -> str:
    """Part of a cell as it was before magics were masked, to be scanned anew."""
    text = re.sub("[\ud800-\udfff]", "\ufffd", masked.source[start:end])
    return text.replace("\0", "\ufffd").replace("\f", " ")


def too_deep(text: str, limit: int) -> bool:
    """Brackets in some logical line are nested deeper than the limit."""
    if sum(map(text.count, "([{")) <= limit:
        return False
    return any(line.depth > limit for line in _logical_lines(text))


def too_chained(text: str, limit: int) -> bool:
    """Some expression has more links, such as `.name`, `[i]`, `+ x` or `not`, than the limit."""
    if len(text) <= 2 * limit:
        return False
    bare = _STRING_OR_COMMENT.sub("0", text)
    return any(len(part) > 2 * limit and len(_LINK.findall(part)) > limit for part in _BETWEEN.split(bare))


def repair(text: str, cursor: int | None, failed: int | None,
           parse: Callable[[str], Any]) -> tuple[str, tuple[int, ...]] | None:
    """The text with a stand-in for its broken lines, and their numbers; None where nothing helps.

    cursor, failed: the line being edited and the line where the parser stopped, counted in the text.
    """
    lines = text.rstrip("\n").split("\n")
    if len(lines) < 2:
        return None
    logical = _spans_of_lines(text)
    tried: set[str] = set()
    budget = max(len(text), MAX_TRIED_LENGTH)
    for number in _suspects(len(lines), cursor, failed):
        for first, last in ((number, number), logical.get(number, (number, number)), _block(lines, number)):
            changed = _blanked(lines, first, last)
            attempt = None if changed is None else "\n".join(changed) + "\n"
            if attempt is None or attempt in tried or attempt == text:
                continue
            budget -= len(text)
            if len(tried) >= MAX_TRIES or budget < 0:
                return None
            tried.add(attempt)
            if parse(attempt) is not None:
                return attempt, tuple(range(first, last + 1))
    return None


def _suspects(count: int, cursor: int | None, failed: int | None) -> Iterator[int]:
    seen = set()
    around = () if failed is None else (failed, failed - 1, failed + 1)
    for number in (cursor, *around):
        if number is not None and 0 <= number < count and number not in seen:
            seen.add(number)
            yield number


def _blanked(lines: list[str], first: int, last: int) -> list[str] | None:
    """The lines with `first` to `last` replaced; None where that would change what the rest means."""
    line = lines[first]
    body = line.lstrip()
    indent = line[:len(line) - len(body)]
    if not body or _DEFINES.match(body):
        return None  # a body without its parameters would be read as something else
    stand_in = "pass"
    below = next((rest for rest in lines[last + 1:] if rest.strip()), "")
    if len(below) - len(below.lstrip()) > len(indent):
        loop = _FOR.match(body)
        word = re.match(r"\w*", body)[0]  # type: ignore[index]
        header = loop[1] + " {0}:" if loop else _HEADERS.get(word, "if {0}:")
        stand_in = header.replace("{0}", UNKNOWN_NAME)
    return [*lines[:first], indent + stand_in, *([""] * (last - first)), *lines[last + 1:]]


def _block(lines: list[str], number: int) -> tuple[int, int]:
    """A line with all deeper lines that follow."""
    indent = len(lines[number]) - len(lines[number].lstrip())
    last = number
    for index in range(number + 1, len(lines)):
        body = lines[index].lstrip()
        if body and len(lines[index]) - len(body) <= indent and body[0] not in ")]}":
            break
        last = index
    return number, last


def _logical_lines(text: str) -> Iterator[LogicalLine]:
    pos = 0
    while pos < len(text):
        line = logical_line(text, pos)
        yield line
        pos = line.end


def _spans_of_lines(text: str) -> dict[int, tuple[int, int]]:
    """Physical line → the first and last line of its logical line."""
    found: dict[int, tuple[int, int]] = {}
    number = 0
    for line in _logical_lines(text):
        count = max(1, text.count("\n", line.start, line.end))
        for index in range(number, number + count):
            found[index] = (number, number + count - 1)
        number += count
    return found
