"""What the rules on bounds share: which constant index leaves which axis."""
from __future__ import annotations

from typing import Any

from ...engine.values import ARRAYLIKE, NONE, NUMBER, SEQUENCE, SLICE, Value


def beyond(index: Value, size: int | None) -> tuple[int, int] | None:
    """The first constant of an index, or index array, that is out of bounds: (index, size)."""
    if size is None or not index.known or not index.must_be(NUMBER | ARRAYLIKE | SEQUENCE):
        return None
    return next(((number, size) for number in _flat(index.const) if not -size <= number < size), None)


def _flat(constant: Any) -> list[int]:
    if isinstance(constant, tuple):
        return [number for part in constant for number in _flat(part)]
    return [constant] if isinstance(constant, int) and not isinstance(constant, bool) else []


def outside(event: Any, base: Value, index: Value) -> tuple[int, int] | None:
    """The first constant index of `base[index]` that is out of bounds: (index, size of its axis)."""
    if base.shape is None:
        return None
    several = index.must_be(SEQUENCE) and "list" not in index.flags
    parts = list(event.parts(index)) if several else [index]
    axes = _axes(parts, len(base.shape))
    if axes is None:
        return None
    found = (beyond(part, base.shape[axis]) for part, axis in zip(parts, axes) if axis is not None)
    return next((each for each in found if each is not None), None)


def _axes(parts: list[Value], rank: int) -> list[int | None] | None:
    """The axis that each part of an index is for (None: no axis); None when that is not known."""
    used = [0 if part.must_be(NONE) or _is_ellipsis(part) else 1 for part in parts]
    if sum(used) > rank or sum(map(_is_ellipsis, parts)) > 1:
        return None
    axes: list[int | None] = []
    axis = 0
    for part, count in zip(parts, used):
        if not part.must_be(NUMBER | ARRAYLIKE | SEQUENCE | SLICE | NONE) and not _is_ellipsis(part):
            return None
        if part.dtype == "bool" or part.must_be(ARRAYLIKE) and part.dtype is None:
            return None  # a mask takes as many axes as it has
        if _is_ellipsis(part):
            axis += rank - sum(used)
        axes.append(axis if count else None)
        axis += count
    return axes


def _is_ellipsis(part: Value) -> bool:
    return part.known and part.const is Ellipsis


def window(event: Any, sized_by: str | None, in_dim: tuple[str, int] | None) -> tuple[int, int, int] | None:
    """A window of `lax` that leaves its array: (start, size of the axis, length of the window)."""
    base = event.args[0].value if event.args and not event.args[0].keyword else None
    if base is None or base.shape is None:
        return None
    if in_dim is not None:
        update = "update" in event.name
        start, axis = event.value("start_index", 2 if update else 1), event.value("axis", in_dim[1])
        axis = axis if axis is not None or update else event.value("axis", None)
        place = 0 if axis is None else axis.const if axis.known else None
        if start is None or not isinstance(place, int) or not -len(base.shape) <= place < len(base.shape):
            return None
        return _leaves(start, base.shape[place], _length(event, in_dim[0], place))
    starts = event.value("start_indices", 2 if sized_by == "update" else 1)
    sizes = event.value(sized_by, 1 if sized_by == "update" else 2)
    if starts is None or sizes is None:
        return None
    lengths = list(sizes.shape or ()) if sized_by == "update" else [part.const if part.known else None for part in event.parts(sizes)]
    found = (_leaves(start, size, length) for start, size, length in zip(event.parts(starts), base.shape, lengths))
    return next((each for each in found if each is not None), None)


def _length(event: Any, option: str, place: int) -> int | None:
    if option == "":
        return 1
    if option == "update":
        shape = event.args[1].value.shape
        return shape[place] if shape is not None and -len(shape) <= place < len(shape) else None
    given = event.value(option, 2)
    return given.const if given is not None and given.known else None


def _leaves(start: Value, size: int | None, length: Any) -> tuple[int, int, int] | None:
    """The window from a constant start is not all inside, and JAX moves it."""
    known = start.known and isinstance(start.const, int) and not isinstance(start.const, bool)
    if not known or size is None or not isinstance(length, int) or length > size:
        return None
    first = start.const + size if start.const < 0 else start.const
    return None if 0 <= first <= size - length else (start.const, size, length)
