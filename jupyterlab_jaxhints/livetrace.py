"""The live trace of a notebook, in the worker: what to ask a kernel, what was seen, and how long it holds.

Cells that ran with the text they have are traced each on its own, on the namespace that they left. The others are
traced as one run in the order of the notebook: each sees what those above it would give.
"""
from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from . import retraces, rules, texts, verification
from .config import Config
from .engine.magics import mask
from .lanes import Lanes
from .kernelfacts import facts_of, names_of
from .protocol import CellResult, Diagnostic, KernelFacts, LineShape, Note, TracedCell, TraceRequest, TraceResponse
from .trace.findings import ACROSS_CELLS, CleanPlace, TraceFinding, findings_of, size_text
from .trace.request import ASKED_LIMIT, AUTOMATIC_LIMIT, State
from .verification import Verifications

SHAPE_LENGTH = 72  # characters of ghost text on a line
WANT = {"memory": ["memory"], "nan": ["nan", "index"]}
JUDGES = ("verify", "compare")  # actions that ask about fixes
REFUTED = "The trace disproves `{rule}` on line {line}: JAX runs through it"
GOOD = (State.TRACED, State.PARTLY)

Answer = Mapping[str, Any]  # state, why and data of a reply


@dataclass(frozen=True)
class Part:
    """What one request saw: it holds while the texts it speaks of stay."""

    action: str
    targets: tuple[str, ...]
    digests: dict[str, str]  # of the targets and of every cell with a finding or a shape
    findings: tuple[TraceFinding, ...]
    clean: tuple[CleanPlace, ...]
    shapes: tuple[dict[str, Any], ...]

    def holds(self, cell: str, digests: Mapping[str, str]) -> bool:
        """Whether what was seen in a cell is still so. A cell that is called by another depends on that one too."""
        if self.digests.get(cell) != digests.get(cell):
            return False
        return cell in self.targets or all(self.digests[each] == digests.get(each) for each in self.targets)


@dataclass
class View:
    """What the trace says of the present texts, in the form that the merge takes."""

    findings: list[TraceFinding]
    clean: list[CleanPlace]
    jax: str | None
    python: str | None
    device: str


@dataclass
class LiveTrace:
    """Everything that is known from a notebook's kernel."""

    parts: list[Part] = field(default_factory=list)
    facts: KernelFacts | None = None
    device: str = ""
    runs: dict[str, tuple[str, dict[str, int]]] = field(default_factory=dict)  # cell → (digest, traces by function)
    fixes: Verifications = field(default_factory=Verifications)

    def take(self, part: Part) -> None:
        """Adds what a request saw in place of what the same cells gave before."""
        mine = set(part.targets)
        self.parts = [old for old in self.parts if old.action != part.action or not mine & set(old.targets)]
        self.parts.append(part)

    def view(self, digests: Mapping[str, str]) -> View:
        """What holds for these texts."""
        findings: dict[tuple, TraceFinding] = {}
        clean: list[CleanPlace] = []
        for part in self.parts:
            for finding in part.findings:
                if part.holds(finding.cell, digests):
                    finding = self._counted(finding, digests)
                    findings.setdefault((finding.rule, finding.cell, finding.start, finding.end), finding)
            clean += [place for place in part.clean if part.holds(place.cell, digests)]
        facts = self.facts or KernelFacts()
        device = facts.devices[0].kind if facts.devices else ""
        return View(list(findings.values()), clean, facts.jax, facts.python, device or self.device)

    def shapes(self, cell: str, text: str, digests: Mapping[str, str]) -> list[LineShape]:
        """The ghost text of a cell's lines."""
        lines: dict[int, dict[str, set[str]]] = {}
        for part in self.parts:
            for hint in part.shapes if part.holds(cell, digests) else ():
                if hint["cell"] == cell:
                    seen = lines.setdefault(hint["line"], {}).setdefault(hint["name"], set())
                    seen |= {"varies"} if hint.get("varies") else {hint["type"]}
        words = {line: _line_text(names) for line, names in lines.items()}
        for line, told in self.retraces(cell, text, digests).items():
            words[line] = f"{words[line]}  {told}" if line in words else told
        return [LineShape(line=line, text=words[line], names=_types(lines.get(line, {}))) for line in sorted(words)]

    def _counted(self, finding: TraceFinding, digests: Mapping[str, str]) -> TraceFinding:
        """A function that the kernel counted as traced again and again is no guess."""
        digest, counts = self.runs.get(finding.cell, ("", {}))
        count = counts.get(str(finding.details.get("function")), 0)
        if finding.rule != "retrace" or digest != digests.get(finding.cell) or count < retraces.CERTAIN:
            return finding
        told = (f"traced {count} times in the last run of the cell", None, None, None)
        return replace(finding, certain=True, evidence=(*finding.evidence, told))

    def retraces(self, cell: str, text: str, digests: Mapping[str, str]) -> dict[int, str]:
        """What the last run of a cell told of traces, while it has the text that ran."""
        digest, counts = self.runs.get(cell, ("", {}))
        return retraces.beside_calls(text, counts) if digest == digests.get(cell) else {}


def _line_text(names: Mapping[str, set[str]]) -> str:
    words = []
    for name, types in names.items():
        text = next(iter(types)) if len(types) == 1 else "varies"
        words.append(_bare(text) if name == "return" else f"{name} {text}")
    whole = "  ".join(words)
    return whole if len(whole) <= SHAPE_LENGTH else whole[: SHAPE_LENGTH - 1] + "…"


def _types(names: Mapping[str, set[str]]) -> dict[str, str]:
    """The types of a line's names; what a line returns has no name."""
    return {name: next(iter(types)) if len(types) == 1 else "varies" for name, types in names.items()
            if name != "return"}


def _bare(text: str) -> str:
    """A returned tuple is written as its parts, as the statement writes it."""
    return text[1:-1].rstrip(",") if text.startswith("(") and text.endswith(")") else text


# -- the request

def plan(request: TraceRequest, live: LiveTrace | None = None) -> dict[str, Any]:
    """What to ask the kernel: the cells with their magics masked, the targets of each question, and what is its own.
    `live` is what earlier requests saw: the cells that a fix must be traced with."""
    masked = {cell.id: _masked(cell.text or "") for cell in request.cells}
    whole = [cell for cell in masked if masked[cell] is not None]
    targets = [cell for cell in whole if cell in set(request.targets)]
    ran = set(request.ran)
    own: list[dict[str, Any]] = []
    if request.action in JUDGES:
        runs = [(part.targets, part.digests) for part in live.parts if part.action == "trace"] if live else []
        own = verification.questions(request, runs, _masked)
        groups, options = [question.pop("targets") for question in own], {}
    elif request.action == "trace":
        pending = [cell for cell in targets if cell not in ran]
        groups = [pending] if pending else []
        groups += [[cell] for cell in targets if cell in ran]
        options = {"op": "trace", "limit": AUTOMATIC_LIMIT}
    else:
        groups = [targets] if targets else []
        options = {"op": "device", "limit": 2 * ASKED_LIMIT, "want": WANT.get(request.action, [])}
    return {"cells": [[cell, masked[cell]] for cell in whole], "groups": groups, "options": options, "own": own,
            "names": request.names, **({"budget": verification.BUDGET} if request.action == "verify" else {})}


@functools.lru_cache(maxsize=2048)  # a request is planned when it is asked, and when its answers are read
def _masked(text: str) -> str | None:
    """The text without magics; None where it is no Python, not yet complete, or empty."""
    seen = mask(text)
    if not seen.python or not seen.text.strip():
        return None
    try:
        ast.parse(seen.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return seen.text


# -- the answers

def take_answers(live: LiveTrace, request: TraceRequest, answers: Sequence[Answer]) -> None:
    """Keeps what the kernel answered: first the facts, then one answer for each group of the plan."""
    known = {cell.id: texts.digest(cell.text or "") for cell in request.cells}
    facts, *rest = answers
    live.facts = facts_of(facts) or live.facts
    if request.executed in known and "traces" in facts["data"]:
        live.runs[request.executed] = known[request.executed], retraces.counted(facts["data"])
    for group, answer in zip(plan(request)["groups"], rest):
        live.device = answer["data"].get("device") or live.device
        if request.action == "trace" and State(answer["state"]) not in GOOD:
            live.fixes.drop(group)
        if "findings" in answer["data"]:
            live.take(part_of(request, group, answer["data"], known))


def part_of(request: TraceRequest, group: Sequence[str], data: Mapping[str, Any], known: Mapping[str, str]) -> Part:
    findings, clean = findings_of(dict(data))
    shapes = tuple(hint for hint in data.get("hints", ()) if hint["cell"] in known)
    kept = tuple(f for f in findings if f.cell in known and _believed(f, group, frozenset(request.ran)))
    cells = {*group, *(f.cell for f in kept), *(place.cell for place in clean), *(hint["cell"] for hint in shapes)}
    digests = {cell: known[cell] for cell in cells if cell in known}
    return Part(request.action, tuple(group), digests, kept, tuple(clean), shapes)


def _believed(finding: TraceFinding, group: Sequence[str], ran: frozenset[str]) -> bool:
    """A cell that has ended well does not raise, whatever a run on what it left behind would do."""
    rule = rules.find(finding.rule)
    if len(group) > 1 and finding.rule in ACROSS_CELLS and finding.details.get("across", True):
        return False
    return not (rule is not None and rule.rule.kind == "error" and set(group) <= ran)


# -- the response

def response(live: LiveTrace, request: TraceRequest, answers: Sequence[Answer], read: Sequence[CellResult],
             config: Config) -> TraceResponse:
    """What the client shows. `read` is what the reading says of the request's cells."""
    known = {cell.id: texts.digest(cell.text or "") for cell in request.cells}
    held = {cell.id: cell.text or "" for cell in request.cells}
    groups = plan(request)["groups"]
    by_cell = {cell: answer for group, answer in zip(groups, answers[1:]) for cell in group}
    merged = {result.id: result for result in merge(live, held, read, config)}
    before = {result.id: result for result in read}
    cells = []
    for cell in request.targets:
        if cell in known:
            state, why = cell_state(cell, by_cell.get(cell), cell in {c for g in groups for c in g})
            hints = merged[cell].diagnostics if cell in merged else []
            cells.append(TracedCell(id=cell, digest=known[cell], state=state.value, why=why, diagnostics=hints,
                                    shapes=live.shapes(cell, held[cell], known),
                                    refuted=[hint.id for hint in _refuted(before.get(cell), hints)]))
    cells += [TracedCell(id=cell, digest=known[cell], state=State.TRACED.value, shapes=shapes,
                         diagnostics=merged[cell].diagnostics)
              for cell in known if cell not in request.targets and (shapes := live.shapes(cell, held[cell], known))]
    state, why = whole_state(request, answers, cells)
    return TraceResponse(
        state=state.value, why=why, cells=cells, kernel=live.facts, remark=remark(request, answers),
        names=names_of(answers[0]),
        ms=round(sum(float(answer["data"].get("ms", 0.0)) for answer in answers), 1),
    )


def merge(live: LiveTrace, cells: Mapping[str, str], read: Sequence[CellResult], config: Config) -> list[CellResult]:
    """The reading's results with what the trace saw."""
    digests = {cell: texts.digest(text) for cell, text in cells.items()}
    view = live.view(digests)
    if not view.findings and not view.clean:
        return live.fixes.told(read, digests)
    return live.fixes.told(Lanes(cells, view, config).merged(read), digests)


def judged(live: LiveTrace, request: TraceRequest, answers: Sequence[Answer]) -> TraceResponse:
    """Keeps what the kernel says of fixes; the hints tell it with the next analysis."""
    verification.take(live.fixes, request, answers[1:])
    told = answers[-1] if request.action == "compare" else answers[0]
    return TraceResponse(
        state=told["state"], why=told["why"], kernel=live.facts,
        remark=verification.remark(answers) if request.action == "compare" and State(told["state"]) in GOOD else "",
        ms=round(sum(float(answer["data"].get("ms", 0.0)) for answer in answers), 1),
    )


def told_refuted(read: Sequence[CellResult], merged: Sequence[CellResult]) -> list[Note]:
    """What the panel says of the hints that the trace removes."""
    return [
        Note(message=REFUTED.format(rule=hint.rule, line=hint.range.start.line + 1), cell=hint.cell)
        for before, after in zip(read, merged) for hint in _refuted(before, after.diagnostics)
    ]


def _refuted(before: CellResult | None, after: Iterable[Diagnostic]) -> list[Diagnostic]:
    left = {diagnostic.id for diagnostic in after}
    return [hint for hint in before.diagnostics if hint.id not in left] if before else []


def cell_state(cell: str, answer: Answer | None, asked: bool) -> tuple[State, str]:
    """What became of one cell, with a plain reason where not all of it was traced."""
    if answer is None:
        return (State.BUSY, "the kernel is running a cell") if asked else (State.NOT_COMPLETE, "")
    state = State(answer["state"])
    if state not in GOOD:
        return state, answer["why"]
    for owner, at, what, why in answer["data"].get("statements", ()):
        if owner == cell and what in ("unknown", "refused"):
            return State.PARTLY, f"line {at[0] + 1}: {why}"
    return State.TRACED, ""


def whole_state(request: TraceRequest, answers: Sequence[Answer], cells: Sequence[TracedCell]) -> tuple[State, str]:
    """The first thing that went wrong with a whole request; else whether all was traced. A statement that fails was
    traced as far as it goes."""
    for answer in answers:
        state = State(answer["state"])
        if state not in GOOD:
            return state, answer["why"]
    partly = next((cell for cell in cells if cell.state == State.PARTLY.value), None)
    if partly is None:
        return State.TRACED, ""
    return State.PARTLY, f"cell {[each.id for each in request.cells].index(partly.id) + 1}, {partly.why}"


def remark(request: TraceRequest, answers: Sequence[Answer]) -> str:
    """The answer to a question of memory or NaN."""
    if request.action not in WANT or len(answers) < 2 or State(answers[1]["state"]) not in GOOD:
        return ""
    data = answers[1]["data"]
    checks = data.get("checks", {})
    if request.action == "memory":
        memory = checks.get("memory", {})
        needs, has = memory.get("needs", 0), memory.get("has", 0)
        return f"The largest step needs {size_text(needs)} of {size_text(has)}" if has else ""
    if checks.get("run"):
        return f"The cell is not searched: it is {checks['run']}"
    count = sum(finding["rule"] in ("nan-produced", "where-nan-gradient") for finding in data.get("findings", ()))
    if count:
        return f"{count} {'place makes' if count == 1 else 'places make'} a NaN"
    for _, at, what, why in data.get("statements", ()):
        if what != "traced":
            return f"Line {at[0] + 1} is not searched: {why}"
    return "No NaN comes out of the cell"
