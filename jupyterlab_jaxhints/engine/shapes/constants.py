"""Constants of small arrays: Python numbers, in nested tuples. What is kept is exact or nothing is.

A constant says what the array holds once its numbers are rounded to the array's dtype: 0.1 stands for the float32
nearest to it. So arithmetic is only done where every number is one that the dtype has.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable
from typing import Any

from ..values import MISSING
from . import dtypes
from .broadcast import broadcast, product

LIMIT = 64
COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
ARITHMETIC: dict[str, Callable] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    **COMPARE,
}
PYTHON_ONLY = {"/": operator.truediv, "**": operator.pow, "<<": operator.lshift, ">>": operator.rshift}


def shape_of(const: Any) -> tuple | None:
    """The shape of nested tuples; None when they are ragged."""
    if not isinstance(const, (tuple, list)):
        return ()
    inner = {shape_of(item) for item in const}
    if len(inner) > 1 or None in inner:
        return None
    return (len(const), *(inner.pop() if inner else ()))


def nested(numbers: list, shape: tuple) -> Any:
    """Numbers in row-major order as nested tuples of a shape."""
    if not shape:
        return numbers[0]
    step = product(shape[1:])
    return tuple(nested(numbers[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0]))


def filled(number: Any, shape: tuple | None) -> Any:
    """A constant array of one number."""
    size = None if shape is None else product(shape)
    if size is None or size > LIMIT or number is MISSING or isinstance(number, (tuple, list)):
        return MISSING
    return nested([number] * size, shape)


def reshaped(const: Any, shape: tuple | None) -> Any:
    """The same numbers in another shape."""
    if const is MISSING or shape is None or None in shape:
        return MISSING
    numbers = dtypes.flat(const)
    return nested(numbers, shape) if len(numbers) == product(shape) else MISSING


def cast(const: Any, dtype: str | None) -> Any:
    """The constant once it has another dtype; MISSING where that loses something, or a number does not fit."""
    if const is MISSING or not dtype:
        return MISSING
    numbers = [_cast(number, dtypes.category(dtype)) for number in dtypes.flat(const)]
    if MISSING in numbers or len(numbers) > LIMIT or dtypes.overflow(numbers, dtype) is not None:
        return MISSING
    if isinstance(const, (tuple, list)):
        shape = shape_of(const)
        return MISSING if shape is None else nested(numbers, shape)
    return numbers[0]


def _cast(number: Any, kind: str) -> Any:
    if not isinstance(number, (bool, int, float, complex)):
        return MISSING
    if kind == "complex":
        return complex(number)
    if isinstance(number, complex):
        return MISSING
    if kind == "bool":
        return bool(number)
    if kind in ("int", "uint"):
        return int(number) if isinstance(number, int) or math.isfinite(number) else MISSING
    if kind == "float":
        return float(number) if not isinstance(number, int) or abs(number) < 1 << 53 else MISSING
    return MISSING


def held(const: Any, dtype: str | None) -> Any:
    """The constant if the dtype has each of its numbers exactly, else MISSING."""
    if const is MISSING or not dtype:
        return MISSING
    return const if all(_exact(number, dtype) for number in dtypes.flat(const)) else MISSING


def _exact(number: Any, dtype: str) -> bool:
    kind = dtypes.category(dtype)
    if isinstance(number, complex):
        return kind == "complex" and _exact(number.real, "float32") and _exact(number.imag, "float32")
    if kind in ("bool", "int", "uint"):
        return (
            isinstance(number, int)
            and dtypes.overflow(number, dtype) is None
            and (kind != "bool" or isinstance(number, bool))
        )
    if not isinstance(number, (int, float)) or isinstance(number, float) and not math.isfinite(number):
        return False
    if dtype == "float64" or dtype == "complex128":
        return abs(number) < 1 << 53
    if dtype in ("float32", "complex64"):
        return (
            abs(number) < 1 << 60
            and struct.unpack("f", struct.pack("f", number))[0] == number
            and (number == 0 or abs(number) > 1e-30)
        )
    return abs(number) <= 256 and float(number).is_integer()


def computed(sign: str, left: Any, right: Any, before: str | None, after: str | None) -> Any:
    """`left sign right` element by element; `before` is the dtype they are brought to, `after` the result's."""
    function = ARITHMETIC.get(sign)
    if function is None or before is None or after is None:
        return MISSING
    left, right = held(cast(left, before), before), held(cast(right, before), before)
    if left is MISSING or right is MISSING:
        return MISSING
    if before == "bool" and sign in ("+", "-", "*", "//", "%"):
        return MISSING
    if sign in ("//", "%") and (0 in dtypes.flat(right) or dtypes.category(before) not in ("int", "uint")):
        return MISSING
    found = paired(function, left, right)
    return MISSING if found is MISSING else held(found, after)


def paired(function: Callable, left: Any, right: Any) -> Any:
    """A function of two numbers over two broadcast constants."""
    a, b = shape_of(left), shape_of(right)
    shape = broadcast(a, b)
    size = None if shape is None else product(shape)
    if size is None or size > LIMIT:
        return MISSING
    return _paired(function, left, right, shape, len(a), len(b))


def _paired(function: Callable, left: Any, right: Any, shape: tuple, a: int, b: int) -> Any:
    if not shape:
        return function(left, right)
    rank = len(shape)
    inner = min(a, rank - 1), min(b, rank - 1)

    def item(const: Any, depth: int, i: int) -> Any:
        if depth < rank:
            return const
        return const[0 if len(const) == 1 else i]

    return tuple(
        _paired(function, item(left, a, i), item(right, b, i), shape[1:], *inner) for i in range(shape[0])
    )


def each(function: Callable, const: Any) -> Any:
    """A function of one number over a constant."""
    if isinstance(const, tuple):
        return tuple(each(function, item) for item in const)
    return function(const)


def python(sign: str, left: Any, right: Any) -> Any:
    """Python's own arithmetic, kept away from numbers that would take long."""
    function = ARITHMETIC.get(sign) or PYTHON_ONLY.get(sign)
    numbers = (left, right)
    if function is None or not all(isinstance(n, (bool, int, float, complex)) for n in numbers):
        return MISSING
    if (
        sign == "**"
        and isinstance(left, int)
        and isinstance(right, int)
        and left.bit_length() * abs(right) > 256
    ):
        return MISSING
    if sign == "<<" and (not isinstance(right, int) or not 0 <= right <= 256):
        return MISSING
    if any(isinstance(n, int) and n.bit_length() > 1024 for n in numbers):
        return MISSING
    try:
        return function(left, right)
    except (ArithmeticError, ValueError, TypeError):
        return MISSING
