"""`jaxhints check --fix` and `--diff`: what is written, and what stays byte for byte."""
from __future__ import annotations

import json
from pathlib import Path

import pytest

IMPORT = "import jax.numpy as jnp\nx = jnp.zeros(3)\n"
STORE = "x[0] = 1\n"
FIXED = "x = x.at[0].set(1)\n"


def test_outputs_metadata_and_form_of_a_notebook_stay(jaxhints, folder: Path, notebook_text) -> None:
    text = notebook_text("#md é", IMPORT, "y = 'é'\n" + STORE + "z = 1", [IMPORT + STORE], ["x = ", "1\n"])
    (folder / "a.ipynb").write_text(text)
    result = jaxhints("check", "--fix")
    assert result.exit_code == 0 and result.stdout == "2 fixes applied. No hints in 1 file.\n"
    expected = text.replace('"x[0] = 1\\n"', '"x = x.at[0].set(1)\\n"')
    line = json.dumps(IMPORT + STORE)
    assert line in text
    indent = " " * 4
    parts = [json.dumps(part) for part in (IMPORT + FIXED).splitlines(True)]
    assert (folder / "a.ipynb").read_text() == expected.replace(line, f",\n{indent}".join(parts))


@pytest.mark.parametrize("kwargs", [{"indent": 2}, {"indent": "\t"}, {"separators": (",", ":")}, {"sort_keys": True}])
def test_other_writers_form_stays(jaxhints, folder: Path, notebook_text, kwargs: dict) -> None:
    book = json.loads(notebook_text(IMPORT, STORE))
    book["cells"][1]["source"] = STORE
    text = json.dumps(book, **kwargs).replace("\n", "\r\n")
    (folder / "a.ipynb").write_bytes(text.encode())
    jaxhints("check", "--fix")
    assert (folder / "a.ipynb").read_bytes() == text.replace('"x[0] = 1\\n"', '"x = x.at[0].set(1)\\n"').encode()


def test_a_file_without_fixes_is_not_touched(jaxhints, folder: Path, notebook_text) -> None:
    path = folder / "a.ipynb"
    path.write_text(notebook_text(IMPORT))
    path.chmod(0o444)
    before = path.stat().st_mtime_ns
    assert jaxhints("check", "--fix").exit_code == 0
    assert path.stat().st_mtime_ns == before


@pytest.mark.parametrize("data", [
    b"\xef\xbb\xbf" + (IMPORT + STORE).encode(),
    (IMPORT + STORE).replace("\n", "\r\n").encode(),
    ("# -*- coding: latin-1 -*-\ns = 'é'\n" + IMPORT + STORE).encode("latin-1"),
    ("# %%\n" + IMPORT + "# %%\n" + STORE.strip()).encode(),
], ids=["BOM", "CRLF", "Latin-1", "cells"])
def test_bytes_of_a_python_file_stay(jaxhints, folder: Path, data: bytes) -> None:
    (folder / "a.py").write_bytes(data)
    assert jaxhints("check", "--fix").exit_code == 0
    assert (folder / "a.py").read_bytes() == data.replace(b"x[0] = 1", b"x = x.at[0].set(1)")


def test_diff_shows_and_writes_nothing(jaxhints, folder: Path, notebook_text) -> None:
    text = notebook_text("#md", IMPORT + STORE)
    (folder / "a.ipynb").write_text(text)
    (folder / "b.py").write_text("# %%\n" + IMPORT + "# %%\n" + STORE)
    result = jaxhints("check", "--diff")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[:3] == ["--- a.ipynb:cell 2", "+++ a.ipynb:cell 2", "@@ -1,4 +1,4 @@"]
    assert lines.count("-x[0] = 1") == lines.count("+x = x.at[0].set(1)") == 2
    assert "@@ -4,3 +4,3 @@" in lines, "lines are counted in the file"
    assert (folder / "a.ipynb").read_text() == text
    (folder / "a.ipynb").unlink()
    (folder / "b.py").write_text(IMPORT)
    assert (jaxhints("check", "--diff").exit_code, jaxhints("check", "--diff").stdout) == (0, "")


def test_only_safe_fixes_unless_asked(jaxhints, folder: Path) -> None:
    text = IMPORT + "def f(a):\n    a[0] = 1\nf(x)\n"
    (folder / "a.py").write_text(text)
    result = jaxhints("check", "--fix")
    assert result.exit_code == 1 and (folder / "a.py").read_text() == text
    assert "1 more with --unsafe-fixes" in result.stdout
    assert jaxhints("check", "--fix", "--unsafe-fixes").exit_code == 0
    assert (folder / "a.py").read_text() == text.replace("a[0] = 1", "a = a.at[0].set(1)")


def test_an_unused_comment_is_taken_away(jaxhints, folder: Path) -> None:
    (folder / "a.py").write_text(IMPORT + "y = 1  # jaxhints: ignore[item-assignment] once\n# jaxhints: ignore\nz = 1\n")
    assert jaxhints("check", "--fix").exit_code == 0
    assert (folder / "a.py").read_text() == IMPORT + "y = 1\nz = 1\n"


def test_a_file_that_cannot_be_written_is_said(jaxhints, folder: Path, monkeypatch) -> None:
    (folder / "a.py").write_text(IMPORT + STORE)
    (folder / "b.py").write_text(IMPORT + STORE)
    real = Path.write_bytes

    def refuse(self: Path, data: bytes) -> int:
        if self.name == "a.py":
            raise PermissionError(13, "Permission denied")
        return real(self, data)

    monkeypatch.setattr(Path, "write_bytes", refuse)
    result = jaxhints("check", "--fix")
    assert result.exit_code == 2 and "a.py cannot be written: Permission denied." in result.stderr
    assert (folder / "a.py").read_text() == IMPORT + STORE and (folder / "b.py").read_text() == IMPORT + FIXED
