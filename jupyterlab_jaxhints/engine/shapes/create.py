"""Functions that make arrays: from shapes, from numbers, like others."""

from __future__ import annotations

import math
from typing import Any

from ..values import MISSING, NUMBER, Value
from . import constants, dtypes
from .broadcast import put
from .operands import Ask, Operand, Parts, details, jaxed, operand
from .registry import answers, like, promote, settled


def strong(ask: Ask) -> bool | None:
    return None if ask.numpy else False


@answers("zeros ones empty", "shape dtype")
def zeros(ask: Ask) -> dict[str, Any]:
    shape, dtype = ask.dims("shape"), ask.dtype("float64")
    number = {"zeros": 0, "ones": 1}.get(ask.name.rpartition(".")[2], MISSING)
    return details(shape, dtype, strong(ask), constants.filled(constants.cast(number, dtype), shape))


@answers("full", "shape fill_value dtype")
@answers("full", "shape fill_value dtype", "jax.lax")
def full(ask: Ask) -> dict[str, Any]:
    found = ask.array("fill_value")
    shape = ask.dims("shape")
    return filled(ask, shape, found, found.typed)


def filled(ask: Ask, shape: tuple | None, number: Operand, default: dtypes.Typed) -> dict[str, Any]:
    """One number in a shape; its dtype counts unless another is asked for."""
    asked = ask.dtype(dtypes.DEFAULT)
    dtype, weak = settled(ask, default) if asked == dtypes.DEFAULT else (asked, strong(ask))
    return details(shape, dtype, weak, constants.filled(constants.cast(number.const, dtype), shape))


@answers("zeros_like ones_like empty_like", "a dtype shape")
@answers("full_like", "a fill_value dtype shape")
@answers("full_like", "a fill_value dtype shape", "jax.lax")
@answers("zeros_like_array", "a", "jax.lax")
def alike(ask: Ask) -> dict[str, Any]:
    found = ask.array("a")
    if ask.value("a") is not None and found.side == "sequence" and not ask.numpy:
        return {}
    shape = ask.dims("shape") if ask.has("shape") else found.shape if ask.has("shape") is False else None
    short = ask.name.rpartition(".")[2]
    if short == "full_like":
        number = ask.array("fill_value")
        if number.shape != ():
            return {**filled(ask, shape, Operand(), found.typed)}
    else:
        number = Operand(const={"zeros_like": 0, "ones_like": 1}.get(short, MISSING))
    return filled(ask, shape, number, found.typed)


@answers("array asarray asanyarray ascontiguousarray asfortranarray from_dlpack", "object dtype")
def array(ask: Ask) -> dict[str, Any]:
    value = ask.value("object")
    if value is None:
        return {}
    if ask.value("ndmin") is not None:
        return details(
            None, literal(value, ask.parts, ask.x64, ask.numpy, ask.dtype(dtypes.DEFAULT)).get("dtype")
        )
    return literal(value, ask.parts, ask.x64, ask.numpy, ask.dtype(dtypes.DEFAULT))


def literal(
    value: Value, parts: Parts, x64: bool | None, numpy: bool = False, asked: str | None = dtypes.DEFAULT
) -> dict[str, Any]:
    """The array made of a number, an array or nested lists."""
    found = operand(value, parts)
    taken = found if numpy else jaxed(found, x64)
    if asked != dtypes.DEFAULT:
        return details(taken.shape, asked, None if numpy else False, constants.cast(found.const, asked))
    dtype = dtypes.strong(taken.dtype)
    dtype = dtype if numpy else dtypes.canonical(dtype, x64)
    if found.side in ("python", "sequence"):
        const = constants.cast(taken.const, dtype)
    else:
        const = taken.const
    if dtypes.category(dtype) in ("int", "uint") and dtypes.overflow(const, dtype) is not None:
        dtype, const = None, MISSING
    weak = None if numpy else taken.weak
    if found.side == "sequence" and weak is not None and not numpy:
        weak = False
    return details(taken.shape, dtype, weak, const)


SCALARS = (
    "bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128 "
    "int_ uint float_ complex_ half single double csingle cdouble"
)


@answers(SCALARS, "x")
def scalar_class(ask: Ask) -> dict[str, Any]:
    """`jnp.float32(x)`: a cast."""
    dtype = dtypes.spelled(ask.name.rpartition(".")[2])
    value = ask.value("x")
    dtype = dtype if ask.numpy else dtypes.canonical(dtype, ask.x64)
    if value is None:
        return details((), dtype)
    return literal(value, ask.parts, ask.x64, ask.numpy, dtype)


@answers("dtype", "dtype")
def dtype_object(ask: Ask) -> dict[str, Any]:
    """`jnp.dtype("float64")` names a dtype; nothing is cut to 32 bits."""
    return details(None, dtypes.parse(ask.value("dtype")))


# --- ranges -----------------------------------------------------------------------------------------------------------


@answers("arange", "start stop step dtype")
def arange(ask: Ask) -> dict[str, Any]:
    given = [ask.value(name) for name in ("start", "stop", "step")]
    operands = [ask.array(name) for name in ("start", "stop", "step") if ask.value(name) is not None]
    start, stop, step = (MISSING if v is None else v.const if v.known else None for v in given)
    if stop is MISSING:
        start, stop = 0, start
    start, step = (0 if start is MISSING else start), (1 if step is MISSING else step)
    asked = ask.dtype(dtypes.DEFAULT)
    typed = (asked, None) if asked != dtypes.DEFAULT else promote(ask, operands)
    dtype = settled(ask, typed)[0]
    if any(not isinstance(number, (int, float)) for number in (start, stop, step)):
        return details((None,), dtype, strong(ask))
    if not all(map(math.isfinite, (start, stop, step))) or not step:
        return {}
    count = max(math.ceil((stop - start) / step), 0)
    if any(isinstance(number, float) and not number.is_integer() for number in (start, stop, step)):
        return details((None if _close(start, stop, step) else count,), dtype, strong(ask))
    const = MISSING
    if count <= constants.LIMIT:
        const = constants.cast(tuple(start + i * step for i in range(count)), dtype)
    return details((count,), dtype, strong(ask), const)


def _close(start: float, stop: float, step: float) -> bool:
    """The number of steps is so near to a whole one that rounding decides."""
    steps = (stop - start) / step
    return abs(steps - round(steps)) < 1e-3


@answers("linspace", "start stop num endpoint retstep dtype axis")
@answers("logspace", "start stop num endpoint base dtype axis")
@answers("geomspace", "start stop num endpoint dtype axis")
def linspace(ask: Ask) -> dict[str, Any]:
    if ask.flag("retstep") is not False:
        return {}
    ends = [ask.array("start"), ask.array("stop")]
    count = ask.integer("num", 50)
    asked = ask.dtype(dtypes.DEFAULT)
    typed = promote(ask, ends)
    if asked == dtypes.DEFAULT:
        if ask.numpy:
            asked = (
                "float64"
                if dtypes.category(typed[0]) in ("bool", "int", "uint") or typed[0] == "float64"
                else None
            )
        else:
            asked = dtypes.inexact_jax(typed, ask.x64)[0]
            asked = (
                asked
                if all(o.side == "python" for o in ends) or dtypes.category(typed[0]) == "float"
                else None
            )
    if any(o.shape is None for o in ends) or ask.axis("axis", 0) != 0:
        return details(None, asked, strong(ask))
    shape = (None if count is MISSING else count, *max((o.shape for o in ends), key=len))
    if any(len(o.shape) for o in ends):
        shape = (*shape[:1], *(None,) * (len(shape) - 1))
    return details(shape, asked, strong(ask))


@answers("eye tri", "N M k dtype")
def eye(ask: Ask) -> dict[str, Any]:
    n = ask.integer("N", MISSING)
    m = n if ask.has("M") is False else ask.integer("M", MISSING)
    # `jnp.tri` has 32 bits whatever the mode
    default = "float32" if ask.name == "jax.numpy.tri" else "float64"
    return details(tuple(None if d is MISSING else d for d in (n, m)), ask.dtype(default), strong(ask))


@answers("identity", "n dtype")
def identity(ask: Ask) -> dict[str, Any]:
    n = ask.integer("n", MISSING)
    return details((None if n is MISSING else n,) * 2, ask.dtype("float64"), strong(ask))


@answers("hamming hanning blackman bartlett", "M")
def window(ask: Ask) -> dict[str, Any]:
    n = ask.integer("M", MISSING)
    return details((None if n is MISSING else n,), "float64" if ask.numpy else None)


@answers("iota", "dtype size", "jax.lax")
def iota(ask: Ask) -> dict[str, Any]:
    n = ask.integer("size", MISSING)
    return details((None if n is MISSING else n,), ask.dtype(None), False)


@answers("broadcasted_iota", "dtype shape dimension", "jax.lax")
def broadcasted_iota(ask: Ask) -> dict[str, Any]:
    return details(ask.dims("shape"), ask.dtype(None), False)


@answers("tril triu", "m k")
def triangle(ask: Ask) -> dict[str, Any]:
    found = ask.array("m")
    return like(ask, found, found.shape)


@answers("diag", "v k")
def diag(ask: Ask) -> dict[str, Any]:
    found, k = ask.array("v"), ask.integer("k", 0)
    dtype = settled(ask, found.typed)[0]
    if found.shape is None:
        return details(None, dtype)
    if len(found.shape) == 1:
        size = None if found.shape[0] is None or k is MISSING else found.shape[0] + abs(k)
        return details((size, size), dtype)
    return details(
        (diagonal_size(found.shape[0], found.shape[1], k),) if len(found.shape) == 2 else None, dtype
    )


def diagonal_size(rows: int | None, columns: int | None, k: Any) -> int | None:
    if None in (rows, columns) or k is MISSING:
        return None
    return max(min(rows, columns - k) if k >= 0 else min(rows + k, columns), 0)


@answers("diagonal", "a offset axis1 axis2")
def diagonal(ask: Ask) -> dict[str, Any]:
    found = ask.array("a")
    dtype = settled(ask, found.typed)[0]
    if found.shape is None or len(found.shape) != 2 or ask.value("axis1") or ask.value("axis2"):
        return details(None, dtype)
    return details((diagonal_size(*found.shape, ask.integer("offset", 0)),), dtype)


@answers("diagflat", "v k")
def diagflat(ask: Ask) -> dict[str, Any]:
    found = ask.array("v")
    return details((None, None), settled(ask, found.typed)[0])


@answers("vander", "x N increasing")
def vander(ask: Ask) -> dict[str, Any]:
    shape, n = ask.array("x").shape, ask.integer("N")
    if not shape:
        return {}
    return details((shape[0], shape[0] if n is None else None if n is MISSING else n))


def is_number(value: Value | None) -> bool:
    return value is not None and value.must_be(NUMBER)


__all__ = ["array", "is_number", "literal", "put"]
