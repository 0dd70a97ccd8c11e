"""Brings requests to a kernel over a client of `jupyter_client`: the server's local kernels, the command line's own."""
from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from .request import GRACE, REASONS, Answer, Known, State, digest_of, injection, parse_reply, question, trace_request

INJECTION_LIMIT = 20.0
PROMPT = 0.3  # seconds in which a kernel answers that runs nothing


class KernelCarrier:
    """One kernel, one request in flight. `client` is an `AsyncKernelClient` whose channels run; `alive` and `busy`
    tell what is known of the kernel, so that a running cell is never waited for."""

    def __init__(self, client: Any, *, alive: Any = None, busy: Any = None):
        self.client, self.alive, self.busy = client, alive, busy
        self.known = Known()
        self.lock = asyncio.Lock()
        self.closed = False

    def forget(self) -> None:
        """After a restart: the probe and the texts are sent anew."""
        self.known = Known()

    def close(self) -> None:
        """Ends the connection, and soon a request that is under way."""
        self.closed = True
        if not self.lock.locked():
            self.client.stop_channels()

    async def is_free(self) -> bool:
        """Whether the kernel answers at once, as it does when it runs nothing."""
        if self.lock.locked():
            return False
        async with self._turn():
            return isinstance(await self._reply("kernel_info_request", {}, PROMPT), dict)

    async def trace(self, cells: list[tuple[str, str]], targets: list[str], **options: Any) -> Answer:
        """Traces the target cells; see `trace_request` for the options."""
        answer = await self.ask(trace_request(cells, targets, known=self.known, **options))
        if answer.state is State.COLD:
            self.known.texts.clear()
            answer = await self.ask(trace_request(cells, targets, known=self.known, **options))
        if answer.state not in (State.COLD, State.ABORTED, State.NO_KERNEL, State.NOT_PYTHON, State.NO_JAX):
            self.known.texts.update(digest_of(text) for _, text in cells)
        return answer

    async def ask(self, request: dict[str, Any]) -> Answer:
        """Sends one request, and the probe before it where the kernel does not hold it."""
        if self.lock.locked():
            return Answer(State.BUSY, "another trace is under way")
        async with self._turn():
            if self.busy is not None and self.busy():
                return Answer(State.BUSY, REASONS[State.BUSY])
            limit = float(request.get("limit", 1.0)) + GRACE
            answer = Answer(State.COLD)
            if self.known.probe:
                answer = await self._send(question(request), limit)
                if answer.state is not State.COLD or answer.data:
                    return answer
            self.known.probe = False
            self.known.texts.clear()
            ready = await self._send(injection(), INJECTION_LIMIT)
            if ready.state is not State.COLD:
                return ready
            self.known.probe = True
            if request.get("cells") and any(text is None for _, _, text in request["cells"]):
                return Answer(State.COLD)
            return await self._send(question(request), limit)

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """A request's time: a connection that is closed meanwhile ends with it."""
        async with self.lock:
            try:
                yield
            finally:
                if self.closed:
                    self.client.stop_channels()

    async def _send(self, content: dict[str, Any], limit: float) -> Answer:
        reply = await self._reply("execute_request", content, limit)
        return reply if isinstance(reply, Answer) else parse_reply(reply)

    async def _reply(self, kind: str, content: dict[str, Any], limit: float) -> dict[str, Any] | Answer:
        """The content of a message's reply; or why there is none."""
        if self.alive is not None and not await _maybe(self.alive()):
            return Answer(State.NO_KERNEL, "the kernel is dead")
        message = self.client.session.msg(kind, content)
        self.client.shell_channel.send(message)
        wanted = message["header"]["msg_id"]
        end = time.monotonic() + limit
        while not self.closed:
            left = end - time.monotonic()
            if left <= 0:
                return Answer(State.STUCK, "the kernel does not answer")
            try:
                reply = await self.client.shell_channel.get_msg(timeout=min(left, 0.5))
            except Exception:  # the queue's Empty, or a socket closed under us
                if self.alive is not None and not await _maybe(self.alive()):
                    self.forget()
                    return Answer(State.NO_KERNEL, "the kernel died during the trace")
                continue
            if reply.get("parent_header", {}).get("msg_id") == wanted:
                return reply["content"]
        return Answer(State.RESTARTED, REASONS[State.RESTARTED])


async def _maybe(value: Any) -> Any:
    return await value if asyncio.iscoroutine(value) or asyncio.isfuture(value) else value
