"""Checks files and traces notebooks: each in a kernel of its own, with the next one's on its way while one runs.

One notebook runs at a time unless more are asked for: JAX takes most of a GPU's memory for a process. A kernel that is only
started has not imported JAX, so what a notebook sets up before that import still counts.
"""
from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from . import files
from .analyzer import concerned
from .checker import FileResult, Options, check_source
from .errors import HintsError
from .files import SourceFile
from .trace.notebook import NotebookTrace, trace_notebook_async


def check_paths(paths: Sequence[Path], options: Options, jobs: int = 0) -> Iterator[FileResult]:
    """The result of each file, in order."""
    at_once = jobs or 1
    waiting: deque[Future[FileResult]] = deque()
    with ThreadPoolExecutor(at_once) as pool, Kernels(options) as kernels:
        try:
            for path in paths:
                waiting.append(pool.submit(_work(path, options, kernels)))
                if len(waiting) > at_once:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def check_one(source: SourceFile, options: Options) -> FileResult:
    """The result of a file that was read."""
    with Kernels(options) as kernels:
        return check_source(source, options, kernels.start(source))


def _work(path: Path, options: Options, kernels: Kernels) -> Callable[[], FileResult]:
    """What is left to do for a file whose kernel is started."""
    try:
        source = files.read(path)
    except HintsError as error:
        return partial(FileResult, str(path), error=error.message)
    return partial(check_source, source, options, kernels.start(source))


class Kernels:
    """A thread where the messages of all kernels are passed. At the end, also after an interrupt, no kernel is left."""

    def __init__(self, options: Options) -> None:
        self._options = {"device_checks": options.device_checks, "timeout": options.timeout}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="jaxhints-kernels", daemon=True)

    def __enter__(self) -> Kernels:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def start(self, source: SourceFile) -> KernelAhead | None:
        """Starts a notebook's kernel; None for files without one, and for notebooks that have nothing to do with JAX."""
        if not source.is_notebook or not concerned(source.cells):
            return None
        spec = source.source.metadata.get("kernelspec")
        name = spec.get("name") if isinstance(spec, dict) else None
        folder = str(source.path.absolute().parent) if source.path else None
        return KernelAhead(self._loop, self._options | {"name": name, "cwd": folder})

    @staticmethod
    async def _end() -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)


class KernelAhead:
    """A kernel that is started, and the run of a notebook that waits for the cells."""

    def __init__(self, loop: asyncio.AbstractEventLoop, options: dict[str, Any]) -> None:
        self._loop, self._cells = loop, loop.create_future()
        self._trace = asyncio.run_coroutine_threadsafe(trace_notebook_async(self._cells, **options), loop)

    def trace(self, cells: Sequence[tuple]) -> NotebookTrace:
        """Runs and traces the cells: (id, text, tags)."""
        self._loop.call_soon_threadsafe(self._give, cells)
        return self._trace.result()

    def _give(self, cells: Sequence[tuple]) -> None:
        if not self._cells.done():
            self._cells.set_result(cells)
