"""The trace endpoint on a real server with a real kernel: as JupyterLab asks it, and as the browser carries it."""
from __future__ import annotations

import asyncio
from typing import Any

from support.users import User, request

from jupyterlab_jaxhints.protocol import TraceResponse

IMPORTS = "import jax, jax.numpy as jnp"
STEP = "@jax.jit\ndef step(x, w):\n    h = x @ w\n    print('Executing function')\n    return h.sum()"
CALL = "x, w = jnp.ones((8, 3)), jnp.ones((3, 4))\nloss = step(x, w)"
WRONG = "bad = step(jnp.ones((8, 5)), jnp.ones((3, 4)))"
SHAPES = {1: "x f32[8,3]  w f32[3,4]", 2: "h f32[8,4]", 4: "f32[]"}


def shapes(answer: dict[str, Any], cell: str) -> dict[int, str]:
    (found,) = [each for each in answer["cells"] if each["id"] == cell]
    return {line["line"]: line["text"] for line in found["shapes"]}


def rules_of(answer: dict[str, Any], cell: str) -> list[tuple[str, str]]:
    return [(hint["rule"], hint["lane"]) for each in answer["cells"] if each["id"] == cell for hint in each["diagnostics"]]


async def test_cells_not_run_yet_get_shapes_and_hints(ask, user: User, request_of) -> None:
    await user.run(IMPORTS)
    await user.told_idle()
    cells = IMPORTS, STEP, CALL, WRONG
    status, answer = await ask("trace", body=request(user, *cells))
    assert status == 200, answer
    assert answer["state"] in ("traced", "partly traced"), answer
    assert TraceResponse.model_validate(answer).kernel.jax
    assert rules_of(answer, "c3") == [] and ("shape-mismatch", "trace") in rules_of(answer, "c1")
    _, analyzed = await ask("analyze", body=request_of(*cells))
    (hint,) = [each for each in analyzed["cells"][1]["diagnostics"] if each["rule"] == "shape-mismatch"]
    assert hint["seen"]["jax"] == answer["kernel"]["jax"] and hint["ignore"]["title"] == "Ignore here"
    await ask("trace", body={"notebook": "a.ipynb", "action": "forget"})
    _, analyzed = await ask("analyze", body=request_of(*cells))
    assert not [each for each in analyzed["cells"][1]["diagnostics"] if each["lane"] == "trace"]


async def test_tracing_leaves_the_users_first_call_alone(ask, user: User) -> None:
    await user.run(IMPORTS)
    await user.run(STEP)
    await user.told_idle()
    _, answer = await ask("trace", body=request(user, IMPORTS, STEP, CALL, ran=["c0", "c1"]))
    assert shapes(answer, "c1") == SHAPES
    names = await user.run("print(sorted(n for n in dir() if not n.startswith('_')))")
    assert "Executing function" not in names and "'loss'" not in names and "jh" not in names
    assert await user.run(CALL) == "Executing function\n"
    await user.told_idle()
    _, answer = await ask("trace", body=request(user, IMPORTS, STEP, CALL, targets=[2], ran=["c0", "c1", "c2"]))
    assert shapes(answer, "c1") == SHAPES, "seen from the call below it"


async def test_a_hint_that_the_kernel_disproves_goes(ask, user: User, request_of, hints_of) -> None:
    """In the order of the notebook `scale` is an integer in `add`; the user ran the cell below it first."""
    cells = (IMPORTS, "scale = jnp.arange(3)", "@jax.jit\ndef add(x):\n    return jax.lax.add(x, scale)\ny = add(jnp.ones(3))",
             "scale = scale.astype(jnp.float32)")
    for number in (0, 1, 3, 2):
        await user.run(cells[number])
    await user.told_idle()
    _, analyzed = await ask("analyze", body=request_of(*cells))
    assert (hints_of(analyzed)["c2"], analyzed["notes"]) == (["lax-dtype-mismatch"], [])
    (hint,) = analyzed["cells"][2]["diagnostics"]
    _, answer = await ask("trace", body=request(user, *cells, ran=["c0", "c1", "c2", "c3"]))
    assert [each["refuted"] for each in answer["cells"] if each["id"] == "c2"] == [[hint["id"]]]
    assert rules_of(answer, "c2") == []
    _, analyzed = await ask("analyze", body=request_of(*cells))
    assert hints_of(analyzed)["c2"] == []
    note = "The trace disproves `lax-dtype-mismatch` on line 3: JAX runs through it"
    assert analyzed["notes"] == [{"message": note, "cell": "c2"}]


async def test_calls_that_trace_again_are_told_where_one_cell_makes_them(ask, user: User) -> None:
    await user.run(IMPORTS)
    await user.told_idle()
    define = "inner = jax.jit(lambda x: x * 2.0)\ndef outer(x):\n    return inner(x)"
    loop = "total = 0\nfor value in jnp.arange(3.0):\n    total = jax.jit(jnp.add)(total, value)"
    _, answer = await ask("trace", body=request(user, IMPORTS, define, "outer(jnp.ones(3))", "outer(jnp.ones(4))", loop))
    assert [rules_of(answer, f"c{number}") for number in range(4)] == [[]] * 4, "nobody says that both cells run"
    assert ("retrace", "trace") in rules_of(answer, "c4")


async def test_a_busy_kernel_is_not_waited_for(ask, user: User) -> None:
    await user.run(IMPORTS)
    running = user.client.execute("import time; time.sleep(6)")
    await asyncio.sleep(1.0)
    status, answer = await ask("trace", body=request(user, IMPORTS, STEP))
    assert (status, answer["state"]) == (200, "kernel busy") and running
    assert answer["why"] == "the kernel is running a cell"
    await user.told_idle()
    _, answer = await ask("trace", body=request(user, IMPORTS, STEP, CALL))
    assert shapes(answer, "c1") == SHAPES


async def test_a_restarted_kernel_gets_the_probe_anew(ask, user: User) -> None:
    await user.run(IMPORTS)
    await user.told_idle()
    assert shapes((await ask("trace", body=request(user, IMPORTS, STEP, CALL)))[1], "c1") == SHAPES
    await user.kernel.restart_kernel(now=True)
    user.client.stop_channels()
    user = User(user.manager, user.id)
    await user.client.wait_for_ready(timeout=60)
    await user.told_idle()
    _, answer = await ask("trace", body=request(user, IMPORTS, STEP, CALL))
    assert (answer["state"], answer["kernel"]) == ("JAX not imported", answer["kernel"]) and answer["why"]
    await user.run(IMPORTS)
    await user.told_idle()
    assert shapes((await ask("trace", body=request(user, IMPORTS, STEP, CALL)))[1], "c1") == SHAPES


async def test_kernels_that_are_gone_and_requests_that_make_no_sense(ask) -> None:
    body = request(None, IMPORTS) | {"kernel": "00000000-0000-0000-0000-000000000000"}
    assert (await ask("trace", body=body))[1]["state"] == "no kernel"
    status, answer = await ask("trace", body=request(None, IMPORTS) | {"cells": [{"id": "a"}]})
    assert (status, answer["code"]) == (400, "bad-request") and "text" in answer["message"]
    assert (await ask("trace", body=request(None) | {"action": "run"}))[0] == 400


async def test_memory_and_nan_are_answered_when_asked_for(ask, user: User) -> None:
    await user.run(IMPORTS)
    await user.told_idle()
    cell = "a = jnp.log(jnp.zeros(4) - 1.0)"
    _, answer = await ask("trace", body=request(user, IMPORTS, cell, targets=[1], action="memory"))
    assert answer["remark"].startswith("The largest step needs"), answer
    _, answer = await ask("trace", body=request(user, IMPORTS, cell, targets=[1], action="nan"))
    assert answer["remark"] == "1 place makes a NaN" and rules_of(answer, "c1") == [("nan-produced", "trace")]
    _, answer = await ask("trace", body=request(user, IMPORTS, "b = jnp.log(jnp.ones(4))", targets=[1], action="nan"))
    assert answer["remark"] == "No NaN comes out of the cell"
    fails = "c = jnp.ones(3)\nd = jnp.log(c) @ jnp.ones(4)"
    _, answer = await ask("trace", body=request(user, IMPORTS, fails, targets=[1], action="nan"))
    assert answer["remark"].startswith("Line 2 is not searched: TypeError"), answer["remark"]


async def test_how_often_a_run_traced_a_function_stands_beside_its_call(ask, user: User) -> None:
    await user.run(IMPORTS)
    await user.told_idle()
    cells = IMPORTS, "@jax.jit\ndef twice(x):\n    return x * 2", "for n in range(1, 6):\n    y = twice(jnp.ones(n))"
    await ask("trace", body=request(user, *cells))
    await user.run(cells[1])
    await user.run(cells[2])
    await user.told_idle()
    ran = request(user, *cells, targets=[2], ran=["c0", "c1", "c2"], executed="c2")
    _, answer = await ask("trace", body=ran)
    assert shapes(answer, "c2")[1].endswith("twice traced 5 times")
    (hint,) = [each for cell in answer["cells"] for each in cell["diagnostics"] if each["rule"] == "retrace"]
    assert hint["certainty"] == "certain" and "traced 5 times" in hint["evidence"][-1]["message"]
    changed = cells[2].replace("6", "7")
    _, answer = await ask("trace", body=request(user, *cells[:2], changed, targets=[2], ran=["c0", "c1"]))
    assert "traced 5 times" not in shapes(answer, "c2")[1]


async def test_the_browser_can_carry_a_request(ask, user: User) -> None:
    await user.run(IMPORTS)
    body = request(user, IMPORTS, STEP, CALL, carrier="browser")
    _, first = await ask("trace", body=body)
    replies = []
    for content in first["ask"]["questions"]:
        reply = await user.carry(content)
        if reply["user_expressions"]["r"].get("data", {}).get("text/plain") == "'cold'":
            await user.carry(first["ask"]["injection"])
            reply = await user.carry(content)
        replies.append(reply)
    _, answer = await ask("trace", body=body | {"replies": replies})
    assert answer["state"] == "traced" and shapes(answer, "c1") == SHAPES
    assert answer["kernel"]["x64"] is False


async def test_facts_run_nothing_and_leave_the_hints_alone(ask, user: User, request_of) -> None:
    await user.run(f"{IMPORTS}\nprices = jnp.ones((3, 4))\ngone = jnp.ones(5)\ngone.delete()")
    await user.run(STEP)
    await user.told_idle()
    before = (await ask("analyze", body=request_of(IMPORTS, STEP)))[1]
    names = ["prices", "gone", "step", "nobody", "ask"]
    _, answer = await ask("trace", body=request(user, action="facts", names=names))
    told = TraceResponse.model_validate(answer)
    assert (told.state, told.cells) == ("traced", []) and told.kernel.jax and told.kernel.devices[0].platform == "cpu"
    assert set(told.names) == {"prices", "gone", "step"}
    assert told.names["prices"].type == "f32[3,4]" and told.names["gone"].deleted
    assert told.names["step"].jitted.traces == 0, "it was not called yet, and asking does not"
    assert (await ask("analyze", body=request_of(IMPORTS, STEP)))[1] == before


async def test_a_trace_tells_the_names_too(ask, user: User) -> None:
    await user.run(f"{IMPORTS}\n{STEP}\n{CALL}")
    await user.told_idle()
    _, answer = await ask("trace", body=request(user, IMPORTS, STEP, CALL, names=["w", "h"]))
    assert {name: fact["type"] for name, fact in answer["names"].items()} == {"w": "f32[3,4]"}
    lines = {line["line"]: line["names"] for each in answer["cells"] if each["id"] == "c1" for line in each["shapes"]}
    assert (lines[1], lines[2]) == ({"x": "f32[8,3]", "w": "f32[3,4]"}, {"h": "f32[8,4]"})


async def test_facts_are_not_asked_of_a_busy_kernel(ask, user: User) -> None:
    await user.run(IMPORTS)
    await user.told_idle()
    assert (await ask("trace", body=request(user, action="facts")))[1]["state"] == "traced"
    assert user.client.execute("import time; time.sleep(6)")
    await asyncio.sleep(1.0)
    _, answer = await ask("trace", body=request(user, action="facts", names=["jnp"]))
    assert (answer["state"], answer["names"]) == ("kernel busy", {})
    await user.told_idle()
    status, answer = await ask("trace", body=request(user, action="facts", names=["x" * 300]))
    assert (status, answer["code"]) == (400, "bad-request")


async def test_the_browser_can_carry_the_question_for_facts(ask, user: User) -> None:
    await user.run(f"{IMPORTS}\nprices = jnp.ones((3, 4))")
    body = request(user, action="facts", carrier="browser", names=["prices"])
    asked = (await ask("trace", body=body))[1]["ask"]
    await user.carry(asked["injection"])
    replies = [await user.carry(content) for content in asked["questions"]]
    _, answer = await ask("trace", body=body | {"replies": replies})
    assert answer["names"]["prices"]["type"] == "f32[3,4]" and len(replies) == 1
    bad = {"names": {"a": {"type": [1]}, "b": 3, "c": {"jitted": {"static": 1}}, "d": {"type": "f32[2]"}},
           "jax": "0.10.2", "status": "ok"}
    reply = {"status": "ok", "user_expressions": {"r": {"status": "ok", "data": {"application/vnd.jaxhints+json": bad}}}}
    _, answer = await ask("trace", body=body | {"replies": [reply]})
    assert list(answer["names"]) == ["d"]
