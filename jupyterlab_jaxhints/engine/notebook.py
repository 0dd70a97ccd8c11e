"""A notebook under analysis: which statements must be evaluated again, and what was found in which cell.

A statement's result is kept with everything that its evaluation read; it is used again while those are the same.
Functions that nobody calls are evaluated at the end, each as if it were a statement of its own.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..protocol import Evidence, Range
from ..rules.base import Fix
from . import config_flags, execute, expressions, generic, items, numerics, operators, python, timing  # noqa: F401 (they register themselves)
from .cells import Cell
from .context import Context
from .dispatch import Dispatcher, Found, LoadedRule
from .edits import Edit, EditRefused, Site
from .events import Event, NotebookEnd
from .interpreter import Machine, OverBudget
from .later import Reader
from .results import Finding, Result, State, Whole, fingerprint
from .statements import CellCode, parse_piece, read
from .values import UNKNOWN, Place, Step


REMEMBERED = 300  # statements that went and may come back, as by undo
STRIDE = 40  # rows between two states that are kept


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
        self._rows: list[Place] = []
        self._gone: dict[tuple, Place] = {}  # places of statements that are no longer there, the last few
        self._ghosts: dict[Place, list[Result]] = {}
        self._results: dict[Any, Result] = {}
        self._uncalled_keys: dict[Any, list] = {}  # place → keys of results of what nobody calls there
        self._whole: Whole | None = None
        self._misplaced: dict[str, str] = {}
        self.broken: set[str] = set()
        self.given_up: Counter[str] = Counter()  # evaluations that a limit ended, by the exception's class
        self.jax_version: str | None = None

    @property
    def failed_rules(self) -> dict[str, str]:
        """Rules that raised: name → class of the exception."""
        return self._dispatch.failed | self._misplaced

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
        before, ghosts = self._rows, self._ghosts
        self._codes, self._rows, self.broken = codes, [], set()
        for code in codes.values():
            self._place(code)
        for number, place in enumerate(self._rows):
            place.index = number
        places = self._places
        self._places = {place.key: place for place in self._rows if place.statement is not None}
        gone = places.keys() - self._places.keys()
        self._laid = {cell: laid for cell, laid in self._laid.items() if cell in codes}
        self._haunt(before, ghosts)
        self._machine.reader = self._reader = Reader(self._rows)
        for key in gone:
            self._gone[key] = places[key]
            self._results.pop(key, None)
            for other in self._uncalled_keys.pop(key, ()):
                self._results.pop(other, None)
        for key in list(self._gone)[:-REMEMBERED]:
            del self._gone[key]

    def _place(self, code: CellCode) -> None:
        known = self._laid.get(code.id)
        if known is None or known[0] is not code:
            known = self._laid[code.id] = (code, *self._lay(code))
        if known[2]:
            self.broken.add(code.id)
        self._rows += known[1]

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
            place = self._places.get(key) or self._gone.pop(key, None) or Place(code.id, key)
            # results of other statements speak of its nodes: a text that comes back must bring the same tree
            place.piece, place.statement = piece, place.statement or statement
            laid.append(place)
        return laid, broken

    def _haunt(self, before: list[Place], ghosts: dict[Place, list[Result]]) -> None:
        """Statements that went from cells which now hold a broken one go on serving the other cells."""
        self._ghosts = {}
        for row in self._rows:
            if row.statement is None:
                gone = [old for old in before if old.cell == row.cell and old.key not in self._places]
                self._ghosts[row] = [self._results[old.key] for old in gone if old.key in self._results]
                self._ghosts[row] += [result for old in gone for result in ghosts.get(old, ())]

    # --- evaluating ------------------------------------------------------------------------------------------

    def analyze(self, only: str | None = None) -> dict[str, list[Finding]]:
        """Findings by cell. With `only`, that cell's: what stands behind it is not evaluated again."""
        return self._analyze_all() if only is None else self._analyze_one(only)

    def _analyze_all(self) -> dict[str, list[Finding]]:
        start = self._start(len(self._rows))
        states = [state for state in self._whole.states if state.row <= start.row] if self._whole is not None else []
        state = start.copy(start.row)
        for row in range(start.row, len(self._rows)):
            if row % STRIDE == 0 and (not states or states[-1].row < row):
                states.append(state.copy(row))
            self._step(state, self._rows[row])
        results = [self._results[place.key] for place in self._rows if place.key in self._results]
        followed: set = set()
        for result in results:
            followed |= result.followed
        results += self._uncalled(results, state, followed)
        events = [event for result in results for event in result.kept]
        end = self._dispatch.end(NotebookEnd(self._machine, None, None, Context(), events=tuple(
            [*events, *self._timed()])))
        found: dict[str, list[Found]] = {}
        for each in (*(f for result in results for f in result.found), *end):
            found.setdefault(each.place.cell, []).append(each)
        self._whole = Whole(list(self._rows), states, state, followed, found)
        return {cell: findings for cell in found if (findings := self._findings(found[cell]))}

    def _analyze_one(self, only: str) -> dict[str, list[Finding]]:
        own = [place for place in self._rows if place.cell == only]
        last = own[-1].index + 1 if own else 0
        start = self._start(own[0].index if own else 0)
        state = start.copy(start.row)
        for row in range(start.row, last):
            self._step(state, self._rows[row])
        results = [self._results[place.key] for place in own if place.key in self._results]
        followed = set(self._whole.followed) if self._whole is not None else set()
        if self._whole is not None:
            state = self._whole.final.copy(last)
        for result in results:
            state.take(result)
            followed |= result.followed
        results += self._uncalled(results, state, followed)
        found = [f for result in results for f in result.found if f.place.cell == only]
        if self._whole is not None:
            found += self._whole.found.get(only, ())
        return {only: self._findings(found)}

    def _start(self, limit: int) -> State:
        """The last known state in front of everything that changed since the last whole analysis, and of `limit`."""
        if self._whole is None:
            return State(0, {}, {}, {})
        same = 0
        for now, before in zip(self._rows, self._whole.rows):
            result = self._results.get(now.key)
            if now is not before or now.statement is None or result is None or result.shown is not self._shown(now) or (
                    result.asked and not self._answers_hold(result)):
                break
            same += 1
        limit = min(limit, same)
        return next((state for state in reversed(self._whole.states) if state.row <= limit), State(0, {}, {}, {}))

    def _step(self, state: State, place: Place) -> None:
        """Pass over a row: its result is used again where it holds."""
        for ghost in self._ghosts.get(place, ()):
            state.names.update(ghost.names)
            state.heap.update(ghost.heap)
        if place.statement is None:
            return
        result = self._results.get(place.key)
        if result is None or result.shown is not self._shown(place) or not self._holds(result, state):
            result = self._results[place.key] = self._evaluate(place, state)
        state.take(result)

    def _timed(self) -> list[Event]:
        """What clocks and magics time."""
        timelines, magics = [], []
        whole: dict[str, list] = {}
        for place in self._rows:
            result = self._results.get(place.key)
            if result is None or place.statement is None:
                continue
            timelines.append(result.timeline)
            for magic in self._codes[place.cell].masked.magics:
                if magic.name not in ("time", "timeit"):
                    continue
                if magic.kind == "cell":
                    whole.setdefault(place.cell, []).extend(result.timeline)
                elif magic.line == place.piece.start_line:
                    magics.append((f"%{magic.name}", result.timeline))
        magics += [("%%", entries) for entries in whole.values()]
        return timing.collect(self._machine, timelines, magics)

    def _holds(self, result: Result, state: State) -> bool:
        """Everything that the evaluation read is still the same."""
        for reads, now in zip(result.reads, state[1:]):
            for key, value in reads.items():
                current = now.get(key)
                if current is not value and fingerprint(current) != fingerprint(value):
                    return False
        return not result.asked or self._answers_hold(result)

    def _answers_hold(self, result: Result) -> bool:
        return all(self._reader.ask(question) == answer for question, answer in result.asked.items())

    def _evaluate(self, place: Place, state: State) -> Result:
        m = self._machine
        _, names, heap, used = state
        magic = next((found for found in self._codes[place.cell].masked.magics if found.kind == "line" and found.name in (
            "env", "set_env") and found.line == place.piece.start_line), None)
        if magic is not None:
            used = {**used, ("magic", place.key): magic.args}
        m.begin(place, names, heap, used)
        m.last_shown = self._shown(place)
        if magic is not None:
            return self._run(lambda: config_flags.magic(m, magic.args, place.statement.body[0]))
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
                      m.deferred, m.followed, self._reader.asked, m.timeline, m.last_shown)

    def _shown(self, place: Place) -> Any:
        """The last expression of a cell, whose value the notebook shows."""
        following = self._rows[place.index + 1].cell if place.index + 1 < len(self._rows) else None
        if following == place.cell or not place.statement.body:
            return None
        last = place.statement.body[-1]
        return last.body[-1] if hasattr(last, "body") and isinstance(last.body, (list, tuple)) and last.body else None

    def _uncalled(self, results: list[Result], state: State, followed: set) -> list[Result]:
        """Functions and transforms that nothing called are evaluated with unknown arguments."""
        out: list[Result] = []
        todo = [("wrapped", w) for result in results for w in result.deferred if ("called", w.ident) not in followed]
        todo += [("function", f) for result in results for f in result.functions]
        for kind, each in todo:
            if kind == "function" and id(each.node) in followed:
                continue
            result = self._uncalled_result(kind, each, state)
            followed |= result.followed
            out.append(result)
        return out

    def _uncalled_result(self, kind: str, each: Any, state: State) -> Result:
        key = (kind, each.ident)
        result = self._results.get(key)
        subject = each.fingerprint()
        if result is not None and result.subject == subject and self._holds(result, state):
            return result
        m = self._machine
        m.begin(each.place, *state[1:])
        m.counter = 1_000_000 * (each.ident[1] + 1)  # apart from what the statement itself made
        result = self._run(lambda: generic.trace(m, each) if kind == "wrapped" else generic.call(m, each))
        result.subject = subject
        self._results[key] = result
        self._uncalled_keys.setdefault(each.ident[0], []).append(key)
        return result

    # --- what was found --------------------------------------------------------------------------------------

    def _findings(self, found: Iterable[Found]) -> list[Finding]:
        """The hints of one cell in order, each once."""
        out: list[Finding] = []
        seen: set = set()
        for each in found:
            key = (each.rule.name, id(each.hint.node), each.place.key)
            if key in seen or self._places.get(each.place.key) is not each.place:
                continue
            seen.add(key)
            finding = self._finding(each)
            if finding is not None:
                out.append(finding)
        return sorted(out, key=lambda f: (f.range.start.line, f.range.start.character, f.rule.name))

    def _finding(self, found: Found) -> Finding | None:
        """A hint in its place; None, and a word on the rule, where its node is not of the statement that it names."""
        if found.range is None:
            try:
                found.range = self._range(found.place, found.hint.node)
            except KeyError as error:
                if self._machine.strict:
                    raise
                self._misplaced[found.rule.name] = type(error).__name__
                return None
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
