"""Cells cut up at random: nothing raises, no length changes, and what was not touched is still read."""
from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyterlab_jaxhints.engine.cells import Cell
from jupyterlab_jaxhints.engine.magics import Masked, mask
from jupyterlab_jaxhints.engine.statements import parse_piece, read, split
from jupyterlab_jaxhints.engine.suppress import ignore_edit, suppressed, suppressions
from jupyterlab_jaxhints.texts import apply

from .cell_samples import SAMPLES

BITS = [*"()[]{}'\"#\\\n%!?=\t\f\r\0\ud800\u2028\x85😀:,;@ ", '"""', "'''", "f'{", "%time ", "%%time\n", "!ls", "    ",
        "\r\n", "lambda ", "def ", "else:\n", "\ufeff", "# jaxhints: ignore[x]"]


def check(text: str, cursor: int | None = None) -> None:
    """What holds for every text whatever."""
    found = mask(text)
    assert len(found.text) == len(found.source)
    assert [char == "\n" for char in found.text] == [char == "\n" for char in found.source]
    last = -1
    for piece in split(found, cursor):
        assert piece.start_line > last
        last = piece.start_line + piece.text.count("\n") - 1
        assert last < len(found.line_starts)
        statement = parse_piece(piece)
        if statement is not None:
            start, end = statement.span(statement.body[0])
            place = piece.range(start, end)
            assert (place.start.line, place.start.character) <= (place.end.line, place.end.character)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from([*BITS, "x", "f(", "1"]), max_size=40).map("".join))
def test_any_text_can_be_read(text: str) -> None:
    check(text)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(SAMPLES), st.randoms(use_true_random=False))
def test_cells_with_pieces_cut_out_and_put_in_can_be_read(text: str, chance: random.Random) -> None:
    for _ in range(chance.randint(1, 4)):
        start = chance.randint(0, len(text))
        text = text[:start] + chance.choice(BITS) + text[start + chance.choice([0, 0, 1, 3, 20]):]
    check(text, chance.choice([None, text.count("\n") // 2]))


def test_statements_around_a_cut_line_are_mostly_kept() -> None:
    """A line is cut in the middle, as while typing: the other statements of the cell are read as before."""
    chance = random.Random(0)
    kept = lost = repaired = broken = 0
    for _ in range(400):
        lines = chance.choice(SAMPLES).rstrip("\n").split("\n")
        whole = {piece.text for piece in split(mask("\n".join(lines))) if parse_piece(piece)}
        number = chance.randrange(len(lines))
        if len(lines[number]) < 2:
            continue
        lines[number] = lines[number][:chance.randrange(1, len(lines[number]))]
        pieces = split(mask("\n".join(lines)), number)
        hit = next((piece for piece in pieces
                    if piece.start_line <= number < piece.start_line + piece.text.count("\n")), None)
        others = {piece.text for piece in pieces if piece is not hit and parse_piece(piece)}
        kept += len(whole & others)
        lost += max(0, len(whole) - 1 - len(whole & others))
        if hit is not None and hit.text.count("\n") > 1:
            repaired += parse_piece(hit) is not None
            broken += parse_piece(hit) is None
    assert kept / (kept + lost) > 0.95
    assert repaired / (repaired + broken) > 0.8  # headers of functions are left broken on purpose


def code(masked: Masked) -> list[str]:
    """The lines that the analysis sees, without comments."""
    text = masked.text
    for start, end in reversed(masked.comments):
        text = text[:start] + text[end:]
    return [line.rstrip() for line in text.split("\n") if line.strip()]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SAMPLES), st.randoms(use_true_random=False))
def test_an_ignore_comment_changes_no_statement_and_silences_its_line(text: str, chance: random.Random) -> None:
    before = mask(text)
    line = chance.randrange(len(before.line_starts))
    if not before.line_text(line).strip():
        return
    edit = ignore_edit("c", before, line, "a-rule")
    changed = apply(text, [edit])
    after = mask(changed)
    assert code(after) == code(before)
    assert all(parse_piece(piece) for piece in split(after))
    at = line + (after.text.count("\n") - before.text.count("\n")) * (edit.range.start.line <= line)
    assert any(suppressed(suppressions(after), place, "a-rule") for place in (at, line))


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("text", SAMPLES)
def test_line_breaks_change_nothing(text: str, newline: str) -> None:
    plain, other = read(Cell("c", text)), read(Cell("c", text.replace("\n", newline)))
    assert [piece.text for piece in plain.pieces] == [piece.text for piece in other.pieces]
    for mine, theirs in zip(plain.pieces, other.pieces):
        assert mine.range(1, len(mine.text) - 1) == theirs.range(1, len(mine.text) - 1)
