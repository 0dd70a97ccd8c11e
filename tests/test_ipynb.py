"""Writing sources into a notebook file: nothing but the changed lines changes."""
from __future__ import annotations

import json

import pytest

from jupyterlab_jaxhints.ipynb import with_sources

LINES = 'a = 1\nb = "é\\n😀"\nc = 3'
NOTEBOOK = {
    "metadata": {"cells": [], "source": "not this"},
    "cells": [
        {"cell_type": "markdown", "source": ["# source\n", "cells"], "metadata": {}},
        {"cell_type": "code", "source": LINES.splitlines(keepends=True), "outputs": [{"text": '[]{}"\\ é\u2028'}]},
        {"cell_type": "code", "metadata": {"source": "\\"}, "source": LINES},
        {"cell_type": "code", "source": []},
        {"cell_type": "code", "source": ["one line"]},
    ],
    "nbformat": 4,
}
STYLES = {
    "nbformat": {"indent": 1, "ensure_ascii": False},
    "escaped": {"indent": 1},
    "one line": {},
    "compact": {"separators": (",", ":"), "ensure_ascii": False},
    "tabs": {"indent": "\t"},
}


def sources(text: str) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(text.lstrip("\ufeff"))["cells"]]


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
@pytest.mark.parametrize("new", ['a = 1\nb = "é\\n😀"\nd = "ü"\nc = 3\n', "c = 3", "", '"\\\\"\n\n\n', LINES])
def test_a_changed_source_is_written_as_the_same_writer_would(style: dict, new: str) -> None:
    text = json.dumps(NOTEBOOK, **style)
    changed = with_sources(text, {1: new, 2: new})
    expected = json.loads(text)
    expected["cells"][1]["source"] = new.splitlines(keepends=True)
    expected["cells"][2]["source"] = new
    assert changed == json.dumps(expected, **style)


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_lists_that_were_empty_or_had_one_line_grow(style: dict) -> None:
    changed = with_sources(json.dumps(NOTEBOOK, **style), {3: "x\ny\n", 4: "x\ny"})
    assert sources(changed)[3:] == ["x\ny\n", "x\ny"]
    assert changed.count("\n") - json.dumps(NOTEBOOK, **style).count("\n") in (0, 4)


def test_escapes_of_lines_that_stay_are_kept() -> None:
    text = '{"cells": [{"source": ["\\u0061 = \\"\\/\\"\\n", "b"]}, {"source": "\\u0061\\u000ab\\nc"}]}'
    changed = with_sources(text, {0: 'a = "/"\nc', 1: "a\nb\nd"})
    assert changed == '{"cells": [{"source": ["\\u0061 = \\"\\/\\"\\n", "c"]}, {"source": "\\u0061\\nb\\nd"}]}'


def test_odd_but_valid_notebooks_are_written_too() -> None:
    text = '\ufeff\r\n{"cells":[{"source":"old","source" :\r\n["x", " = 1\\n", "y = 2\\nz = 3"] ,"id":1}],"cell":0}\r\n'
    changed = with_sources(text, {0: "x = 1\ny = 2\nz = 4"})
    assert sources(changed) == ["x = 1\ny = 2\nz = 4"]
    assert changed.startswith('\ufeff\r\n{"cells":[{"source":"old","source" :\r\n["')
    assert changed.endswith('] ,"id":1}],"cell":0}\r\n')


def test_a_lone_surrogate_can_be_written() -> None:
    changed = with_sources('{"cells": [{"source": "a = 1 # \\ud83d é"}]}', {0: "a = 2 # \ud83d é"})
    assert changed.encode("utf-8") and sources(changed) == ["a = 2 # \ud83d é"]
