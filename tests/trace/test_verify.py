"""A fix beside the original in a real kernel: traced, and on request run on the real values."""
from __future__ import annotations

from typing import Any

import pytest
from support import checking, marks
from trace_kernels import Kernel

from jupyterlab_jaxhints import rules
from jupyterlab_jaxhints.livetrace import plan
from jupyterlab_jaxhints.protocol import TraceRequest
from jupyterlab_jaxhints.trace.request import State
from jupyterlab_jaxhints.verification import verdict

BODY = "    if x > 0:\n        return x\n    return -x"
CELL = f"@jax.jit\ndef f(x):\n{BODY}\ny = f(-2.0)"
WHERE = "    return jnp.where(x > 0, x, {})"


def ask(kernel: Kernel, cell: str, fixed: str, op: str = "verify", first: int = 2, last: int = 2) -> dict[str, Any]:
    """What the kernel says of a cell and its fixed text, whose lines from `first` to `last` are new."""
    answer = kernel.trace(cell, op=op, fixed={"c0": fixed}, edited={"c0": [[first, last]]}, limit=30.0)
    assert answer.state is State.TRACED, answer
    return answer.data


def told(kernel: Kernel, cell: str, fixed: str, first: int = 2, last: int = 2) -> str | None:
    found = verdict("if-on-tracer", ask(kernel, cell, fixed, "verify", first, last), (), ("c0",))
    return found and found[0].message


def test_a_fix_of_what_fails(kernel: Kernel) -> None:
    data = ask(kernel, CELL, CELL.replace(BODY, WHERE.format("-x")))
    assert [f["rule"] for f in data["before"]["findings"]] == ["if-on-tracer"]
    assert data["after"]["findings"] == [] and data["after"]["covered"]
    assert told(kernel, CELL, CELL.replace(BODY, WHERE.format("-x"))) == "traces cleanly"
    assert told(kernel, CELL, CELL.replace("x > 0", "x > 1")) == "still fails: `x > 1` is traced in `if`"


PLAIN = "@jax.jit\ndef f(x):\n    print(x)\n    return x * 2\ny = f(jnp.ones(8))"


@pytest.mark.parametrize("old, new, first, message", [
    ("print(x)", "pass", 2, "traces cleanly, same result type"),
    ("x * 2", "(x * 2).astype(jnp.bfloat16)", 3, "changes the result type: `y` is bf16[8], was f32[8]"),
    ("x * 2", "x * 2 if x.sum() > 0 else x", 3, "fails: `x.sum() > 0` is traced in `if`"),
    ("x * 2", "x @ jnp.ones(3)", 3, "fails: `x @ jnp.ones(3)` gets shapes that do not fit"),
    ("x * 2", "x[9] * 2", 3, "brings a new problem: index 9 is out of bounds for axis 0 of size 8"),
    ("f(jnp.ones(8))", "f(jnp.zeros(8))", 4, "traces cleanly, same result type"),
    ("f(jnp.ones(8))", "f(jnp.ones((2, 4)))", 4, "changes the result type: `y` is f32[2,4], was f32[8]"),
])
def test_a_fix_of_what_runs(kernel: Kernel, old: str, new: str, first: int, message: str) -> None:
    assert told(kernel, PLAIN, PLAIN.replace(old, new), first, first).startswith(message)


@pytest.mark.parametrize("cell, old, new, line", [
    ("def f(x):\n    return x\ny = jnp.ones(3)", "return x", "return -x", 1),
    ("def f(x, n):\n    if n > 3:\n        x = x + 1\n    return x\ny = jax.jit(f, static_argnums=1)(jnp.ones(3), 2)", "+ 1", "+ 2", 2),
    ("f = jax.jit(lambda x: x)\ny = jnp.ones(3)", ": x", ": -x", 0),
    ("def f(x):\n    try:\n        return x\n    except TypeError:\n        return -x\ny = f(jnp.ones(3))", "-x", "x", 4),
    ("import time\nx = time.time()\ny = jnp.ones(3) * x\nopen('there', 'w').close()", "'there'", "'here'", 3),
], ids=["not called", "branch not taken", "lambda not called", "handler", "refused"])
def test_what_is_not_traced_is_not_judged(kernel: Kernel, cell: str, old: str, new: str, line: int) -> None:
    assert told(kernel, cell, cell.replace(old, new), line, line) is None


def test_a_fix_is_never_run_when_it_is_verified(kernel: Kernel) -> None:
    kernel.run("seen = []")
    cell = "def f(x):\n    seen.append(1)\n    return x\ny = jax.pure_callback(f, jnp.ones(3), jnp.ones(3))"
    assert told(kernel, cell, cell.replace("append(1)", "append(2)"), 1, 1) is None
    assert kernel.value("seen") == []


@pytest.mark.parametrize("fixed, same, largest", [
    (WHERE.format("-x"), True, 0.0), (WHERE.format("x"), False, 4.0), (WHERE.format("-x * (1 + 1e-6)"), True, 2e-6),
    (WHERE.format("jnp.nan"), False, None), (WHERE.format("-x") + "[None]", False, None),
])
def test_values_are_compared(kernel: Kernel, fixed: str, same: bool, largest: float | None) -> None:
    values = ask(kernel, CELL, CELL.replace(BODY, fixed), "compare")["values"]
    assert values["same"] is same, values
    assert largest is None or values["worst" if same else "apart"] == pytest.approx(largest, rel=0.1)


def test_values_of_keys_small_floats_and_trees(kernel: Kernel) -> None:
    cell = ("@jax.jit\ndef f(x):\n    print(x)\n    return {'a': x.astype(jnp.bfloat16), 'b': [jax.random.key(1), x > 0]}\n"
            "y = f(jnp.arange(5.0))")
    assert ask(kernel, cell, cell.replace("print(x)", "pass"), "compare")["values"]["same"] is True
    values = ask(kernel, cell, cell.replace("key(1)", "key(2)"), "compare", 3, 3)["values"]
    assert (values["same"], values["name"]) == (False, "y")


@pytest.mark.parametrize("cell, fixed, why", [
    ("x = jnp.zeros(3)\nx[0] = 1.0", "x = jnp.zeros(3)\nx = x.at[0].set(1.0)", "the old text fails"),
    ("def f(x):\n    return x\ny = jnp.ones(3)", "def f(x):\n    return -x\ny = jnp.ones(3)",
     "the run does not come to the changed lines"),
    (CELL, CELL.replace("x > 0", "x > 1"), "the fixed text fails"),
])
def test_no_result_to_compare(kernel: Kernel, cell: str, fixed: str, why: str) -> None:
    values = ask(kernel, cell, fixed, "compare", 1, 1)["values"]
    assert values == {"same": None, "why": why}


def test_donated_arrays_of_the_user_stay(kernel: Kernel) -> None:
    kernel.run("w = jnp.ones(4)")
    cell = "step = jax.jit(lambda w: w * 2, donate_argnums=0)\nout = step(w)"
    assert ask(kernel, cell, cell.replace("w * 2", "2 * w"), "compare", 0, 0)["values"]["same"] is True
    assert kernel.value("w.is_deleted()") is False


def test_a_comparison_ends_at_its_limit(kernel: Kernel) -> None:
    cell = "def f(x):\n    while True:\n        x = x + 1\ny = f(jnp.ones(3))"
    answer = kernel.trace(cell, op="compare", fixed={"c0": cell + "\n"}, edited={"c0": [[1, 1]]}, limit=1.0)
    assert answer.state is State.TIMEOUT


def test_no_fix_of_an_example_is_said_to_make_things_worse(kernel: Kernel) -> None:
    before, said = kernel.value("sorted(globals())"), []
    for rule in rules.load():
        for example in rule.examples:
            cells = marks.read(example.bad).cells
            own = [hint for hint in checking.diagnostics(cells) if hint.rule == rule.name][:1]
            asked = [{"rule": rule.name, "fix": fix.model_dump()} for hint in own for fix in hint.fixes]
            given = [{"id": f"c{number}", "text": text} for number, text in enumerate(cells)]
            planned = plan(TraceRequest.model_validate({"notebook": "n", "action": "verify", "cells": given, "fixes": asked}))
            for question in planned["own"]:
                listed = [(cell, text) for cell, text in planned["cells"]]
                every = [cell for cell, _ in listed]
                answer = kernel.wait(kernel.carrier.trace(listed, every, **(question | {"limit": 20.0})))
                found = verdict(rule.name, answer.data) if "after" in answer.data else None
                said.append((rule.name, asked[question["fix"]]["fix"]["title"], found and found[0]))
    assert len([each for each in said if each[2] and each[2].good]) > 80
    assert [each for each in said if each[2] and not each[2].good] == []
    assert kernel.value("sorted(globals())") == before
