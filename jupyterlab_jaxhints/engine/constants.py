"""Folding of Python constants."""
from __future__ import annotations

import operator as op
from typing import Any

from .values import MISSING, NUMBER, STRING, VARYING, Value, constant

BINARY = {
    "+": op.add, "-": op.sub, "*": op.mul, "/": op.truediv, "//": op.floordiv, "%": op.mod, "**": op.pow,
    "<<": op.lshift, ">>": op.rshift, "&": op.and_, "|": op.or_, "^": op.xor, "<": op.lt, "<=": op.le, ">": op.gt,
    ">=": op.ge, "==": op.eq, "!=": op.ne,
}
COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}
UNARY = {"-": op.neg, "+": op.pos, "~": op.invert}
LARGE = 10**30


def _small(value: Any) -> bool:
    if isinstance(value, int):
        return abs(value) < LARGE
    return not isinstance(value, (str, bytes, tuple)) or len(value) < 10_000


def fold(operator: str, left: Value, right: Value) -> Value:
    """`left operator right` of two constants; the kind alone when a value is missing."""
    if left.known and right.known and operator in BINARY and _small(left.const) and _small(right.const):
        if not (operator in ("**", "<<") and isinstance(right.const, (int, float)) and abs(right.const) > 64):
            try:
                return constant(BINARY[operator](left.const, right.const))
            except Exception:
                return Value(NUMBER)
    if operator in COMPARISONS:
        return Value(NUMBER, dtype="bool")
    if left.must_be(STRING) or right.must_be(STRING):
        return Value(STRING)
    kinds = {left.dtype, right.dtype}
    dtype = None
    if None not in kinds:
        dtype = "complex" if "complex" in kinds else "float" if "float" in kinds or operator == "/" else "int"
        if operator == "**" and dtype == "int":
            dtype = None
    varying = (left.flags | right.flags) & VARYING if operator in ("+", "-", "*", "/", "**") else frozenset()
    return Value(NUMBER, dtype=dtype, flags=varying)


def fold_unary(operator: str, value: Value) -> Value:
    """`operator value` of a number."""
    if value.known:
        try:
            return constant(UNARY[operator](value.const))
        except Exception:
            pass
    return Value(NUMBER, dtype=value.dtype, const=MISSING, flags=value.flags & VARYING)
