"""The tables about libraries around JAX: well formed everywhere, and tried where the libraries are
installed."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from jupyterlab_jaxhints.knowledge import keys, tables, transforms

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts" / "knowledge"
LIBRARIES = ("flax", "equinox", "diffrax", "numpyro", "blackjax", "haiku", "distrax", "brax", "optax", "chex")
INSTALLED = {name for name in LIBRARIES if importlib.util.find_spec(name)}


def made(script: str, table: str, folder: Path) -> dict:
    """The table, made anew in this environment."""
    subprocess.run([sys.executable, str(SCRIPTS / script), str(folder)], check=True, timeout=1500)
    return json.loads((folder / table).read_text())


@pytest.mark.timeout(1800)
def test_keys_of_installed_libraries(tmp_path: Path) -> None:
    recorded = tables.load_plain("keys.json")["keys"]
    here = {name: row for name, row in recorded.items() if name.split(".")[0] in {"jax", *INSTALLED}}
    assert len(here) >= 16
    assert made("make_keys.py", "keys.json", tmp_path)["keys"] == here


@pytest.mark.timeout(1800)
def test_transforms_of_installed_libraries(tmp_path: Path) -> None:
    recorded = tables.load_plain("library_transforms.json")
    assert {name.split(".")[0] for name in recorded} == {"flax", "equinox", "haiku", "optax", "chex"}
    if INSTALLED >= {name.split(".")[0] for name in recorded}:
        assert made("make_library_transforms.py", "library_transforms.json", tmp_path) == recorded


@pytest.mark.parametrize("name", sorted(transforms.names()))
def test_functions_of_a_transform_are_parameters(name: str) -> None:
    row = transforms.transform(name)
    assert row is not None and row.functions and row.form in ("wrap", "now", "loop")
    if name not in ("jax.custom_jvp.defjvps",):
        assert {part for part in row.seen} <= set(row.functions)


@pytest.mark.parametrize(
    "name, place",
    [
        ("jax.random.normal", 0),
        ("jax.random.split", 0),
        ("flax.linen.Module.init", 0),
        ("haiku.Transformed.apply", 1),
        ("equinox.nn.Linear", None),
    ],
)
def test_key_is_used_up(name: str, place: int | None) -> None:
    assert keys.use(name).effect == "consumes"
    assert keys.use(name).place == place


@pytest.mark.parametrize(
    "name",
    [
        "jax.random.fold_in",
        "jax.random.key_data",
        "jax.nn.initializers.zeros",
        "jax.numpy.sum",
        "somewhere.f",
    ],
)
def test_key_is_not_used_up(name: str) -> None:
    assert keys.use(name) is None


def test_what_a_function_gives_has_methods_that_are_known() -> None:
    assert keys.use(f"{keys.gives('haiku.transform')}.init").place == 0
    assert keys.use(f"{keys.gives('blackjax.nuts')}.step").parameter == "rng_key"
