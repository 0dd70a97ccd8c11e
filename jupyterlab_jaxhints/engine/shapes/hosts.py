"""NumPy's own: functions that jax.numpy has not."""

from __future__ import annotations

from typing import Any

from ..values import MISSING
from .operands import Ask, details, integer
from .registry import answers


@answers("rand randn", "*dims", "numpy.random")
def rand(ask: Ask) -> dict[str, Any]:
    return details(tuple(integer(value) for value in ask.rest), "float64") if ask.rest else {}


@answers("random random_sample ranf standard_normal standard_exponential", "size", "numpy.random")
@answers("normal uniform laplace gumbel logistic lognormal", "a b size", "numpy.random")
@answers("exponential rayleigh", "a size", "numpy.random")
@answers("randint", "low high size dtype", "numpy.random")
def draw(ask: Ask) -> dict[str, Any]:
    """With `size` alone there is no doubt about the shape."""
    if not ask.has("size"):
        return {}
    whole = ask.name.endswith("randint")
    return details(ask.dims("size"), None if whole else "float64")


@answers("permutation", "x", "numpy.random")
def permutation(ask: Ask) -> dict[str, Any]:
    found = ask.array("x")
    if found.shape == ():
        number = integer(ask.value("x"))
        return details((number if number is not None else None,))
    return details(found.shape, found.dtype)


__all__ = ["MISSING", "draw", "permutation", "rand"]
