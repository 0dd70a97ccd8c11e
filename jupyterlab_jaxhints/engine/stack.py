"""Runs work on a thread with a large stack.

LibCST recurses on the C stack and takes the process down where the stack ends; 8 MB end at about 1,250
brackets or 3,000 chained operators.
"""
from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

SIZE = 64 * 1024 * 1024

T = TypeVar("T")
_here = threading.local()
_lock = threading.Lock()
_jobs: queue.SimpleQueue[tuple[Callable[[], Any], queue.SimpleQueue[Any]]] | None = None


def run_deep(work: Callable[..., T], *args: Any) -> T:
    """Calls `work(*args)` on the large stack and returns or raises what it does."""
    if getattr(_here, "deep", False):
        return work(*args)
    answer: queue.SimpleQueue[Any] = queue.SimpleQueue()
    _ensure_thread().put((lambda: work(*args), answer))
    value, error = answer.get()
    if error is not None:
        try:
            raise error
        finally:
            del error
    return value


def _ensure_thread() -> queue.SimpleQueue:
    global _jobs
    with _lock:
        if _jobs is None:
            _jobs = queue.SimpleQueue()
            before = threading.stack_size(SIZE)  # for threads started from here on, so it is set back at once
            try:
                threading.Thread(target=_serve, args=(_jobs,), name="jaxhints-deep", daemon=True).start()
            finally:
                threading.stack_size(before)
        return _jobs


def _serve(jobs: queue.SimpleQueue) -> None:
    _here.deep = True
    while True:
        work, answer = jobs.get()
        try:
            answer.put((work(), None))
        except BaseException as error:  # noqa: BLE001 - handed to the caller, who raises it
            answer.put((None, error))
        del work, answer


def _forget_thread() -> None:
    global _jobs, _lock
    _jobs, _lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_thread)  # threads do not survive a fork
