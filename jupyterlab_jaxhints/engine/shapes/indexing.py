"""The result of `base[index]`: integers, slices, None, Ellipsis, tuples of them, index arrays and masks."""

from __future__ import annotations

from typing import Any

from ..values import ARRAYLIKE, MISSING, NONE, NUMBER, SEQUENCE, SLICE, Value
from . import constants, dtypes
from .broadcast import broadcast
from .operands import Parts, details, integer, items, operand

UNSURE = "unsure"
INT, SLICED, NEW, REST, GATHER, MASK = "int", "slice", "new", "rest", "gather", "mask"
# one part of an index: (what it is, its value, shape of an index array)
Part = tuple


def index(base: Value, value: Value, parts: Parts) -> dict[str, Any]:
    """Details of `base[value]`."""
    found = operand(base, parts)
    weak = found.weak if found.side == "jax" else None
    if found.side == "sequence":
        return {}
    listed = _parts(base, value, parts)
    if listed is None or found.shape is None:
        return details(None, found.dtype, weak)
    shape = _shape(found.shape, listed)
    return details(shape, found.dtype, weak, _const(found.const, listed, shape))


def _parts(base: Value, value: Value, parts: Parts) -> list[Part] | None:
    """The index part by part; None when something about it is not known."""
    if value.must_be(SEQUENCE) and "list" not in value.flags:
        listed = items(value, parts)
        if listed is None or "tuple" not in value.flags and value.elements is None:
            return None
    else:
        listed = [value]
    found = [_part(item, parts) for item in listed]
    return None if UNSURE in found else found


def _part(value: Value, parts: Parts) -> Any:
    if value.must_be(NONE):
        return NEW, value, None
    if value.known and value.const is Ellipsis:
        return REST, value, None
    if value.must_be(SLICE):
        return SLICED, value, None
    if value.must_be(NUMBER):
        boolean = value.dtype == "bool" or isinstance(value.const, bool)
        return UNSURE if boolean else (INT, value, ())
    if not value.must_be(ARRAYLIKE) and not value.must_be(SEQUENCE):
        return UNSURE
    found = operand(value, parts)
    kind = dtypes.category(dtypes.strong(found.dtype))
    if found.shape is None or kind not in ("int", "uint", "bool"):
        return UNSURE
    if kind == "bool":
        return (MASK, value, found.shape) if found.shape else UNSURE
    return GATHER, value, found.shape


def _shape(shape: tuple, listed: list[Part]) -> tuple | None:
    """The shape that comes out; None when that is not known or the index does not fit."""
    used = sum(len(part[2]) if part[0] == MASK else part[0] in (INT, SLICED, GATHER) for part in listed)
    if used > len(shape) or sum(part[0] == REST for part in listed) > 1:
        return None
    filled = _without_ellipsis(listed, len(shape) - used)
    if filled is None:
        return None
    advanced = any(part[0] in (GATHER, MASK) for part in filled)
    places = [i for i, part in enumerate(filled) if part[0] in (GATHER, MASK, INT)] if advanced else []
    dims: list[int | None] = []
    gathered: list[tuple] = []
    front, axis = 0, 0
    for i, part in enumerate(filled):
        kind = part[0]
        if places and i == places[0]:
            front = len(dims)
        if kind == NEW:
            dims.append(1)
            continue
        if kind == SLICED:
            dims.append(sliced(shape[axis], part[1]))
        elif kind in (GATHER, INT):
            gathered.append(part[2])
        else:
            gathered.append((None,))
            axis += len(part[2]) - 1
        axis += 1
    if not advanced:
        return tuple(dims)
    block = broadcast(*gathered)
    if block is None:
        return None
    if places[-1] - places[0] != len(places) - 1:
        front = 0
    return (*dims[:front], *block, *dims[front:])


def _without_ellipsis(listed: list[Part], missing: int) -> list[Part] | None:
    """The index with full slices for the dimensions it does not name."""
    full = [(SLICED, None, None)] * missing
    for i, part in enumerate(listed):
        if part[0] == REST:
            # NumPy and JAX differ on whether an empty Ellipsis separates index arrays
            arrays = [p[0] in (GATHER, MASK) for p in listed]
            if not missing and any(arrays[:i]) and any(arrays[i:]) or not missing and sum(arrays) > 1:
                return None
            if not missing and any(arrays) and any(p[0] == INT for p in listed):
                return None
            return listed[:i] + full + listed[i + 1 :]
    return listed + full


def sliced(dim: int | None, value: Value | None) -> int | None:
    """How much of a dimension a slice takes."""
    if value is None or dim is None:
        return dim if value is None or _is_full(value) else None
    bounds = _bounds(value)
    if bounds is None or bounds[2] == 0:
        return None
    return len(range(*slice(*bounds).indices(dim)))


def _bounds(value: Value) -> tuple | None:
    """start, stop, step of a slice; None when one is not known."""
    if value.elements is None:
        if value.known and isinstance(value.const, slice):
            return value.const.start, value.const.stop, value.const.step
        return None
    found = []
    for element in value.elements:
        if element.must_be(NONE):
            found.append(None)
        elif integer(element) is not None:
            found.append(element.const)
        else:
            return None
    return tuple(found + [None] * (3 - len(found)))


def _is_full(value: Value) -> bool:
    return value.elements is not None and all(element.must_be(NONE) for element in value.elements)


def _const(const: Any, listed: list[Part], shape: tuple | None) -> Any:
    """The constant part of a constant array."""
    if const is MISSING or shape is None or None in shape:
        return MISSING
    depth = len(constants.shape_of(const) or ())
    used = sum(part[0] in (INT, SLICED) for part in listed)
    if any(part[0] not in (INT, SLICED, REST) for part in listed) or not isinstance(const, tuple):
        return MISSING
    rest = [(SLICED, None, None)] * (depth - used)
    place = next((i for i, part in enumerate(listed) if part[0] == REST), len(listed))
    return _taken(const, listed[:place] + rest + listed[place + 1 :])


def _taken(const: Any, listed: list[Part]) -> Any:
    if not listed:
        return const
    kind, value, _ = listed[0]
    if kind == INT:
        at = integer(value)
        if at is None or not -len(const) <= at < len(const):
            return MISSING
        return _taken(const[at], listed[1:])
    bounds = (None, None, None) if value is None else _bounds(value)
    if bounds is None or bounds[2] == 0:
        return MISSING
    inner = tuple(_taken(item, listed[1:]) for item in const[slice(*bounds)])
    return MISSING if MISSING in inner else inner
