"""The command line in a folder of its own."""
from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from jupyterlab_jaxhints.cli import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def jaxhints(folder: Path) -> Callable[..., Result]:
    """Runs the command; what it prints and its status are in the result."""

    def run(*arguments: str, stdin: bytes | str | None = None) -> Result:
        result = CliRunner().invoke(main, list(arguments), input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


def notebook_text(*cells: Sequence[str] | str, **metadata: Any) -> str:
    """A notebook as nbformat writes it; a cell that begins with `#md` is Markdown, a list keeps its form."""
    made = []
    for index, cell in enumerate(cells):
        text = cell if isinstance(cell, str) else "".join(cell)
        if text.startswith("#md"):
            made.append({"cell_type": "markdown", "id": f"m{index}", "metadata": {}, "source": text.splitlines(True)})
            continue
        source = cell.splitlines(True) if isinstance(cell, str) else list(cell)
        output = {"name": "stdout", "output_type": "stream", "text": ["é ‹out›\n", "😀"]}
        made.append({"cell_type": "code", "execution_count": index, "id": f"c{index}", "metadata": {"tags": ["x"]},
                     "outputs": [output], "source": source})
    metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}} | metadata
    book = {"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, indent=1, ensure_ascii=False) + "\n"


@pytest.fixture(name="notebook_text")
def notebook_text_fixture() -> Callable[..., str]:
    return notebook_text
