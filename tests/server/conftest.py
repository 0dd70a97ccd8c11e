"""A real server with the extension on, and a short way to ask it."""
from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from support.users import User
from tornado.httpclient import HTTPClientError

Ask = Callable[..., Awaitable[tuple[int, Any]]]


@pytest.fixture
def jp_server_config() -> dict[str, Any]:
    return {"ServerApp": {"jpserver_extensions": {"jupyterlab_jaxhints": True}, "allow_unauthenticated_access": False}}


@pytest.fixture
def worker(jp_serverapp):
    """The server's worker."""
    (app,) = jp_serverapp.extension_manager.extension_apps["jupyterlab_jaxhints"]
    return app.worker


@pytest.fixture
def ask(jp_fetch) -> Ask:
    """Status and decoded body of an answer; a body that is no bytes is sent as JSON."""

    async def asked(*path: str, body: Any = None, **options: Any) -> tuple[int, Any]:
        if body is not None:
            options |= {"method": "POST", "body": body if isinstance(body, bytes) else json.dumps(body)}
        try:
            response = await jp_fetch("jaxhints", "api", *path, request_timeout=60, **options)
        except HTTPClientError as error:
            response = error.response
        return response.code, json.loads(response.body)

    return asked


def request(*texts: str, **more: Any) -> dict[str, Any]:
    """An AnalyzeRequest of cells c0, c1 …"""
    cells = [{"id": f"c{index}", "text": text} for index, text in enumerate(texts)]
    return {"notebook": "a.ipynb", "cells": cells, **more}


@pytest.fixture(name="request_of")
def request_of_fixture() -> Callable[..., dict[str, Any]]:
    return request


@pytest.fixture(name="hints_of")
def hints_of_fixture() -> Callable[[Any], dict[str, list[str]]]:
    """Cell id → rules found in it."""

    def hints(answer: dict[str, Any]) -> dict[str, list[str]]:
        return {cell["id"]: [hint["rule"] for hint in cell["diagnostics"]] for cell in answer["cells"]}

    return hints


@pytest.fixture
def user(jp_serverapp, jp_asyncio_loop):
    manager, wait = jp_serverapp.kernel_manager, jp_asyncio_loop.run_until_complete
    made = User(manager, wait(manager.start_kernel(kernel_name="python3")))
    wait(made.client.wait_for_ready(timeout=60))
    yield made
    made.client.stop_channels()
    wait(manager.shutdown_all(now=True))
