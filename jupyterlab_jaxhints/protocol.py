"""The words on the wire between the front end and the server.

JSON schema and `src/protocol.ts` are generated from these models; a test fails when they are stale. Positions are
zero-based lines and UTF-16 columns in the cell, as in LSP.
"""
from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Severity = Literal["error", "warning", "information", "hint"]
Kind = Literal["error", "silent", "slow", "style"]
Certainty = Literal["certain", "probable"]
Lane = Literal["reading", "trace", "both"]
Applicability = Literal["safe", "unsafe"]


class Model(BaseModel):
    """Base of all models: unknown keys are refused, values are read-only."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Position(Model):
    """A place in a cell: zero-based line, zero-based UTF-16 column."""

    line: int = Field(ge=0)
    character: int = Field(ge=0)


class Range(Model):
    """A half-open stretch of a cell's text."""

    start: Position
    end: Position


class TextEdit(Model):
    """Replace a range of one cell by `new_text`."""

    cell: str = Field(description="id of the cell that is edited")
    range: Range
    new_text: str


class Verification(Model):
    """What the live trace says of a fix."""

    good: bool
    message: str


class Fix(Model):
    """A rewrite that answers a hint; its edits may touch several cells."""

    title: str
    applicability: Applicability
    edits: list[TextEdit]
    digests: dict[str, str] = Field(description="cell id → digest of the text that the edits were made for")
    verification: Verification | None = None


class Evidence(Model):
    """One step of the chain that made a hint; a link to its place where it has one."""

    message: str
    cell: str | None = None
    range: Range | None = None


class Seen(Model):
    """Where a hint was confirmed by a live trace."""

    kernel: str
    jax: str
    device: str


class Diagnostic(Model):
    """A hint: what JAX does at this place, how sure that is, and how to mend it."""

    id: str = Field(description="stable while rule, cell and flagged text stay the same")
    rule: str
    cell: str
    range: Range
    severity: Severity
    kind: Kind
    certainty: Certainty
    lane: Lane = "reading"
    message: str = Field(description="one sentence; names in backticks")
    evidence: list[Evidence] = []
    fixes: list[Fix] = Field(default=[], description="the preferred one first")
    ignore: Fix | None = Field(default=None, description="writes the comment that silences this hint")
    seen: Seen | None = None


class CellText(Model):
    """A code cell as the client has it; `text` may be left out when the server holds the digest."""

    id: str = Field(max_length=256)
    text: str | None = None
    digest: str | None = Field(default=None, max_length=128, description="as the server gave it for this text")


class CellFailure(Model):
    """What a run cell failed with, from the error output that the notebook holds."""

    cell: str = Field(max_length=256)
    line: int = Field(ge=0, description="zero-based line of the cell where the error arose")
    name: str = Field(max_length=256, description="the exception's class")
    message: str = Field(max_length=10_000)


class Settings(Model):
    """What the user chose: in JupyterLab's settings and in the notebook's metadata."""

    select: list[str] = Field(default=[], description="rules or sections that are on; empty: all")
    ignore: list[str] = Field(default=[], description="rules or sections that are off")
    severity: dict[str, Severity] = Field(default={}, description="rule → severity instead of its own")


class AnalyzeRequest(Model):
    """The notebook's code cells in document order."""

    notebook: str = Field(max_length=4096, description="names the document; results are kept by it")
    cells: list[CellText] = Field(max_length=5000)
    edited: str | None = Field(default=None, description="id of the cell being typed in: it is answered first")
    cursor_line: int | None = Field(default=None, ge=0)
    scope: Literal["edited", "all"] = "all"
    settings: Settings = Settings()
    failures: list[CellFailure] = Field(default=[], max_length=5000)
    jax_version: str | None = Field(default=None, max_length=64, description="the kernel's, where it is known")


class CellResult(Model):
    """The hints of one cell, and the digest of the text they belong to."""

    id: str
    digest: str
    diagnostics: list[Diagnostic]
    broken: bool = Field(default=False, description="some statement of the cell does not parse")


class Note(Model):
    """Something the panel says about the run itself, for example that a rule failed."""

    message: str
    cell: str | None = None


class AnalyzeResponse(Model):
    """Hints by cell. `missing` lists the cells whose text the server asks for; then there are no hints."""

    cells: list[CellResult] = []
    missing: list[str] = []
    complete: bool = Field(description="false: only the edited cell is answered; ask again with scope 'all'")
    notes: list[Note] = []


class RuleInfo(Model):
    """One line of the table of rules."""

    name: str
    section: str
    title: str
    kind: Kind
    lanes: str
    fixable: bool


class RulesResponse(Model):
    """Every rule there is."""

    rules: list[RuleInfo]


class RulePage(Model):
    """A rule's page as Markdown."""

    name: str
    title: str
    markdown: str


class ErrorResponse(Model):
    """What any endpoint answers when it can't do as asked."""

    code: str = Field(description="stable, in kebab-case")
    message: str
