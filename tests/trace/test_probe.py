"""The probe's text: one source for every Python and JAX that is supported, and what it says to those that are not."""
from __future__ import annotations

import ast
import sys

import pytest
import vermin
from trace_kernels import NEWEST, Kernel, rules

from jupyterlab_jaxhints.trace.probe import OLDEST_PYTHON, probe_source, too_old_source
from jupyterlab_jaxhints.trace.request import State


def oldest_python(source: str) -> tuple[int, int]:
    """The first Python 3 with all the syntax and all the names of the standard library that a text uses."""
    return max(version for version in vermin.detect(source) if version)


def test_the_probe_runs_on_the_oldest_python() -> None:
    assert oldest_python(probe_source()) == OLDEST_PYTHON
    for newer in ("match 1:\n    case _:\n        pass\n", "import tomllib\n", "from itertools import pairwise\n"):
        assert oldest_python(probe_source() + newer) > OLDEST_PYTHON
    ast.parse(probe_source(), feature_version=OLDEST_PYTHON)
    assert oldest_python(too_old_source()) <= (3, 0)


def test_the_probe_imports_the_standard_library_and_nothing_else() -> None:
    found = set()
    for node in ast.walk(ast.parse(probe_source())):
        if isinstance(node, ast.Import):
            found.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            found.add(node.module.split(".")[0])
    assert len(found) > 10 and found <= sys.stdlib_module_names


@pytest.mark.parametrize("fresh", NEWEST, indirect=True)
@pytest.mark.parametrize("made_old, why", [
    ("import sys; sys.version_info = (3, 8, 18, 'final', 0)", "the trace needs Python 3.9 or later, this kernel has 3.8.18"),
    ("jax.__version__ = '0.4.29'", "the trace needs JAX 0.4.30 or later, this kernel has 0.4.29"),
])
def test_versions_that_are_too_old(fresh: Kernel, made_old: str, why: str) -> None:
    fresh.run("import jax, jax.numpy as jnp")
    fresh.run(made_old)
    for _ in range(2):
        answer = fresh.trace("jnp.ones(3)", guard=False)
        assert (answer.state, answer.why) == (State.NOT_PYTHON, why)
    facts = fresh.wait(fresh.carrier.ask({"op": "facts", "names": []}))
    assert (facts.state, facts.why) == (State.NOT_PYTHON, why)


@pytest.mark.parametrize("version", ["0.4.30", "0.4.30.dev20240618+cpu", "0.12.0", "1.0", "unknown"])
@pytest.mark.parametrize("running", NEWEST, indirect=True)
def test_versions_that_are_not(kernel: Kernel, version: str) -> None:
    kernel.run(f"jax.__version__, kept = {version!r}, jax.__version__")
    assert kernel.trace("jnp.ones(3)").state is State.TRACED
    kernel.run("jax.__version__ = kept")


def test_what_is_seen_before_an_unknown_program_stands(kernel: Kernel) -> None:
    """A JAX that is newer than the probe may write its programs down otherwise."""
    kernel.trace("jnp.ones(3)")
    kernel.run("import sys\nprobe = sys.modules['_jaxhints_probe']\nkept, probe.scan_counts = probe.scan_counts, None")
    answer = kernel.trace("y = lax.scan(lambda c, x: (c + x, x), 0.0, jnp.arange(3.0))\nz = jnp.ones(3) + jnp.ones(4)")
    kernel.run("probe.scan_counts = kept")
    assert (answer.state, rules(answer)) == (State.PARTLY, ["shape-mismatch"])
    assert answer.why.startswith("a part of this JAX's programs is unknown to the trace: TypeError")
