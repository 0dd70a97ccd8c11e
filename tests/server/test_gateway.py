"""A server whose kernels are behind a gateway with a token of its own: the browser's connection carries the trace."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError

import pytest
from support.gateway import Kernel, Server, fetch, server_with_gateway
from support.users import request

IMPORTS = "import jax, jax.numpy as jnp"
STEP = "@jax.jit\ndef step(x, w):\n    h = x @ w\n    return h.sum()"
CALL = "loss = step(jnp.ones((8, 3)), jnp.ones((3, 4)))"
WRONG = "bad = jnp.ones((8, 5)) @ jnp.ones((3, 4))"
CELLS = IMPORTS, STEP, CALL, WRONG
TRACE = "jaxhints/api/trace"


@pytest.fixture(scope="module")
def behind_gateway(tmp_path_factory) -> Iterator[tuple[Server, str]]:
    with server_with_gateway(tmp_path_factory.mktemp("gateway")) as servers:
        yield servers


@pytest.fixture(scope="module")
def kernel(behind_gateway) -> Iterator[Kernel]:
    server, _ = behind_gateway
    made = Kernel(server, server.ask("api/kernels", {"name": "python3"})["id"])
    yield made
    made.close()


def carried(server: Server, kernel: Kernel, body: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request that is carried as the client carries it."""
    body = body | {"carrier": "browser"}
    ask, replies = server.ask(TRACE, body)["ask"], []
    for question in ask["questions"]:
        reply = kernel.execute(question)
        if reply["user_expressions"]["r"].get("data", {}).get("text/plain") == "'cold'":
            kernel.execute(ask["injection"])
            reply = kernel.execute(question)
        replies.append(reply)
    return server.ask(TRACE, body | {"replies": replies})


def test_the_gateway_lets_nobody_in_without_its_token(behind_gateway) -> None:
    _, gateway = behind_gateway
    with pytest.raises(HTTPError, match="40[13]"):
        fetch(f"{gateway}/api/kernels", "another")


def test_the_server_leaves_such_a_kernel_to_the_browser(behind_gateway, kernel: Kernel) -> None:
    server, _ = behind_gateway
    answer = server.ask(TRACE, request(kernel, *CELLS))
    assert (answer["state"], answer["kernel"]) == ("not reachable", None) and answer["why"]


def test_a_trace_goes_through_the_websocket(behind_gateway, kernel: Kernel) -> None:
    server, _ = behind_gateway
    assert carried(server, kernel, request(kernel, *CELLS))["state"] == "JAX not imported"
    kernel.run(IMPORTS)
    answer = carried(server, kernel, request(kernel, *CELLS, ran=["c0"]))
    assert answer["state"] in ("traced", "partly traced"), answer
    cells = {cell["id"]: cell for cell in answer["cells"]}
    assert [shape["text"] for shape in cells["c1"]["shapes"]] == ["x f32[8,3]  w f32[3,4]", "h f32[8,4]", "f32[]"]
    (hint,) = cells["c3"]["diagnostics"]
    assert (hint["rule"], hint["seen"]["jax"]) == ("shape-mismatch", answer["kernel"]["jax"])
    kernel.run("left = [name for name in dir() if 'jh' in name or 'jaxhints' in name]\nassert left == [], left")
