"""Fixes are traced and compared in a real kernel, and the hints tell what came of it."""
from __future__ import annotations

from typing import Any

import pytest
from support.users import User, request

IMPORTS = "import jax, jax.numpy as jnp"
DEFINE = "@jax.jit\ndef f(x):\n    if x > 0:\n        return x\n    return -x"
CALL = "y = f(-2.0)"
REMOVED = "a = jnp.ones(8)\nb = jax.tree_map(lambda v: v * 2, a)"


def edit(cell: str, text: str, old: str, new: str) -> dict[str, Any]:
    """A text edit that replaces a piece of a cell."""
    start = text.index(old)

    def place(offset: int) -> dict[str, int]:
        before = text[:offset].split("\n")
        return {"line": len(before) - 1, "character": len(before[-1])}

    return {"cell": cell, "range": {"start": place(start), "end": place(start + len(old))}, "new_text": new}


async def hints_in(ask, request_of, cells: tuple[str, ...], cell: str) -> list[dict[str, Any]]:
    _, analyzed = await ask("analyze", body=request_of(*cells))
    (found,) = [each for each in analyzed["cells"] if each["id"] == cell]
    return found["diagnostics"]


def told(hint: dict[str, Any]) -> list[tuple[str, bool, str] | None]:
    """Title, verdict and words of a hint's fixes."""
    return [(fix["title"], fix["verification"]["good"], fix["verification"]["message"]) if fix["verification"] else None
            for fix in hint["fixes"]]


async def verify(ask, user: User, cells: tuple[str, ...], rule: str, fixes: list[dict[str, Any]], **more: Any) -> Any:
    """Traces the cells, then asks about fixes, as the client does."""
    await ask("trace", body=request(user, *cells, ran=more.get("ran", [])))
    asked = [{"rule": rule, "fix": fix} for fix in fixes]
    status, answer = await ask("trace", body=request(user, *cells, **{"action": "verify", "fixes": asked, **more}))
    assert (status, answer["state"]) == (200, "traced"), answer
    return answer


@pytest.fixture
def ready(user: User, jp_asyncio_loop) -> User:
    """A kernel that has imported JAX."""
    jp_asyncio_loop.run_until_complete(user.run(IMPORTS))
    jp_asyncio_loop.run_until_complete(user.told_idle())
    return user


async def test_a_good_fix_says_so_until_a_text_changes(ask, ready: User, request_of) -> None:
    cells = IMPORTS, DEFINE, CALL
    (hint,) = await hints_in(ask, request_of, cells, "c1")
    assert (hint["rule"], told(hint)) == ("if-on-tracer", [None] * len(hint["fixes"]))
    await verify(ask, ready, cells, hint["rule"], hint["fixes"])
    (hint,) = await hints_in(ask, request_of, cells, "c1")
    assert told(hint)[0] == (hint["fixes"][0]["title"], True, "traces cleanly")
    edited = IMPORTS, DEFINE, "y = f(-3.0)"
    (hint,) = await hints_in(ask, request_of, edited, "c1")
    assert told(hint) == [None] * len(hint["fixes"]), "the call it was traced with is another"
    (hint,) = await hints_in(ask, request_of, cells, "c1")
    assert told(hint)[0] is not None
    await ask("trace", body={"notebook": "a.ipynb", "action": "forget"})
    (hint,) = await hints_in(ask, request_of, cells, "c1")
    assert told(hint) == [None] * len(hint["fixes"])


async def test_a_fix_of_what_runs_keeps_the_type(ask, ready: User, request_of) -> None:
    cells = IMPORTS, "@jax.jit\ndef f(x):\n    print(x)\n    return x * 2", "y = f(jnp.ones(8))"
    (hint,) = await hints_in(ask, request_of, cells, "c1")
    await verify(ask, ready, cells, hint["rule"], hint["fixes"], ran=["c0"])
    (hint,) = await hints_in(ask, request_of, cells, "c1")
    assert told(hint)[0][1:] == (True, "traces cleanly, same result type")
    assert "'y'" not in await ready.run("print(sorted(n for n in dir() if not n.startswith('_')))")


async def test_a_fix_that_fails_is_offered_after_one_that_does_not(ask, ready: User, request_of) -> None:
    text = "@jax.jit\ndef f(t, p, q):\n    if t > 0:\n        return p\n    return q"
    cells = IMPORTS, text, "y = f(1.0, (jnp.ones(3),), (jnp.ones(3),))"
    (hint,) = await hints_in(ask, request_of, cells, "c1")
    assert [fix["title"] for fix in hint["fixes"]] == ["Use jnp.where", "Use lax.cond"]
    await verify(ask, ready, cells, hint["rule"], hint["fixes"])
    (hint,) = await hints_in(ask, request_of, cells, "c1")
    (first, good, message), (last, bad, words) = told(hint)
    assert (first, good, message) == ("Use lax.cond", True, "traces cleanly")
    assert (last, bad) == ("Use jnp.where", False) and words.startswith("still fails: `jnp.where(t > 0, p, q)`")


async def test_what_still_fails_is_named(ask, ready: User, request_of) -> None:
    text = "@jax.jit\ndef f(x):\n    if x > 0:\n        return x\n    return float(x)"
    cells = IMPORTS, text, CALL
    first, _ = await hints_in(ask, request_of, cells, "c1")
    await verify(ask, ready, cells, first["rule"], first["fixes"])
    first, _ = await hints_in(ask, request_of, cells, "c1")
    assert told(first)[0][1:] == (False, "still fails: `float(x)` needs the value of a traced array")


async def test_a_cell_that_ended_well_is_not_said_to_fail(ask, ready: User, request_of) -> None:
    text = "total = jnp.ones((2, 3))\ntotal[0].at[0].set(2.0)\ntotal = total @ jnp.ones(3)"
    await ready.run(text)
    await ready.told_idle()
    cells = IMPORTS, text
    (hint,) = await hints_in(ask, request_of, cells, "c1")
    await verify(ask, ready, cells, hint["rule"], hint["fixes"], ran=["c0", "c1"])
    (hint,) = await hints_in(ask, request_of, cells, "c1")
    assert all(each is None or each[1] for each in told(hint))


async def test_what_the_trace_does_not_reach_is_not_judged(ask, ready: User, request_of) -> None:
    cells = IMPORTS, DEFINE, "z = jnp.ones(3)"
    (hint,) = await hints_in(ask, request_of, cells, "c1")
    await verify(ask, ready, cells, hint["rule"], hint["fixes"])
    (hint,) = await hints_in(ask, request_of, cells, "c1")
    assert told(hint) == [None] * len(hint["fixes"])


@pytest.mark.parametrize("written, remark", [
    ("return jnp.where(x > 0, x, -x)", "same values"),
    ("return jnp.where(x > 0, x, -x) * (1 + 1e-6)", "same values (largest difference 2e-6)"),
    ("return jnp.where(x > 0, x, x)", "values differ: `y` by 4"),
    ("return jnp.where(x > 0, x, -x)[None]", "values differ: `y` is f32[1], was 2.0"),
])
async def test_values_are_compared_on_request(ask, ready: User, written: str, remark: str) -> None:
    cells = IMPORTS, DEFINE, CALL
    body = DEFINE[DEFINE.index("if x"):]
    fix = {"title": "Try", "applicability": "safe", "edits": [edit("c1", DEFINE, body, written)], "digests": {}}
    _, traced = await ask("trace", body=request(ready, *cells))
    fix["digests"] = {each["id"]: each["digest"] for each in traced["cells"] if each["id"] == "c1"}
    asked = [{"rule": "if-on-tracer", "fix": fix}]
    _, answer = await ask("trace", body=request(ready, *cells, action="compare", fixes=asked))
    assert answer["remark"] == remark


async def test_a_stale_fix_is_not_asked_about(ask, ready: User, request_of) -> None:
    cells = IMPORTS, DEFINE, CALL
    (hint,) = await hints_in(ask, request_of, cells, "c1")
    asked = [{"rule": hint["rule"], "fix": fix} for fix in hint["fixes"]]
    edited = IMPORTS, DEFINE + "\n", CALL
    for action, remark in (("verify", ""), ("compare", "no result to compare")):
        _, answer = await ask("trace", body=request(ready, *edited, action=action, fixes=asked[:1]))
        assert (answer["state"], answer["remark"]) == ("traced", remark)
    _, answer = await ask("trace", body=request(ready, *cells, action="verify", fixes=asked * 13))
    assert answer["code"] == "bad-request"


async def test_donated_buffers_of_the_user_survive_a_comparison(ask, ready: User) -> None:
    text = "from functools import partial\n@partial(jax.jit, donate_argnums=0)\ndef step(w):\n    print(w)\n    return w * 2"
    for cell in (text, "w = jnp.ones(4)"):
        await ready.run(cell)
    await ready.told_idle()
    cells = IMPORTS, text, "w = jnp.ones(4)", "out = step(w)"
    _, traced = await ask("trace", body=request(ready, *cells, ran=["c0", "c1", "c2"]))
    digests = {each["id"]: each["digest"] for each in traced["cells"] if each["id"] == "c1"}
    fix = {"title": "Try", "applicability": "safe", "edits": [edit("c1", text, "print(w)", "pass")], "digests": digests}
    asked = [{"rule": "print-under-trace", "fix": fix}]
    body = request(ready, *cells, action="compare", fixes=asked, ran=["c0", "c1", "c2"])
    _, answer = await ask("trace", body=body)
    assert answer["remark"] == "same values", answer
    assert await ready.run("print(w.is_deleted(), 'out' in dir(), w.sum())") == "False False 4.0\n"


async def test_the_browser_can_carry_a_verification(ask, ready: User, request_of) -> None:
    cells = IMPORTS, DEFINE, CALL
    (hint,) = await hints_in(ask, request_of, cells, "c1")
    asked = [{"rule": hint["rule"], "fix": fix} for fix in hint["fixes"]]
    for body in (request(ready, *cells, carrier="browser"),
                 request(ready, *cells, carrier="browser", action="verify", fixes=asked)):
        _, first = await ask("trace", body=body)
        replies = []
        for content in first["ask"]["questions"]:
            reply = await ready.carry(content)
            if reply["user_expressions"]["r"].get("data", {}).get("text/plain") == "'cold'":
                await ready.carry(first["ask"]["injection"])
                reply = await ready.carry(content)
            replies.append(reply)
        assert len(replies) == 2 if body.get("action") != "verify" else 1 + len(asked)
        _, answer = await ask("trace", body=body | {"replies": replies})
        assert answer["state"] in ("traced", "partly traced")
    (hint,) = await hints_in(ask, request_of, cells, "c1")
    assert told(hint)[0][2] == "traces cleanly"
