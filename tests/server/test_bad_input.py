"""Bad input: each ends in an ordinary answer or a clear message, and the next request is answered."""
from __future__ import annotations

import json

import pytest

from jupyterlab_jaxhints.protocol import ErrorResponse

IMPORT = "import jax.numpy as jnp\nx = jnp.zeros(3)"
STORE = "x[0] = 1"
RULE = "item-assignment"


async def still_answers(ask, request_of, hints_of) -> None:
    status, answer = await ask("analyze", body=request_of(IMPORT, STORE))
    assert status == 200 and hints_of(answer)["c1"] == [RULE]


@pytest.mark.parametrize(
    ("body", "status", "code", "words"),
    [
        (b'{"notebook": "a", "cells": [', 400, "bad-json", "not JSON"),
        (b" ", 400, "bad-json", "empty"),
        (bytes(range(256)) * 4, 400, "bad-json", "not JSON"),
        (b"\xff\xfe\x00\xd8", 400, "bad-json", "not JSON"),
        (b"[" * 100_000 + b"]" * 100_000, 400, "bad-json", "nested too deeply"),
        (b"[]", 400, "bad-request", "dictionary"),
        (b'{"notebook": "a"}', 400, "bad-request", "cells"),
        (b'{"notebook": "a", "cells": [{"id": "c", "text": 3}]}', 400, "bad-request", "cells.0.text"),
        (b'{"notebook": "a", "cells": [], "colour": 1}', 400, "bad-request", "colour"),
        (b'{"notebook": "a", "cells": [{"id": "c", "text": ""}, {"id": "c", "text": ""}]}', 400, "duplicate-cell", "`c`"),
        (b'{"notebook": "a", "cells": [], "cursor_line": -1}', 400, "bad-request", "cursor_line"),
    ],
    ids=["broken JSON", "empty", "binary", "UTF-16 rubbish", "deep JSON", "a list", "no cells", "a number for text",
         "unknown key", "two cells of one id", "negative line"],
)
async def test_a_request_that_is_none_is_refused(ask, request_of, hints_of, body, status, code, words) -> None:
    got, answer = await ask("analyze", body=body)
    assert (got, ErrorResponse.model_validate(answer).code) == (status, code)
    assert words in answer["message"] and len(answer["message"]) < 300
    await still_answers(ask, request_of, hints_of)


async def test_a_request_of_50_megabytes_is_refused(ask, request_of, hints_of, worker) -> None:
    status, answer = await ask("analyze", body=b'{"notebook": "' + b"a" * 50_000_000 + b'", "cells": []}')
    assert (status, answer["code"]) == (413, "too-large") and "50,000,0" in answer["message"]
    assert worker.pid is None, "it is not handed on"
    await still_answers(ask, request_of, hints_of)


async def test_a_broken_cell_does_not_silence_the_others(ask, request_of, hints_of) -> None:
    cells = [IMPORT, "def f(:\n    return (1", STORE, "y = 1\nfor\nx[1] = 2"]
    _, answer = await ask("analyze", body=request_of(*cells))
    assert hints_of(answer) == {"c0": [], "c1": [], "c2": [RULE], "c3": [RULE]}
    assert [cell["broken"] for cell in answer["cells"]] == [False, True, False, True]


async def test_halves_of_surrogate_pairs_are_read(ask, request_of, hints_of) -> None:
    body = json.dumps(request_of(IMPORT, "s = '\ud83d'; x[0] = 1")).encode("ascii")
    assert b"\\ud83d" in body
    status, answer = await ask("analyze", body=body)
    assert status == 200 and hints_of(answer)["c1"] == [RULE]
    assert answer["cells"][1]["diagnostics"][0]["range"]["start"]["character"] == 9


async def test_windows_line_ends_and_columns_after_an_emoji(ask, request_of, hints_of) -> None:
    _, answer = await ask("analyze", body=request_of(IMPORT.replace("\n", "\r\n"), "y = 1\r\n'😀'; x[0] = 1\r\n"))
    (hint,) = answer["cells"][1]["diagnostics"]
    assert hint["range"]["start"] == {"line": 1, "character": 6}


@pytest.mark.parametrize(
    "text",
    ["y = " + "(" * 200 + "1" + ")" * 200, "y = " + "[" * 5000, "y = " + "not " * 20_000 + "x", "y = x" + ".a" * 9_000,
     "y = " + " + ".join(["x"] * 9_000), "y = 1\n" * 170_000, "s = '" + "a" * 1_000_000 + "'",
     "y = [" + "1, " * 330_000 + "]"],
    ids=["200 brackets", "5000 open brackets", "not not", "long chain", "long sum", "1 MB of lines", "1 MB string",
         "1 MB list"],
)
async def test_code_that_overwhelms_parsers_is_left_out(ask, request_of, hints_of, worker, text: str) -> None:
    status, answer = await ask("analyze", body=request_of(IMPORT, text, STORE))
    assert status == 200
    assert hints_of(answer) == {"c0": [], "c1": [], "c2": [RULE]}
    assert answer["cells"][1]["broken"] or "Not analysed" in answer["notes"][0]["message"]
    pid = worker.pid
    await still_answers(ask, request_of, hints_of)
    assert worker.pid == pid, "the worker has lived through it"
