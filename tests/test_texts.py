"""Places in texts: UTF-16 columns, line ends, edits."""
from __future__ import annotations

import pytest

from jupyterlab_jaxhints import texts
from jupyterlab_jaxhints.protocol import Position, Range, TextEdit


def span(line: int, start: int, end: int, last: int | None = None) -> Range:
    return Range(start=Position(line=line, character=start),
                 end=Position(line=line if last is None else last, character=end))


@pytest.mark.parametrize(
    ("text", "lines"),
    [("", [""]), ("a", ["a"]), ("a\n", ["a\n", ""]), ("a\r\nb\rc\nd", ["a\r\n", "b\r", "c\n", "d"]),
     ("a\fb\u2028c\x85", ["a\fb\u2028c\x85"]), ("\n\n", ["\n", "\n", ""])],
)
def test_lines_end_where_the_editor_ends_them(text: str, lines: list[str]) -> None:
    assert texts.lines(text) == lines


def test_columns_count_utf_16_units_on_the_wire_and_code_points_for_people() -> None:
    text = 'é = "😀"; x[0] = 1'
    assert texts.part(text, span(0, 10, 18)) == "x[0] = 1"
    assert texts.row_and_column(texts.lines(text), Position(line=0, character=10)) == (1, 10)


def test_edits_of_one_text_are_made_for_the_text_as_it_was() -> None:
    text = "a = 😀x[0]\r\nb = 2\r\n"
    edits = [
        TextEdit(cell="c", range=span(0, 0, 0), new_text="import y\n"),
        TextEdit(cell="c", range=span(0, 6, 10), new_text="y"),
        TextEdit(cell="c", range=span(1, 0, 0, last=2), new_text=""),
    ]
    assert texts.apply(text, edits) == "import y\r\na = 😀y\r\n"


@pytest.mark.parametrize(
    ("a", "b", "clash"),
    [
        (span(0, 0, 4), span(0, 4, 6), False),
        (span(0, 0, 4), span(0, 3, 6), True),
        (span(0, 2, 2), span(0, 2, 2), True),
        (span(0, 2, 2), span(0, 2, 5), False),
        (span(0, 0, 3, last=2), span(1, 5, 6), True),
    ],
)
def test_overlap(a: Range, b: Range, clash: bool) -> None:
    assert texts.overlap(a, b) is texts.overlap(b, a) is clash
