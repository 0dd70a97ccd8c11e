"""What the worker answers: decodes a request, asks the analyzer, encodes; every failure has a status and a code."""
from __future__ import annotations

import functools
import gc
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from . import config, pages, rules
from .documents import Documents
from .errors import ConfigError, HintsError, NotFoundError, RequestError, WorkerError
from .protocol import (
    AnalyzeRequest,
    AnalyzeResponse,
    ErrorResponse,
    KernelAsk,
    Note,
    RulesResponse,
    TraceRequest,
    TraceResponse,
)

TOUR = Path(__file__).parent / "tour" / "tour.ipynb"

log = logging.getLogger(__name__)

Header = dict[str, Any]
Asked = TypeVar("Asked", AnalyzeRequest, TraceRequest)


class Service:
    """Answers messages, one after the other."""

    def __init__(self, announce: Callable[[str], None] = lambda cell: None) -> None:
        self.documents = Documents(announce=announce)

    def answer(self, header: Header, body: bytes) -> tuple[Header, bytes]:
        """Status and body of the answer; never raises."""
        gc.disable()  # a full collection over the syntax trees takes longer than the answer
        try:
            return {"status": 200}, METHODS[header["method"]](self, header, body)
        except HintsError as error:
            return _failure(error)
        except MemoryError:
            self.documents.clear()
            return _failure(WorkerError("out-of-memory", "The notebook needs more memory than the worker may use."))
        except Exception as error:  # noqa: BLE001 - a bug of ours is one failed request, not a dead worker
            log.exception("jaxhints: a request fails")
            return _failure(HintsError("internal-error", f"The analysis fails: {type(error).__name__}."))

    def rest(self) -> None:
        """Called between two answers."""
        if self.documents.cold:
            # what was just read stays for long: the collector is not to go over it again and again
            gc.unfreeze()
            gc.collect()
            gc.freeze()
            self.documents.cold = False
        gc.enable()

    def analyze(self, header: Header, body: bytes) -> bytes:
        request = decode(body)
        chosen, problems = project_config(header.get("root"), request.notebook)
        chosen = config.from_settings(request.settings).over(chosen)
        skip, careful = frozenset(header.get("skip", ())), bool(header.get("careful"))
        answer = self.documents.analyze(request, chosen, skip=skip, careful=careful)
        notes = [*(Note(message=problem) for problem in problems), *answer.notes]
        return _encoded(AnalyzeResponse(cells=answer.cells, missing=answer.missing, complete=answer.complete,
                                        notes=notes))

    def plan_trace(self, header: Header, body: bytes) -> bytes:
        """What the server is to ask the kernel: the request's own words, and the questions."""
        request = decode(body, TraceRequest)
        if request.action == "forget":
            self.documents.forget_trace(request.notebook)
        whole = all(cell.text is not None for cell in request.cells)
        if not whole or len({cell.id for cell in request.cells}) < len(request.cells):
            raise RequestError("bad-request", "cells: a trace needs each cell once, with its text.")
        return json.dumps({"request": request.model_dump(include={"action", "carrier", "kernel", "replies"}),
                           **self.documents.plan(request)}).encode("ascii")

    def trace(self, header: Header, body: bytes) -> bytes:
        """The response: `answers` are the kernel's, `ask` is what the browser has to send first."""
        request = decode(body, TraceRequest)
        answers, ask = header.get("answers", ()), header.get("ask")
        if ask is not None:
            return _encoded(TraceResponse(state="traced", ask=KernelAsk(**ask)))
        if not answers or answers[0]["state"] == "not reachable":
            first = answers[0] if answers else {"state": "traced", "why": ""}
            return _encoded(TraceResponse(state=first["state"], why=first["why"]))
        chosen, _ = project_config(header.get("root"), request.notebook)
        chosen = config.from_settings(request.settings).over(chosen)
        return _encoded(self.documents.trace(request, chosen, answers, skip=frozenset(header.get("skip", ()))))

    def rules(self, header: Header, body: bytes) -> bytes:
        return _encoded(RulesResponse(rules=[pages.info(rule) for rule in rules.load()]))

    def rule(self, header: Header, body: bytes) -> bytes:
        rule = rules.find(header["name"])
        if rule is None:
            raise NotFoundError("unknown-rule", f"No rule is called `{header['name'][:80]}`.")
        return _encoded(pages.page(rule))

    def tour(self, header: Header, body: bytes) -> bytes:
        try:
            return TOUR.read_bytes()
        except OSError:
            raise NotFoundError("no-tour", "The tour notebook is not installed.") from None


METHODS: dict[str, Callable[[Service, Header, bytes], bytes]] = {
    "analyze": Service.analyze, "plan-trace": Service.plan_trace, "trace": Service.trace, "rules": Service.rules, "rule": Service.rule, "tour": Service.tour,
}


def decode(body: bytes, model: type[Asked] = AnalyzeRequest) -> Asked:
    """The request in a body; raises RequestError that says which part is not understood."""
    try:
        return model.model_validate_json(body)
    except ValidationError:
        pass  # the slow way says more, and mends halves of surrogate pairs, which a browser can send
    try:
        return model.model_validate(_mended(json.loads(body)))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(step) for step in first["loc"][:6])
        raise RequestError("bad-request", f"{place}: {first['msg']}" if place else first["msg"]) from None
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]
        raise RequestError("bad-json", f"The request is not JSON: {reason}.") from None


def project_config(root: str | None, notebook: str) -> tuple[config.Config, list[str]]:
    """`[tool.jaxhints]` for a notebook below the server's root, and what is wrong with it."""
    path = _inside(root, notebook)
    found = path and config.nearest_pyproject(path.parent)
    if not found:
        return config.DEFAULT, []
    try:
        stamp = found.stat()
        return _parsed(found, stamp.st_mtime_ns, stamp.st_size), []
    except ConfigError as error:
        return config.DEFAULT, error.message.splitlines()
    except OSError:
        return config.DEFAULT, []


@functools.lru_cache(maxsize=32)
def _parsed(path: Path, changed: int, size: int) -> config.Config:
    return config.from_pyproject(path)


def _inside(root: str | None, notebook: str) -> Path | None:
    """The notebook's place on the disk; none for one that lies elsewhere."""
    if not root:
        return None
    try:
        path = Path(root, notebook.removeprefix("RTC:").lstrip("/")).resolve()
        return path if Path(root).resolve() in path.parents else None
    except (OSError, ValueError, RuntimeError):
        return None


def _mended(value: Any) -> Any:
    """The same JSON with halves of surrogate pairs replaced, one code unit for one."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [_mended(item) for item in value]
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    return value


def _encoded(model: BaseModel) -> bytes:
    return model.model_dump_json().encode("utf-8")


def _failure(error: HintsError) -> tuple[Header, bytes]:
    return {"status": error.status}, _encoded(ErrorResponse(code=error.code, message=error.message))
