"""What is asked of a kernel about a fix, which lines it changes, and how long the verdict holds."""
from __future__ import annotations

from typing import Any

import pytest
from support import checking, marks

from jupyterlab_jaxhints import rules, texts
from jupyterlab_jaxhints.livetrace import plan
from jupyterlab_jaxhints.protocol import CellResult, Fix, Position, Range, TextEdit, TraceRequest, Verification
from jupyterlab_jaxhints.verification import (
    GOOD,
    NO_HELP,
    RETYPING,
    Verifications,
    Verified,
    edited_lines,
    number,
    verdict,
)

TEXT = "import jax\ndef f(x):\n    print(x)\n    y = x\n    return y\n"


def put(first: tuple[int, int], last: tuple[int, int], text: str) -> TextEdit:
    places = [Position(line=line, character=character) for line, character in (first, last)]
    return TextEdit(cell="a", range=Range(start=places[0], end=places[1]), new_text=text)


@pytest.mark.parametrize("edits, lines", [
    ([put((3, 8), (3, 9), "-x")], [[3, 3]]),
    ([put((2, 4), (2, 12), "a = 1\n    b = 2\n    c = 3")], [[2, 4]]),
    ([put((0, 0), (0, 0), "import numpy\n"), put((3, 8), (3, 9), "-x")], [[0, 0], [4, 4]]),
    ([put((2, 0), (3, 0), "")], [[1, 2]]),
    ([put((4, 12), (4, 12), "\n    # more\n    z = 1")], [[5, 6]]),
    ([put((3, 8), (3, 9), "-x"), put((2, 0), (3, 0), "")], [[1, 2], [2, 2]]),
])
def test_lines_of_edits_in_the_text_that_they_leave(edits: list[TextEdit], lines: list[list[int]]) -> None:
    assert edited_lines(TEXT, edits) == lines


def hint_with(*titles: str) -> tuple[CellResult, list[Fix]]:
    cells = ["import jax.numpy as jnp\nx = jnp.ones(3)\nx[0] = 1.0"]
    (found,) = checking.diagnostics(cells)
    fixes = [found.fixes[0].model_copy(update={"title": title, "edits": [put((2, 0), (2, 10), title)]}) for title in titles]
    return CellResult(id="c0", digest="", diagnostics=[found.model_copy(update={"fixes": fixes})]), fixes


def said(rank: int, message: str, digests: dict[str, str]) -> Verified:
    return Verified(frozenset(digests), digests, Verification(good=rank == GOOD, message=message), rank)


def test_the_worst_fix_comes_last_and_unknown_ones_stay() -> None:
    result, (one, two, three) = hint_with("one", "two", "three")
    known = Verifications()
    known.put(one, said(NO_HELP, "fails", {"c0": "a"}))
    known.put(three, said(GOOD, "traces cleanly", {"c0": "a"}))

    def order(digests: dict[str, str]) -> list[tuple[str, str | None]]:
        (told,) = known.told([result], digests)
        return [(fix.title, fix.verification and fix.verification.message) for fix in told.diagnostics[0].fixes]

    assert order({"c0": "a"}) == [("two", None), ("three", "traces cleanly"), ("one", "fails")]
    assert order({"c0": "b"}) == [("one", None), ("two", None), ("three", None)]
    known.put(one, None)
    assert order({"c0": "a"})[0] == ("one", None)
    known.drop(["c0"])
    assert known.told([result], {"c0": "a"}) == [result]


def test_many_verdicts_push_the_oldest_out() -> None:
    known = Verifications()
    for count in range(600):
        edits = [put((0, 0), (0, 0), str(count))]
        known.put(Fix(title="", applicability="safe", edits=edits, digests={}), said(GOOD, "", {}))
    assert len(known.known) == 500


def request(**more: Any) -> TraceRequest:
    cells = [{"id": "a", "text": TEXT}, {"id": "b", "text": "f(1)"}, {"id": "c", "text": "%%bash\nls"}]
    return TraceRequest.model_validate({"notebook": "n", "action": "verify", "cells": cells, **more})


@pytest.mark.parametrize("edit, digest, asked", [
    (put((3, 8), (3, 9), "-x"), texts.digest(TEXT), True),
    (put((3, 8), (3, 9), "-x"), "old", False),
    (put((3, 8), (3, 9), "(("), texts.digest(TEXT), False),
], ids=["asked", "stale", "no Python"])
def test_what_is_asked(edit: TextEdit, digest: str, asked: bool) -> None:
    fix = {"title": "", "applicability": "safe", "edits": [edit.model_dump()], "digests": {"a": digest}}
    planned = plan(request(fixes=[{"rule": "x", "fix": fix}]))
    assert planned["groups"] == ([["a"]] if asked else [])
    assert [question["fixed"] for question in planned["own"]] == ([{"a": TEXT.replace("= x", "= -x")}] if asked else [])


SIDE = {"status": "ok", "findings": [], "failed": [], "unknown": [], "covered": True, "struck": False, "touched": []}
FAILED = ["a", [0, 0, 0, 1], "failed", "TypeError"]
SAME = {"compared": 1, "alike": False, "changed": []}


def judge(before: dict[str, Any], after: dict[str, Any], types: dict[str, Any] = SAME, rule: str = "x", **more: Any) -> str | None:
    data = {"before": SIDE | before, "after": SIDE | after, "types": types, "targets": ["a"]}
    found = verdict(rule, data, **more)
    return found and found[0].message


def test_verdicts() -> None:
    changed = SAME | {"changed": [["y", "f32[3]*", "f64[3]"]]}
    assert judge({}, {}) == "traces cleanly, same result type"
    assert judge({"failed": [FAILED]}, {}) == "traces cleanly"
    assert judge({}, {}, SAME | {"alike": True}) == judge({}, {}, SAME | {"compared": 0}) == "traces cleanly"
    assert judge({}, {}, changed) == "changes the result type: `y` is f64[3], was f32[3]"
    assert judge({}, {}, changed, "late-x64") == "traces cleanly: `y` is f64[3], was f32[3]"
    assert judge({}, {"failed": [FAILED]}) == "fails: TypeError"
    assert judge({"failed": [FAILED]}, {"failed": [FAILED]}) == "still fails: TypeError"


@pytest.mark.parametrize("before, after, more", [
    ({"status": "refused"}, {}, {}), ({}, {"status": "refused"}, {}), ({}, {"covered": False}, {}),
    ({"failed": [FAILED]}, {"failed": [FAILED], "covered": False}, {}),
    ({}, {"failed": [FAILED]}, {"ran": ["a"]}), ({}, {"unknown": [["a", [], "unknown", ""]]}, {"own": ["a"]}),
])
def test_silent_where_nothing_is_known(before: dict[str, Any], after: dict[str, Any], more: dict[str, Any]) -> None:
    assert judge(before, after, **more) is None


@pytest.mark.parametrize("value, text", [(1e-7, "1e-7"), (2.3e-6, "2e-6"), (0.5, "0.5"), (4.0, "4"), (123.4, "123"),
                                         (1.2e7, "1e7"), (1.7e308, "NaN or infinity")])
def test_numbers_as_people_write_them(value: float, text: str) -> None:
    assert number(value) == text


def test_rules_that_change_a_type_on_purpose_exist() -> None:
    assert RETYPING <= {rule.name for rule in rules.load()}


def test_every_example_can_be_asked_about() -> None:
    for rule in rules.load():
        for example in rule.examples:
            cells = marks.read(example.bad).cells
            for hint in checking.diagnostics(cells):
                asked = [{"rule": hint.rule, "fix": fix.model_dump()} for fix in hint.fixes]
                given = [{"id": f"c{number}", "text": text} for number, text in enumerate(cells)]
                planned = plan(TraceRequest.model_validate({"notebook": "n", "action": "verify", "cells": given, "fixes": asked}))
                assert len(planned["groups"]) == len(asked), (rule.name, hint.rule)
