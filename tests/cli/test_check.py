"""`jaxhints check`: what it reads, what it prints, what it answers with."""
from __future__ import annotations

import json
from pathlib import Path

import pytest

IMPORT = "import jax.numpy as jnp\nx = jnp.zeros(3)\n"
STORE = "x[0] = 1\n"
RULE = "item-assignment"
MESSAGE = "`x` is a JAX array: item assignment raises"


def found(result) -> list[tuple]:
    return [(item["filename"], item["cell"], item["code"], item["location"]["row"], item["location"]["column"])
            for item in json.loads(result.stdout)]


def test_json_counts_cells_from_one_markdown_included(jaxhints, folder: Path, notebook_text) -> None:
    (folder / "a.ipynb").write_text(notebook_text("#md title", IMPORT, "#md", "'😀é'; " + STORE))
    result = jaxhints("check", "--output-format", "json", "a.ipynb")
    assert result.exit_code == 1
    (item,) = json.loads(result.stdout)
    edit = {"location": {"row": 1, "column": 7}, "end_location": {"row": 1, "column": 15},
            "content": "x = x.at[0].set(1)"}
    assert item["filename"] == "a.ipynb" and item["cell"] == 4 and item["message"] == MESSAGE
    assert item["code"] == item["name"] == RULE and item["severity"] == "error"
    assert item["location"] == edit["location"] and item["end_location"] == edit["end_location"]
    assert item["fix"]["applicability"] == "safe" and item["fix"]["edits"] == [edit]
    assert item["fix"] == item["fixes"][0] and item["certainty"] == "certain" and item["lane"] == "reading"
    assert item["url"].startswith("https://") and item["evidence"]


def test_python_files_have_rows_of_the_file_and_no_cell(jaxhints, folder: Path) -> None:
    (folder / "a.py").write_text(IMPORT)
    (folder / "b.py").write_text("# %% one\n" + IMPORT + "# %% two\n" + STORE)
    assert found(jaxhints("check", "--output-format", "json")) == [("b.py", None, RULE, 5, 1)]


def test_nothing_found_is_status_0(jaxhints, folder: Path, notebook_text) -> None:
    (folder / "a.ipynb").write_text(notebook_text("import numpy as np\nx = np.zeros(3)\n" + STORE, "import jax"))
    result = jaxhints("check")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "No hints in 1 file.\n", "")


def test_full_text_shows_code_reason_and_fix(jaxhints, folder: Path, notebook_text) -> None:
    (folder / "a.ipynb").write_text(notebook_text(IMPORT, "if True:\n\ty = '漢'; " + STORE))
    out = jaxhints("check").stdout
    head, *lines = out.splitlines()
    assert head == f"a.ipynb:cell 2:2:11: error {RULE} {MESSAGE}"
    assert lines[:4] == ["  |", "1 | if True:", "2 |     y = '漢'; x[0] = 1", "  |               ^^^^^^^^"]
    assert "   = fix: Use .at[0].set" in lines
    assert "     - \ty = '漢'; x[0] = 1" in lines and "     + \ty = '漢'; x = x.at[0].set(1)" in lines
    assert lines[-1] == "1 hint in 1 file: 1 error. 1 fixable with --fix."


def test_concise_text_is_one_line_a_hint(jaxhints, folder: Path) -> None:
    (folder / "a.py").write_text(IMPORT + STORE)
    assert jaxhints("check", "--output-format", "concise").stdout.splitlines()[0] == f"a.py:3:1: error {RULE} {MESSAGE}"


def test_github_annotations(jaxhints, folder: Path, notebook_text) -> None:
    (folder / "a,b.py").write_text(IMPORT + STORE)
    (folder / "c.ipynb").write_text(notebook_text(IMPORT + STORE))
    assert jaxhints("check", "--output-format", "github").stdout.splitlines() == [
        f"::error title=jaxhints ({RULE}),file=a%2Cb.py,line=3,col=1,endLine=3,endColumn=9::3:1: {RULE} {MESSAGE}",
        f"::error title=jaxhints ({RULE}),file=c.ipynb::cell 1:3:1: {RULE} {MESSAGE}",
    ]


def test_sarif_names_rules_places_and_failures(jaxhints, folder: Path, notebook_text) -> None:
    (folder / "a b.py").write_text(IMPORT + STORE)
    (folder / "c.ipynb").write_text(notebook_text(IMPORT, STORE))
    (folder / "d.ipynb").write_text("{")
    result = jaxhints("check", "--output-format", "sarif")
    (run,) = json.loads(result.stdout)["runs"]
    (rule,) = run["tool"]["driver"]["rules"]
    assert rule["id"] == RULE and rule["helpUri"].startswith("https://") and rule["help"]["markdown"]
    script, notebook = run["results"]
    assert script["locations"] == [{"physicalLocation": {
        "artifactLocation": {"uri": "a%20b.py"},
        "region": {"startLine": 3, "startColumn": 1, "endLine": 3, "endColumn": 9}}}]
    assert notebook["locations"][0]["logicalLocations"][0]["name"] == "cell 2, line 1"
    assert notebook["level"] == "error" and notebook["ruleIndex"] == 0
    assert run["invocations"][0]["executionSuccessful"] is False and result.exit_code == 2


def test_select_and_ignore_take_rules_and_sections(jaxhints, folder: Path) -> None:
    (folder / "a.py").write_text(IMPORT + STORE + "y = 1  # jaxhints: ignore\n")

    def rules(*arguments: str) -> list[str]:
        return [item[2] for item in found(jaxhints("check", "--output-format", "json", *arguments))]

    assert rules() == [RULE, "unused-suppression"]
    assert rules("--select", "in-place updates") == [RULE]
    assert rules("--ignore", f"{RULE},suppression") == []
    assert rules("--select", RULE, "--ignore", "in-place-updates") == [RULE]


def test_a_rule_that_does_not_exist_is_named_with_the_nearest(jaxhints) -> None:
    result = jaxhints("check", "--select", "item-asignment")
    assert result.exit_code == 2
    assert result.stderr == "jaxhints: --select: no rule or section is called `item-asignment`; the nearest is `item-assignment`\n"


def test_the_project_file_and_the_notebook_choose(jaxhints, folder: Path, notebook_text) -> None:
    (folder / "pyproject.toml").write_text(f'[tool.jaxhints.severity]\n{RULE} = "information"\n')
    (folder / "a.ipynb").write_text(notebook_text(IMPORT + STORE, jaxhints={"ignore": [RULE]}))
    (folder / "b.ipynb").write_text(notebook_text(IMPORT + STORE, jaxhints={"severty": {}}))
    result = jaxhints("check", "--output-format", "concise")
    assert result.stdout.splitlines()[0] == f"b.ipynb:cell 1:3:1: information {RULE} {MESSAGE}"
    assert "b.ipynb metadata: unknown key `severty`; the nearest is `severity`" in result.stderr
    (folder / "pyproject.toml").write_text("[tool.jaxhints]\nselekt = []\n")
    result = jaxhints("check")
    assert result.exit_code == 2
    assert result.stderr.count("unknown key `selekt`; the nearest is `select`") == 1


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.ipynb", b'{"cells": [', "not JSON"),
        ("a.ipynb", b"", "empty"),
        ("a.ipynb", b"\x89PNG\r\n\x1a\n\x00\x00", "binary"),
        ("a.ipynb", b"[1]", "not a notebook"),
        ("a.ipynb", b"\xff\xfe", "not UTF-8"),
        ("a.ipynb", b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": [1]}]}', "cell 1"),
        ("a.py", b"\x00\x01", "binary"),
        ("a.py", b"x = '\xff'", "UTF-8"),
        ("gone.py", None, "No such file"),
    ],
    ids=["broken JSON", "empty", "PNG", "a list", "UTF-16", "odd source", "binary .py", "Latin-1", "missing"],
)
def test_a_bad_file_is_one_message_and_stops_no_other(jaxhints, folder: Path, name: str, data, words: str) -> None:
    if data is not None:
        (folder / name).write_bytes(data)
    (folder / "good.py").write_text(IMPORT + STORE)
    result = jaxhints("check", "--output-format", "json", name, "good.py")
    assert result.exit_code == 2 and [item[0] for item in found(result)] == ["good.py"]
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"jaxhints: {name}") and words in line


def test_a_cell_that_does_not_parse_is_said_and_the_rest_is_checked(jaxhints, folder: Path, notebook_text) -> None:
    (folder / "a.ipynb").write_text(notebook_text(IMPORT, "def f(:\n", STORE))
    result = jaxhints("check", "--output-format", "json")
    assert result.exit_code == 1 and [item[1] for item in found(result)] == [3]
    assert result.stderr == "jaxhints: a.ipynb: cell 2: A statement does not parse; what does parse is checked\n"


def test_code_that_is_left_out_is_said(jaxhints, folder: Path, notebook_text) -> None:
    (folder / "a.ipynb").write_text(notebook_text(IMPORT, "y = " + "[" * 60 + "]" * 60, STORE))
    result = jaxhints("check", "--output-format", "json")
    assert [item[1] for item in found(result)] == [3]
    assert result.stderr.startswith("jaxhints: a.ipynb: cell 2: Not analysed: more than 50 brackets")


def test_an_empty_python_file_and_notebooks_of_other_languages(jaxhints, folder: Path, notebook_text) -> None:
    (folder / "a.py").write_text("")
    other = {"kernelspec": {"language": "julia", "name": "julia"}}
    (folder / "b.ipynb").write_text(notebook_text("x[0] = 1; import jax", **other))
    assert jaxhints("check").exit_code == 0


def test_an_old_notebook_is_read_and_never_written(jaxhints, folder: Path) -> None:
    cell = {"cell_type": "code", "collapsed": False, "input": [IMPORT, STORE], "language": "python", "metadata": {},
            "outputs": []}
    text = json.dumps({"metadata": {"name": "old"}, "nbformat": 3, "nbformat_minor": 0,
                       "worksheets": [{"cells": [cell], "metadata": {}}]})
    (folder / "old.ipynb").write_text(text)
    assert [item[2] for item in found(jaxhints("check", "--output-format", "json"))] == [RULE]
    result = jaxhints("check", "--fix")
    assert result.exit_code == 2 and "old notebook format" in result.stderr
    assert (folder / "old.ipynb").read_text() == text


def test_standard_input(jaxhints, folder: Path, notebook_text) -> None:
    result = jaxhints("check", "--output-format", "json", "-", stdin=IMPORT + STORE)
    assert result.exit_code == 1 and found(result) == [("-", None, RULE, 3, 1)]
    text = notebook_text(IMPORT, STORE)
    result = jaxhints("check", "--output-format", "json", "--stdin-filename", "n.ipynb", "-", stdin=text)
    assert found(result) == [("n.ipynb", 2, RULE, 1, 1)]
    result = jaxhints("check", "--fix", "--stdin-filename", "n.ipynb", "-", stdin=text)
    assert result.exit_code == 0 and result.stdout == text.replace('"x[0] = 1\\n"', '"x = x.at[0].set(1)\\n"')
    assert list(folder.iterdir()) == []


def test_several_processes_give_the_same(jaxhints, folder: Path, notebook_text) -> None:
    for index in range(4):
        (folder / f"{index}.ipynb").write_text(notebook_text(IMPORT, STORE * index))
    (folder / "bad.ipynb").write_text("{")
    one = jaxhints("check", "--output-format", "json", "--jobs", "1")
    two = jaxhints("check", "--output-format", "json", "--jobs", "2")
    assert (one.stdout, one.stderr, one.exit_code) == (two.stdout, two.stderr, two.exit_code)
    assert len(json.loads(one.stdout)) == 6


def test_statistics_count_rules_and_time_them(jaxhints, folder: Path) -> None:
    (folder / "a.py").write_text(IMPORT + STORE + STORE)
    out = jaxhints("check", "--statistics").stdout
    (line,) = [line for line in out.splitlines() if line.startswith("    2  ")]
    assert RULE in line and "2 fixable" in line and line.endswith(" ms")


def test_help_names_every_option_and_version_is_there(jaxhints) -> None:
    out = jaxhints("check", "--help").stdout
    for option in ("--fix", "--unsafe-fixes", "--diff", "--select", "--ignore", "--output-format", "--statistics",
                   "--jobs", "--stdin-filename", "--trace", "--device-checks", "--timeout"):
        assert option in out
    assert jaxhints("--version").stdout.startswith("jaxhints, version ")


def test_a_rules_page_and_the_table(jaxhints) -> None:
    assert jaxhints("rule", "unused-suppression").stdout.startswith("# A comment that silences nothing\n")
    result = jaxhints("rule", "unused-supression")
    assert result.exit_code == 2 and "the nearest is `unused-suppression`" in result.stderr
    assert jaxhints("rule", "suppression").exit_code == 2
    assert f"\n  {RULE} " in jaxhints("rules").stdout and "in-place updates\n" in jaxhints("rules").stdout
    assert RULE in [rule["name"] for rule in json.loads(jaxhints("rules", "--output-format", "json").stdout)["rules"]]


def test_a_new_rule_is_written_where_it_belongs(jaxhints, folder: Path) -> None:
    result = jaxhints("new-rule", "odd-habit", "--section", "In-place updates", "--kind", "silent", "--folder", ".")
    assert result.stdout == "in_place_updates/odd_habit.py\n"
    assert 'kind="silent"' in (folder / "in_place_updates" / "odd_habit.py").read_text()
    assert jaxhints("new-rule", "Odd", "--section", "jit", "--folder", ".").exit_code == 2


def test_a_trace_confirms_what_was_read_and_says_what_a_cell_raised(jaxhints, folder: Path, notebook_text) -> None:
    (folder / "a.ipynb").write_text(notebook_text(IMPORT, STORE, "y = 1 / 0"))
    result = jaxhints("check", "--trace", "--timeout", "30", "--output-format", "json")
    (item,) = json.loads(result.stdout)
    assert (item["code"], item["lane"], item["certainty"], item["severity"]) == (RULE, "both", "certain", "error")
    second, third = result.stderr.splitlines()
    assert second.startswith("jaxhints: a.ipynb: cell 2 raises TypeError: JAX arrays are immutable")
    assert third == "jaxhints: a.ipynb: cell 3 raises ZeroDivisionError: division by zero"
