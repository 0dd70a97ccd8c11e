"""Kernels of the trace's tests: one for each JAX to test in, cleaned between tests; a fresh one on request."""
from __future__ import annotations

import importlib.util
import pathlib
import sys
from collections.abc import Iterator

import pytest

spec = importlib.util.spec_from_file_location("trace_kernels", pathlib.Path(__file__).with_name("kernels.py"))
kernels = importlib.util.module_from_spec(spec)
sys.modules["trace_kernels"] = kernels
spec.loader.exec_module(kernels)

IMPORTS = "import jax, jax.numpy as jnp, numpy as np\nfrom jax import lax"


@pytest.fixture(scope="session", params=kernels.PYTHONS)
def running(request: pytest.FixtureRequest) -> Iterator[kernels.Kernel]:
    kernel = kernels.Kernel(request.param)
    yield kernel
    kernel.close()


@pytest.fixture
def kernel(running: kernels.Kernel) -> kernels.Kernel:
    """A kernel with JAX imported and nothing else in its namespace."""
    running.reset()
    running.run(IMPORTS)
    return running


@pytest.fixture(params=kernels.PYTHONS)
def fresh(request: pytest.FixtureRequest) -> Iterator[kernels.Kernel]:
    """A kernel that the test may break."""
    kernel = kernels.Kernel(request.param)
    yield kernel
    kernel.close()
