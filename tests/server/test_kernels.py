"""Kernels that cannot be traced, on a real server: each is a state with a plain reason, and reading goes on."""
from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from typing import Any

import pytest
from support import echo_kernel

CELLS = ("import jax.numpy as jnp", "x = jnp.zeros(3)\nx[0] = 1")


@pytest.fixture
def started(jp_serverapp, jp_asyncio_loop) -> Callable[..., str]:
    """Starts a kernel of a name, runs cells in it, and gives its id."""
    manager = jp_serverapp.kernel_manager

    async def start(name: str, *cells: str) -> str:
        kernel_id = await manager.start_kernel(kernel_name=name)
        client = manager.get_kernel(kernel_id).client()
        client.start_channels()
        await client.wait_for_ready(timeout=60)
        for cell in cells:
            await client.execute(cell, reply=True, timeout=60)
        client.stop_channels()
        while manager.get_kernel(kernel_id).execution_state == "busy":
            await asyncio.sleep(0.02)
        return kernel_id

    yield start
    jp_asyncio_loop.run_until_complete(manager.shutdown_all(now=True))


@pytest.fixture
def echo(jp_data_dir) -> str:
    """The name of an installed kernel that is no Python."""
    folder = jp_data_dir / "kernels" / "echo"
    folder.mkdir(parents=True, exist_ok=True)
    argv = [sys.executable, echo_kernel.__file__, "-f", "{connection_file}"]
    (folder / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "Echo", "language": "echo"}))
    return "echo"


def body(kernel_id: str) -> dict[str, Any]:
    cells = [{"id": f"c{number}", "text": text} for number, text in enumerate(CELLS)]
    return {"notebook": "a.ipynb", "kernel": kernel_id, "targets": ["c0", "c1"], "cells": cells}


async def told(ask, request_of, hints_of, kernel_id: str) -> tuple[str, str]:
    """State and reason; the notebook is read all the same, before and after."""
    status, answer = await ask("trace", body=body(kernel_id))
    assert status == 200, answer
    _, read = await ask("analyze", body=request_of(*CELLS))
    assert hints_of(read)["c1"] == ["item-assignment"]
    return answer["state"], answer["why"]


async def test_a_kernel_of_another_language(ask, request_of, hints_of, started, echo) -> None:
    kernel_id = await started(echo, "hello")
    for _ in range(2):
        assert await told(ask, request_of, hints_of, kernel_id) == (
            "kernel not supported", "the trace works in Python kernels with IPython only")


async def test_a_jax_that_is_too_old(ask, request_of, hints_of, started) -> None:
    kernel_id = await started("python3", "import jax; jax.__version__ = '0.4.13'")
    assert await told(ask, request_of, hints_of, kernel_id) == (
        "kernel not supported", "the trace needs JAX 0.4.30 or later, this kernel has 0.4.13")


async def test_a_kernel_without_jax(ask, request_of, hints_of, started) -> None:
    kernel_id = await started("python3", "import math")
    assert await told(ask, request_of, hints_of, kernel_id) == (
        "JAX not imported", "JAX is not imported in this kernel")


async def test_a_dead_kernel(ask, request_of, hints_of, started, jp_serverapp) -> None:
    kernel_id = await started("python3", "import jax")
    assert (await told(ask, request_of, hints_of, kernel_id))[0] in ("traced", "partly traced")
    manager = jp_serverapp.kernel_manager
    kernel = manager.get_kernel(kernel_id)
    kernel.stop_restarter()
    await kernel.shutdown_kernel(now=True)
    assert await told(ask, request_of, hints_of, kernel_id) == ("no kernel", "the kernel is dead")
    await kernel.restart_kernel(now=True)
    assert (await told(ask, request_of, hints_of, kernel_id))[0] == "JAX not imported"
