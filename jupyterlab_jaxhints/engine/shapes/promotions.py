"""What JAX and NumPy each make of one operation."""

from __future__ import annotations

from ..values import Value
from . import dtypes
from .operands import jaxed, operand
from .registry import numpy_typed


def promotion(left: Value, right: Value, x64: bool | None = True) -> tuple[str | None, str | None]:
    """The dtypes of `left + right` in JAX and in NumPy, each None when it is not known."""
    a, b = (operand(value, lambda _: []) for value in (left, right))
    jax_dtype = dtypes.promote_jax([jaxed(a, x64).typed, jaxed(b, x64).typed], x64)[0]
    if any(o.weak and o.side == "jax" for o in (a, b)):
        return jax_dtype, None
    return jax_dtype, dtypes.promote_numpy([numpy_typed(a), numpy_typed(b)])
