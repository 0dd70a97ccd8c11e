"""Which files of a folder are read: what git would, without other people's packages."""
from __future__ import annotations

import subprocess
from pathlib import Path

from jupyterlab_jaxhints.discovery import find

FILES = [
    "a.py", "b.ipynb", "c.txt", "out/x.py", "keep/out/y.py", "logs/l1.py", "logs/keep.py", "sub/deep/z.ipynb",
    "sub/only/here.py", "sub/.gitignore", "node_modules/m.py", ".venv/lib/v.py", "sub/a b.py", "tmp1.py", "tmp_x.py",
    "doc/gen/index.py", "doc/src/gen/index.py", "sub/deep/.ipynb_checkpoints/z-checkpoint.ipynb", "x/[odd].py",
]
IGNORE = "# comment\n\n/out\nlogs/*\n!logs/keep.py\ntmp?.py\ndoc/**/gen/\n*.pyc\n\\!x.py\ntrailing.py  \n"


def tree(root: Path) -> None:
    for name in FILES:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n")
    (root / ".gitignore").write_text(IGNORE)
    (root / "sub" / ".gitignore").write_text("only/\n")


def test_the_same_files_as_git_lists(tmp_path: Path) -> None:
    tree(tmp_path)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    listed = subprocess.run(["git", "ls-files", "-z", "--others", "--exclude-standard", "*.py", "*.ipynb"],
                            cwd=tmp_path, check=True, capture_output=True, text=True).stdout.split("\0")
    skipped = ("node_modules/", ".venv/", "sub/deep/.ipynb_checkpoints/")
    expected = {name for name in listed if name and not name.startswith(skipped)}
    assert {path.relative_to(tmp_path).as_posix() for path in find([tmp_path])} == expected
    below = {path.relative_to(tmp_path).as_posix() for path in find([tmp_path / "logs"])}
    assert below == {"logs/keep.py"}


def test_a_file_that_is_named_is_read_whatever_it_is_and_once(tmp_path: Path) -> None:
    tree(tmp_path)
    named = [tmp_path / "logs" / "l1.py", tmp_path / "c.txt", tmp_path / "sub", tmp_path / "sub" / "a b.py"]
    assert [path.relative_to(tmp_path).as_posix() for path in find(named)] == [
        "logs/l1.py", "c.txt", "sub/a b.py", "sub/deep/z.ipynb"]
