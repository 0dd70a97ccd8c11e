"""Suppression comments: `# jaxhints: ignore[rule, other-rule] reason`.

- Behind code it covers hints that begin on its line. A line that ends in a string or with a backslash cannot
  carry a comment; the next line that can carries it.
- On a line of its own it covers the next line of code.
- On a line of its own before all code of a cell it covers the cell.

Without brackets it covers every rule. Comments are found by the scanner, so text in strings is none.
"""
from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ..protocol import Range, TextEdit
from .masked import Masked
from .scanner import LogicalLine, logical_line

_COMMENT = re.compile(r"#\s*jaxhints:\s*ignore\b(?:\s*\[(?P<rules>[^\]\n]*)\])?[ \t]*(?P<reason>[^#\n]*)")
_RULE = re.compile(r"[^\s,]+")


@dataclass(frozen=True)
class Suppression:
    """One comment.

    line: its own, zero-based. lines: the ones it covers; None for the whole cell. rules: empty means every
    rule. span: the comment in `Masked.source`.
    """

    line: int
    lines: range | None
    rules: tuple[str, ...]
    reason: str
    span: tuple[int, int]

    @property
    def scope(self) -> Literal["line", "cell"]:
        return "cell" if self.lines is None else "line"

    def covers(self, line: int, rule: str) -> bool:
        """It silences this rule on this line."""
        return (self.lines is None or line in self.lines) and (not self.rules or rule in self.rules)


def suppressions(masked: Masked) -> list[Suppression]:
    """All suppression comments of a cell, in order."""
    if "jaxhints" not in masked.source:
        return []
    first = _first_code_line(masked)
    found = []
    for start, end in masked.comments:
        match = _COMMENT.search(masked.source, start, end)
        if match:
            rules = tuple(_RULE.findall(match["rules"] or ""))
            if match["rules"] is None or rules:
                line = masked.line_of(start)
                lines = _covered(masked, line, start, first)
                found.append(Suppression(line, lines, rules, match["reason"].strip(), match.span()))
    return found


def suppressed(found: Iterable[Suppression], line: int, rule: str) -> Suppression | None:
    """The comment that silences a rule on a line; one for the line before one for the cell."""
    matching = [each for each in found if each.covers(line, rule)]
    return min(matching, key=lambda each: each.lines is None, default=None)


def unused(found: Sequence[Suppression],
           hits: Iterable[tuple[int, str]]) -> list[tuple[Suppression, tuple[str, ...]]]:
    """Comments that silenced nothing, with the rules in them that did not (none for one without brackets).

    hits: line and rule of every hint of the cell, silenced ones included.
    """
    used: dict[int, set[str]] = {id(each): set() for each in found}
    for line, rule in hits:
        each = suppressed(found, line, rule)
        if each is not None:
            used[id(each)].add(rule)
    idle = []
    for each in found:
        vain = tuple(rule for rule in each.rules if rule not in used[id(each)])
        if vain or not each.rules and not used[id(each)]:
            idle.append((each, vain))
    return idle


def ignore_edit(cell: str, masked: Masked, line: int, rule: str) -> TextEdit | None:
    """The edit that silences a rule on a line, in a comment that is there or a new one; None where it is."""
    found = suppressions(masked)
    if suppressed(found, line, rule):
        return None
    here = next((each for each in found if each.lines and line in each.lines and each.rules), None)
    if here is not None:
        bracket = masked.source.index("]", here.span[0])
        return _insert(cell, masked, bracket, f", {rule}")
    comment = f"# jaxhints: ignore[{rule}]"
    heads = _head_lines(masked)
    if line in heads:
        after = heads[-1]
        text = masked.line_text(after)
        return _insert(cell, masked, masked.line_starts[after] + len(text), f"\n{comment}")
    carrier = _carrier(masked, line)
    if carrier is not None and not _is_command(masked, carrier):
        text = masked.line_text(carrier)
        return _insert(cell, masked, masked.line_starts[carrier] + len(text.rstrip(" \t")), f"  {comment}")
    start = _logical_start(masked, line)
    text = masked.line_text(start)
    indent = text[:len(text) - len(text.lstrip(" \t"))]
    return _insert(cell, masked, masked.line_starts[start], f"{indent}{comment}\n")


def remove_edit(cell: str, masked: Masked, suppression: Suppression, rules: Sequence[str] = ()) -> TextEdit:
    """The edit that takes rules out of a comment, or the whole comment where none stays."""
    stay = [rule for rule in suppression.rules if rule not in rules]
    start, end = suppression.span
    if suppression.rules and stay and rules:
        inner = masked.source.index("[", start) + 1
        return _edit(cell, masked, inner, masked.source.index("]", inner), ", ".join(stay))
    begin = masked.line_starts[suppression.line]
    if not masked.source[begin:start].strip() and suppression.line + 1 < len(masked.line_starts) \
            and end == begin + len(masked.line_text(suppression.line)):
        return _edit(cell, masked, begin, masked.line_starts[suppression.line + 1], "")
    while start > begin and masked.source[start - 1] in " \t":
        start -= 1
    return _edit(cell, masked, start, end, "")


def _covered(masked: Masked, line: int, start: int, first: int | None) -> range | None:
    """The lines that a comment covers; None for the whole cell."""
    before = masked.source[masked.line_starts[line]:start]
    if before.strip():
        begin = line
        while begin and begin - 1 in masked.tied_lines:
            begin -= 1
        return range(begin, line + 1)
    if first is None or line < first:
        return None
    target = line + 1
    while target < len(masked.line_starts) and _is_bare(masked.line_text(target)):
        target += 1
    end = _carrier(masked, target)
    return range(target, (target if end is None else end) + 1)


def _is_bare(text: str) -> bool:
    body = text.strip()
    return not body or body[0] == "#"


def _first_code_line(masked: Masked) -> int | None:
    """The first line that is neither blank nor comment nor a cell magic."""
    heads = _head_lines(masked)
    for line in masked.lines:
        number = masked.line_of(line.start)
        if number not in heads and not _is_bare(masked.line_text(number)):
            return number
    return None


def _head_lines(masked: Masked) -> list[int]:
    return [magic.line for magic in masked.magics if magic.kind == "cell"]


def _carrier(masked: Masked, line: int) -> int | None:
    """The line whose end can carry the comment for a line."""
    last = len(masked.line_starts) - 1
    while line in masked.tied_lines:
        line += 1
    if line > last or masked.lines and _swallowed(masked, line):
        return None
    return line


def _swallowed(masked: Masked, line: int) -> bool:
    """The line ends in a string that nothing closes."""
    logical = masked.lines[-1]
    if not logical.open or line < len(masked.line_starts) - 1:
        return False
    return _in_string(masked.text[logical.start:logical.end])


def _in_string(text: str) -> bool:
    # a comment would be seen as one if it could stand there
    return not logical_line(text + " #", 0).comments


def _is_command(masked: Masked, line: int) -> bool:
    """The line is a magic that would take a comment as its argument."""
    return any(magic.line <= line <= masked.line_of(magic.span[1]) and not magic.code
               for magic in masked.magics if magic.kind == "line")


def _logical_start(masked: Masked, line: int) -> int:
    logical: LogicalLine | None = None
    for each in masked.lines:
        if masked.line_of(each.start) <= line:
            logical = each
    return masked.line_of(logical.start) if logical else line


def _insert(cell: str, masked: Masked, offset: int, text: str) -> TextEdit:
    return _edit(cell, masked, offset, offset, text)


def _edit(cell: str, masked: Masked, start: int, end: int, text: str) -> TextEdit:
    place = Range(start=masked.position(start), end=masked.position(end))
    return TextEdit(cell=cell, range=place, new_text=text)
