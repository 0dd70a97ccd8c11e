"""Methods and attributes of arrays."""

from __future__ import annotations

from typing import Any

from ..callables import Argument
from ..values import DTYPE, JAX, MISSING, NONE, NUMBER, NUMPY, SEQUENCE, TUPLE, Value, constant, tuple_of
from . import broadcast as shapes
from . import constants, dtypes
from .arrange import matrix_order
from .operands import Operand, Parts, common, details, dims, integer, jaxed, operand

# methods that are the function of the same name with the array as its first argument
FUNCTIONS = frozenset(
    "all any argmax argmin argsort astype clip conj conjugate copy cumprod cumsum diagonal dot max mean min prod ptp "
    "ravel repeat round squeeze std sum swapaxes take trace var searchsorted block_until_ready".split()
)
SEVERAL = frozenset({"nonzero"})
AT_WRITES = frozenset("set add subtract sub multiply mul min max apply".split())
AT_MAY_WIDEN = frozenset("divide div power pow".split())
ORDERS = {"sort", "partition"}  # NumPy's work in place and give None


def method(
    name: str, base: Value, args: tuple[Argument, ...], parts: Parts, x64: bool | None, call: Any
) -> dict[str, Any]:
    """Details of `base.name(…)`; `call` answers for functions."""
    short = name.rpartition(".")[2]
    if not base.must_be(JAX | NUMPY):
        return {}
    if name.startswith("at."):
        return updated(short, base)
    if base.must_be(JAX):
        return _method(short, base, args, parts, x64, "jax.numpy", call)
    if base.must_be(NUMPY):
        return _method(short, base, args, parts, x64, "numpy", call)
    return common(
        _method(short, base, args, parts, x64, "jax.numpy", call),
        _method(short, base, args, parts, x64, "numpy", call),
    )


def updated(short: str, base: Value) -> dict[str, Any]:
    """`x.at[i].set(y)`: the array's own shape and dtype."""
    if short in AT_WRITES:
        return details(base.shape, base.dtype, False if base.weak is False else None)
    if short in AT_MAY_WIDEN:
        return details(
            base.shape, base.dtype if dtypes.category(base.dtype) in ("float", "complex") else None
        )
    return {}


def _method(
    short: str, base: Value, args: tuple, parts: Parts, x64: bool | None, library: str, call: Any
) -> dict:
    found = operand(base, parts)
    numpy = library == "numpy"
    if short in SHAPED:
        return SHAPED[short](found, args, parts)
    if short in ("astype", "view"):
        return converted(short, found, args, numpy, x64)
    if short in ("item", "tolist"):
        return {"const": found.const} if found.const is not MISSING and not args and found.shape == () else {}
    if short in ORDERS and numpy:
        return {}
    if short == "block_until_ready":
        return _same(found)
    if short in FUNCTIONS or short in ORDERS:
        return call(f"{library}.{short}", (Argument(base, None), *args), parts, x64)
    if short in ("to_device", "__array__", "addressable_data") or short == "copy":
        return details(found.shape, found.dtype)
    return {}


def _same(found: Operand, shape: Any = MISSING, const: Any = MISSING) -> dict[str, Any]:
    """The array's dtype, and its shape unless another is given."""
    weak = found.weak if found.side == "jax" else None
    if shape is MISSING:
        return details(found.shape, found.dtype, weak, found.const)
    return details(shape, found.dtype, weak, const)


def _wanted(args: tuple[Argument, ...], parts: Parts, keyword: str) -> tuple | None:
    """A shape or axes given as one tuple or as several numbers."""
    plain = [arg for arg in args if not arg.keyword]
    if any(arg.star for arg in args):
        return None
    if not plain:
        named = next((arg.value for arg in args if arg.keyword == keyword), None)
        return None if named is None else dims(named, parts)
    if len(plain) == 1:
        return dims(plain[0].value, parts)
    return tuple(integer(arg.value) for arg in plain)


def _reshape(found: Operand, args: tuple, parts: Parts) -> dict[str, Any]:
    shape = shapes.reshaped(found.shape, _wanted(args, parts, "shape"))
    ordered = any(arg.keyword == "order" for arg in args)
    return _same(found, shape, MISSING if ordered else constants.reshaped(found.const, shape))


def _transpose(found: Operand, args: tuple, parts: Parts) -> dict[str, Any]:
    if not args or len(args) == 1 and args[0].value.must_be(NONE):
        return _same(found, shapes.permuted(found.shape))
    order = _wanted(args, parts, "axes")
    return _same(found, shapes.permuted(found.shape, MISSING if order is None or None in order else order))


def _flatten(found: Operand, args: tuple, parts: Parts) -> dict[str, Any]:
    shape = (None,) if found.shape is None else (shapes.product(found.shape),)
    return _same(found, shape, MISSING if args else constants.reshaped(found.const, shape))


SHAPED = {"reshape": _reshape, "transpose": _transpose, "flatten": _flatten, "ravel": _flatten}


def converted(
    short: str, found: Operand, args: tuple[Argument, ...], numpy: bool, x64: bool | None
) -> dict[str, Any]:
    """`astype`, `view`."""
    value = next(
        (a.value for a in args if a.keyword == "dtype"),
        args[0].value if args and not args[0].keyword else None,
    )
    dtype = dtypes.parse(value)
    if value is not None and dtype == dtypes.DEFAULT:
        dtype = None
    if dtype == dtypes.DEFAULT:
        return {}
    dtype = dtype if numpy else dtypes.canonical(dtype, x64)
    if short == "view":
        same = dtype and found.dtype and dtype.lstrip("uintflocmpexb") == found.dtype.lstrip("uintflocmpexb")
        return details(found.shape if same and "bool" not in (dtype, found.dtype) else None, dtype)
    weak = None if numpy else False if dtype else None
    return details(found.shape, dtype, weak, constants.cast(found.const, dtype))


# --- attributes -------------------------------------------------------------------------------------------------------

A_DIMENSION = Value(NUMBER, dtype="int")


def attribute(name: str, base: Value) -> dict[str, Any] | Value | None:
    """`base.name`: details of an array (T, mT, real, imag), the Value of shape, ndim, size, dtype; None otherwise."""
    if name == "shape":
        return shape_value(base.shape)
    if name == "ndim":
        return A_DIMENSION if base.shape is None else constant(len(base.shape))
    if name == "size":
        return A_DIMENSION if base.size is None else constant(base.size)
    if name == "dtype":
        return Value(DTYPE, dtype=base.dtype)
    found = Operand(base.shape, base.dtype, base.weak, base.const, "jax" if base.must_be(JAX) else "")
    if name == "T":
        return _same(found, shapes.permuted(found.shape), found.const if found.rank == 1 else MISSING)
    if name in ("mT", "mH"):
        return _same(found, shapes.permuted(found.shape, matrix_order(found.rank)))
    if name in ("real", "imag"):
        real = dtypes.REAL_PART.get(found.dtype or "")
        return details(found.shape, real or found.dtype)
    return None


def shape_value(shape: tuple | None) -> Value:
    """A shape as the tuple that the user sees."""
    if shape is None:
        return Value(SEQUENCE, flags=TUPLE)
    return tuple_of([A_DIMENSION if dim is None else constant(dim) for dim in shape])


def static(name: str, value: Value, parts: Parts, axis: Any = None) -> Value | None:
    """`jnp.shape(x)`, `jnp.ndim(x)`, `jnp.size(x)`, `len(x)`: numbers, also under a trace. None for other functions."""
    short = name.rpartition(".")[2]
    found = operand(value, parts)
    shape = found.shape if found.side in ("jax", "numpy", "python", "sequence") else None
    if short == "len":
        return (
            constant(shape[0]) if shape and shape[0] is not None and found.side != "python" else A_DIMENSION
        )
    if short == "shape":
        return shape_value(shape)
    if short == "ndim":
        return A_DIMENSION if shape is None else constant(len(shape))
    if short == "size":
        if shape is None or axis is not None:
            return A_DIMENSION
        total = shapes.product(shape)
        return A_DIMENSION if total is None else constant(total)
    return None


__all__ = ["attribute", "converted", "jaxed", "method", "shape_value", "static"]
