"""The operators: arithmetic, comparison, `@`, by the rules of whoever is asked."""

from __future__ import annotations

import operator
from typing import Any

from ..values import MISSING, NUMBER, Value
from . import constants, dtypes
from .broadcast import broadcast, multiplied
from .operands import Ask, Operand, Parts, common, details, jaxed, operand
from .registry import inexact, promote

COMPARISONS = frozenset(constants.COMPARE)


def truth(ask: Ask, shape: tuple | None, weak: bool | None) -> dict[str, Any]:
    """An array of booleans; JAX keeps the weak type of what was compared."""
    return details(shape, "bool", None if ask.numpy else weak)


def combined(ask: Ask, sign: str, a: Operand, b: Operand, exponent: Operand | None) -> dict[str, Any]:
    """`a sign b` in one library. exponent: the right side as it was written, for `**`."""
    shape = broadcast(a.shape, b.shape)
    before, weak = promote(ask, [a, b])
    if sign in COMPARISONS:
        return {**truth(ask, shape, weak), **constant(sign, a, b, before, "bool")}
    if sign == "/":
        if ask.numpy:
            return details(shape, dtypes.numpy_table("divide", before))
        return details(shape, *inexact(ask, (before, weak)))
    if before == "bool" and (ask.numpy or dtypes.tables()["jax"]["bools"].get(sign)):
        before = dtypes.tables()["numpy" if ask.numpy else "jax"]["bools"].get(sign, before)
    if sign == "//" and weak and dtypes.category(a.dtype) != dtypes.category(b.dtype):
        weak = None  # differs between versions
    if sign == "**" and not ask.numpy:
        return details(shape, *powered(ask, a, b, exponent, (before, weak)))
    return {**details(shape, before, weak), **constant(sign, a, b, before, before)}


def constant(sign: str, a: Operand, b: Operand, before: str | None, after: str | None) -> dict[str, Any]:
    if a.const is MISSING or b.const is MISSING:
        return {}
    return details(const=constants.computed(sign, a.const, b.const, before, after))


def powered(ask: Ask, a: Operand, b: Operand, exponent: Operand | None, typed: dtypes.Typed) -> dtypes.Typed:
    """`x ** 2` with a Python integer keeps the base's dtype; otherwise both are promoted."""
    if exponent is not None and exponent.side == "python" and exponent.dtype == "int" and a.side == "jax":
        return (None, None) if dtypes.category(a.dtype) in ("", "bool") else a.typed
    if dtypes.category(a.dtype) in ("", "bool") or dtypes.category(b.dtype) in ("", "bool"):
        return None, None
    return (
        typed
        if dtypes.category(a.dtype) == dtypes.category(b.dtype)
        else (typed[0], False if typed[1] is False else None)
    )


def matrix(ask: Ask, a: Operand, b: Operand) -> dict[str, Any]:
    """`a @ b`."""
    return details(multiplied(a.shape, b.shape), *promote(ask, [a, b]))


def binary(sign: str, left: Value, right: Value, parts: Parts, x64: bool | None) -> dict[str, Any]:
    """`left sign right`, by the rules of whoever is asked."""
    a, b = operand(left, parts), operand(right, parts)
    if left.must_be(NUMBER) and right.must_be(NUMBER):
        return of_numbers(sign, a, b)
    if "sequence" in (a.side, b.side) and "numpy" not in (a.side, b.side) or "key" in (a.side, b.side):
        return {}
    if "jax" in (a.side, b.side):
        return _combine(sign, a, b, False, x64)
    if {a.side, b.side} <= {"numpy", "python", "sequence"}:
        return _combine(sign, a, b, True, x64)
    return common(_combine(sign, a, b, True, x64), _combine(sign, a, b, False, x64))


def _combine(sign: str, a: Operand, b: Operand, numpy: bool, x64: bool | None) -> dict[str, Any]:
    ask = Ask("", numpy, {}, [], lambda value: [], x64)
    left, right = (a, b) if numpy else (jaxed(a, x64), jaxed(b, x64))
    if sign == "@":
        return matrix(ask, left, right)
    if sign not in constants.ARITHMETIC and sign not in constants.PYTHON_ONLY:
        return {}
    return combined(ask, sign, left, right, b)


def of_numbers(sign: str, a: Operand, b: Operand) -> dict[str, Any]:
    """Python's numbers."""
    found = constants.python(sign, a.const, b.const)
    if found is not MISSING:
        return details((), type(found).__name__, None, found)
    if sign in COMPARISONS:
        return details((), "bool")
    if (
        not a.dtype
        or not b.dtype
        or sign in ("**", "%", "//", "<<", ">>")
        and "complex" in (a.dtype, b.dtype)
    ):
        return {}
    kind = max(a.dtype, b.dtype, key=("bool", "int", "float", "complex").index)
    if sign == "/":
        return details((), "complex" if kind == "complex" else "float")
    if sign == "**":
        return {}
    if kind == "bool" and sign not in ("&", "|", "^"):
        kind = "int"
    return details((), kind)


UNARY = {"-": operator.neg, "+": operator.pos, "~": operator.invert, "not": operator.not_}


def unary(sign: str, value: Value, parts: Parts) -> dict[str, Any]:
    """`-x`, `+x`, `~x`, `not x`."""
    a = operand(value, parts)
    function = UNARY.get(sign)
    if function is None or a.side not in ("jax", "numpy", "python"):
        return details(a.shape, a.dtype, a.weak) if sign in ("-", "+", "~") and a.side == "" else {}
    if sign == "not":
        const = MISSING if isinstance(a.const, tuple) or a.const is MISSING else not a.const
        return details((), "bool", None, const)
    if a.side == "python":
        if a.const is MISSING:
            return details((), "int" if a.dtype == "bool" else a.dtype)
        const = function(a.const)
        return details((), type(const).__name__, None, const)
    const = MISSING
    if a.const is not MISSING and dtypes.category(a.dtype) in ("int", "float"):
        const = constants.each(function, a.const)
        const = MISSING if dtypes.overflow(const, a.dtype) is not None else const
    if sign == "~" and dtypes.category(a.dtype) == "bool" and a.const is not MISSING:
        const = constants.each(lambda item: not item, a.const)
    return details(a.shape, a.dtype, a.weak if a.side == "jax" else None, const)
