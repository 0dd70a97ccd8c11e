"""HTTP: authenticates, authorizes, checks the size, hands the bytes to the worker and its answer back.

No request is decoded here: the event loop only waits, for the worker and for kernels.
"""
from __future__ import annotations

import json
import traceback
from http import HTTPStatus
from typing import Any

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from tornado import web

from .errors import HintsError, RequestError, TooLargeError
from .worker import Worker

RESOURCE = "jaxhints"
API = "jaxhints/api"
CARRIERS = "jaxhints_carriers"  # in the server's settings: the connections to kernels that were traced


class Handler(APIHandler):
    """What all endpoints share: the worker, and one form for every failure."""

    auth_resource = RESOURCE

    def initialize(self, worker: Worker, request_limit: int) -> None:
        self.worker, self.request_limit = worker, request_limit

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """`ErrorResponse`, whatever went wrong; also what is said by the server itself, such as 403."""
        error = kwargs.get("exc_info", (None, None, None))[1]
        if isinstance(error, HintsError):
            self.set_status(error.status)
            code, message = error.code, error.message
        else:
            code = self._reason.lower().replace(" ", "-")
            message = getattr(error, "log_message", None) or self._reason
        self.set_header("Content-Type", "application/json")
        self.finish(json.dumps({"code": code, "message": message}))

    def log_exception(self, typ: Any, value: Any, tb: Any) -> None:
        """A failure that we name ourselves is one line in the log, without a traceback."""
        if isinstance(value, HintsError):
            self.log.warning("jaxhints: %s: %s", value.code, value.message)
        else:
            self.log.error("jaxhints: %s", "".join(traceback.format_exception(typ, value, tb)))

    async def relay(self, method: str, body: bytes = b"", **details: Any) -> None:
        """Asks the worker and passes its answer on."""
        self.reply(*await self.worker.ask(method, body, **details))

    def reply(self, status: int, answer: bytes) -> None:
        """Ends the request with JSON that is there already."""
        self.set_status(status)
        self.set_header("Content-Type", "application/json")
        self.finish(answer)

    def checked_body(self) -> bytes:
        """The request's body, which has a size that the worker is given."""
        size = len(self.request.body)
        if size > self.request_limit:
            raise TooLargeError("too-large", f"The request has {size:,} bytes, more than {self.request_limit:,}.")
        if not self.request.body.strip():
            raise RequestError("bad-json", "The request is empty.")
        return self.request.body

    def root(self) -> str | None:
        """The folder that document paths start from, where they are paths on this machine's disk."""
        root = getattr(self.contents_manager, "root_dir", None)
        return root if isinstance(root, str) else None


class AnalyzeHandler(Handler):
    """POST an `AnalyzeRequest`, get an `AnalyzeResponse`."""

    @web.authenticated
    @authorized(action="read", resource=RESOURCE)
    async def post(self) -> None:
        await self.relay("analyze", self.checked_body(), root=self.root())


class TraceHandler(Handler):
    """POST a `TraceRequest`, get a `TraceResponse`. A trace runs the user's code: who may not execute may not trace."""

    is_gone = False  # the client: it cancelled, or the kernel was restarted

    def on_connection_close(self) -> None:
        """A client that is gone wants no further answers of the kernel, and none of those that are there kept."""
        self.is_gone = True
        super().on_connection_close()

    @web.authenticated
    @authorized(action="read", resource=RESOURCE)
    @authorized(action="execute", resource="kernels")
    async def post(self) -> None:
        body = self.checked_body()
        status, answer = await self.worker.ask("plan-trace", body)
        if status != HTTPStatus.OK:
            self.reply(status, answer)
            return
        plan = json.loads(answer)
        answers = await self._asked(plan.pop("request"), plan)
        if not self.is_gone:
            await self.relay("trace", body, root=self.root(), **answers)

    async def _asked(self, request: dict[str, Any], plan: dict[str, Any]) -> dict[str, Any]:
        """The kernel's answers; or what the browser is to send, where it carries the request."""
        if request["action"] == "forget":
            if CARRIERS in self.settings:
                self.settings[CARRIERS].forget(request["kernel"])
            return {}
        from . import kernels  # the probe is read only when a trace is asked for

        if request["replies"] is not None:
            return {"answers": kernels.from_replies(request["replies"])}
        if request["carrier"] == "browser":
            return {"ask": kernels.to_ask(plan)}
        carriers = self.settings.setdefault(CARRIERS, kernels.Kernels())
        return {"answers": await carriers.ask(self.kernel_manager, request["kernel"], plan, lambda: not self.is_gone)}


class RulesHandler(Handler):
    """GET every rule's line in the table of rules."""

    @web.authenticated
    @authorized(action="read", resource=RESOURCE)
    async def get(self) -> None:
        await self.relay("rules")


class RuleHandler(Handler):
    """GET a rule's page."""

    @web.authenticated
    @authorized(action="read", resource=RESOURCE)
    async def get(self, name: str) -> None:
        await self.relay("rule", name=name)


class TourHandler(Handler):
    """GET the tour notebook."""

    @web.authenticated
    @authorized(action="read", resource=RESOURCE)
    async def get(self) -> None:
        await self.relay("tour")


ENDPOINTS: tuple[tuple[str, type[Handler]], ...] = (
    ("analyze", AnalyzeHandler), ("trace", TraceHandler), ("rules", RulesHandler), (r"rules/([^/]+)", RuleHandler), ("tour", TourHandler),
)


def routes(worker: Worker, request_limit: int) -> list[tuple[str, type[Handler], dict[str, Any]]]:
    """Tornado's rules for all endpoints; the server puts its base address before them."""
    options = {"worker": worker, "request_limit": request_limit}
    return [(f"/{API}/{path}", handler, options) for path, handler in ENDPOINTS]
