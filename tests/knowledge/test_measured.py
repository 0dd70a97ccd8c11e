"""The measured tables say what the JAX that runs here does: they are made anew and compared."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import pytest

from jupyterlab_jaxhints.knowledge import tables

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts" / "knowledge"
MADE_BY = {
    "make_api.py": ("api.json", "aliases.json", "stars.json"),
    "make_tracers.py": ("numpy_on_tracer.json", "builtins_on_tracer.json", "methods.json"),
    "make_transforms.py": ("transforms.json",),
    "make_at_methods.py": ("at_methods.json",),
}


def half(content: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Which release the running JAX stands for, and the table for it."""
    release = "oldest" if tables.parse_version(jax.__version__) < tables.FIRST_NEW else "newest"
    rows = {**content["entries"], **(content["oldest"] if release == "oldest" else {})}
    return release, {name: row for name, row in rows.items() if row is not None}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all tables, made by the JAX that runs here."""
    folder = tmp_path_factory.mktemp("tables")
    for script in MADE_BY:
        subprocess.run([sys.executable, str(SCRIPTS / script), str(folder)], check=True, timeout=1500)
    return folder


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", [name for names in MADE_BY.values() for name in names])
def test_table_is_what_jax_does(made: Path, name: str) -> None:
    recorded = json.loads((tables.DATA / name).read_text())
    release, expected = half(recorded)
    _, measured = half(json.loads((made / name).read_text()))
    if recorded["jax"][release] == jax.__version__:
        assert measured == expected
    else:
        compare_other_release(recorded, measured)


def compare_other_release(recorded: dict[str, Any], measured: dict[str, Any]) -> None:
    """A release between or beyond the measured ones: what both agree on holds here too, as to what a call
    gives."""
    settled = {
        name: row
        for name, row in recorded["entries"].items()
        if name not in recorded["oldest"] and name in measured
    }
    results = {
        name: row["result"] for name, row in settled.items() if isinstance(row, dict) and "result" in row
    }
    assert {name: measured[name].get("result") for name in results} == results
