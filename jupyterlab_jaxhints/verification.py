"""Verification of fixes: what to ask the kernel of a fixed cell, and the verdict on its answer.

A fixed text is traced beside the text as it is. Only what the trace went through is judged; the rest is silent.
"""
from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import texts
from .protocol import AskedFix, CellResult, Diagnostic, Fix, TextEdit, TraceRequest, Verification
from .trace.findings import ACROSS_CELLS, brief, related_rules
from .trace.request import ASKED_LIMIT, AUTOMATIC_LIMIT

MOST_KEPT = 500
BUDGET = 2.0  # seconds for all fixes of one request: a trace that is waiting comes first
GOOD, OTHER_FAILURE, NO_HELP = range(3)  # fixes are offered in this order
# Fixes of these rules are made to change a type.
RETYPING = frozenset(
    "promotion-surprise unsafe-cast legacy-prng-key float64-without-x64 late-x64".split()
)

Question = dict[str, Any]
Masked = Callable[[str], "str | None"]


@dataclass(frozen=True)
class Verified:
    """What is known of one fix; it holds while the texts it speaks of stay."""

    targets: frozenset[str]
    digests: Mapping[str, str]
    verification: Verification
    rank: int = GOOD

    def holds(self, digests: Mapping[str, str]) -> bool:
        """Whether all texts are as they were."""
        return all(digests.get(cell) == digest for cell, digest in self.digests.items())


@dataclass
class Verifications:
    """All that is known of a notebook's fixes."""

    known: dict[str, Verified] = field(default_factory=dict)

    def put(self, fix: Fix, verified: Verified | None) -> None:
        """Keeps the latest word on a fix; None: nothing can be said of it."""
        self.known.pop(key_of(fix), None)
        if verified is not None:
            self.known[key_of(fix)] = verified
        while len(self.known) > MOST_KEPT:
            self.known.pop(next(iter(self.known)))

    def drop(self, cells: Collection[str]) -> None:
        """Forgets what was seen in runs of these cells, which can no longer be traced."""
        self.known = {key: each for key, each in self.known.items() if not each.targets & set(cells)}

    def told(self, results: Iterable[CellResult], digests: Mapping[str, str]) -> list[CellResult]:
        """The results with what is known of their fixes, those that make things worse last."""
        if not self.known:
            return list(results)
        return [result.model_copy(update={"diagnostics": [self._told(hint, digests) for hint in result.diagnostics]})
                for result in results]

    def _told(self, hint: Diagnostic, digests: Mapping[str, str]) -> Diagnostic:
        found = [(fix, self.known.get(key_of(fix))) for fix in hint.fixes]
        held = [(fix, verified if verified and verified.holds(digests) else None) for fix, verified in found]
        if not any(verified for _, verified in held):
            return hint
        held.sort(key=lambda pair: pair[1].rank if pair[1] else GOOD)
        return hint.model_copy(update={"fixes": [
            fix.model_copy(update={"verification": verified.verification}) if verified else fix for fix, verified in held
        ]})


def key_of(fix: Fix) -> str:
    """Names a fix by what it writes."""
    text = "\0".join(edit.model_dump_json() for edit in fix.edits)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]


# -- the questions

def questions(request: TraceRequest, runs: Iterable[tuple[Sequence[str], Collection[str]]],
              masked: Masked) -> list[Question]:
    """One question for each fix that can be asked about. `runs` are the traces so far: their targets, and the cells
    that something was seen in."""
    seen = [(set(targets), set(cells)) for targets, cells in runs]
    found = [_question(request, number, asked.fix, seen, masked) for number, asked in enumerate(request.fixes)]
    return [question for question in found if question is not None]


def _question(request: TraceRequest, number: int, fix: Fix, seen: Sequence[tuple[set[str], set[str]]],
              masked: Masked) -> Question | None:
    given = {cell.id: cell.text or "" for cell in request.cells}
    if any(cell not in given or texts.digest(given[cell]) != digest for cell, digest in fix.digests.items()):
        return None
    fixed, edited = {}, {}
    for cell in dict.fromkeys(edit.cell for edit in fix.edits):
        edits = [edit for edit in fix.edits if edit.cell == cell]
        text = masked(texts.apply(given[cell], edits)) if cell in fix.digests else None
        if text is None:
            return None
        fixed[cell], edited[cell] = text, edited_lines(given[cell], edits)
    wanted = set(fixed)
    for targets, cells in seen:
        if cells & set(fixed):
            wanted |= targets
    targets = [cell for cell in given if cell in wanted and masked(given[cell]) is not None]
    if not set(fixed) <= set(targets):
        return None
    limit = ASKED_LIMIT if request.action == "compare" else AUTOMATIC_LIMIT
    return {"targets": targets, "op": request.action, "fix": number, "fixed": fixed, "edited": edited, "limit": limit}


def edited_lines(text: str, edits: Iterable[TextEdit]) -> list[list[int]]:
    """First and last line of each edit in the text that the edits leave."""
    lines, moved, found = texts.lines(text), 0, []
    for edit in sorted(edits, key=lambda each: (each.range.start.line, each.range.start.character)):
        first = edit.range.start.line + moved
        added = edit.new_text.count("\n")
        last = first + added - (1 if added and edit.new_text.endswith("\n") else 0)
        gone = not edit.new_text.strip()
        if gone and first and lines[min(edit.range.start.line, len(lines) - 1)][:1].isspace():
            first -= 1  # the body that it was taken out of
        elif edit.new_text.startswith("\n") and edit.range.start == edit.range.end:
            first += 1  # put in after a line, which stays
        found.append([first, last])
        moved += added - (edit.range.end.line - edit.range.start.line)
    return found


# -- the verdict

def take(verifications: Verifications, request: TraceRequest, answers: Iterable[Mapping[str, Any]]) -> None:
    """Keeps what the kernel says of the request's fixes."""
    known = {cell.id: texts.digest(cell.text or "") for cell in request.cells}
    for answer in answers:
        data = answer["data"]
        if "after" not in data or not 0 <= data.get("fix", -1) < len(request.fixes):
            continue
        asked = request.fixes[data["fix"]]
        verifications.put(asked.fix, verified_of(asked, data, known, frozenset(request.ran)))


def verified_of(asked: AskedFix, data: Mapping[str, Any], known: Mapping[str, str],
                ran: Collection[str]) -> Verified | None:
    """The verdict with the texts that it depends on."""
    found = verdict(asked.rule, data, ran, asked.fix.digests)
    if found is None:
        return None
    cells = {*data["targets"], *asked.fix.digests, *data["before"]["touched"], *data["after"]["touched"]}
    return Verified(frozenset(data["targets"]), {cell: known[cell] for cell in cells if cell in known}, *found)


def verdict(rule: str, data: Mapping[str, Any], ran: Collection[str] = (),
            own: Collection[str] = ()) -> tuple[Verification, int] | None:
    """What the trace of both texts says of a fix; None where it says nothing. `ran` are cells that ended well in the
    kernel, `own` those that the fix speaks of."""
    before, after = data["before"], data["after"]
    if before["status"] != "ok" or after["status"] != "ok":
        return None
    if not after["covered"] and (before["failed"] or not after["failed"]):
        return None  # a text that ran, and now does not come to the change, fails by it
    if any(state[0] in ran for state in before["failed"] + after["failed"]):
        return None  # on what they left behind cells may fail that have ended well
    if after["failed"]:
        return _failing(before, after)
    if any(state[0] in own for state in after["unknown"]):
        return None
    across = len(data["targets"]) > 1
    old, new = (Counter(_signs(each, across)) for each in (before, after))
    if not before["failed"] and (more := new - old):
        raw = next(raw for raw in after["findings"] if raw["rule"] in more)
        return _bad(f"brings a new problem: {brief(raw)}", NO_HELP, worse=True)
    left = next((raw for raw in after["findings"] if related_rules(raw["rule"], rule)), None)
    if left is not None and new[left["rule"]] >= old[left["rule"]] > 0:
        return _bad(f"does not help: {brief(left)}", NO_HELP)
    return _by_types(rule, data["types"], ran=not before["failed"])


def _by_types(rule: str, types: Mapping[str, Any], ran: bool) -> tuple[Verification, int]:
    if types["changed"]:
        name, old, new = (words.replace("*", "") for words in types["changed"][0])
        if rule in RETYPING:
            return Verification(good=True, message=f"traces cleanly: `{name}` is {new}, was {old}"), GOOD
        return _bad(f"changes the result type: `{name}` is {new}, was {old}", NO_HELP, worse=True)
    same = ran and types["compared"] and not types["alike"]
    return Verification(good=True, message="traces cleanly, same result type" if same else "traces cleanly"), GOOD


def _failing(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Verification, int]:
    """A fixed text that raises: only now, as before, or where another hint is to be answered first."""
    raised = [raw for raw in after["findings"] if "error" in raw["data"]]
    what = brief(raised[0]) if raised else after["failed"][0][3]
    if not before["failed"]:
        return _bad(f"fails: {what}", NO_HELP, worse=True)
    same = {(raw["rule"], raw["text"]) for raw in before["findings"]} & {(raw["rule"], raw["text"]) for raw in raised}
    return _bad(f"still fails: {what}", NO_HELP if same and after["struck"] else OTHER_FAILURE)


def _bad(message: str, rank: int, worse: bool = False) -> tuple[Verification, int]:
    return Verification(good=False, worse=worse, message=message), rank


def _signs(side: Mapping[str, Any], across: bool) -> list[str]:
    unsure = ACROSS_CELLS if across else ()
    return [raw["rule"] for raw in side["findings"] if raw.get("certain", True)
            and not (raw["rule"] in unsure and raw["data"].get("across", True))]


# -- the comparison of values

NOTHING = "no result to compare"


def remark(answers: Sequence[Mapping[str, Any]]) -> str:
    """What came of running both texts on the real values."""
    values = answers[1]["data"].get("values") if len(answers) > 1 else None
    if not values or values["same"] is None:
        why = values.get("why") if values else ""
        return f"{NOTHING}: {why}" if why else NOTHING
    if values["same"]:
        worst = values["worst"]
        return f"same values (largest difference {number(worst)})" if worst else "same values"
    name = values["name"]
    if "apart" in values:
        return f"values differ: `{name}` by {number(values['apart'])}"
    return f"values differ: `{name}` is {values['after']}, was {values['before']}".replace("*", "")


def number(value: float) -> str:
    """A number as a person writes it: `1e-7`, `0.5`."""
    if value >= 1e300:
        return "NaN or infinity"
    if 1e-3 <= value < 1e5:
        return f"{value:.2g}" if value < 100 else f"{value:.0f}"
    mantissa, exponent = f"{value:.0e}".split("e")
    return f"{mantissa}e{int(exponent)}"
