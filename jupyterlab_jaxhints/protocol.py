"""The words on the wire between the front end and the server.

JSON schema and `src/protocol.ts` are generated from these models; a test fails when they are stale. Positions are
zero-based lines and UTF-16 columns in the cell, as in LSP.
"""
from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Severity = Literal["error", "warning", "information", "hint"]
Kind = Literal["error", "silent", "slow", "style"]
Certainty = Literal["certain", "probable"]
Lane = Literal["reading", "trace", "both"]
Applicability = Literal["safe", "unsafe"]
TraceAction = Literal["trace", "memory", "nan", "facts", "verify", "compare", "forget"]
Carrier = Literal["server", "browser"]
TraceState = Literal[
    "traced", "partly traced", "refused", "timed out", "stuck", "kernel busy", "interrupted", "aborted",
    "kernel restarted", "JAX not imported", "kernel not supported", "no kernel", "not complete Python", "failed",
    "not reachable",
]


class Model(BaseModel):
    """Base of all models: unknown keys are refused, values are read-only."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


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
    worse: bool = Field(default=False, description="the fixed text fails where the old one runs, or changes a type")


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


class AskedFix(Model):
    """A fix that the kernel is asked about, and the rule that offers it."""

    rule: str = Field(max_length=256)
    fix: Fix


class TraceRequest(Model):
    """Asks for a trace of cells in the kernel; with `facts` for what it knows of names, which runs no code of the
    user; with `forget` to drop what earlier ones saw."""

    notebook: str = Field(max_length=4096, description="names the document; results are kept by it")
    action: TraceAction = "trace"
    carrier: Carrier = Field(default="server", description="browser: the client brings the request to the kernel")
    kernel: str | None = Field(default=None, max_length=256, description="the kernel's id")
    cells: list[CellText] = Field(default=[], max_length=5000, description="all code cells in order, with their texts")
    targets: list[str] = Field(default=[], max_length=5000, description="ids of the cells to trace")
    ran: list[str] = Field(
        default=[], max_length=5000, description="ids of cells that ended well in this kernel with the text they have",
    )
    executed: str | None = Field(default=None, max_length=256, description="id of the cell that the kernel ran last")
    names: list[Annotated[str, Field(max_length=256)]] = Field(
        default=[], max_length=1000, description="names of the notebook whose facts are wanted",
    )
    fixes: list[AskedFix] = Field(
        default=[], max_length=12, description="to be traced with `verify`, to be run on the real values with `compare`",
    )
    settings: Settings = Settings()
    replies: list[dict[str, Any]] | None = Field(
        default=None, max_length=5001, description="the contents of the kernel's replies to `ask`, one each",
    )


class LineShape(Model):
    """The ghost text of one line."""

    line: int = Field(ge=0)
    text: str
    names: dict[str, str] = Field(default={}, description="the types of the line's names, by name")


class TracedCell(Model):
    """What a trace says of one cell, its hints merged with those of the reading."""

    id: str
    digest: str
    state: TraceState
    why: str = ""
    shapes: list[LineShape] = []
    diagnostics: list[Diagnostic] = []
    refuted: list[str] = Field(default=[], description="ids of hints that the trace disproves")


class Device(Model):
    """A device of the kernel; memory in bytes where the device tells it."""

    kind: str
    platform: str
    used: int | None = None
    limit: int | None = None


class KernelFacts(Model):
    """What the kernel says of itself; no devices where no array exists yet, as asking would start the backend."""

    python: str | None = None
    jax: str | None = None
    x64: bool | None = None
    devices: list[Device] = []
    flags: list[str] = Field(default=[], description="debugging flags of JAX that are on")


class JittedFact(Model):
    """A jitted function: its static and its donated arguments, and how often it was traced."""

    static: list[str] = []
    donated: list[str] = []
    traces: int | None = None


class NameFact(Model):
    """What the kernel holds under a name; for an array its shape, for a container its short type."""

    type: str | None = Field(default=None, description="as in ghost text")
    library: Literal["jax", "numpy"] | None = None
    shape: list[int] | None = None
    dtype: str | None = None
    weak: bool = False
    sharding: str | None = None
    devices: int | None = None
    deleted: bool = Field(default=False, description="its buffer is gone, as after a donation")
    tracer: bool = Field(default=False, description="it holds a tracer whose trace has ended")
    jitted: JittedFact | None = None


class KernelAsk(Model):
    """Contents of `execute_request`s for the client to send: the questions, and what a kernel that says "cold" needs."""

    injection: dict[str, Any]
    questions: list[dict[str, Any]]


class TraceResponse(Model):
    """The state of the trace with its reason, and what it saw."""

    state: TraceState
    why: str = ""
    cells: list[TracedCell] = []
    kernel: KernelFacts | None = None
    names: dict[str, NameFact] = Field(default={}, description="of the names asked for, those that the kernel holds")
    ms: float = Field(default=0.0, description="time in the kernel")
    remark: str = Field(default="", description="the answer to a question of memory or NaN, for people")
    ask: KernelAsk | None = None


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
