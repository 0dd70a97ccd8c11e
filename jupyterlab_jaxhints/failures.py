"""From the error that a run ended with to the hint of the rule at the failing line.

Where reading has the hint already, the run makes it certain. Where reading knows too little of the values, the line is
read once more as the run has shown it: what is unknown there is the tracer, array or list that JAX complained of. So
the rule's own message and fixes come out. Nothing is sent to the kernel.
"""
from __future__ import annotations

import copy
import dataclasses
import functools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .diagnostics import OwnFinding
from .engine.callables import Argument
from .engine.cells import Cell
from .engine.events import Call
from .engine.masked import Masked
from .engine.notebook import Finding, Notebook
from .engine.values import ABSTRACT, ARRAY, LINEAR, LIST, MAPPING, NUMPY, SEQUENCE, SLICE, TREE, UNKNOWN, Value
from .knowledge.failures import Failure, failure
from .protocol import CellFailure, Evidence, Position, Range
from .rules import LoadedRule
from .rules.base import Hint

SHOWN = {
    "tracer": Value(ABSTRACT), "mask": Value(ABSTRACT, dtype="bool"), "scalar": Value(ABSTRACT, shape=()),
    "array": Value(ARRAY), "list": Value(SEQUENCE, flags=LIST), "dict": Value(MAPPING), "numpy": Value(NUMPY),
}
# a parameter of a traced function is a tracer once the run has asked it for its value
TRACED = ABSTRACT | LINEAR | TREE
SHORT = 36


@dataclasses.dataclass(frozen=True)
class Failed:
    """A failing line, and what its error stands for."""

    cell: str
    line: int
    error: str
    row: Failure

    def covers(self, place: Range) -> bool:
        return place.start.line <= self.line <= place.end.line

    @property
    def evidence(self) -> Evidence:
        start = Position(line=self.line, character=0)
        return Evidence(message=f"The run of this cell failed with `{self.error}`", cell=self.cell,
                        range=Range(start=start, end=start))


class Failures:
    """What the runs of one document have shown."""

    def __init__(self, rules: Sequence[LoadedRule], strict: bool = False) -> None:
        self.rules, self.strict = {rule.name: rule for rule in rules}, strict
        self._failed: dict[str, Failed] = {}
        self._cells: list[Cell] = []
        self._jax_version: str | None = None
        self._again: Notebook | None = None

    def update(self, cells: Sequence[Cell], failures: Sequence[CellFailure] | None, jax_version: str | None) -> None:
        """Takes the cells, and the errors that their texts, as they are now, have ended with; None: as before."""
        texts = {cell.id: cell.text for cell in cells}
        if failures is None:
            kept = {cell.id for cell in self._cells if texts.get(cell.id) == cell.text}
            failed = {cell: each for cell, each in self._failed.items() if cell in kept}
        else:
            rows = ((each, failure(each.name, each.message)) for each in failures if each.cell in texts)
            failed = {each.cell: Failed(each.cell, each.line, each.name, row) for each, row in rows if row is not None}
        if failed != self._failed:
            self._again = None
        last = max((index for index, cell in enumerate(cells) if cell.id in failed), default=-1)
        self._failed, self._cells, self._jax_version = failed, list(cells[:last + 1]), jax_version

    def __contains__(self, cell: str) -> bool:
        return cell in self._failed

    def joined(self, cell: str, findings: Sequence[Finding], masked: Masked) -> list[Finding | OwnFinding]:
        """A cell's findings with what its run has shown."""
        failed = self._failed.get(cell)
        if failed is None:
            return list(findings)
        seen = [finding for finding in findings if finding.rule.name in failed.row.rules and failed.covers(finding.range)]
        if seen:
            return [_certain(each, failed) if each in seen else each for each in findings]
        return [*findings, *self._added(failed, masked)]

    def _added(self, failed: Failed, masked: Masked) -> Iterator[Finding | OwnFinding]:
        if failed.row.shows:
            best = _plain([each for each in self._read_again(failed.cell) if failed.covers(each.range)], failed.row.rules)
            if best is not None:
                yield _certain(best, failed)
        elif failed.row.names:
            rule, columns = self.rules.get(failed.row.rules[0]), _code_on(masked, failed.line)
            if rule is not None and columns is not None:
                start, end = (masked.position_at(failed.line, column) for column in columns)
                words = {failed.row.names: _short(masked.line_text(failed.line)[slice(*columns)])}
                yield OwnFinding(rule, Hint(None, **words), failed.cell, Range(start=start, end=end), (failed.evidence,))

    def _read_again(self, cell: str) -> list[Finding]:
        if self._again is None:
            self._again = Notebook([*self._assuming()], self.strict)
        self._again.update(self._cells, jax_version=self._jax_version)
        return self._again.analyze(cell).get(cell, [])

    def _assuming(self) -> Iterator[LoadedRule]:
        """The rules that a failure may stand for, which hear of the failing lines only, as the runs have shown them."""
        for name, rule in self.rules.items():
            about = {each.cell: each for each in self._failed.values() if each.row.shows and name in each.row.rules}
            if about:
                yield dataclasses.replace(rule, handlers=tuple(_assuming(handler, about) for handler in rule.handlers))


def _assuming(handler: Callable[[Any], Any], about: dict[str, Failed]) -> Callable[[Any], list[Hint]]:
    @functools.wraps(handler)
    def assuming(event: Any) -> list[Hint]:
        failed = about.get(event.place.cell) if event.place is not None else None
        piece = event.place.piece if failed is not None else None
        if piece is None or not piece.start_line <= failed.line <= piece.start_line + piece.text.count("\n"):
            return []
        return list(handler(_as_shown(event, failed.row.shows)) or ())

    return assuming


def _as_shown(event: Any, shows: str) -> Any:
    """The event with what is unknown in it replaced by what the run has shown."""
    event = copy.copy(event)
    for name, value in vars(event).items():
        if isinstance(value, Value):
            setattr(event, name, _value(value, shows))
        elif isinstance(value, dict) and name == "bound":
            event.bound = {key: _value(each, shows) for key, each in value.items()}
        elif isinstance(value, tuple) and value and isinstance(value[0], Argument):
            setattr(event, name, tuple(dataclasses.replace(each, value=_value(each.value, shows)) for each in value))
    if isinstance(event, Call) and not event.name and event.receiver is not None and event.receiver.must_be(ARRAY | ABSTRACT):
        method = getattr(event.func_node, "attr", None)
        event.name = f"array.{method.value}" if method is not None else ""
    return event


def _value(value: Value, shows: str) -> Value:
    shown = SHOWN[shows]
    if value.must_be(SLICE) and value.elements is not None:
        return value.but(elements=tuple(_value(each, shows) for each in value.elements))
    if value.kinds == UNKNOWN.kinds or shown.kinds == ABSTRACT and value.may_be(TRACED):
        return value.but(kinds=shown.kinds, dtype=value.dtype or shown.dtype, flags=value.flags | shown.flags,
                         shape=value.shape if value.shape is not None else shown.shape)
    return value


def _certain(finding: Finding, failed: Failed) -> Finding:
    hint = finding.hint
    sure = Hint(hint.node, evidence=hint.evidence, variant=hint.variant, kind=hint.kind, data=hint.data, place=hint.place,
                **hint.words)
    return dataclasses.replace(finding, hint=sure, evidence=[*finding.evidence, failed.evidence])


def _plain(found: Sequence[Finding], order: Sequence[str]) -> Finding | None:
    """The finding of the first rule that has just one: where there are two, one of them speaks of the wrong value."""
    for name in order:
        own = [each for each in found if each.rule.name == name]
        if len(own) == 1:
            return own[0]
    return None


def _code_on(masked: Masked, line: int) -> tuple[int, int] | None:
    """The columns of the code on a line: without margin, comment, what it is assigned to, or `return`."""
    if line >= len(masked.line_starts):
        return None
    first = masked.line_starts[line]
    code = masked.line_text(line)
    code = code[:min((start - first for start, _ in masked.comments if first <= start < first + len(code)),
                     default=len(code))].rstrip()
    match = re.match(r"\s*(?:return |[\w., ]+ = )?", code)
    start = match.end() if match else 0
    return (start, len(code)) if code[start:] else None


def _short(text: str) -> str:
    return text if len(text) <= SHORT else text[:SHORT - 1] + "…"
