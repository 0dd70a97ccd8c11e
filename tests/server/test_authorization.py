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


@pytest.mark.parametrize("path", ["rules", "rules/item-assignment", "tour", "analyze"])
async def test_every_endpoint_asks_the_authorizer(ask, request_of, worker, path: str) -> None:
    options = {"body": request_of("import jax")} if path == "analyze" else {}
    status, answer = await ask(*path.split("/"), **options)
    assert (status, answer["code"]) == (403, "forbidden")
    assert "not authorized" in answer["message"]
    assert worker.pid is None
