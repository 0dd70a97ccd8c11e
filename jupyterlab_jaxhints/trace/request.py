"""What is sent to a kernel for a trace, and what its answer means. Both carriers, the server's and the browser's,
send exactly this text and hand the reply's content back."""
from __future__ import annotations

import dataclasses
import enum
import hashlib
import json
from typing import Any

from .probe import OLDEST_PYTHON, probe_source, probe_version, too_old_source

MIME = "application/vnd.jaxhints+json"
MODULE = "_jaxhints_probe"
AUTOMATIC_LIMIT = 1.0  # seconds
ASKED_LIMIT = 5.0
GRACE = 3.0  # seconds that a reply may come later than the limit


class State(str, enum.Enum):
    """What became of a request; the panel shows the state with the reason."""

    TRACED = "traced"
    PARTLY = "partly traced"
    REFUSED = "refused"
    TIMEOUT = "timed out"
    STUCK = "stuck"
    BUSY = "kernel busy"
    INTERRUPTED = "interrupted"
    ABORTED = "aborted"
    RESTARTED = "kernel restarted"
    NO_JAX = "JAX not imported"
    NOT_PYTHON = "kernel not supported"
    NO_KERNEL = "no kernel"
    NOT_COMPLETE = "not complete Python"
    FAILED = "failed"
    COLD = "cold"  # the kernel wants the probe or a cell's text first: the carrier answers, nobody sees it


STATES = {
    "ok": State.TRACED, "partial": State.PARTLY, "refused": State.REFUSED, "timeout": State.TIMEOUT,
    "stuck": State.STUCK, "busy": State.BUSY, "interrupted": State.INTERRUPTED, "no-jax": State.NO_JAX,
    "unknown": State.NOT_COMPLETE, "failed": State.FAILED, "cold": State.COLD, "unsupported": State.NOT_PYTHON,
}
REASONS = {
    State.ABORTED: "a cell before it failed: the trace is asked again when the kernel is idle",
    State.NOT_PYTHON: "the trace works in Python kernels with IPython only",
    State.NO_KERNEL: "no kernel is running",
    State.RESTARTED: "the kernel was restarted",
    State.BUSY: "the kernel is running a cell",
    State.TIMEOUT: "the limit is over",
    State.NO_JAX: "no cell has imported JAX in this kernel yet",
}


@dataclasses.dataclass
class Answer:
    """A parsed reply: the state, a plain reason, and the probe's data."""

    state: State
    why: str = ""
    data: dict[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def useful(self) -> bool:
        """Whether findings came back, be it only some."""
        return self.state in (State.TRACED, State.PARTLY, State.TIMEOUT, State.REFUSED) and "findings" in self.data


def digest_of(text: str) -> str:
    """The name under which the kernel keeps a cell's text; the probe computes the same."""
    return hashlib.sha1(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclasses.dataclass
class Known:
    """What a kernel process was sent already. Forgotten when the kernel restarts."""

    probe: bool = False
    texts: set[str] = dataclasses.field(default_factory=set)


def content(expression: str) -> dict[str, Any]:
    """The content of the `execute_request`: no code, one user expression, no trace in `In`, `Out` or the history."""
    return {
        "code": "", "silent": True, "store_history": False, "allow_stdin": False, "stop_on_error": False,
        "user_expressions": {"r": expression},
    }


def injection() -> dict[str, Any]:
    """Puts the probe into the kernel: a module in `sys.modules`, no name in the user's namespace."""
    lines = (
        f"(lambda s, m: (m.__dict__.update(VERSION={probe_version()!r}), "
        f"exec(compile({probe_source()!r} if s.version_info >= {OLDEST_PYTHON} else {too_old_source()!r}, "
        f"'<jaxhints-probe>', 'exec'), m.__dict__), "
        f"s.modules.__setitem__({MODULE!r}, m), 'ready')[-1])"
        f"(__import__('sys'), __import__('types').ModuleType({MODULE!r}))"
    )
    return content(lines)


def question(request: dict[str, Any]) -> dict[str, Any]:
    """Asks a kernel that holds the probe; one that does not answers "cold"."""
    text = json.dumps(request)
    return content(
        f"(lambda m: m.answer(globals(), __import__('json').loads({text!r})) "
        f"if m and m.VERSION == {probe_version()!r} else 'cold')"
        f"(__import__('sys').modules.get({MODULE!r}))"
    )


def trace_request(
    cells: list[tuple[str, str]], targets: list[str], *, known: Known | None = None, op: str = "trace",
    limit: float = AUTOMATIC_LIMIT, **options: Any,
) -> dict[str, Any]:
    """A request for the target cells. `cells`: (id, text with magics masked) of the notebook's code cells in order,
    for the functions that they define; a text the kernel has is sent by its digest alone."""
    sent = known.texts if known is not None else set()
    listed = []
    for cell_id, text in cells:
        digest = digest_of(text)
        listed.append([cell_id, digest, None if digest in sent else text])
    return {"op": op, "cells": listed, "targets": targets, "limit": limit, **options}


def facts_request(names: list[str], attributes: list[str] = ()) -> dict[str, Any]:
    """Asks for facts about names: runs no code of the user."""
    return {"op": "facts", "names": list(names), "attributes": list(attributes)}


def parse_reply(reply: dict[str, Any]) -> Answer:
    """An answer from the content of an `execute_reply`."""
    status = reply.get("status")
    if status in ("aborted", "abort"):
        return Answer(State.ABORTED, REASONS[State.ABORTED])
    expressions = reply.get("user_expressions")
    if status == "error" or not isinstance(expressions, dict) or "r" not in expressions:
        return Answer(State.NOT_PYTHON, REASONS[State.NOT_PYTHON])
    result = expressions["r"]
    if result.get("status") != "ok":
        if result.get("ename") == "KeyboardInterrupt":
            return Answer(State.INTERRUPTED, "stopped")
        return Answer(State.FAILED, f"{result.get('ename')}: {str(result.get('evalue'))[:200]}")
    data = result.get("data", {}).get(MIME)
    if data is None:
        text = result.get("data", {}).get("text/plain", "")
        return Answer(State.COLD) if text in ("'cold'", "'ready'") else Answer(State.NOT_PYTHON, REASONS[State.NOT_PYTHON])
    state = STATES.get(data.get("status"), State.FAILED)
    return Answer(state, data.get("why") or REASONS.get(state, ""), data)
