"""SciPy's functions raise on a tracer as the table says, and JAX has the twins that it names."""
from __future__ import annotations

import operator

import jax
import pytest
import scipy.special
import scipy.stats

from jupyterlab_jaxhints.knowledge import scipy_on_tracer as table

NAMES = [f"special.{name}" for name in sorted(table.SPECIAL | table.SPECIAL_ALONE)]
NAMES += [f"stats.{d}.{method}" for d in sorted(table.CONTINUOUS) for method in ("pdf", "logcdf", "ppf")]
EXTRA = {"beta": 2, "chi2": 1, "gamma": 1, "pareto": 1, "t": 1, "truncnorm": 2}  # shapes that a distribution takes


def arguments(name: str, function) -> int:
    if name.startswith("special."):
        return function.nin
    return 1 + EXTRA.get(name.split(".")[1], 0)


@pytest.mark.parametrize("transform", [jax.jit, jax.grad])
@pytest.mark.parametrize("name", NAMES)
def test_a_tracer_raises(name: str, transform) -> None:
    function = operator.attrgetter(name)(scipy)
    count = arguments(name, function)
    with pytest.raises(jax.errors.TracerArrayConversionError):
        transform(lambda x: function(x, *[0.5] * (count - 1)))(0.5)


@pytest.mark.parametrize("name", NAMES)
def test_the_twin_is_there(name: str) -> None:
    twin = table.twin(f"scipy.{name}")
    assert twin is not None
    if twin:
        assert callable(operator.attrgetter(twin.removeprefix("jax."))(jax))


def test_other_functions_are_not_spoken_of() -> None:
    assert table.twin("scipy.special.logsumexp") is None
    assert table.twin("scipy.stats.norm.rvs") is None
    assert table.twin("scipy.optimize.minimize") is None
