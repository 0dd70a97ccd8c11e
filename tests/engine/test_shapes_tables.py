"""The promotion tables are those of the JAX and NumPy that are installed."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path

import jax
import pytest

from jupyterlab_jaxhints.engine.shapes.dtypes import tables

SCRIPT = Path(__file__).parents[2] / "scripts" / "knowledge" / "measure_dtypes.py"


@pytest.fixture
def measure():
    spec = importlib.util.spec_from_file_location("measure_dtypes", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield module
    jax.config.update("jax_enable_x64", before)


def test_jax_promotes_as_the_table_says(measure):
    assert measure.jax_tables() == tables()["jax"]


def test_numpy_promotes_as_the_table_says(measure):
    assert measure.numpy_tables() == tables()["numpy"]
