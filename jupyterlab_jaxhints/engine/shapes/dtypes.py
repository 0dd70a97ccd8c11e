"""Dtypes by name: how Python spells them, how JAX and NumPy promote them, what fits into them.

The tables come from JAX and NumPy themselves (scripts/knowledge/measure_dtypes.py). Python numbers take part under
their type's name: "bool", "int", "float", "complex".
"""

from __future__ import annotations

import json
import math
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..values import MISSING, NONE, Value

TABLE = Path(__file__).parents[2] / "knowledge" / "data" / "dtypes.json"
PYTHON = {"int": "int64", "float": "float64", "complex": "complex128"}
WIDE = frozenset({"int64", "uint64", "float64", "complex128"})
# spellings other than the name itself: NumPy's characters, aliases, scalar classes of jax.numpy and numpy
SPELLINGS = {
    "?": "bool",
    "b1": "bool",
    "bool_": "bool",
    "bool8": "bool",
    "b": "int8",
    "i1": "int8",
    "byte": "int8",
    "h": "int16",
    "i2": "int16",
    "short": "int16",
    "i": "int32",
    "i4": "int32",
    "intc": "int32",
    "i8": "int64",
    "q": "int64",
    "longlong": "int64",
    "B": "uint8",
    "u1": "uint8",
    "ubyte": "uint8",
    "H": "uint16",
    "u2": "uint16",
    "ushort": "uint16",
    "I": "uint32",
    "u4": "uint32",
    "uintc": "uint32",
    "u8": "uint64",
    "Q": "uint64",
    "ulonglong": "uint64",
    "e": "float16",
    "f2": "float16",
    "half": "float16",
    "f": "float32",
    "f4": "float32",
    "single": "float32",
    "d": "float64",
    "f8": "float64",
    "double": "float64",
    "F": "complex64",
    "c8": "complex64",
    "csingle": "complex64",
    "D": "complex128",
    "c16": "complex128",
    "cdouble": "complex128",
    "int": "int64",
    "float": "float64",
    "complex": "complex128",
    "int_": "int64",
    "uint": "uint64",
    "float_": "float64",
    "complex_": "complex128",
}
DEFAULT = ""  # no dtype was asked for
REAL_PART = {"complex64": "float32", "complex128": "float64"}
COMPLEX_OF = {
    "float16": "complex64",
    "bfloat16": "complex64",
    "float32": "complex64",
    "float64": "complex128",
    "complex64": "complex64",
    "complex128": "complex128",
}
MANTISSA = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53, "complex64": 24, "complex128": 53}
EXPONENT = {
    "float16": -14,
    "bfloat16": -126,
    "float32": -126,
    "float64": -1022,
    "complex64": -126,
    "complex128": -1022,
}


@lru_cache(maxsize=1)
def tables() -> dict[str, Any]:
    """The measured tables, read once."""
    return json.loads(TABLE.read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def names() -> frozenset[str]:
    """The dtypes we know about."""
    return frozenset(tables()["dtypes"])


def category(dtype: str | None) -> str:
    """bool, int, uint, float or complex; '' when it is not known."""
    if not dtype:
        return ""
    for kind in ("bool", "uint", "int", "complex"):
        if dtype.startswith(kind):
            return kind
    return "float" if "float" in dtype else ""


def canonical(dtype: str | None, x64: bool | None) -> str | None:
    """What JAX makes of a dtype asked for."""
    if dtype not in WIDE:
        return dtype
    if x64 is None:
        return None
    return dtype if x64 else tables()["jax"]["canonical"][dtype]


def parse(value: Value | None) -> str | None:
    """The dtype an argument asks for: a name, DEFAULT when none is asked for, None when it is not known."""
    if value is None or value.must_be(NONE):
        return DEFAULT
    if value.kinds == 0 or value.may_be(NONE):
        return None
    if value.known and isinstance(value.const, str):
        return spelled(value.const)
    if value.name:
        module, _, name = value.name.rpartition(".")
        if module in ("jax.numpy", "numpy", "builtins", "ml_dtypes", "jax.dtypes"):
            return (
                spelled(name) if module != "builtins" or name in ("bool", "int", "float", "complex") else None
            )
        return None
    return value.dtype if value.dtype in names() else None


def spelled(name: str) -> str | None:
    """The dtype of a string or scalar class name."""
    if name in names() and name not in PYTHON:
        return name
    if name[:1] in "<=|" and len(name) > 1:
        name = name[1:]
    return SPELLINGS.get(name)


def of_python(number: Any) -> str | None:
    """The Python type's name of a number, as used for weak operands."""
    name = type(number).__name__
    return name if name in ("bool", "int", "float", "complex") else None


def strong(dtype: str | None) -> str | None:
    """The dtype an array of such Python numbers gets in 64 bits."""
    return PYTHON.get(dtype, dtype) if dtype else None


# --- JAX ------------------------------------------------------------------------------------------------------------

Typed = tuple  # (dtype name or None, weak True/False/None)


def promote_jax(operands: list[Typed], x64: bool | None) -> Typed:
    """Dtype and weak type of JAX operands together; dtype None when it is not known."""
    return _promoted(tuple(operands), x64)


@lru_cache(maxsize=4096)
def _promoted(operands: tuple[Typed, ...], x64: bool | None) -> Typed:
    weak: bool | None = None if any(w is None for _, w in operands) else all(w for _, w in operands)
    if any(w is False and category(d) not in ("", "bool") for d, w in operands):
        weak = None
    if not operands or any(not d for d, _ in operands):
        return None, None
    outcomes = {_promote(tuple(zip((d for d, _ in operands), weaks)), x64) for weaks in _choices(operands)}
    dtypes_, weaks_ = {d for d, _ in outcomes}, {w for _, w in outcomes}
    return (dtypes_.pop() if len(dtypes_) == 1 else None), (weaks_.pop() if len(weaks_) == 1 else weak)


def _choices(operands: list[Typed]) -> list[tuple[bool, ...]]:
    """Every way in which unknown weak types may come out."""
    ways: list[tuple[bool, ...]] = [()]
    for _, weak in operands[:6]:
        ways = [(*way, choice) for way in ways for choice in ((True, False) if weak is None else (weak,))]
    rest = tuple(bool(weak) for _, weak in operands[6:])
    return [way + rest for way in ways]


@lru_cache(maxsize=4096)
def _promote(operands: tuple[Typed, ...], x64: bool | None) -> Typed:
    table = tables()["jax"]
    if all(weak or dtype == "bool" for dtype, weak in operands):
        found = strong(operands[0][0])
        for dtype, _ in operands[1:]:
            found = table["promote"][found][strong(dtype)]
        return canonical(found, x64), found != "bool"
    found = None
    for dtype, weak in operands:
        if not weak:
            found = dtype if found is None else table["promote"][found][strong(dtype)]
    strongest = max(
        (category(strong(dtype)) for dtype, weak in operands if weak), key=_RANK.index, default="bool"
    )
    if strongest == "bool":
        return canonical(found, x64), False
    outcome_weak = strongest in table["weak_results"][found]
    return canonical(table["weak"][found][strongest], x64), outcome_weak


_RANK = ["bool", "int", "float", "complex"]


def inexact_jax(typed: Typed, x64: bool | None) -> Typed:
    """What functions such as `exp` make of an operand's dtype."""
    dtype, weak = typed
    if dtype is None:
        return None, weak
    if dtype in PYTHON:
        return canonical("float64" if dtype == "int" else PYTHON[dtype], x64), True
    return canonical(tables()["jax"]["inexact"].get(dtype), x64), weak


# --- NumPy ----------------------------------------------------------------------------------------------------------


def promote_numpy(operands: list[tuple[str | None, bool, bool]]) -> str | None:
    """Dtype of NumPy operands together: (dtype, is a Python number, is 0-d).

    NumPy before version 2 looked at the value of 0-d operands, so these stay unknown where it matters.
    """
    if not operands or any(not dtype for dtype, _, _ in operands):
        return None
    table = tables()["numpy"]
    arrays = [(dtype, scalar) for dtype, python, scalar in operands if not python]
    numbers = [dtype for dtype, python, _ in operands if python]
    if not arrays:
        return strong(max(numbers, key=_RANK.index))
    ranks = {scalar for _, scalar in arrays}
    if (len(ranks) > 1 or None in ranks) and len({dtype for dtype, _ in arrays}) > 1:
        return None
    found = arrays[0][0]
    for dtype, _ in arrays[1:]:
        found = table["promote"].get(found, {}).get(dtype)
    for number in numbers:
        found = table["weak"].get(found, {}).get(number)
    if numbers and found not in WIDE and ranks != {False} and max(numbers, key=_RANK.index) != "bool":
        return None
    return found


def numpy_table(name: str, dtype: str | None) -> str | None:
    """A row of NumPy's tables: inexact, divide, sum."""
    return tables()["numpy"][name].get(strong(dtype)) if dtype else None


# --- what fits --------------------------------------------------------------------------------------------------------


def limits(dtype: str) -> tuple[int, int] | None:
    """Smallest and largest integer of an integer dtype."""
    kind = category(dtype)
    if kind == "bool":
        return 0, 1
    if kind not in ("int", "uint") or not dtype[len(kind) :].isdigit():
        return None
    bits = int(dtype[len(kind) :])
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if kind == "int" else (0, (1 << bits) - 1)


def flat(const: Any) -> list:
    """The numbers of a constant: one, or those of nested tuples."""
    if isinstance(const, (tuple, list)):
        return [number for item in const for number in flat(item)]
    return [] if const is MISSING else [const]


def overflow(const: Any, dtype: str | None) -> Any:
    """The first number of a constant that does not fit into an integer dtype, else None."""
    bounds = limits(dtype) if dtype else None
    if bounds is None or dtype == "bool":
        return None
    for number in flat(const):
        if isinstance(number, float) and (math.isnan(number) or math.isinf(number)):
            return number
        if isinstance(number, (int, float)) and not bounds[0] <= math.trunc(number) <= bounds[1]:
            return number
    return None


def is_subnormal(const: Any, dtype: str | None) -> bool:
    """A constant holds a number so small that a float dtype has it as a subnormal."""
    if dtype not in EXPONENT:
        return False
    smallest = math.ldexp(1.0, EXPONENT[dtype])
    least = math.ldexp(1.0, EXPONENT[dtype] - MANTISSA[dtype] + 1)
    parts = [p for n in flat(const) for p in ((n.real, n.imag) if isinstance(n, complex) else (n,))]
    return any(isinstance(part, float) and least / 2 < abs(part) < smallest for part in parts)
