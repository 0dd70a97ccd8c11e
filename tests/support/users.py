"""A user of a server's kernel, and what the client sends for one: for tests of the trace on a real server."""
from __future__ import annotations

import asyncio
from typing import Any


class User:
    """Runs cells in a kernel of the server, over a connection of its own."""

    def __init__(self, manager: Any, kernel_id: str) -> None:
        self.manager, self.id = manager, kernel_id
        self.kernel = manager.get_kernel(kernel_id)
        self.client = self.kernel.client()
        self.client.start_channels()

    async def run(self, code: str) -> str:
        """What a cell printed."""
        sent = self.client.execute(code)
        printed = ""
        while True:
            message = await self.client.iopub_channel.get_msg(timeout=60)
            kind, content = message["msg_type"], message["content"]
            if message["parent_header"].get("msg_id") != sent:
                continue
            assert kind != "error", content
            if kind == "stream":
                printed += content["text"]
            if content.get("execution_state") == "idle":
                return printed

    async def told_idle(self) -> None:
        for _ in range(500):
            if self.kernel.execution_state != "busy":
                return
            await asyncio.sleep(0.02)
        raise AssertionError("the kernel stays busy")

    async def carry(self, content: dict[str, Any]) -> dict[str, Any]:
        """Sends a request's content as a browser does; the content of the reply."""
        message = self.client.session.msg("execute_request", content)
        self.client.shell_channel.send(message)
        while True:
            reply = await self.client.shell_channel.get_msg(timeout=60)
            if reply["parent_header"].get("msg_id") == message["header"]["msg_id"]:
                return reply["content"]


def request(user: User | None, *cells: str, targets: list[int] | None = None, **more: Any) -> dict[str, Any]:
    ids = [f"c{number}" for number in range(len(cells))]
    wanted = ids if targets is None else [ids[number] for number in targets]
    return {"notebook": "a.ipynb", "kernel": user and user.id, "targets": wanted,
            "cells": [{"id": each, "text": text} for each, text in zip(ids, cells)], **more}
