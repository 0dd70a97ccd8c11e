"""The analyzer in a child process, so that neither a long answer nor a crash of the parser reaches Jupyter.

A message is a line of JSON, the header, and the number of bytes that it announces. The child is started by the first
question. When it dies, the question is asked again of a new child that names each cell before it reads it; the cell
named last is left out from then on. Nothing here imports the analyzer before the child runs.
"""
from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO

from .errors import WorkerError

ATTEMPTS = 5
START_LIMIT = 60.0  # seconds
SKIPPED = 200  # cells that are left out are remembered up to this number
PROGRAM = "import sys; sys.path[:] = {path!r}; from jupyterlab_jaxhints.worker import main; main({memory_limit})"

Header = dict[str, Any]


class Worker:
    """The server's end: asks one question at a time, in a thread of its own; the event loop only waits."""

    def __init__(self, *, timeout: float = 30.0, memory_limit: int = 0, log: logging.Logger | None = None) -> None:
        self.timeout, self.memory_limit = timeout, memory_limit
        self.log = log or logging.getLogger(__name__)
        self.skipped: dict[str, None] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="jaxhints")
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The child's process id while it runs."""
        return self._process.pid if self._process and self._process.poll() is None else None

    async def ask(self, method: str, body: bytes = b"", **details: Any) -> tuple[int, bytes]:
        """Status and body of the answer; raises WorkerError when no child lives to give one."""
        if self._closed:
            raise WorkerError("worker-closed", "The server is shutting down.")
        question = {"method": method, **details}
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._answer, question, body)

    def close(self) -> None:
        """Ends the child. Questions that still wait fail."""
        self._closed = True
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._stop()

    def _answer(self, question: Header, body: bytes) -> tuple[int, bytes]:
        careful = False
        for _ in range(ATTEMPTS):
            told = question | {"skip": list(self.skipped), "careful": careful}
            try:
                return self._exchange(told, body)
            except _Died as died:
                self._stop()
                if self._closed:
                    break
                self.log.warning("jaxhints: the worker ended while answering (%s); starting another", died)
                if died.cell:
                    self._skip(died.cell)
                elif careful:
                    break
                careful = True
        raise WorkerError("worker-died", "The analysis process ends before it answers.")

    def _exchange(self, question: Header, body: bytes) -> tuple[int, bytes]:
        cell = None
        try:
            process = self._running()
            with _deadline(process, self.timeout):
                send(process.stdin, question, body)
                while (message := receive(process.stdout)) is not None:
                    header, answer = message
                    if "status" in header:
                        return header["status"], answer
                    cell = header["reading"]
        except (OSError, ValueError) as error:
            raise _Died(str(error), cell) from error
        raise _Died("no answer", cell)

    def _running(self) -> subprocess.Popen[bytes]:
        """The child; a new one has said that it is ready, so that its start does not count as time to answer."""
        if self._process is None or self._process.poll() is not None:
            self._stop()
            program = PROGRAM.format(path=sys.path, memory_limit=self.memory_limit)
            self._process = subprocess.Popen(
                [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=-1,
            )
            with _deadline(self._process, START_LIMIT):
                if receive(self._process.stdout) is None:
                    raise _Died("it does not start", None)
        return self._process

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            try:
                stream.close()
            except OSError:  # what was still to be written to a dead child
                pass

    def _skip(self, cell: str) -> None:
        self.skipped[cell] = None
        while len(self.skipped) > SKIPPED:
            del self.skipped[next(iter(self.skipped))]


@contextlib.contextmanager
def _deadline(process: subprocess.Popen[bytes], seconds: float) -> Iterator[None]:
    """Ends the child when the time is over: whoever waits for it then reads the end of its output."""
    timer = threading.Timer(seconds, process.kill)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class _Died(Exception):
    """The child ended, or was ended for taking too long, while it read this cell."""

    def __init__(self, reason: str, cell: str | None) -> None:
        super().__init__(reason)
        self.cell = cell


def send(stream: BinaryIO, header: Header, body: bytes = b"") -> None:
    """Writes one message."""
    stream.write(json.dumps(header | {"size": len(body)}).encode("ascii") + b"\n")
    stream.write(body)
    stream.flush()


def receive(stream: BinaryIO) -> tuple[Header, bytes] | None:
    """Reads one message; none at the end of the stream."""
    line = stream.readline()
    if not line.endswith(b"\n"):
        return None
    header = json.loads(line)
    body = stream.read(header["size"])
    return (header, body) if len(body) == header["size"] else None


def main(memory_limit: int = 0) -> None:
    """The child: answers until its standard input ends."""
    _limit_memory(memory_limit)
    from .engine.stack import run_deep

    run_deep(_serve)


def _serve() -> None:
    import os

    # a print in a library must not end up between the messages
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    questions = sys.stdin.buffer
    from .service import Service

    service = Service(announce=lambda cell: send(answers, {"reading": cell}))
    send(answers, {"ready": True})
    while (message := receive(questions)) is not None:
        send(answers, *service.answer(*message))
        service.rest()


def _limit_memory(limit: int) -> None:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in the terminal is a question to the server, not to us
    if not limit:
        return
    try:
        import resource
    except ImportError:  # Windows
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (limit if hard < 0 else min(limit, hard), hard))
