"""Each row of the table of removed names, tried on the JAX that runs here."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import jax
import pytest

from jupyterlab_jaxhints.knowledge import removed, tables

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "knowledge" / "check_removed.py"
IS_NEW = tables.parse_version(jax.__version__) >= tables.FIRST_NEW


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> list[dict]:
    """The rows with what this JAX has."""
    folder = tmp_path_factory.mktemp("removed")
    (folder / "removed.json").write_text((tables.DATA / "removed.json").read_text())
    subprocess.run([sys.executable, str(SCRIPT), str(folder)], check=True, timeout=250)
    return json.loads((folder / "removed.json").read_text())


def test_this_jax_has_what_the_table_says(tried: list[dict]) -> None:
    half = "newest" if IS_NEW else "oldest"
    # a row about a module that itself needs a package which is not installed here says nothing
    here = {(row["name"], *row.get("keywords", ()), row.get("form")): row["has"][half] for row in tried}
    for row in removed.rows():
        status = row.status(jax.__version__)
        if status != "unknown":
            assert here[(row.name, *row.keywords, row.form)] == (status not in ("removed", "missing")), (
                row.name
            )


def test_replacements_exist_in_the_newest_jax() -> None:
    rows = [
        row
        for row in removed.rows()
        if row.replacement and row.replacement.name and row.replacement.name.startswith("jax")
    ]
    assert len(rows) > 100
    assert [row.name for row in rows if not row.replacement.has["newest"]] == []


def test_names_in_templates_are_parameters_or_public_names() -> None:
    for row in removed.rows():
        template = row.replacement.template if row.replacement else None
        for placeholder in re.findall(r"\{\*?([^}=]+)", template or ""):
            known = {name.lstrip("*") for name in row.replacement.parameters or ()}
            assert placeholder == "self" or placeholder in known or "." in placeholder, row.name


@pytest.mark.parametrize(
    "name, jax_version, status",
    [
        ("jax.tree_map", None, "removed"),
        ("jax.tree_map", "0.6.0", "removed"),
        ("jax.tree_map", "0.5.3", "deprecated"),
        ("jax.tree_map", "0.4.25", "present"),
        ("jax.experimental.pjit.pjit", "0.9.0", "deprecated"),
        ("jax.random.PRNGKey", "0.9.0", "legacy"),
        ("jax.ArrayRef", "0.4.30", "missing"),
    ],
)
def test_status_by_release(name: str, jax_version: str | None, status: str) -> None:
    assert removed.name(name).status(jax_version) == status


def test_rows_are_found_by_what_is_written() -> None:
    assert removed.importing("jax.config").replacement.name == "jax.config"
    assert removed.name("jax.config") is None
    assert removed.method("device_buffer").replacement.template == "{self}.addressable_data(0)"
    assert {row.keywords for row in removed.keywords("jax.numpy.clip")} == {("a_min",), ("a_max",), ("a",)}
    assert removed.calls("jax.numpy.array")[0].form == "argument None"
