"""Traces a whole notebook for the command line: each cell before it is run, in a kernel of its own."""
from __future__ import annotations

import ast
import asyncio
import dataclasses
import os
import sys
import time
from collections.abc import Awaitable
from typing import Any

from .carrier import KernelCarrier
from .findings import CleanPlace, TraceFinding, findings_of
from .request import Answer, State

START_LIMIT = 60.0
CELL_LIMIT = 60.0
TRACE_LIMIT = 5.0
DEVICE_LIMIT = 20.0


@dataclasses.dataclass
class CellReport:
    """What became of one cell: the trace's state, and the error that running it ended with."""

    cell: str
    state: State
    why: str = ""
    error: str | None = None
    ms: float = 0.0


@dataclasses.dataclass
class NotebookTrace:
    """Everything the trace of a notebook gave."""

    findings: list[TraceFinding] = dataclasses.field(default_factory=list)
    clean: list[CleanPlace] = dataclasses.field(default_factory=list)
    cells: list[CellReport] = dataclasses.field(default_factory=list)
    jax: str | None = None
    python: str | None = None
    device: str | None = None


@dataclasses.dataclass(frozen=True)
class TraceCell:
    """A code cell: the text as it stands, and with magics masked by text of equal length (None: not Python)."""

    id: str
    text: str
    masked: str | None


def masked_cells(cells: list[tuple[str, str]]) -> list[TraceCell]:
    """Cells with their magics masked as the reading lane masks them."""
    from ..engine.magics import mask

    return [TraceCell(cell_id, text, mask(text).text) for cell_id, text in cells]


def trace_notebook(cells: list[tuple[str, str]], **options: Any) -> NotebookTrace:
    """Runs the cells (id, text) one after the other and traces each before it is run. Nothing is written.
    Options: device_checks, timeout (seconds for a cell's run), python (of the kernel), cwd."""
    return asyncio.run(trace_notebook_async(cells, **options))


async def trace_notebook_async(
    cells: list[tuple[str, str]], *, device_checks: bool = False, timeout: float = CELL_LIMIT, python: str | None = None,
    cwd: str | None = None,
) -> NotebookTrace:
    """As `trace_notebook`, on a running event loop."""
    manager, client = await start_kernel(python, cwd)
    try:
        return await _Runner(manager, client, masked_cells(cells), device_checks, timeout).run()
    finally:
        client.stop_channels()
        await manager.shutdown_kernel(now=True)


async def start_kernel(python: str | None = None, cwd: str | None = None) -> tuple[Any, Any]:
    """A fresh IPython kernel and a client of it, ready."""
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager

    manager = AsyncKernelManager()
    argv = [python or sys.executable, "-Xfrozen_modules=off", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    manager._kernel_spec = KernelSpec(argv=argv, display_name="Python", language="python")
    await manager.start_kernel(cwd=cwd, env=dict(os.environ))
    client = manager.client()
    client.start_channels()
    try:
        await client.wait_for_ready(timeout=START_LIMIT)
    except BaseException:
        client.stop_channels()
        await manager.shutdown_kernel(now=True)
        raise
    return manager, client


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

    async def run(self) -> NotebookTrace:
        known: list[tuple[str, str]] = []
        for cell in self.cells:
            report = CellReport(cell.id, State.NOT_COMPLETE)
            self.result.cells.append(report)
            imports = leading_imports(cell.masked or "")
            if imports:
                await self._execute(imports)
            if cell.masked is not None and cell.masked.strip():
                known.append((cell.id, cell.masked))
                await self._trace(known, cell, report)
            report.error = await self._execute(cell.text)
            if not await _alive(self.manager):
                report.error = report.error or "the kernel died"
                self._rest(cell)
                break
        return self.result

    def _rest(self, last: TraceCell) -> None:
        ids = [cell.id for cell in self.cells]
        for cell_id in ids[ids.index(last.id) + 1:]:
            self.result.cells.append(CellReport(cell_id, State.NO_KERNEL, "the kernel died in a cell before"))

    async def _trace(self, known: list[tuple[str, str]], cell: TraceCell, report: CellReport) -> None:
        answer = await self.carrier.trace(known, [cell.id], limit=TRACE_LIMIT)
        self._take(answer, report)
        if self.device_checks and answer.useful:
            checked = await self.carrier.trace(known, [cell.id], op="device", limit=DEVICE_LIMIT, want=["memory", "nan", "index"])
            self._take(checked, None)

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

    async def _execute(self, code: str) -> str | None:
        """Runs a cell as a user would; the error's class and message, or None. A cell over the time limit is
        interrupted."""
        message = self.client.session.msg("execute_request", {
            "code": code, "silent": False, "store_history": True, "allow_stdin": False, "stop_on_error": False,
            "user_expressions": {},
        })
        self.client.shell_channel.send(message)
        end, interrupted = time.monotonic() + self.timeout, False
        while True:
            left = end - time.monotonic()
            if left <= 0:
                if interrupted:
                    return f"does not stop after {self.timeout:.0f} s"
                await _maybe(self.manager.interrupt_kernel())
                interrupted, end = True, time.monotonic() + 10.0
                continue
            try:
                reply = await self.client.shell_channel.get_msg(timeout=min(left, 1.0))
            except Exception:  # the queue's Empty
                if not await _alive(self.manager):
                    return "the kernel died"
                continue
            finally:
                await self._drain()
            if reply.get("parent_header", {}).get("msg_id") != message["header"]["msg_id"]:
                continue
            if interrupted:
                return f"took more than {self.timeout:.0f} s"
            content = reply["content"]
            return f"{content.get('ename')}: {content.get('evalue')}" if content.get("status") == "error" else None

    async def _drain(self) -> None:
        """Outputs are not wanted here; unread they would fill the socket."""
        while True:
            try:
                await self.client.iopub_channel.get_msg(timeout=0)
            except Exception:
                return


async def _alive(manager: Any) -> bool:
    return bool(await _maybe(manager.is_alive()))


async def _maybe(value: Any) -> Any:
    return await value if isinstance(value, Awaitable) else value
