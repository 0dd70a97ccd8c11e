"""Findings as diagnostics: severity, which rule wins on one range, words, fixes with the digests they were made for."""
from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import texts
from .config import Config
from .protocol import Certainty, Diagnostic, Fix, Kind, Range, Severity, TextEdit
from .rules import LoadedRule
from .rules import base as rule_base

if TYPE_CHECKING:
    from .engine.masked import Masked
    from .engine.notebook import Finding
    from .engine.suppress import Suppression

# The one table of severities: what would happen without us, and how sure we are of it.
SEVERITIES: dict[tuple[Kind, Certainty], Severity] = {
    ("error", "certain"): "error",
    ("error", "probable"): "warning",
    ("silent", "certain"): "warning",
    ("silent", "probable"): "information",
    ("slow", "certain"): "warning",
    ("slow", "probable"): "information",
    ("style", "certain"): "hint",
    ("style", "probable"): "hint",
}


class Writer:
    """Writes the diagnostics of one state of a document."""

    def __init__(self, cells: Mapping[str, str], config: Config) -> None:
        self.cells, self.config = cells, config
        self._digests: dict[str, str] = {}

    def digest(self, cell: str) -> str:
        if cell not in self._digests:
            self._digests[cell] = texts.digest(self.cells[cell])
        return self._digests[cell]

    def severity(self, rule: LoadedRule, kind: Kind, certainty: Certainty) -> Severity:
        return self.config.severity_of(rule.name, rule.section) or SEVERITIES[kind, certainty]

    def diagnostic(self, finding: Finding | OwnFinding, fixes: Iterable[rule_base.Fix], ignore: list[TextEdit] | None,
                   ids: Counter[str]) -> Diagnostic:
        """What the user is shown of a finding. `ids` counts the ids that the cell has used."""
        rule, hint = finding.rule, finding.hint
        kind = hint.kind or rule.rule.kind
        certainty: Certainty = "certain" if hint.certain else "probable"
        return Diagnostic(
            id=self.identity(rule, finding.cell, finding.range, ids),
            rule=rule.name,
            cell=finding.cell,
            range=finding.range,
            severity=self.severity(rule, kind, certainty),
            kind=kind,
            certainty=certainty,
            message=rule.message(hint),
            evidence=list(finding.evidence),
            fixes=[self.fix(fix.title, fix.edits, fix.safe, finding.cell) for fix in fixes],
            ignore=self.fix("Ignore here", ignore, True, finding.cell) if ignore else None,
        )

    def fix(self, title: str, edits: Iterable[TextEdit], safe: bool, own: str) -> Fix:
        """A fix, with the digest of each text that it speaks of."""
        edits = list(edits)
        cells = dict.fromkeys([own, *(edit.cell for edit in edits)])
        return Fix(title=title, applicability="safe" if safe else "unsafe", edits=edits,
                   digests={cell: self.digest(cell) for cell in cells})

    def identity(self, rule: LoadedRule, cell: str, place: Range, ids: Counter[str]) -> str:
        """Stays while rule, cell and flagged text do; equal ones are numbered in their order."""
        flagged = texts.part(self.cells[cell], place)
        base = hashlib.sha256("\0".join((rule.name, cell, flagged)).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        ids[base] += 1
        return base if ids[base] == 1 else f"{base}-{ids[base]}"


def settle(findings: Iterable[Finding | OwnFinding]) -> list[Finding | OwnFinding]:
    """Findings in the order of the text: each rule once a range, and none that yields to another on its range."""
    best: dict[tuple, Finding | OwnFinding] = {}
    for finding in findings:
        key = (_key(finding.range), finding.rule.name)
        if key not in best or (finding.hint.certain and not best[key].hint.certain):
            best[key] = finding
    present = set(best)
    kept = [
        finding for (place, _), finding in best.items()
        if not any((place, winner) in present for winner in finding.rule.rule.yields_to)
    ]
    return sorted(kept, key=lambda finding: (_key(finding.range), finding.rule.name))


@dataclass(frozen=True)
class OwnFinding:
    """A finding of the analyzer itself, in the shape of the engine's."""

    rule: LoadedRule
    hint: rule_base.Hint
    cell: str
    range: Range
    evidence: tuple = ()


def unused_finding(rule: LoadedRule, cell: str, masked: Masked, comment: Suppression, vain: Sequence[str],
                   known: Collection[str]) -> OwnFinding:
    """The finding that a comment silences nothing, or that some of the rules in it do not."""
    start, end = comment.span
    end -= len(masked.source[start:end]) - len(masked.source[start:end].rstrip())
    strangers = [name for name in vain if name not in known]
    variant = "all" if len(vain) != 1 else "unknown" if strangers else ""
    hint = rule_base.Hint(None, variant=variant, name=vain[0] if vain else "")
    return OwnFinding(rule, hint, cell, Range(start=masked.position(start), end=masked.position(end)))


def _key(place: Range) -> tuple[int, int, int, int]:
    return place.start.line, place.start.character, place.end.line, place.end.character


