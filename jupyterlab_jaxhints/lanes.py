"""The two lanes as one list of hints: what the trace saw confirms, refutes or adds to what was read."""
from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from . import rules, texts
from .config import Config
from .diagnostics import Writer
from .engine import suppress
from .engine.magics import mask
from .protocol import CellResult, Certainty, Diagnostic, Evidence, Position, Range, Seen
from .trace.findings import CleanPlace, Point, TraceFinding, merge
from .trace.notebook import NotebookTrace


class Lanes:
    """Merges the trace of one notebook into its results."""

    def __init__(self, texts: Mapping[str, str], trace: NotebookTrace, config: Config) -> None:
        self.texts, self.trace, self.config = texts, trace, config
        self._writer = Writer(texts, config)
        self._ids: dict[str, Counter[str]] = defaultdict(Counter)
        self._seen = Seen(kernel=f"Python {trace.python}" if trace.python else "", jax=trace.jax or "",
                          device=trace.device or "")

    def merged(self, results: Sequence[CellResult]) -> list[CellResult]:
        """The results with both lanes' hints, in the order of the text."""
        read = [diagnostic for result in results for diagnostic in result.diagnostics]
        both = merge(read, self.trace.findings, self.trace.clean, confirm=self._confirmed, add=self._added, way=self._way)
        by_cell: dict[str, list[Diagnostic]] = defaultdict(list)
        for diagnostic in both.diagnostics:
            by_cell[diagnostic.cell].append(diagnostic)
        return [result.model_copy(update={"diagnostics": sorted(by_cell[result.id], key=_place)}) for result in results]

    def _way(self, diagnostic: Diagnostic) -> list[CleanPlace]:
        """The calls and transforms that lead to a hint; a decorator goes with its function."""
        found = []
        for evidence in diagnostic.evidence:
            if evidence.range is None:
                continue
            cell, start, end = evidence.cell or diagnostic.cell, evidence.range.start, evidence.range.end
            line = texts.lines(self.texts.get(cell, ""))[start.line].lstrip()
            if not line.startswith(("@", "def ", "async def ", "class ")):
                found.append(CleanPlace(cell, (start.line, start.character), (end.line, end.character), call=True))
        return found

    def _confirmed(self, diagnostic: Diagnostic, finding: TraceFinding) -> Diagnostic:
        rule = rules.find(diagnostic.rule)
        return diagnostic.model_copy(update={
            "certainty": "certain", "lane": "both", "seen": self._seen,
            "severity": self._writer.severity(rule, diagnostic.kind, "certain"),
            "evidence": [*diagnostic.evidence, *_evidence(finding)],
        })

    def _added(self, finding: TraceFinding) -> Diagnostic | None:
        """A hint that only the trace has; none where its rule is off, silenced, or not one of ours."""
        rule = rules.find(finding.rule)
        if rule is None or finding.cell not in self.texts or not self.config.enabled(rule.name, rule.section):
            return None
        masked = mask(self.texts[finding.cell])
        comments = suppress.suppressions(masked)
        if suppress.suppressed(comments, finding.start[0], rule.name) is not None:
            return None
        certainty: Certainty = "certain" if finding.certain else "probable"
        place = _range(finding.start, finding.end)
        ignore = suppress.ignore_edit(finding.cell, masked, finding.start[0], rule.name)
        return Diagnostic(
            id=self._writer.identity(rule, finding.cell, place, self._ids[finding.cell]), rule=rule.name,
            cell=finding.cell, range=place, severity=self._writer.severity(rule, rule.rule.kind, certainty),
            kind=rule.rule.kind, certainty=certainty, lane="trace", message=finding.message,
            evidence=list(_evidence(finding)), seen=self._seen,
            ignore=self._writer.fix("Ignore here", [ignore], True, finding.cell) if ignore else None,
        )


def _evidence(finding: TraceFinding) -> list[Evidence]:
    return [
        Evidence(message=words, cell=cell, range=_range(start, end) if start and end else None)
        for words, cell, start, end in finding.evidence
    ]


def _range(start: Point, end: Point) -> Range:
    return Range(start=Position(line=start[0], character=start[1]), end=Position(line=end[0], character=end[1]))


def _place(diagnostic: Diagnostic) -> tuple[int, int, str]:
    return diagnostic.range.start.line, diagnostic.range.start.character, diagnostic.rule
