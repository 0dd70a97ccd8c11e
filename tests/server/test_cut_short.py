"""Traces that do not come to their end: cancelled, overtaken by a restart or the server's end, asked of a kernel that
seems busy."""
from __future__ import annotations

import asyncio
import gc
import json
from typing import Any

import pytest
import zmq
from support.users import User, request
from tornado.httpclient import HTTPClientError

IMPORTS = "import jax, jax.numpy as jnp"
WRONG = "bad = jnp.ones((8, 5)) @ jnp.ones((3, 4))"
ENDLESS = "@jax.jit\ndef turn(x):\n    while True:\n        x = x + 1\ny = turn(1.0)"
CELLS = IMPORTS, WRONG, ENDLESS
JAX_IS_MISSING = "JAX not imported"


def traced_rules(answer: dict[str, Any]) -> list[str]:
    return [hint["rule"] for cell in answer["cells"] for hint in cell["diagnostics"] if hint["lane"] == "trace"]


async def started_anew(user: User) -> User:
    """The user of the kernel's new process."""
    user.client.stop_channels()
    anew = User(user.manager, user.id)
    await anew.client.wait_for_ready(timeout=60)
    return anew


async def test_what_was_cancelled_is_not_kept(ask, jp_fetch, user: User, request_of) -> None:
    await user.run(IMPORTS)
    await user.told_idle()
    body = request(user, *CELLS, ran=["c0"])
    assert "shape-mismatch" in traced_rules((await ask("trace", body=body))[1])
    assert "shape-mismatch" in traced_rules((await ask("analyze", body=request_of(*CELLS)))[1])
    await ask("trace", body={"notebook": "a.ipynb", "action": "forget"})
    with pytest.raises(HTTPClientError, match="Timeout"):
        await jp_fetch("jaxhints", "api", "trace", method="POST", body=json.dumps(body), request_timeout=0.5)
    await user.run("1 + 1")  # behind the trace that nobody waits for
    await user.told_idle()
    assert traced_rules((await ask("analyze", body=request_of(*CELLS)))[1]) == []
    assert "shape-mismatch" in traced_rules((await ask("trace", body=body))[1])


async def test_a_restart_ends_a_trace_that_is_under_way(ask, user: User) -> None:
    await user.run(IMPORTS)
    await user.told_idle()
    body = request(user, *CELLS, ran=["c0"])
    under_way = asyncio.ensure_future(ask("trace", body=body))
    await asyncio.sleep(0.5)
    await user.kernel.restart_kernel(now=True)
    await ask("trace", body={"notebook": "a.ipynb", "action": "forget", "kernel": user.id})
    _, ended = await under_way
    assert (ended["state"], ended["why"]) == ("kernel restarted", "the kernel was restarted")
    user = await started_anew(user)
    assert (await ask("trace", body=body))[1]["state"] == JAX_IS_MISSING
    await user.run(IMPORTS)
    await user.told_idle()
    assert "shape-mismatch" in traced_rules((await ask("trace", body=body))[1])
    user.client.stop_channels()


async def test_a_kernel_is_asked_itself_where_the_servers_word_is_an_old_one(ask, user: User) -> None:
    await user.run(IMPORTS)
    await user.told_idle()
    user.kernel.execution_state = "busy"  # the last word of a process that was killed in a cell
    assert "shape-mismatch" in traced_rules((await ask("trace", body=request(user, *CELLS, ran=["c0"])))[1])


def sockets() -> int:
    """How many sockets to kernels are open in this process."""
    gc.unfreeze()
    return sum(isinstance(each, zmq.Socket) and not each.closed for each in gc.get_objects())


async def test_the_connection_to_a_kernel_ends_with_the_server(ask, user: User, jp_serverapp) -> None:
    await user.run(IMPORTS)
    await user.told_idle()
    before = sockets()
    assert traced_rules((await ask("trace", body=request(user, *CELLS, ran=["c0"])))[1])
    assert sockets() > before
    (app,) = jp_serverapp.extension_manager.extension_apps["jupyterlab_jaxhints"]
    await app.stop_extension()
    assert sockets() == before
