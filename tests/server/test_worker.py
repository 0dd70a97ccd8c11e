"""The worker process: it starts when it is needed, and its death costs one request some time."""
from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from jupyterlab_jaxhints import worker as worker_module
from jupyterlab_jaxhints.errors import WorkerError
from jupyterlab_jaxhints.worker import Worker

IMPORT = "import jax.numpy as jnp\nx = jnp.zeros(3)"
STORE = "x[0] = 1"
RULE = "item-assignment"

# a child whose reader does something dreadful at a cell with this word in it
DREADFUL = """
import os, signal, sys, threading, time
sys.path[:] = {{path!r}}
from jupyterlab_jaxhints.engine import magics
real = magics.mask
def mask(text, *rest):
    if "dreadful" in text:
        {act}
    return real(text, *rest)
magics.mask = mask
from jupyterlab_jaxhints.worker import main
main({{memory_limit}})
"""


@pytest.fixture
def dreadful(monkeypatch):
    def use(act: str) -> None:
        monkeypatch.setattr(worker_module, "PROGRAM", DREADFUL.format(act=act))

    return use


async def test_it_starts_with_the_first_request_and_ends_with_the_server(ask, request_of, worker, jp_serverapp) -> None:
    assert worker.pid is None
    await ask("rules")
    pid = worker.pid
    assert pid is not None
    await ask("analyze", body=request_of(IMPORT))
    assert worker.pid == pid
    await jp_serverapp.cleanup_extensions()
    assert worker.pid is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_after_it_is_killed_the_next_request_is_answered(ask, request_of, hints_of, worker) -> None:
    _, first = await ask("analyze", body=request_of(IMPORT, STORE))
    os.kill(worker.pid, signal.SIGKILL)
    body = request_of(IMPORT, STORE)
    body["cells"][0] = {"id": "c0", "digest": first["cells"][0]["digest"]}
    status, answer = await ask("analyze", body=body)
    assert (status, answer["missing"]) == (200, ["c0"]), "a new worker knows no texts and asks for them"
    status, answer = await ask("analyze", body=request_of(IMPORT, STORE))
    assert status == 200 and hints_of(answer)["c1"] == [RULE]


@pytest.mark.parametrize("act", ["os._exit(1)", "signal.pthread_kill(threading.get_ident(), signal.SIGSEGV)"], ids=["exit", "segfault"])
async def test_a_cell_that_ends_it_is_left_out(ask, request_of, hints_of, worker, dreadful, act: str) -> None:
    dreadful(act)
    cells = [IMPORT, "y = dreadful(x)", STORE]
    status, answer = await ask("analyze", body=request_of(*cells))
    assert status == 200 and hints_of(answer) == {"c0": [], "c1": [], "c2": [RULE]}
    assert [cell["broken"] for cell in answer["cells"]] == [False, True, False]
    assert [note["cell"] for note in answer["notes"]] == ["c1"]
    pid = worker.pid
    status, answer = await ask("analyze", body=request_of(*cells, "z = 1"))
    assert status == 200 and hints_of(answer)["c2"] == [RULE]
    assert worker.pid == pid, "the cell is remembered"
    _, answer = await ask("analyze", body=request_of(IMPORT, "y = 1", STORE))
    assert answer["notes"] == [] and not any(cell["broken"] for cell in answer["cells"])


async def test_a_cell_that_never_ends_is_left_out(ask, request_of, hints_of, worker, dreadful) -> None:
    dreadful("time.sleep(600)")
    worker.timeout = 3.0
    status, answer = await ask("analyze", body=request_of(IMPORT, "y = dreadful(x)", STORE))
    assert status == 200 and hints_of(answer) == {"c0": [], "c1": [], "c2": [RULE]}


async def test_a_failure_of_ours_is_one_failed_request(ask, request_of, hints_of, dreadful) -> None:
    dreadful("raise KeyError('x')")
    status, answer = await ask("analyze", body=request_of(IMPORT, "y = dreadful(x)"))
    assert (status, answer["code"]) == (500, "internal-error") and "KeyError" in answer["message"]
    status, answer = await ask("analyze", body=request_of(IMPORT, STORE))
    assert status == 200 and hints_of(answer)["c1"] == [RULE]


async def test_memory_is_limited(ask, request_of, worker, dreadful) -> None:
    dreadful("bytearray(8 << 30)")
    status, answer = await ask("analyze", body=request_of(IMPORT, "y = dreadful(x)"))
    assert (status, answer["code"]) == (503, "out-of-memory")
    assert (await ask("analyze", body=request_of(IMPORT)))[0] == 200


async def test_a_worker_that_cannot_start_is_said_to_be_missing(monkeypatch) -> None:
    monkeypatch.setattr(worker_module, "PROGRAM", "raise SystemExit(1)  # {path} {memory_limit}")
    with pytest.raises(WorkerError) as raised:
        await Worker().ask("rules")
    assert (raised.value.status, raised.value.code) == (503, "worker-died")


async def test_the_event_loop_only_waits(worker, dreadful) -> None:
    dreadful("time.sleep(1)")
    body = b'{"notebook": "a", "cells": [{"id": "c", "text": "import jax\\ndreadful"}]}'
    asked = asyncio.ensure_future(worker.ask("analyze", body))
    ticks = 0
    while not asked.done():
        await asyncio.sleep(0.01)
        ticks += 1
    assert (await asked)[0] == 200 and ticks > 20


async def test_requests_of_two_documents_do_not_mix(ask, request_of, hints_of) -> None:
    bodies = [request_of(IMPORT, STORE), request_of("import jax\nx = [1]", STORE) | {"notebook": "b.ipynb"}] * 5
    answers = await asyncio.gather(*(ask("analyze", body=body) for body in bodies))
    assert [hints_of(answer)["c1"] for _, answer in answers] == [[RULE], []] * 5


def test_the_server_imports_neither_parser_nor_models(tmp_path: Path) -> None:
    program = ("import jupyter_server.extension.application, jupyter_server.base.handlers, sys\n"
               "before = set(sys.modules)\n"
               "import jupyterlab_jaxhints as j\n"
               "j._jupyter_server_extension_points()\n"
               "import jupyterlab_jaxhints.extension\n"
               "new = {name.split('.')[0] for name in set(sys.modules) - before}\n"
               "print(sorted(new & {'libcst', 'pydantic', 'jax', 'nbformat', 'click', 'rich', 'numpy'}))\n"
               "print(sorted(n for n in sys.modules if n.startswith('jupyterlab_jaxhints.')))\n")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    heavy, own = done.stdout.splitlines()
    assert heavy == "[]"
    assert own == str([f"jupyterlab_jaxhints.{name}" for name in ("_version", "errors", "extension", "handlers", "worker")]
                      if "_version" in own else
                      [f"jupyterlab_jaxhints.{name}" for name in ("errors", "extension", "handlers", "worker")])
