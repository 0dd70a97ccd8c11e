"""Time, effects, dead and strange kernels: each a state with a plain reason, and the kernel goes on."""
from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable

import pytest
from trace_kernels import NEWEST, Kernel, rules

from jupyterlab_jaxhints.trace.request import State, parse_reply

LOOPS = {
    "endless": "while True:\n        pass",
    "swallows": "while True:\n        try:\n            x = x + 1\n        except:\n            pass",
    "unrolls": "for i in range(10**7):\n        x = x + 1\n    return x",
    "comprehends": "return sum([x for i in range(10**9)])",
}


@pytest.fixture
def stops(kernel: Kernel) -> Callable[[], int]:
    """How often a trace of this kernel had to be stopped from outside: the exception lands in callbacks of JAX too."""
    kernel.trace("jnp.ones(3)")
    kernel.run("import sys\nprobe, stops = sys.modules['_jaxhints_probe'], []\nstop = probe._stop\n"
               "def counted(*given):\n    stops.append(1)\n    stop(*given)\nprobe._stop = counted")
    yield lambda: kernel.value("len(stops)")
    kernel.run("probe._stop = stop")


@pytest.mark.short
@pytest.mark.parametrize("body", LOOPS.values(), ids=LOOPS)
def test_a_loop_without_end_stops_at_the_limit(kernel: Kernel, stops: Callable[[], int], body: str) -> None:
    cell = f"@jax.jit\ndef f(x):\n    {body}\nf(1.0)"
    answer = kernel.trace(cell, limit=1.0)
    assert answer.state is State.TIMEOUT and stops() == 0
    assert kernel.run("import sys; print(jnp.sum(jnp.ones(3)))") == "3.0\n"


@pytest.mark.parametrize("running", NEWEST, indirect=True)
def test_a_huge_literal_is_text_like_any_other(kernel: Kernel) -> None:
    answer = kernel.trace("xs = [" + "1.5, " * 20_000 + "]\ny = jnp.array(xs)", guard=False)
    assert answer.state in (State.TRACED, State.TIMEOUT)


EFFECTS = {
    "open": "open('there.txt', 'w')",
    "path": "__import__('pathlib').Path('there.txt').write_text('x')",
    "np.save": "np.save('there', np.ones(3))",
    "jnp.save": "jnp.save('there', np.ones(3))",
    "remove": "__import__('os').remove('there')",
    "system": "__import__('os').system('touch there.txt')",
    "subprocess": "__import__('subprocess').run(['touch', 'there.txt'])",
    "socket": "__import__('socket').create_connection(('127.0.0.1', 9), timeout=1)",
    "thread": "__import__('threading').Thread(target=print).start()",
    "input": "input()",
    "mkdir": "__import__('os').mkdir('there')",
    "swallowed": "swallow()",
}


@pytest.mark.parametrize("running", NEWEST, indirect=True)
@pytest.mark.parametrize("effect", EFFECTS.values(), ids=EFFECTS)
def test_effects_are_refused(kernel: Kernel, effect: str) -> None:
    kernel.run("import os, pathlib, subprocess, socket, threading, importlib")
    cell = f"""
def swallow():
    try:
        f = importlib.import_module('io').open('there.txt', 'w')
    except:
        pass

@jax.jit
def f(x):
    {effect}
    return x
f(1.0)
"""
    answer = kernel.trace(cell)
    assert answer.state is State.PARTLY
    assert answer.data["statements"][-1][2] in ("refused", "unknown")
    assert kernel.value("os.listdir('.')") == []


LIBRARY = {  # what a library does outside, where no call in the cell shows it
    "open": "open('there.txt', 'w')", "path": "pathlib.Path('there.txt').touch()", "save": "numpy.save('there', x)",
    "file descriptor": "os.open('there.txt', os.O_CREAT)", "temporary": "tempfile.mkdtemp(dir='.')", "folder": "os.mkdir('there')",
    "system": "os.system('touch there.txt')", "subprocess": "subprocess.run(['touch', 'there.txt'])", "fork": "os.fork()",
    "process": "multiprocessing.get_context('fork').Process(target=print).start()", "environment": "os.environ.update(THERE='x')",
    "server": "socket.socket().bind(('127.0.0.1', 0))", "client": "socket.create_connection(('127.0.0.1', 9), timeout=1)",
    "web": "urllib.request.urlopen('http://127.0.0.1:9/')", "database": "sqlite3.connect('there.db')",
    "thread": "threading.Thread(target=print).start()", "low thread": "_thread.start_new_thread(print, ())",
    "pool": "concurrent.futures.ThreadPoolExecutor(1).submit(print)", "signal": "os.kill(os.getpid(), 15)",
}
LOW = (3, 12)  # the Python from which on threads that are not `threading`'s are seen


@pytest.mark.short
def test_the_guard_itself_refuses_what_gets_past_the_calls(kernel: Kernel) -> None:
    """A library of the user's that speaks JAX may be called; what it does outside is refused all the same."""
    python = tuple(kernel.value("__import__('sys').version_info[:2]"))
    effects = [effect for name, effect in LIBRARY.items() if name != "low thread" or python >= LOW]
    modules = "jax numpy os pathlib tempfile subprocess multiprocessing socket urllib.request sqlite3 threading _thread concurrent.futures"
    text = f"import {', '.join(modules.split())}\n" + "\n".join(
        f"def effect_{number}(x):\n    try:\n        {effect}\n    except Exception:\n        pass\n    return x"
        for number, effect in enumerate(effects))
    kernel.run(f"import sys, types\nlib = types.ModuleType('lib')\nexec({text!r}, lib.__dict__)\nsys.modules['lib'] = lib")
    calls = [f"y = jax.jit(lib.effect_{number})(1.0)" for number in range(len(effects))]
    answer = kernel.trace("import lib\n" + "\n".join(calls))
    assert [s[2] for s in answer.data["statements"]] == ["traced"] + ["refused"] * len(effects)
    assert len(answer.data["refused"]) == len(effects)
    assert kernel.value("__import__('os').listdir('.')") == []
    assert kernel.run("open('mine.txt', 'w').close(); import os; os.remove('mine.txt'); print('free')") == "free\n"


@pytest.mark.parametrize("running", NEWEST, indirect=True)
def test_native_code_that_does_not_return(kernel: Kernel) -> None:
    kernel.run("import sys, types, time\nlib = types.ModuleType('lib')\n"
               "exec('import jax, time\\ndef nap(x):\\n    time.sleep(6)\\n    return x', lib.__dict__)\nsys.modules['lib'] = lib")
    answer = kernel.trace("import lib\ny = jax.jit(lib.nap)(1.0)", limit=0.5, guard=False)
    assert answer.state is State.STUCK
    assert kernel.trace("jnp.ones(3)", guard=False).state is State.BUSY
    assert kernel.run("print(1 + 1)") == "2\n"
    kernel.run("time.sleep(6)")
    assert kernel.trace("jnp.ones(3)").state is State.TRACED


@pytest.mark.parametrize("fresh", NEWEST, indirect=True)
def test_a_kernel_without_jax(fresh: Kernel) -> None:
    answer = fresh.trace("import jax\njax.numpy.ones(3)")
    assert (answer.state, answer.why) == (State.NO_JAX, "JAX is not imported in this kernel")
    assert fresh.value("'jax' in __import__('sys').modules") is False


def test_a_restarted_kernel_gets_the_probe_again(fresh: Kernel) -> None:
    cell = "import jax.numpy as jnp\ny = jnp.ones(3)"
    fresh.run("import jax, jax.numpy as jnp")
    assert fresh.trace(cell).state is State.TRACED
    fresh.wait(fresh.manager.restart_kernel(now=True))
    fresh.wait(fresh.client.wait_for_ready(timeout=60))
    fresh.run("import jax, jax.numpy as jnp")
    assert fresh.trace(cell).state is State.TRACED


@pytest.mark.parametrize("fresh", NEWEST, indirect=True)
def test_a_dead_kernel(fresh: Kernel) -> None:
    fresh.run("import jax")
    fresh.wait(fresh.manager.shutdown_kernel(now=True))
    answer = fresh.trace("jax.numpy.ones(3)", guard=False)
    assert (answer.state, answer.why) == (State.NO_KERNEL, "the kernel is dead")


@pytest.mark.parametrize("fresh", NEWEST, indirect=True)
def test_a_kernel_that_dies_in_the_trace(fresh: Kernel) -> None:
    fresh.run("import jax, os, sys, types\nlib = types.ModuleType('lib')\n"
              "exec('import jax, os\\ndef leave(x):\\n    os._exit(3)', lib.__dict__)\nsys.modules['lib'] = lib")
    answer = fresh.trace("import lib\njax.jit(lib.leave)(1.0)", guard=False)
    assert answer.state is State.NO_KERNEL


def test_the_stop_button_ends_a_trace(kernel: Kernel) -> None:
    async def both():
        asked = asyncio.ensure_future(kernel.carrier.trace(
            [("a", "@jax.jit\ndef f(x):\n    while True:\n        pass\nf(1.0)")], ["a"], limit=20.0))
        await asyncio.sleep(1.5)
        await kernel.manager.interrupt_kernel()
        return await asked

    start = time.monotonic()
    answer = kernel.wait(both())
    assert answer.state is State.INTERRUPTED
    assert time.monotonic() - start < 15
    assert kernel.run("print('on')") == "on\n"


def test_a_request_behind_a_failing_cell_is_aborted(kernel: Kernel) -> None:
    async def both():
        kernel.client.execute("import time; time.sleep(1); 1 / 0", stop_on_error=True)
        return await kernel.carrier.trace([("a", "jnp.ones(3)")], ["a"], limit=5.0)

    kernel.trace("jnp.ones(2)")
    assert kernel.wait(both()).state is State.ABORTED
    assert kernel.trace("jnp.ones(3)").state is State.TRACED


def test_one_request_at_a_time_and_none_while_a_cell_runs(kernel: Kernel) -> None:
    async def both():
        return await asyncio.gather(kernel.carrier.trace([("a", "jnp.ones(3)")], ["a"]),
                                    kernel.carrier.trace([("a", "jnp.ones(3)")], ["a"]))

    assert {answer.state for answer in kernel.wait(both())} == {State.TRACED, State.BUSY}
    kernel.carrier.busy = lambda: True
    assert kernel.trace("jnp.ones(3)").state is State.BUSY
    kernel.carrier.busy = None


@pytest.mark.parametrize("running", NEWEST, indirect=True)
@pytest.mark.parametrize("text", ["def f(:", "%%bash\nls", "x = = 3", "\x00", "if True:\n", "(" * 500])
def test_text_that_is_no_python(kernel: Kernel, text: str) -> None:
    answer = kernel.trace(text)
    assert (answer.state, answer.why) == (State.NOT_COMPLETE, "the cell is not complete Python")


@pytest.mark.parametrize("reply, state", [
    ({"status": "ok"}, State.NOT_PYTHON),
    ({"status": "ok", "user_expressions": {}}, State.NOT_PYTHON),
    ({"status": "ok", "user_expressions": {"r": {"status": "ok", "data": {"text/plain": "42"}}}}, State.NOT_PYTHON),
    ({"status": "aborted"}, State.ABORTED),
    ({"status": "error", "ename": "X"}, State.NOT_PYTHON),
    ({"status": "ok", "user_expressions": {"r": {"status": "error", "ename": "E", "evalue": "v"}}}, State.FAILED),
])
def test_answers_of_strange_kernels(reply: dict, state: State) -> None:
    answer = parse_reply(reply)
    assert answer.state is state and answer.why


def test_no_message_of_ours_on_the_kernels_standard_error(fresh: Kernel) -> None:
    fresh.run("import jax, jax.numpy as jnp, sys, os\nlog = open(os.path.join(os.getcwd(), 'err.txt'), 'w+')\n"
              "os.dup2(log.fileno(), 2)")
    for _ in range(5):
        fresh.trace("@jax.jit\ndef f(x):\n    for i in range(10**7):\n        x = x + 1\n    return x\nf(1.0)", limit=0.3, guard=False)
    assert "Exception ignored" not in open(os.path.join(fresh.folder.name, "err.txt")).read()


def test_findings_before_the_limit_are_kept(kernel: Kernel) -> None:
    cell = """
@jax.jit
def f(x):
    if x > 0:
        return x
f(1.0)
@jax.jit
def g(x):
    while True:
        pass
g(1.0)
"""
    answer = kernel.trace(cell, limit=1.0)
    assert answer.state is State.TIMEOUT and answer.useful
    assert rules(answer) == ["if-on-tracer"]
