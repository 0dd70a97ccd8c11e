"""Cells with «marked» ranges: what is marked, and the same cells in other dress."""
from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

OPEN, CLOSE = "«", "»"
MARKS = re.compile(f"[{OPEN}{CLOSE}]")

Cells = tuple[str, ...]
Span = tuple[int, int, int, int, int]  # cell, line, code-point column, last line, last column


@dataclass(frozen=True)
class Marked:
    """Plain cells and the spans that were marked in them, in order."""

    cells: Cells
    spans: tuple[Span, ...]


def read(cells: Sequence[str]) -> Marked:
    """Takes the marks out."""
    spans = [span for index, cell in enumerate(cells) for span in _spans(index, cell)]
    return Marked(tuple(MARKS.sub("", cell) for cell in cells), tuple(sorted(spans)))


def _spans(index: int, cell: str) -> list[Span]:
    found, open_places, line, column = [], [], 0, 0
    for char in cell:
        if char == OPEN:
            open_places.append((line, column))
        elif char == CLOSE:
            found.append((index, *open_places.pop(), line, column))
        elif char == "\n":
            line, column = line + 1, 0
        else:
            column += 1
    assert not open_places, f"a mark is not closed in {cell!r}"
    return found


# --- the same cells in other dress: the marks move along, and nothing else changes ---------------------------------


def with_crlf(cells: Sequence[str]) -> Cells:
    return tuple(cell.replace("\n", "\r\n") for cell in cells)


def with_tabs(cells: Sequence[str]) -> Cells:
    def tabbed(match: re.Match[str]) -> str:
        return "\t" * (len(match[0]) // 4)

    return tuple(re.sub(r"^(?: {4})+", tabbed, cell, flags=re.MULTILINE) for cell in cells)


def with_emoji(cells: Sequence[str]) -> Cells:
    """An emoji in a comment above, and before each mark that begins a simple statement of the cell."""
    return tuple("# 😀\n" + re.sub(rf"^(?={OPEN}(?!@|{KEYWORDS}))", "'😀'; ", cell, flags=re.MULTILINE)
                 for cell in cells)


KEYWORDS = r"(?:if|for|while|with|try|def|class|async|match|import|from|#)\b|#"


def with_magics(cells: Sequence[str]) -> Cells:
    head = "%matplotlib inline\n!pip list\n"
    return tuple(cell if cell.lstrip().startswith("%%") else head + cell for cell in cells)


def with_imports_apart(cells: Sequence[str]) -> Cells:
    """The first cell cut behind its leading imports."""
    lines = MARKS.sub("", cells[0]).split("\n")
    try:
        body = ast.parse("\n".join(lines)).body
    except SyntaxError:
        return tuple(cells)
    last = 0
    for statement in body:
        if not isinstance(statement, (ast.Import, ast.ImportFrom)):
            break
        last = statement.end_lineno or 0
    given = cells[0].split("\n")
    if last in (0, len(given)) or any(OPEN in line for line in given[:last]):
        return tuple(cells)
    return ("\n".join(given[:last]), "\n".join(given[last:]), *cells[1:])


DRESSES: dict[str, Callable[[Sequence[str]], Cells]] = {
    "as it is": tuple, "CRLF": with_crlf, "tabs": with_tabs, "emoji": with_emoji, "magics": with_magics,
    "imports apart": with_imports_apart,
}
