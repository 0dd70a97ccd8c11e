"""Results for people: with the code and the fix, one line each, or as annotations of a GitHub run."""
from __future__ import annotations

import difflib
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

from click import style

from .. import texts
from ..checker import FileResult
from ..protocol import Diagnostic, Fix
from .items import Item, Places, all_items, file_items

COLOURS = {"error": "red", "warning": "yellow", "information": "blue", "hint": "cyan"}
PLURALS = {"information": "information"}
LEVELS = {"error": "error", "warning": "warning", "information": "notice", "hint": "notice"}
FRAME_LINES = 8  # a longer flagged stretch is shown by its beginning
TAB = "    "


def concise(results: Sequence[FileResult]) -> str:
    """One line a hint."""
    return "".join(f"{_head(item)}\n" for item in all_items(results))


def full(results: Sequence[FileResult]) -> str:
    """Each hint with its code, why, and what the fix does."""
    return "".join(block for result in results for block in _blocks(result))


def github(results: Sequence[FileResult]) -> str:
    """Workflow commands, which GitHub shows beside the code."""
    return "".join(f"{_annotation(item)}\n" for item in all_items(results))


def statistics(results: Sequence[FileResult]) -> str:
    """How often each rule fired, how many of these have a fix, and how long the rule took."""
    seconds = sum((result.seconds for result in results), Counter())
    items = all_items(results)
    counts = Counter(item["code"] for item in items)
    fixable = Counter(item["code"] for item in items if item["fix"])
    rows = [
        f"{count:5}  {name:32} {str(fixable[name] or '-'):>5} fixable  {1000 * seconds[name]:8.1f} ms"
        for name, count in counts.most_common()
    ]
    quiet = sum(time for name, time in seconds.items() if name not in counts)
    return "\n".join([*rows, f"{'':5}  {'rules that found nothing':32} {'':13}  {1000 * quiet:8.1f} ms"]) + "\n"


def summary(results: Sequence[FileResult], unsafe: bool) -> str:
    """The last line: how many hints, how many are fixed, how many can be."""
    hints = [diagnostic for result in results for diagnostic in result.diagnostics]
    fixed = sum(sum(result.fixed.values()) for result in results)
    done = f"{_count(fixed, 'fix', 'fixes')} applied. " if fixed else ""
    checked = sum(1 for result in results if not result.error)
    if not hints:
        return f"{done}No hints in {_count(checked, 'file')}."
    by_severity = Counter(diagnostic.severity for diagnostic in hints)
    parts = ", ".join(_count(by_severity[name], name, PLURALS.get(name, "")) for name in COLOURS if by_severity[name])
    line = f"{done}{_count(len(hints), 'hint')} in {_count(checked, 'file')}: {parts}."
    return line + _offer(hints, unsafe)


def diff(result: FileResult) -> Iterator[str]:
    """What the fixes change, cell by cell, as a unified diff."""
    for before, after in zip(result.before.cells, result.after.cells):
        if before.text == after.text:
            continue
        place = f"{result.name}:cell {before.number}" if before.number else result.name
        yield from _unified(before.text, after.text, place, before.first_line)


def _unified(before: str, after: str, place: str, first_line: int) -> Iterator[str]:
    lines = difflib.unified_diff(_plain(before), _plain(after), place, place, lineterm="")
    for line in lines:
        if line.startswith("@@") and first_line:
            line = _shifted(line, first_line)
        colour = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1])
        yield style(line, fg=colour) if colour and not line.startswith(("+++", "---")) else line


def _shifted(header: str, by: int) -> str:
    """A hunk header that counts in the file, for a part of a script."""
    def moved(part: str) -> str:
        start, comma, length = part[1:].partition(",")
        return f"{part[0]}{int(start) + by}{comma}{length}"

    _, old, new, _ = header.split(" ", 3)
    return f"@@ {moved(old)} {moved(new)} @@"


def _offer(hints: list[Diagnostic], unsafe: bool) -> str:
    first = Counter(hint.fixes[0].applicability for hint in hints if hint.fixes)
    if unsafe:
        total = sum(first.values())
        return f" {total} fixable with --fix --unsafe-fixes." if total else ""
    safe = f" {first['safe']} fixable with --fix." if first["safe"] else ""
    more = f" {first['unsafe']} more with --unsafe-fixes." if first["unsafe"] else ""
    return safe + more


def _head(item: Item) -> str:
    severity = style(item["severity"], fg=COLOURS[item["severity"]])
    return f"{_place(item)}: {severity} {style(item['code'], bold=True)} {item['message']}"


def _place(item: Item) -> str:
    cell = f":cell {item['cell']}" if item["cell"] is not None else ""
    return f"{style(item['filename'], bold=True)}{cell}:{item['location']['row']}:{item['location']['column']}"


def _blocks(result: FileResult) -> Iterator[str]:
    if not result.diagnostics:
        return
    places = Places(result.after)
    for diagnostic, item in zip(result.diagnostics, file_items(result)):
        lines = [_head(item), *_frame(diagnostic, item, places)]
        lines += [style("   = ", fg="blue") + f"why: {step['message']}{_where(step)}" for step in item["evidence"]]
        if diagnostic.fixes:
            lines += _fix_lines(diagnostic.fixes[0], places)
        yield "\n".join(lines) + "\n\n"


def _where(step: Item) -> str:
    if "location" not in step:
        return ""
    cell = f"cell {step['cell']}, " if step["cell"] is not None else ""
    return f" ({cell}line {step['location']['row']})"


def _frame(diagnostic: Diagnostic, item: Item, places: Places) -> Iterator[str]:
    """The flagged lines and the one before, with carets below."""
    lines = places.lines(diagnostic.cell)
    start, end = diagnostic.range.start, diagnostic.range.end
    shift = item["location"]["row"] - start.line - 1
    last = min(end.line, start.line + FRAME_LINES - 1)
    width = len(str(last + shift + 1))
    bar = style("|", fg="blue")
    yield f"{'':{width}} {bar}"
    for index in range(max(0, start.line - 1), last + 1):
        line = lines[index].rstrip("\r\n") if index < len(lines) else ""
        yield f"{style(f'{index + shift + 1:{width}}', fg='blue')} {bar} {line.expandtabs(len(TAB))}".rstrip()
        if index >= start.line:
            first = texts.code_point(line, start.character) if index == start.line else _indent(line)
            until = texts.code_point(line, end.character) if index == end.line else len(line)
            blank = " " * _width(line[:first])
            carets = "^" * max(1, _width(line[:until]) - len(blank))
            yield f"{'':{width}} {bar} {blank}{style(carets, fg=COLOURS[item['severity']])}"


def _fix_lines(fix: Fix, places: Places) -> Iterator[str]:
    kind = "fix" if fix.applicability == "safe" else "unsafe fix"
    yield style("   = ", fg="blue") + f"{kind}: {fix.title}"
    for cell_id in dict.fromkeys(edit.cell for edit in fix.edits):
        before = places.cell(cell_id).text
        after = texts.apply(before, [edit for edit in fix.edits if edit.cell == cell_id])
        for line in difflib.unified_diff(_plain(before), _plain(after), lineterm="", n=0):
            if not line.startswith(("---", "+++", "@@")):
                yield "     " + style(f"{line[0]} {line[1:]}", fg="green" if line[0] == "+" else "red")


def _annotation(item: Item) -> str:
    where = {"title": f"jaxhints ({item['code']})", "file": item["filename"]}
    message = f"{item['location']['row']}:{item['location']['column']}: {item['code']} {item['message']}"
    if item["cell"] is None:
        where |= {"line": item["location"]["row"], "col": item["location"]["column"],
                  "endLine": item["end_location"]["row"], "endColumn": item["end_location"]["column"]}
    else:
        # lines would be counted in the notebook's JSON
        message = f"cell {item['cell']}:{message}"
    values = ",".join(f"{key}={_escaped(str(value), ':,')}" for key, value in where.items())
    return f"::{LEVELS[item['severity']]} {values}::{_escaped(message)}"


def _escaped(text: str, more: str = "") -> str:
    for char in "%\r\n" + more:
        text = text.replace(char, f"%{ord(char):02X}")
    return text


def _plain(text: str) -> list[str]:
    return [line.rstrip("\r\n") for line in texts.lines(text)]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _width(text: str) -> int:
    """Columns that a terminal needs."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    narrow = sum(unicodedata.combining(char) != 0 for char in text)
    return len(text.expandtabs(len(TAB))) + wide - narrow


def _count(number: int, noun: str, plural: str = "") -> str:
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
