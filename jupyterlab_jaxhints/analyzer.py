"""Cells in, diagnostics out: one analyzer a document.

Drives the engine with every rule, settles which findings are shown, and how; asks nothing of the disk or the network.
"""
from __future__ import annotations

import dataclasses
import functools
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import rules
from .config import DEFAULT, UNUSED_SUPPRESSION, Config
from .diagnostics import Writer, settle
from .engine.cells import Cell
from .engine.notebook import Finding, Notebook
from .protocol import CellResult, Diagnostic, Note
from .rules import LoadedRule
from .rules.versions import allows

# A notebook that names none of these has nothing to find, and is not even parsed. Most contain "jax" anyway.
LIBRARIES = ("jax", "flax", "haiku", "equinox", "optax", "numpyro", "chex", "blackjax", "diffrax", "orbax", "distrax")


class Analyzer:
    """Keeps what was analysed of a document between two of its states.

    `seconds` is the time spent in each rule, kept when `timed`; `strict` lets an exception in a rule through.
    """

    def __init__(self, loaded: Sequence[LoadedRule] | None = None, *, strict: bool = False, timed: bool = False) -> None:
        self.rules = tuple(rules.load() if loaded is None else loaded)
        self.seconds: Counter[str] = Counter()
        active = [_timed(rule, self.seconds) for rule in self.rules] if timed else self.rules
        self._notebook = Notebook(active, strict)
        self._cells: dict[str, Cell] = {}
        self._jax_version: str | None = None
        self._concerned = False

    def update(self, cells: Sequence[Cell], *, edited: str | None = None, cursor_line: int | None = None,
               jax_version: str | None = None) -> None:
        """Takes the document's code cells, in order."""
        self._cells = {cell.id: cell for cell in cells}
        self._jax_version = jax_version
        self._concerned = any(word in cell.text for cell in cells for word in LIBRARIES)
        if self._concerned:
            self._notebook.update(cells, edited=edited, cursor_line=cursor_line, jax_version=jax_version)

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
        return [Note(message=f"Rule `{name}` fails ({reason}): it finds nothing here")
                for name, reason in sorted(self._notebook.failed_rules.items())]

    def _result(self, cell_id: str, findings: Sequence[Finding], writer: Writer) -> CellResult:
        broken = self._concerned and cell_id in self._notebook.broken
        diagnostics = list(self._diagnostics(cell_id, findings, writer, broken)) if self._concerned else []
        return CellResult(id=cell_id, digest=writer.digest(cell_id), diagnostics=diagnostics, broken=broken)

    def _diagnostics(self, cell_id: str, findings: Sequence[Finding], writer: Writer,
                     broken: bool) -> Iterator[Diagnostic]:
        raise NotImplementedError


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
