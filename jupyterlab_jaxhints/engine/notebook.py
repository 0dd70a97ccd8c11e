"""A notebook under analysis: which statements must be evaluated again, and what was found in which cell.

A statement's result is kept with everything that its evaluation read; it is used again while those are the same.
Functions that nobody calls are evaluated at the end, each as if it were a statement of its own.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..protocol import Evidence, Range
from ..rules.base import Fix, Hint
from . import execute, expressions, generic, items, numerics, operators, python, timing  # noqa: F401 (they register themselves)
from .cells import Cell
from .context import Context
from .dispatch import Dispatcher, Found, LoadedRule
from .edits import Edit, EditRefused, Site
from .events import Event, NotebookEnd
from .interpreter import Machine, OverBudget
from .later import Reader
from .statements import CellCode, parse_piece, read
from .values import UNKNOWN, Place, Step, Value


@dataclass(eq=False)
class Finding:
    """A hint in its place."""

    rule: LoadedRule
    hint: Hint
    cell: str
    range: Range
    evidence: list[Evidence]
    context: Context
    place: Place


@dataclass(eq=False)
class Result:
    """What came of evaluating one statement (or one function that nobody calls)."""

    reads: tuple[dict, dict, dict]
    names: dict
    heap: dict
    used: dict
    found: list[Found]
    kept: list[Event]
    functions: list
    deferred: list
    followed: set
    asked: dict
    timeline: list


@dataclass(eq=False)
class _Row:
    """A statement of the notebook, in order. `ghost`: it does not parse; what it bound before still serves others."""

    place: Place
    ghost: list[Result] = field(default_factory=list)


class Notebook:
    """Keeps parsed statements and results of one document; `update`, then `analyze`."""

    def __init__(self, rules: Sequence[LoadedRule], strict: bool = False) -> None:
        self._dispatch = Dispatcher(rules, strict)
        self._machine = Machine(self._dispatch.publish, self._dispatch.listened)
        self._machine.strict = strict
        self._dispatch.machine = self._machine
        self._codes: dict[str, CellCode] = {}
        self._places: dict[tuple, Place] = {}
        self._laid: dict[str, tuple[CellCode, list[Place], bool]] = {}
        self._rows: list[_Row] = []
        self._results: dict[Any, Result] = {}
        self._end: list[Found] = []
        self.broken: set[str] = set()
        self.given_up: Counter[str] = Counter()  # evaluations that a limit ended, by the exception's class
        self.jax_version: str | None = None

    @property
    def failed_rules(self) -> dict[str, str]:
        """Rules that raised: name → class of the exception."""
        return self._dispatch.failed

    @property
    def evaluated(self) -> int:
        """Nodes evaluated since the beginning; tests guard speed by it."""
        return self._machine.evaluated

    def skipped(self) -> dict[str, list[str]]:
        """Cells with code that a guard kept from the parser, and why."""
        found = {cell: [why for _, why in code.skipped] for cell, code in self._codes.items()}
        return {cell: reasons for cell, reasons in found.items() if reasons}

    # --- reading the cells -----------------------------------------------------------------------------------

    def update(self, cells: Sequence[Cell], *, edited: str | None = None, cursor_line: int | None = None,
               jax_version: str | None = None) -> None:
        """Take the document's code cells, in order."""
        if jax_version != self.jax_version:
            self._results.clear()
        self.jax_version = self._machine.jax_version = jax_version
        codes: dict[str, CellCode] = {}
        for cell in cells:
            old = self._codes.get(cell.id)
            same = old is not None and old.cell.text == cell.text
            codes[cell.id] = old if same else read(cell, cursor_line if cell.id == edited else None)
        before = self._rows
        self._codes, self._rows, self.broken = codes, [], set()
        places: dict[tuple, Place] = {}
        for code in codes.values():
            self._place(code, places)
        self._places = places
        self._laid = {cell: laid for cell, laid in self._laid.items() if cell in codes}
        self._haunt(before)
        self._machine.reader = self._reader = Reader([row.place for row in self._rows])
        live = {row.place.key for row in self._rows}
        self._results = {key: result for key, result in self._results.items() if _home(key) in live}

    def _place(self, code: CellCode, places: dict[tuple, Place]) -> None:
        known = self._laid.get(code.id)
        if known is None or known[0] is not code:
            known = self._laid[code.id] = (code, *self._lay(code))
        _, laid, broken = known
        if broken:
            self.broken.add(code.id)
        for place in laid:
            place.index = len(self._rows)
            if place.statement is not None:
                places[place.key] = place
            self._rows.append(_Row(place))

    def _lay(self, code: CellCode) -> tuple[list[Place], bool]:
        """The places of a cell's statements, and whether one of them does not parse."""
        seen: dict[str, int] = {}
        laid, broken = [], False
        for piece in code.pieces:
            statement = parse_piece(piece)
            if statement is None:
                broken = broken or piece.skipped is None
                laid.append(Place(code.id, (code.id, None, len(laid)), 0, piece))
                continue
            broken = broken or piece.repaired
            number = seen[statement.hash] = seen.get(statement.hash, 0) + 1
            key = (code.id, statement.hash, number)
            place = self._places.get(key) or Place(code.id, key)
            place.piece, place.statement = piece, statement
            laid.append(place)
        return laid, broken

    def _haunt(self, before: list[_Row]) -> None:
        """Statements that went from cells which now hold a broken one go on serving the other cells."""
        for row in self._rows:
            if row.place.statement is None:
                gone = [old for old in before if old.place.cell == row.place.cell and old.place.key not in self._places]
                row.ghost = [self._results[old.place.key] for old in gone if old.place.key in self._results]
                row.ghost += [result for old in gone for result in old.ghost]

    # --- evaluating ------------------------------------------------------------------------------------------

    def analyze(self, only: str | None = None) -> dict[str, list[Finding]]:
        """Findings by cell. With `only`, that cell's: what stands behind it is not evaluated again."""
        names: dict = {}
        heap: dict = {}
        used: dict = {}
        last = max((r.place.index for r in self._rows if r.place.cell == only), default=-1) if only is not None else None
        for row in self._rows:
            for ghost in row.ghost:
                names.update(ghost.names)
                heap.update(ghost.heap)
            if row.place.statement is None:
                continue
            stale = last is not None and row.place.index > last
            result = self._results.get(row.place.key)
            if result is None and stale:
                continue
            if result is None or not (stale or self._holds(result, names, heap, used)):
                result = self._results[row.place.key] = self._evaluate(row.place, names, heap, used)
            names.update(result.names)
            heap.update(result.heap)
            used.update(result.used)
        results = [self._results[row.place.key] for row in self._rows if row.place.key in self._results]
        results += self._uncalled(results, names, heap, used, only)
        if only is None:
            events = [event for result in results for event in result.kept]
            self._end = self._dispatch.end(NotebookEnd(self._machine, None, None, Context(), events=tuple(
                [*events, *self._timed()])))
        return self._by_cell(results, only)

    def _timed(self) -> list[Event]:
        """What clocks and magics time."""
        timelines, magics = [], []
        whole: dict[str, list] = {}
        for row in self._rows:
            result = self._results.get(row.place.key)
            if result is None or row.place.statement is None:
                continue
            timelines.append(result.timeline)
            for magic in self._codes[row.place.cell].masked.magics:
                if magic.name not in ("time", "timeit"):
                    continue
                if magic.kind == "cell":
                    whole.setdefault(row.place.cell, []).extend(result.timeline)
                elif magic.line == row.place.piece.start_line:
                    magics.append((f"%{magic.name}", result.timeline))
        magics += [("%%", entries) for entries in whole.values()]
        return timing.collect(self._machine, timelines, magics)

    def _holds(self, result: Result, names: dict, heap: dict, used: dict) -> bool:
        """Everything that the evaluation read is still the same."""
        for reads, now in zip(result.reads, (names, heap, used)):
            for key, value in reads.items():
                current = now.get(key)
                if current is not value and _print(current) != _print(value):
                    return False
        return all(self._reader.ask(question) == answer for question, answer in result.asked.items())

    def _evaluate(self, place: Place, names: dict, heap: dict, used: dict) -> Result:
        m = self._machine
        m.begin(place, names, heap, used)
        m.last_shown = self._shown(place)
        return self._run(lambda: m.exec_all(place.statement.body))

    def _run(self, work: Any) -> Result:
        m = self._machine
        self._reader.begin()
        found = self._dispatch.begin()
        try:
            work()
        except (OverBudget, RecursionError) as error:
            self.given_up[type(error).__name__] += 1
            m.state.names.delta.update({name: UNKNOWN for name in m.state.names.delta})
        m.evaluated += m.nodes
        state = m.state
        reads = (state.names.reads, state.heap.reads, state.used.reads)
        return Result(reads, state.names.delta, state.heap.delta, state.used.delta, found, m.kept, m.made_functions,
                      m.deferred, m.followed, self._reader.asked, m.timeline)

    def _shown(self, place: Place) -> Any:
        """The last expression of a cell, whose value the notebook shows."""
        following = self._rows[place.index + 1].place.cell if place.index + 1 < len(self._rows) else None
        if following == place.cell or not place.statement.body:
            return None
        last = place.statement.body[-1]
        return last.body[-1] if hasattr(last, "body") and isinstance(last.body, (list, tuple)) and last.body else None

    def _uncalled(self, results: list[Result], names: dict, heap: dict, used: dict, only: str | None) -> list[Result]:
        """Functions and transforms that nothing called are evaluated with unknown arguments."""
        followed: set = set()
        for result in results:
            followed |= result.followed
        out: list[Result] = []
        todo = [("wrapped", w) for result in results for w in result.deferred if ("called", w.ident) not in followed]
        todo += [("function", f) for result in results for f in result.functions]
        for kind, each in todo:
            if kind == "function" and id(each.node) in followed:
                continue
            if only is not None and each.place.cell != only:
                key = (kind, each.ident)
                if key in self._results:
                    out.append(self._results[key])
                continue
            result = self._uncalled_result(kind, each, names, heap, used)
            followed |= result.followed
            out.append(result)
        return out

    def _uncalled_result(self, kind: str, each: Any, names: dict, heap: dict, used: dict) -> Result:
        key = (kind, each.ident)
        result = self._results.get(key)
        if result is not None and self._holds(result, names, heap, used):
            return result
        m = self._machine
        m.begin(each.place, names, heap, used)
        m.counter = 1_000_000 * (each.ident[1] + 1)  # apart from what the statement itself made
        if kind == "wrapped":
            result = self._run(lambda: generic.trace(m, each))
        else:
            result = self._run(lambda: generic.call(m, each))
        self._results[key] = result
        return result

    # --- what was found --------------------------------------------------------------------------------------

    def _by_cell(self, results: Iterable[Result], only: str | None) -> dict[str, list[Finding]]:
        out: dict[str, list[Finding]] = {}
        seen: set = set()
        for found in (*(f for result in results for f in result.found), *self._end):
            place = found.place
            key = (found.rule.name, id(found.hint.node), place.key)
            if key in seen or self._places.get(place.key) is not place or (only is not None and place.cell != only):
                continue
            seen.add(key)
            finding = self._finding(found)
            out.setdefault(place.cell, []).append(finding)
        for findings in out.values():
            findings.sort(key=lambda f: (f.range.start.line, f.range.start.character, f.rule.name))
        return out

    def _finding(self, found: Found) -> Finding:
        if found.range is None:
            found.range = self._range(found.place, found.hint.node)
        steps = [*found.context.chain(), *found.hint.evidence]
        evidence = list(self._evidence(steps))
        return Finding(found.rule, found.hint, found.place.cell, self._range(found.place, found.hint.node), evidence,
                       found.context, found.place)

    def _range(self, place: Place, node: Any) -> Range:
        return place.piece.range(*place.statement.span(node))

    def _evidence(self, steps: Iterable[Step | None]) -> Iterator[Evidence]:
        seen = set()
        for step in steps:
            if step is None or (step.message, id(step.node)) in seen:
                continue
            seen.add((step.message, id(step.node)))
            here = step.place is not None and self._places.get(step.place.key) is step.place and step.node is not None
            yield Evidence(message=step.message, cell=step.place.cell if here else None,
                           range=self._range(step.place, step.node) if here else None)

    # --- fixes -------------------------------------------------------------------------------------------------

    def site(self, place: Place) -> Site:
        """The statement at a place, for edits."""
        return Site(place.cell, place.piece, place.statement)

    def fixes(self, finding: Finding) -> list[Fix]:
        """The rule's fixes for a finding, the preferred one first; those that cannot be made are left out."""
        rule = finding.rule
        if rule.fixes is None:
            return []
        edit = Edit(self.site(finding.place), tuple(self._codes.values()), self.site)
        out: list[Fix] = []
        try:
            for fix in rule.fixes(finding.hint, edit) or ():
                out.append(fix)
        except EditRefused:
            pass
        return out


def _home(key: Any) -> Any:
    """The key of the place that a result belongs to."""
    return key if len(key) == 3 else key[1][0]


def _print(value: Any) -> Any:
    """What two entries of the state must share to count as the same."""
    if value is None or isinstance(value, (int, str, tuple)):
        return value
    if isinstance(value, Value) or hasattr(value, "fingerprint"):
        return value.fingerprint()
    if isinstance(value, (Event, Step)):
        return (type(value).__name__, value.place.key if value.place is not None else None, id(value.node))
    return id(value)
