"""What all tests share: JAX on the CPU, and a real Jupyter server."""
from __future__ import annotations

import gc
import os

import pytest
from hypothesis import settings

os.environ.setdefault("JAX_PLATFORMS", "cpu")

# The same random programs on every run, so that a red run can be made again.
settings.register_profile("same", derandomize=True, print_blob=True)
settings.load_profile("same")

pytest_plugins = ("pytest_jupyter.jupyter_server",)


@pytest.fixture(autouse=True, scope="module")
def collector_skips_what_is_there() -> None:
    """Resetting a shell collects garbage; going through all that earlier modules left would take a second each time."""
    gc.freeze()
