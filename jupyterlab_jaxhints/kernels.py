"""Brings the live trace to the server's own kernels; for others, writes down what the browser is to send.

A busy kernel is never waited for: the server knows from the kernel's own messages whether it runs a cell.
"""
from __future__ import annotations

import asyncio
import sys
import uuid
from collections.abc import Callable
from typing import Any

from .trace.carrier import KernelCarrier
from .trace.request import REASONS, Answer, State, facts_request, injection, parse_reply, question, trace_request

BUDGET = 4.0  # seconds that the questions of one automatic request take together before the rest is left out
UNREACHED = "the server does not hold this kernel's connection: the browser asks it"


class Kernels:
    """A carrier for each kernel that was traced; those of kernels that are gone are closed."""

    def __init__(self) -> None:
        self._carriers: dict[str, KernelCarrier] = {}

    async def ask(self, manager: Any, kernel_id: str | None, plan: dict[str, Any],
                  is_wanted: Callable[[], bool] = lambda: True) -> list[dict[str, Any]]:
        """The kernel's answers: facts, then one for each group of the plan, up to the first that fails as a whole,
        and no more when nobody waits for them."""
        self._prune(manager)
        if kernel_id is None or kernel_id not in manager:
            reached = is_local(manager)
            return [_told(Answer(State.NO_KERNEL, REASONS[State.NO_KERNEL])) if reached else unreached()]
        if not is_local(manager):
            return [unreached()]
        kernel = manager.get_kernel(kernel_id)
        carrier = self._carrier(kernel_id, kernel)
        # A process that was ended in a cell leaves "busy" as its last word: what runs now is asked itself.
        if is_busy(kernel) and not await carrier.is_free():
            return [_told(Answer(State.BUSY, REASONS[State.BUSY]))]
        return await self._ask(carrier, kernel, plan, is_wanted)

    async def _ask(self, carrier: KernelCarrier, kernel: Any, plan: dict[str, Any],
                   is_wanted: Callable[[], bool]) -> list[dict[str, Any]]:
        cells = [(cell, text) for cell, text in plan["cells"]]
        answers = [await carrier.ask(facts_request(plan["names"]))]
        end = asyncio.get_running_loop().time() + plan.get("budget", BUDGET)
        for group, own in each_group(plan) if answers[0].state is State.TRACED else ():
            answers.append(await carrier.trace(cells, group, **own))
            is_late = asyncio.get_running_loop().time() > end or not is_wanted()
            if is_late or answers[-1].state in (State.STUCK, State.BUSY, State.ABORTED, State.RESTARTED):
                break
        if answers[-1].state is State.STUCK and is_busy(kernel):
            answers[-1] = Answer(State.BUSY, REASONS[State.BUSY])
        return [_told(answer) for answer in answers]

    def _carrier(self, kernel_id: str, kernel: Any) -> KernelCarrier:
        if kernel_id not in self._carriers:
            session = kernel.session.clone()
            session.session = str(uuid.uuid4())  # the kernel tells its clients apart by this
            client = kernel.client(session=session, context=kernel.context)  # one of its own would outlive the server
            client.start_channels(shell=True, iopub=False, stdin=False, hb=False, control=False)
            self._carriers[kernel_id] = KernelCarrier(client, alive=kernel.is_alive)
        return self._carriers[kernel_id]

    def _prune(self, manager: Any) -> None:
        for kernel_id in [each for each in self._carriers if each not in manager]:
            self.forget(kernel_id)

    def forget(self, kernel_id: str) -> None:
        """Ends the connection to a kernel: it was restarted, is gone, or is to be left alone."""
        carrier = self._carriers.pop(kernel_id, None)
        if carrier is not None:
            carrier.close()

    def close(self) -> None:
        """Ends all connections."""
        for kernel_id in list(self._carriers):
            self.forget(kernel_id)


def is_local(manager: Any) -> bool:
    """Whether the manager's kernels are reached over sockets of this machine, and not through a gateway, whose client
    blocks the event loop and brings no token along."""
    gateway = sys.modules.get("jupyter_server.gateway.managers")
    return gateway is None or not isinstance(manager, gateway.GatewayMappingKernelManager)


def is_busy(kernel: Any) -> bool:
    """What the kernel's last status message said."""
    return getattr(kernel, "execution_state", "idle") == "busy"


def unreached() -> dict[str, Any]:
    """The answer for a kernel that only the browser reaches."""
    return {"state": "not reachable", "why": UNREACHED, "data": {}}


def each_group(plan: dict[str, Any]) -> list[tuple[list[str], dict[str, Any]]]:
    """The targets of each question with its options: those of all, and its own."""
    own = plan["own"] or [{}] * len(plan["groups"])
    return [(group, {**plan["options"], **more}) for group, more in zip(plan["groups"], own)]


def to_ask(plan: dict[str, Any]) -> dict[str, Any]:
    """What the browser sends: the facts' question, then one for each group; and the probe, for a kernel without it."""
    cells = [(cell, text) for cell, text in plan["cells"]]
    questions = [question(facts_request(plan["names"]))]
    questions += [question(trace_request(cells, group, **own)) for group, own in each_group(plan)]
    return {"injection": injection(), "questions": questions}


def from_replies(replies: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The answers in the contents of the replies that the browser got."""
    return [_told(parse_reply(reply)) for reply in replies]


def _told(answer: Answer) -> dict[str, Any]:
    state = State.FAILED if answer.state is State.COLD else answer.state
    return {"state": state.value, "why": answer.why, "data": answer.data}
