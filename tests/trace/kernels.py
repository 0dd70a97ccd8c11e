"""Real kernels for the tests of the trace: run cells as a user does, trace as the extension does."""
from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import textwrap
from typing import Any

from jupyterlab_jaxhints.trace.carrier import KernelCarrier
from jupyterlab_jaxhints.trace.notebook import start_kernel
from jupyterlab_jaxhints.trace.request import Answer, content

# JAX versions to test in: the Pythons of environments with jax and ipykernel, separated as in PATH.
PYTHONS = [python for python in os.environ.get("JAXHINTS_KERNEL_PYTHONS", "").split(os.pathsep) if python] or [sys.executable]
NEWEST = PYTHONS[:1]  # for what is slow and the same in every JAX

FINGERPRINT = """(lambda g, sys, threading, random: {
    'names': sorted((k, id(v)) for k, v in g.items() if not k.startswith('_i') and k not in ('_', '__', '___')),
    'sizes': sorted((k, len(v)) for k, v in g.items() if type(v) in (list, dict, set) and k not in ('In', 'Out')),
    'items': sorted((k, [id(x) for x in (v.values() if type(v) is dict else v)]) for k, v in g.items()
                    if type(v) in (list, dict, tuple) and not k.startswith('_') and k not in ('In', 'Out')),
    'objects': sorted((k, sorted((n, id(x)) for n, x in vars(v).items())) for k, v in g.items()
                      if type(v).__module__ == '__main__' and hasattr(v, '__dict__')),
    'random': hash(str(random.getstate())),
    'numpy': hash(str(__import__('numpy').random.get_state())) if 'numpy' in sys.modules else None,
    'history': (len(g['In']), sorted(g['Out']), id(g.get('_'))),
    'count': sys.modules['IPython'].get_ipython().execution_count,
    'threads': threading.active_count(),
    'flags': sorted((k, str(v)) for k, v in sys.modules['jax'].config.values.items()) if 'jax' in sys.modules else None,
})(globals(), __import__('sys'), __import__('threading'), __import__('random'))"""


class Kernel:
    """One kernel and its carrier, driven from ordinary test functions."""

    def __init__(self, python: str):
        self.python = python
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        self.manager, self.client = self.wait(start_kernel(python, self.folder.name))
        self.carrier = KernelCarrier(self.client, alive=self.manager.is_alive)
        self.outputs: dict[str, str] = {}

    def wait(self, coroutine: Any) -> Any:
        return self.loop.run_until_complete(coroutine)

    def close(self) -> None:
        self.client.stop_channels()
        self.wait(self.manager.shutdown_kernel(now=True))
        self.loop.close()
        self.folder.cleanup()

    # -- as a user
    def send(self, code: str) -> str:
        """Starts a cell; the id of its request."""
        return self.client.execute(textwrap.dedent(code), store_history=True, stop_on_error=False)

    def run(self, code: str, limit: float = 60.0) -> str:
        """Runs a cell; what it printed, or the error's class name after `raises `."""
        return self.finish(self.send(code), limit)

    def finish(self, request: str, limit: float = 60.0) -> str:
        reply = self.wait(self._reply(request, limit))
        self.wait(self._read_outputs(request))
        if reply["content"]["status"] == "error":
            return "raises " + reply["content"]["ename"]
        return self.outputs.pop(request, "")

    async def _reply(self, request: str, limit: float) -> dict[str, Any]:
        while True:
            reply = await self.client.shell_channel.get_msg(timeout=limit)
            if reply["parent_header"].get("msg_id") == request:
                return reply

    async def _read_outputs(self, request: str = "") -> None:
        """Takes the outputs up to the end of a request, without one those that are there."""
        while True:
            try:
                message = await self.client.iopub_channel.get_msg(timeout=10.0 if request else 0.15)
            except Exception:
                return
            parent = message["parent_header"].get("msg_id", "")
            if message["msg_type"] == "stream":
                self.outputs[parent] = self.outputs.get(parent, "") + message["content"]["text"]
            if request == parent and message["content"].get("execution_state") == "idle":
                return

    def printed(self, request: str, seconds: float = 0.0) -> str:
        """What a cell that was sent has printed up to now."""
        self.wait(asyncio.sleep(seconds))
        self.wait(self._read_outputs())
        return self.outputs.get(request, "")

    def value(self, expression: str) -> Any:
        """A Python value of the kernel, asked for without leaving anything behind."""
        message = self.client.session.msg("execute_request", content(f"repr(({expression}))"))
        self.client.shell_channel.send(message)
        reply = self.wait(self._reply(message["header"]["msg_id"], 60.0))
        result = reply["content"]["user_expressions"]["r"]
        assert result["status"] == "ok", result
        text = result["data"]["text/plain"]
        return eval(eval(text))

    # -- as the extension
    def trace(self, *cells: str, target: int | None = None, guard: bool = True, **options: Any) -> Answer:
        """Traces one of the cells (the last) and sees that nothing of the user's has changed."""
        listed = [(f"c{i}", textwrap.dedent(cell)) for i, cell in enumerate(cells)]
        target = len(cells) - 1 if target is None else target
        before = self.value(FINGERPRINT) if guard else None
        options.setdefault("limit", 5.0)
        answer = self.wait(self.carrier.trace(listed, [f"c{target}"], **options))
        if guard:
            after = self.value(FINGERPRINT)
            assert after == before, {k: (before[k], after[k]) for k in before if before[k] != after[k]}
        return answer

    def reset(self) -> None:
        self.run("%reset -f\nimport jax as _jax; _jax.clear_caches(); del _jax")
        self.outputs.clear()


def found(answer: Answer) -> list[tuple[str, str, str]]:
    """(rule, cell, the text it marks) of an answer's findings."""
    return [(f["rule"], f["cell"], f["text"]) for f in answer.data.get("findings", [])]


def rules(answer: Answer) -> list[str]:
    return sorted(f["rule"] for f in answer.data.get("findings", []))


def hints(answer: Answer) -> list[str]:
    """`line name type` of the ghost texts."""
    return [f"{h['line'] + 1} {h['name']} {h['type']}" for h in answer.data.get("hints", [])]
