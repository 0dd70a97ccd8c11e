"""Notebooks and Python files as cells; what cannot be read is said in one sentence."""
from __future__ import annotations

import json

import pytest

from jupyterlab_jaxhints.engine.cells import Cell, read_bytes, read_file
from jupyterlab_jaxhints.errors import SourceError


def notebook(*cells: dict, **more) -> bytes:
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells), **more}).encode()


def code(source, **more) -> dict:
    return {"cell_type": "code", "source": source, "outputs": [], "execution_count": None, "metadata": {}, **more}


MARKDOWN = {"cell_type": "markdown", "source": "# Title", "metadata": {}}


def test_code_cells_keep_their_number_among_all_cells() -> None:
    source = read_bytes(notebook(MARKDOWN, code("a = 1", id="x"), MARKDOWN, code(["b = 2\n", "c"])), "n.ipynb")
    assert source.cells == (Cell("x", "a = 1", 2), Cell("cell-4", "b = 2\nc", 4))
    assert source.kind == "notebook"


def test_every_cell_has_an_id_of_its_own() -> None:
    source = read_bytes(notebook(code("a", id="cell-2"), code("b"), code("c", id="cell-2")), "n.ipynb")
    ids = [cell.id for cell in source.cells]
    assert len(set(ids)) == 3
    assert ids[0] == "cell-2"


def test_texts_come_as_they_are() -> None:
    text = "x = '\ud800'\r\ny = '\u2028'\x0c\n"
    assert read_bytes(notebook(code(text)), "n.ipynb").cells[0].text == text


@pytest.mark.parametrize("metadata", [
    {"kernelspec": {"language": "julia"}}, {"language_info": {"name": "R"}},
])
def test_notebooks_in_other_languages_have_no_cells(metadata: dict) -> None:
    assert read_bytes(notebook(code("a"), metadata=metadata), "n.ipynb").cells == ()


def test_old_notebooks_are_read_too() -> None:
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"metadata": {}, "cells": [
        {"cell_type": "heading", "level": 1, "source": "T", "metadata": {}},
        {"cell_type": "code", "input": "x = 1", "language": "python", "outputs": [], "metadata": {}},
    ]}]}
    assert [(cell.text, cell.number) for cell in read_bytes(json.dumps(old).encode(), "n.ipynb").cells] == [("x = 1", 2)]


@pytest.mark.parametrize(("data", "error", "says"), [
    (b"", "empty-file", "n.ipynb is empty."),
    (b"  \n", "empty-file", "n.ipynb is empty."),
    (b'{"nbformat": 4,', "broken-json", "line 1"),
    (b"\x89PNG\x00\x01", "binary-file", "binary"),
    (b"\xff\xfe{}", "binary-file", "UTF-8"),
    (b"[1, 2]", "not-a-notebook", "`nbformat`"),
    (b'{"cells": []}', "not-a-notebook", "`nbformat`"),
    (b'{"nbformat": 4}', "not-a-notebook", "list of cells"),
    (b'{"nbformat": 4, "cells": [7]}', "not-a-notebook", "cell 1"),
    (b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": 7}]}', "not-a-notebook", "cell 1"),
    (b'{"nbformat": 3, "worksheets": 7}', "not-a-notebook", "old notebook"),
    (b"[" * 100_000, "broken-json", "n.ipynb"),
])
def test_what_is_no_notebook_is_refused_with_a_reason(data: bytes, error: str, says: str) -> None:
    with pytest.raises(SourceError) as caught:
        read_bytes(data, "n.ipynb")
    assert caught.value.code == error
    assert says in caught.value.message
    assert caught.value.status == 422


def test_a_python_file_is_one_cell() -> None:
    source = read_bytes(b"import jax\r\nx = 1\r\n", "a.py")
    assert source.cells == (Cell("script", "import jax\r\nx = 1\r\n"),)


def test_a_python_file_is_cut_at_its_cell_markers() -> None:
    text = "import jax\n\n# %% first\nx = 1\n#%%\ny = '''\n'''\n# %%time is no marker\n"
    cells = read_bytes(text.encode(), "a.py").cells
    assert [cell.first_line for cell in cells] == [0, 2, 4]
    assert "".join(cell.text for cell in cells) == text
    assert cells[1].text == "# %% first\nx = 1\n"


@pytest.mark.parametrize(("data", "text"), [
    (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "# -*- coding: latin-1 -*-\nx = 'é'\n"),
    (b"\xef\xbb\xbfx = 1\n", "x = 1\n"),
    (b"", ""),
])
def test_python_files_are_decoded_as_python_does(data: bytes, text: str) -> None:
    assert read_bytes(data, "a.py").cells[0].text == text


@pytest.mark.parametrize(("data", "error"), [(b"x = 1\x00", "binary-file"), (b"x = '\xe9'", "not-text"),
                                             (b"# coding: nonsense\n", "not-text")])
def test_what_is_no_python_text_is_refused(data: bytes, error: str) -> None:
    with pytest.raises(SourceError) as caught:
        read_bytes(data, "a.py")
    assert caught.value.code == error


def test_a_missing_file_is_named(tmp_path) -> None:
    with pytest.raises(SourceError, match=r"gone\.py"):
        read_file(tmp_path / "gone.py")
