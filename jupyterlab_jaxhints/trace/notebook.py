"""Traces a whole notebook for the command line: each cell before it is run, in a kernel of its own.

A runner of our own: nbclient fills a notebook with outputs, which are thrown away here, and the trace has to speak on the
same channel between the cells.
"""
from __future__ import annotations

import ast
import asyncio
import dataclasses
import time
from collections.abc import Awaitable, Sequence
from typing import Any

from ..errors import ProbeError
from .carrier import KernelCarrier
from .findings import CleanPlace, TraceFinding, findings_of
from .kernel import start_kernel, stop_kernel
from .request import Answer, State

CELL_LIMIT = 60.0
TRACE_LIMIT = 5.0
DEVICE_LIMIT = 20.0
STOP_LIMIT = 10.0  # seconds that a cell may take to end after its interrupt
WORDS = 160  # letters of an error that are told
SKIPPED, RAISING = "skip-execution", "raises-exception"  # tags of cells, as nbclient and nbconvert know them
# What says that a cell's trace did not work, and not that there was nothing to trace.
UNTRACED = frozenset((State.REFUSED, State.TIMEOUT, State.STUCK, State.BUSY, State.FAILED, State.NOT_PYTHON))


@dataclasses.dataclass
class CellReport:
    """What became of one cell: the trace's state, and how its run ended where it did not end well."""

    cell: str
    state: State
    why: str = ""
    error: str | None = None
    unsearched: str = ""  # why the device level found nothing out
    ms: float = 0.0

    @property
    def told(self) -> list[str]:
        """What a user has to know of it, each after the words `cell 3`."""
        untraced = [f"is not traced: {self.why or self.state.value}"] if self.state in UNTRACED else []
        unsearched = [f"is not searched for NaN: {self.unsearched}"] if self.unsearched else []
        return [*untraced, *unsearched, *([self.error] if self.error else [])]


@dataclasses.dataclass
class NotebookTrace:
    """Everything the trace of a notebook gave. `broken` says why it ended early."""

    findings: list[TraceFinding] = dataclasses.field(default_factory=list)
    clean: list[CleanPlace] = dataclasses.field(default_factory=list)
    cells: list[CellReport] = dataclasses.field(default_factory=list)
    jax: str | None = None
    python: str | None = None
    device: str | None = None
    broken: str = ""


@dataclasses.dataclass(frozen=True)
class TraceCell:
    """A code cell: the text as it stands, and with magics masked by text of equal length (None: not Python)."""

    id: str
    text: str
    masked: str | None
    tags: tuple[str, ...] = ()


def masked_cells(cells: Sequence[tuple]) -> list[TraceCell]:
    """Cells, (id, text) or (id, text, tags), with their magics masked as the reading lane masks them."""
    from ..engine.magics import mask

    return [TraceCell(cell_id, text, mask(text).text, *tags) for cell_id, text, *tags in cells]


def trace_notebook(cells: Sequence[tuple], **options: Any) -> NotebookTrace:
    """Runs the cells, (id, text) or (id, text, tags), one after the other and traces each before it is run. Nothing is
    written. Options: device_checks, timeout (seconds for a cell's run), python or name (of the kernel), cwd."""
    return asyncio.run(trace_notebook_async(cells, **options))


async def trace_notebook_async(
    cells: Sequence[tuple] | Awaitable[Sequence[tuple]], *, device_checks: bool = False, timeout: float = CELL_LIMIT,
    **kernel: str | None,
) -> NotebookTrace:
    """As `trace_notebook`, on a running event loop. Cells that are still awaited find the kernel started."""
    manager, client = await start_kernel(**kernel)
    try:
        given = masked_cells(await _maybe(cells))
        return await _Runner(manager, client, given, device_checks, timeout).run()
    finally:
        await stop_kernel(manager, client)


def leading_imports(text: str) -> str:
    """The imports that a cell begins with. They are run before the cell is traced, so that its JAX is there; running
    them again with the cell changes nothing."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    lines: list[str] = []
    for statement in tree.body:
        if not isinstance(statement, (ast.Import, ast.ImportFrom)) and not _docstring(statement):
            break
        if not _docstring(statement):
            lines.append(ast.unparse(statement))
    return "\n".join(lines)


def _docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


class _Runner:
    def __init__(self, manager: Any, client: Any, cells: list[TraceCell], device_checks: bool, timeout: float):
        self.manager, self.client, self.cells = manager, client, cells
        self.device_checks, self.timeout = device_checks, timeout
        self.carrier = KernelCarrier(client, alive=manager.is_alive)
        self.result = NotebookTrace()
        self.ended = ""  # why no more cells are run

    async def run(self) -> NotebookTrace:
        known: list[tuple[str, str]] = []
        for cell in self.cells:
            report = CellReport(cell.id, State.NOT_COMPLETE)
            self.result.cells.append(report)
            if SKIPPED in cell.tags:
                continue
            imports = leading_imports(cell.masked or "")
            if imports:
                await self._execute(imports, max(self.timeout, CELL_LIMIT))  # reading JAX from a cold disk takes its time
            if cell.masked is not None and cell.masked.strip():
                known.append((cell.id, cell.masked))
                await self._trace(known, cell, report)
            error = await self._execute(cell.text, self.timeout)
            report.error = None if RAISING in cell.tags else error
            if self.ended:
                self.result.broken = self.ended
                break
        return self.result

    async def _trace(self, known: list[tuple[str, str]], cell: TraceCell, report: CellReport) -> None:
        answer = await self.carrier.trace(known, [cell.id], limit=TRACE_LIMIT)
        self._take(answer, report)
        if self.device_checks and answer.useful:
            checked = await self.carrier.trace(known, [cell.id], op="device", limit=DEVICE_LIMIT, want=["memory", "nan", "index"])
            self._take(checked, None)
            done = checked.state in (State.TRACED, State.PARTLY)
            report.unsearched = checked.data.get("checks", {}).get("run", "") if done else checked.why or checked.state.value

    def _take(self, answer: Answer, report: CellReport | None) -> None:
        if report is not None:
            report.state, report.why, report.ms = answer.state, answer.why, float(answer.data.get("ms", 0.0))
        self.result.jax = answer.data.get("jax") or self.result.jax
        self.result.python = answer.data.get("python") or self.result.python
        self.result.device = answer.data.get("device") or self.result.device
        findings, clean = findings_of(answer.data)
        have = {(f.rule, f.cell, f.start, f.end) for f in self.result.findings}
        self.result.findings += [f for f in findings if (f.rule, f.cell, f.start, f.end) not in have]
        self.result.clean += clean

    async def _execute(self, code: str, limit: float) -> str | None:
        """Runs a cell as a user would; what went wrong, after the words `cell 3`, or None. A cell over the time limit is
        interrupted."""
        message = self.client.session.msg("execute_request", {
            "code": code, "silent": False, "store_history": True, "allow_stdin": False, "stop_on_error": False,
            "user_expressions": {},
        })
        self.client.shell_channel.send(message)
        reply = await self._reply(message, limit)
        if reply is None and not self.ended:
            await _maybe(self.manager.interrupt_kernel())
            if await self._reply(message, STOP_LIMIT) is None and not self.ended:
                self.ended = f"a cell does not stop after {limit:g} s"
            return f"is interrupted: it runs for more than {limit:g} s"
        if reply is None:
            return "ends the kernel"
        content = reply["content"]
        return self._failure(content) if content.get("status") == "error" else None

    def _failure(self, content: dict[str, Any]) -> str:
        name, words = content.get("ename", ""), str(content.get("evalue", "")).strip()
        if (name, words) == ("ModuleNotFoundError", "No module named 'jax'"):
            raise ProbeError("no-jax", "its kernel has no JAX")
        line = words.split("\n", 1)[0]
        return f"raises {name}: {line if len(line) <= WORDS else line[:WORDS] + '…'}" if line else f"raises {name}"

    async def _reply(self, message: dict[str, Any], limit: float) -> dict[str, Any] | None:
        """The reply to a message; None where the limit is over, or the kernel has died."""
        end = time.monotonic() + limit
        while (left := end - time.monotonic()) > 0:
            try:
                reply = await self.client.shell_channel.get_msg(timeout=min(left, 1.0))
            except Exception:  # the queue's Empty
                if not await _maybe(self.manager.is_alive()):
                    self.ended = "the kernel died"
                    return None
                continue
            finally:
                await self._drain()
            if reply.get("parent_header", {}).get("msg_id") == message["header"]["msg_id"]:
                return reply
        return None

    async def _drain(self) -> None:
        """Outputs are not wanted here; unread they would fill the socket."""
        while True:
            try:
                await self.client.iopub_channel.get_msg(timeout=0)
            except Exception:
                return


async def _maybe(value: Any) -> Any:
    return await value if isinstance(value, Awaitable) else value
