"""Whoever may not use the resource is refused at every endpoint."""
from __future__ import annotations

from typing import Any

import pytest
from jupyter_server.auth.authorizer import Authorizer


class NobodyReadsHints(Authorizer):
    """Forbids ours, allows the rest."""

    def is_authorized(self, handler: Any, user: Any, action: str, resource: str) -> bool:
        return resource != "jaxhints"


@pytest.fixture
def jp_server_config() -> dict[str, Any]:
    return {"ServerApp": {"jpserver_extensions": {"jupyterlab_jaxhints": True}, "authorizer_class": NobodyReadsHints}}


@pytest.mark.parametrize("path", ["rules", "rules/item-assignment", "tour", "analyze", "trace"])
async def test_every_endpoint_asks_the_authorizer(ask, request_of, worker, path: str) -> None:
    options = {"body": request_of("import jax")} if path in ("analyze", "trace") else {}
    status, answer = await ask(*path.split("/"), **options)
    assert (status, answer["code"]) == (403, "forbidden")
    assert "not authorized" in answer["message"]
    assert worker.pid is None


class MayLookOnly(Authorizer):
    """A user who reads everything and runs nothing."""

    def is_authorized(self, handler: Any, user: Any, action: str, resource: str) -> bool:
        return action != "execute"


async def test_who_may_not_run_cells_may_not_trace_them(ask, request_of, worker, jp_serverapp) -> None:
    jp_serverapp.web_app.settings["authorizer"] = MayLookOnly(parent=jp_serverapp)
    status, answer = await ask("trace", body=request_of("import jax"))
    assert (status, answer["code"]) == (403, "forbidden") and worker.pid is None
    assert (await ask("analyze", body=request_of("import jax")))[0] == 200
