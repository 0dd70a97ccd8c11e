"""Cells in, diagnostics out: one analyzer a document.

Drives the engine with every rule, settles which findings are shown, and how; asks nothing of the disk or the network.
"""
from __future__ import annotations

import dataclasses
import functools
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from . import rules
from .config import DEFAULT, UNUSED_SUPPRESSION, Config
from .diagnostics import OwnFinding, Writer, settle, unused_finding
from .engine import suppress
from .engine.cells import Cell
from .engine.magics import mask
from .engine.masked import Masked
from .engine.notebook import Finding, Notebook
from .engine.suppress import Suppression
from .engine.textedits import EditRefused, combine
from .failures import Failures
from .protocol import CellFailure, CellResult, Diagnostic, Note
from .rules import LoadedRule
from .rules import base as rule_base
from .rules.versions import allows

# A notebook that names none of these has nothing to find, and is not even parsed. Most contain "jax" anyway.
LIBRARIES = ("jax", "flax", "haiku", "equinox", "optax", "numpyro", "chex", "blackjax", "diffrax", "orbax", "distrax")


def concerned(cells: Iterable[Cell]) -> bool:
    """Whether the cells have anything to do with JAX."""
    return any(word in cell.text for cell in cells for word in LIBRARIES)


class Analyzer:
    """Keeps what was analysed of a document between two of its states.

    `seconds` is the time spent in each rule, kept when `timed`; `strict` lets an exception in a rule through.
    """

    def __init__(self, loaded: Sequence[LoadedRule] | None = None, *, strict: bool = False, timed: bool = False) -> None:
        self.rules = tuple(rules.load() if loaded is None else loaded)
        self.seconds: Counter[str] = Counter()
        active = [_timed(rule, self.seconds) for rule in self.rules] if timed else self.rules
        self._notebook = Notebook(active, strict)
        self._failures = Failures(self.rules, strict)
        self._cells: dict[str, Cell] = {}
        self.jax_version: str | None = None
        self._concerned = False
        self._strict = strict
        self._failed_fixes: dict[str, str] = {}

    def update(self, cells: Sequence[Cell], *, edited: str | None = None, cursor_line: int | None = None,
               jax_version: str | None = None, failures: Sequence[CellFailure] | None = None) -> None:
        """Takes the document's code cells, in order, and what their last runs have failed with (None: as before)."""
        self._cells = {cell.id: cell for cell in cells}
        self.jax_version = jax_version
        self._concerned = concerned(cells)
        if self._concerned:
            self._notebook.update(cells, edited=edited, cursor_line=cursor_line, jax_version=jax_version)
            self._failures.update(cells, failures, jax_version)

    def results(self, config: Config = DEFAULT, only: str | None = None) -> list[CellResult]:
        """The diagnostics of every cell, or of one."""
        wanted = [only] if only is not None else list(self._cells)
        writer = Writer({cell.id: cell.text for cell in self._cells.values()}, config)
        findings = self._notebook.analyze(only) if self._concerned else {}
        return [self._result(cell_id, findings.get(cell_id, ()), writer) for cell_id in wanted]

    def notes(self) -> list[Note]:
        """What is to be said of the run itself."""
        if not self._concerned:
            return []
        failed = self._failed_fixes | self._notebook.failed_rules
        notes = [Note(message=f"Rule `{name}` fails with {reason}: its hints are missing")
                 for name, reason in sorted(failed.items())]
        return notes + [Note(message=reason, cell=cell) for cell, reasons in self._notebook.skipped().items()
                        for reason in dict.fromkeys(reasons)]

    @property
    def given_up(self) -> Counter[str]:
        """Evaluations that a limit ended, by the limit; what is in them stays silent."""
        return self._notebook.given_up

    def _result(self, cell_id: str, findings: Sequence[Finding], writer: Writer) -> CellResult:
        broken = self._concerned and cell_id in self._notebook.broken
        diagnostics = list(self._diagnostics(cell_id, findings, writer, broken)) if self._concerned else []
        return CellResult(id=cell_id, digest=writer.digest(cell_id), diagnostics=diagnostics, broken=broken)

    def _diagnostics(self, cell_id: str, findings: Sequence[Finding], writer: Writer,
                     broken: bool) -> Iterator[Diagnostic]:
        text = self._cells[cell_id].text
        if not findings and "jaxhints" not in text and cell_id not in self._failures:
            return
        masked = _masked(text)
        findings = self._failures.joined(cell_id, findings, masked)
        comments = suppress.suppressions(masked)
        on = [finding for finding in findings if self._is_on(finding.rule, writer.config)]
        ids: Counter[str] = Counter()
        for finding in settle(on):
            line, name = finding.range.start.line, finding.rule.name
            if suppress.suppressed(comments, line, name) is None:
                ignore = suppress.ignore_edit(cell_id, masked, line, name)
                yield writer.diagnostic(finding, self._fixes(finding), [ignore] if ignore else None, ids)
        if not broken:
            hits = {(finding.range.start.line, finding.rule.name) for finding in findings}
            yield from self._unused(cell_id, masked, suppress.unused(comments, hits), writer, ids)

    def _unused(self, cell_id: str, masked: Masked, idle: Sequence[tuple[Suppression, tuple[str, ...]]],
                writer: Writer, ids: Counter[str]) -> Iterator[Diagnostic]:
        """Comments that silence nothing; those for rules that are off, or that a trace may find, are left alone."""
        rule = next((rule for rule in self.rules if rule.name == UNUSED_SUPPRESSION), None)
        if rule is None or not self._is_on(rule, writer.config):
            return
        looked = {other.name for other in self.rules
                  if "T" not in other.rule.lanes and self._is_on(other, writer.config)}
        known = {other.name for other in self.rules}
        for comment, vain in idle:
            gone = tuple(name for name in vain if name in looked or name not in known)
            if comment.rules and not gone:
                continue
            edit = suppress.remove_edit(cell_id, masked, comment, gone)
            yield writer.diagnostic(unused_finding(rule, cell_id, masked, comment, gone, known),
                                    [rule_base.Fix("Remove what silences nothing", [edit])], None, ids)

    def _is_on(self, rule: LoadedRule, config: Config) -> bool:
        return config.enabled(rule.name, rule.section) and allows(rule.rule.jax, self.jax_version)

    def _fixes(self, finding: Finding | OwnFinding) -> list[rule_base.Fix]:
        if isinstance(finding, OwnFinding):
            return []
        try:
            return [fix for fix in self._notebook.fixes(finding) if _joined(fix)]
        except Exception as error:  # noqa: BLE001 - a hint without its fix is better than none
            if self._strict:
                raise
            self._failed_fixes[finding.rule.name] = type(error).__name__
            return []


def _joined(fix: rule_base.Fix) -> bool:
    """Puts the fix's edits into one list; false where they can't be made together."""
    try:
        fix.edits = combine(fix.edits)
    except EditRefused:
        return False
    return bool(fix.edits)


@functools.lru_cache(maxsize=512)
def _masked(text: str) -> Masked:
    return mask(text)


def _timed(rule: LoadedRule, seconds: Counter[str]) -> LoadedRule:
    """The same rule, its handlers on the clock."""
    return dataclasses.replace(rule, handlers=tuple(_on_clock(handler, rule.name, seconds) for handler in rule.handlers))


def _on_clock(handler: Any, name: str, seconds: Counter[str]) -> Any:
    @functools.wraps(handler)
    def timed(event: Any) -> list[Any]:
        start = time.perf_counter()
        try:
            return list(handler(event) or ())
        finally:
            seconds[name] += time.perf_counter() - start

    return timed
