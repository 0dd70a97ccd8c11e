"""The endpoints on a real server: answers, digests, configuration, pages."""
from __future__ import annotations

import json
from pathlib import Path

import pytest

from jupyterlab_jaxhints import rules
from jupyterlab_jaxhints.protocol import AnalyzeResponse, RulePage, RulesResponse

IMPORT = "import jax.numpy as jnp\nx = jnp.zeros(3)"
STORE = "x[0] = 1"
RULE = "item-assignment"


async def test_an_array_made_in_one_cell_is_known_in_another(ask, request_of, hints_of) -> None:
    status, answer = await ask("analyze", body=request_of(IMPORT, "y = 2", STORE))
    assert status == 200 and AnalyzeResponse.model_validate(answer).complete
    assert hints_of(answer) == {"c0": [], "c1": [], "c2": [RULE]}
    (hint,) = answer["cells"][2]["diagnostics"]
    assert (hint["severity"], hint["certainty"], hint["kind"]) == ("error", "certain", "error")
    assert hint["range"] == {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 8}}
    fix = hint["fixes"][0]
    assert fix["edits"][0]["cell"] == "c2" and fix["digests"]["c2"] == answer["cells"][2]["digest"]
    assert hint["ignore"]["edits"][0]["new_text"] == f"  # jaxhints: ignore[{RULE}]"


async def test_only_the_edited_cell_is_answered_when_asked_so(ask, request_of, hints_of) -> None:
    body = request_of(IMPORT, STORE, STORE, edited="c2", cursor_line=0, scope="edited")
    _, answer = await ask("analyze", body=body)
    assert hints_of(answer) == {"c2": [RULE]} and answer["complete"] is False
    _, answer = await ask("analyze", body=body | {"edited": "gone"})
    assert set(hints_of(answer)) == {"c0", "c1", "c2"} and answer["complete"] is True


async def test_texts_that_the_server_holds_may_be_left_out(ask, request_of, hints_of) -> None:
    _, first = await ask("analyze", body=request_of(IMPORT, STORE))
    digests = {cell["id"]: cell["digest"] for cell in first["cells"]}
    body = request_of("", STORE + "\nx[1] = 2")
    body["cells"][0] = {"id": "c0", "digest": digests["c0"]}
    _, second = await ask("analyze", body=body)
    assert hints_of(second) == {"c0": [], "c1": [RULE, RULE]}
    assert second["cells"][0]["digest"] == digests["c0"] and second["cells"][1]["digest"] != digests["c1"]


async def test_texts_that_the_server_lacks_are_asked_for(ask, request_of) -> None:
    body = request_of(IMPORT, STORE)
    body["cells"][0] = {"id": "c0", "digest": "0" * 20}
    status, answer = await ask("analyze", body=body)
    assert status == 200
    assert answer == {"cells": [], "missing": ["c0"], "complete": False, "notes": []}


async def test_settings_choose_rules_and_severities(ask, request_of, hints_of) -> None:
    _, answer = await ask("analyze", body=request_of(IMPORT, STORE, settings={"ignore": [RULE]}))
    assert hints_of(answer) == {"c0": [], "c1": []}
    _, answer = await ask("analyze", body=request_of(IMPORT, STORE, settings={"severity": {RULE: "hint"}}))
    assert answer["cells"][1]["diagnostics"][0]["severity"] == "hint"


async def test_the_project_file_beside_a_notebook_counts(ask, request_of, hints_of, jp_root_dir: Path) -> None:
    folder = jp_root_dir / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text(f'[tool.jaxhints]\nignore = ["{RULE}"]\n')
    body = request_of(IMPORT, STORE) | {"notebook": "project/deep/a.ipynb"}
    assert hints_of((await ask("analyze", body=body))[1])["c1"] == []
    assert hints_of((await ask("analyze", body=body | {"notebook": "other/a.ipynb"}))[1])["c1"] == [RULE]
    assert hints_of((await ask("analyze", body=body | {"notebook": "../../project/a.ipynb"}))[1])["c1"] == [RULE]
    (folder / "pyproject.toml").write_text('[tool.jaxhints]\nignored = []\n')
    _, answer = await ask("analyze", body=body)
    assert hints_of(answer)["c1"] == [RULE]
    assert "unknown key `ignored`; the nearest is `ignore`" in answer["notes"][0]["message"]


async def test_ids_of_hints_stay_while_lines_move(ask, request_of) -> None:
    _, before = await ask("analyze", body=request_of(IMPORT, STORE + "\n" + STORE))
    _, after = await ask("analyze", body=request_of("y = 1\n" + IMPORT, "\n\n" + STORE + "\n" + STORE))
    ids = [[hint["id"] for hint in answer["cells"][1]["diagnostics"]] for answer in (before, after)]
    assert ids[0] == ids[1] and len(set(ids[0])) == 2


async def test_comments_silence_and_idle_ones_are_found(ask, request_of, hints_of) -> None:
    cells = [IMPORT, STORE + f"  # jaxhints: ignore[{RULE}] on purpose", f"y = 1  # jaxhints: ignore[{RULE}]"]
    _, answer = await ask("analyze", body=request_of(*cells))
    assert hints_of(answer) == {"c0": [], "c1": [], "c2": ["unused-suppression"]}
    (hint,) = answer["cells"][2]["diagnostics"]
    assert hint["severity"] == "hint" and hint["fixes"][0]["applicability"] == "safe"
    assert hint["fixes"][0]["edits"][0]["new_text"] == ""
    _, answer = await ask("analyze", body=request_of(*cells, settings={"ignore": [RULE]}))
    assert hints_of(answer)["c2"] == [], "a comment for a rule that is off is left alone"


async def test_a_notebook_without_jax_is_answered_without_being_read(ask, request_of) -> None:
    status, answer = await ask("analyze", body=request_of("x[0] = = 1", "def"))
    assert status == 200
    assert [(cell["diagnostics"], cell["broken"]) for cell in answer["cells"]] == [([], False)] * 2


async def test_the_table_of_rules(ask) -> None:
    status, answer = await ask("rules")
    listed = RulesResponse.model_validate(answer).rules
    assert status == 200 and {rule.name for rule in listed} == set(rules.names())
    assert next(rule for rule in listed if rule.name == "unused-suppression").fixable


async def test_a_rules_page_is_markdown(ask) -> None:
    status, answer = await ask("rules", "unused-suppression")
    page = RulePage.model_validate(answer)
    assert status == 200 and page.title and "## What JAX does" in page.markdown


async def test_a_page_of_no_rule_is_not_found(ask) -> None:
    status, answer = await ask("rules", "no-such-rule")
    assert (status, answer["code"]) == (404, "unknown-rule") and "no-such-rule" in answer["message"]


async def test_the_tour_is_a_notebook(ask) -> None:
    status, answer = await ask("tour")
    assert status == 200 and answer["nbformat"] == 4 and answer["cells"]


@pytest.mark.parametrize("path", ["analyze", "rules", "rules/item-assignment", "tour"])
async def test_nobody_is_answered_without_a_token(path: str, http_server_client, jp_base_url, worker) -> None:
    url = jp_base_url.rstrip("/") + "/jaxhints/api/" + path
    options = {"method": "POST", "body": "{}"} if path == "analyze" else {}
    response = await http_server_client.fetch(url, raise_error=False, follow_redirects=False, **options)
    assert response.code == 403
    assert json.loads(response.body)["code"] == "forbidden"
    assert worker.pid is None, "nothing was started for a stranger"
