"""Several text edits together: joined, checked against each other, applied to cells."""
from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Union

from .. import texts
from ..protocol import Range, TextEdit

Edits = Union[TextEdit, Iterable["Edits"]]  # noqa: UP007 - evaluated, and `|` takes no string


class EditRefused(Exception):
    """The edit would touch text that is not the user's plain code, or cannot be placed."""


def combine(*edits: Edits) -> list[TextEdit]:
    """All edits in one list: the same edit once, insertions at one place joined. Raises where two overlap."""
    found: list[TextEdit] = []
    for edit in _flat(edits):
        if edit in found:
            continue
        for index, other in enumerate(found):
            if other.cell != edit.cell:
                continue
            if _is_insertion(other) and other.range == edit.range:
                found[index] = other.model_copy(update={"new_text": other.new_text + edit.new_text})
                break
            if _clash(other.range, edit.range):
                raise EditRefused("two edits overlap")
        else:
            found.append(edit)
    return found


def apply(cells: Mapping[str, str], edits: Edits) -> dict[str, str]:
    """The cells' texts after the edits."""
    by_cell: dict[str, list[TextEdit]] = defaultdict(list)
    for edit in combine(edits):
        by_cell[edit.cell].append(edit)
    changed = dict(cells)
    for cell, its in by_cell.items():
        if cell not in changed:
            raise EditRefused(f"there is no cell `{cell}`")
        changed[cell] = texts.apply(changed[cell], its)
    return changed


def _flat(edits: Edits) -> Iterator[TextEdit]:
    if isinstance(edits, TextEdit):
        yield edits
        return
    for each in edits:
        yield from _flat(each)


def _is_insertion(edit: TextEdit) -> bool:
    return edit.range.start == edit.range.end


def _clash(a: Range, b: Range) -> bool:
    """Two ranges share text; that one begins where the other ends is fine."""
    (a0, a1), (b0, b1) = (((r.start.line, r.start.character), (r.end.line, r.end.character)) for r in (a, b))
    return a0 < b1 and b0 < a1
