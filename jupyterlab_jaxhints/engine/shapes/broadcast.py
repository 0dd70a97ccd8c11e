"""Shapes: tuples of int, None for an unknown dimension; None for an unknown rank. MISSING stands for an unknown axis.

Every function answers None where nothing is known, also where the real call would raise.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..values import MISSING

Shape = "tuple[int | None, ...] | None"


def product(dims: Iterable[int | None]) -> int | None:
    """How many elements there are."""
    total: int | None = 1
    for dim in dims:
        if dim == 0:
            return 0
        total = None if total is None or dim is None else total * dim
    return total


def broadcast(*shapes: tuple | None) -> tuple | None:
    """The shape of operands together."""
    if not shapes or any(shape is None for shape in shapes):
        return None
    rank = max(len(shape) for shape in shapes)
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    found = [_dim(column) for column in zip(*padded)]
    return None if MISSING in found else tuple(found)


def _dim(column: tuple) -> Any:
    sizes = {dim for dim in column if dim is not None and dim != 1}
    if len(sizes) > 1:
        return MISSING
    if sizes:
        return sizes.pop()  # an unknown one is 1 or the same, else the real call raises
    return None if None in column else 1


def broadcastable(a: tuple | None, b: tuple | None) -> bool | None:
    """Two shapes go together; None when that is not known."""
    if a is None or b is None:
        return None
    pairs = list(zip(reversed(a), reversed(b)))
    if any(x is not None and y is not None and x != y and 1 not in (x, y) for x, y in pairs):
        return False
    return None if any(None in pair and 1 not in pair for pair in pairs) else True


def axes(axis: Any, rank: int | None) -> tuple[int, ...] | None:
    """Axes as non-negative numbers; all for None, None when they are not known or out of range."""
    if rank is None or axis is MISSING:
        return None
    if axis is None:
        return tuple(range(rank))
    listed = axis if isinstance(axis, tuple) else (axis,)
    if any(not isinstance(a, int) or not -rank <= a < rank for a in listed):
        return None
    return tuple(a % rank for a in listed)


def axis_of(axis: Any, rank: int | None) -> int | None:
    """One axis as a non-negative number."""
    found = axes(axis, rank) if isinstance(axis, int) else None
    return found[0] if found else None


def reduced(shape: tuple | None, axis: Any, keepdims: Any = False) -> tuple | None:
    """The shape that a reduction leaves."""
    if axis is None and keepdims is False:
        return ()
    if shape is None or keepdims is MISSING:
        return None
    gone = axes(axis, len(shape))
    if gone is None:
        if keepdims:
            return (None,) * len(shape)
        return (None,) * (len(shape) - 1) if axis is not MISSING and isinstance(axis, int) else None
    if keepdims:
        return tuple(1 if i in gone else dim for i, dim in enumerate(shape))
    return tuple(dim for i, dim in enumerate(shape) if i not in gone)


def put(shape: tuple | None, axis: Any, dim: int | None) -> tuple | None:
    """The shape with another size along one axis."""
    if shape is None:
        return None
    place = axis_of(axis, len(shape))
    if place is None:
        return (None,) * len(shape)
    return (*shape[:place], dim, *shape[place + 1 :])


def insert(shape: tuple | None, axis: Any, dim: int | None) -> tuple | None:
    """The shape with a new axis."""
    if shape is None:
        return None
    place = axis_of(axis, len(shape) + 1)
    if place is None:
        return (None,) * (len(shape) + 1)
    return (*shape[:place], dim, *shape[place:])


def reshaped(shape: tuple | None, wanted: tuple | None) -> tuple | None:
    """The shape of `reshape`; one -1 is worked out where the size is known."""
    if wanted is None:
        return None
    if -1 not in wanted:
        return wanted
    size = None if shape is None else product(shape)
    rest = product(dim for dim in wanted if dim != -1)
    hidden = None
    if size is not None and rest:
        hidden, left = divmod(size, rest)
        hidden = None if left else hidden
    return tuple(hidden if dim == -1 else dim for dim in wanted)


def permuted(shape: tuple | None, order: Any = None) -> tuple | None:
    """The shape of `transpose`."""
    if shape is None:
        return None
    if order is None:
        return shape[::-1]
    places = axes(order, len(shape))
    if places is None or len(places) != len(shape):
        return (None,) * len(shape)
    return tuple(shape[place] for place in places)


def moved(shape: tuple | None, source: Any, destination: Any) -> tuple | None:
    """The shape of `moveaxis`."""
    if shape is None:
        return None
    start, end = axes(source, len(shape)), axes(destination, len(shape))
    if start is None or end is None or len(start) != len(end):
        return (None,) * len(shape)
    rest = [i for i in range(len(shape)) if i not in start]
    for place, axis in sorted(zip(end, start)):
        rest.insert(place, axis)
    return tuple(shape[i] for i in rest)


def squeezed(shape: tuple | None, axis: Any) -> tuple | None:
    """The shape of `squeeze`."""
    if shape is None or axis is MISSING:
        return None
    if axis is None:
        return None if None in shape else tuple(dim for dim in shape if dim != 1)
    gone = axes(axis, len(shape))
    return None if gone is None else tuple(dim for i, dim in enumerate(shape) if i not in gone)


def expanded(shape: tuple | None, axis: Any) -> tuple | None:
    """The shape of `expand_dims`."""
    if shape is None or axis is None:
        return None
    if axis is MISSING:
        return None
    count = len(axis) if isinstance(axis, tuple) else 1
    places = axes(axis, len(shape) + count)
    if places is None or len(set(places)) != count:
        return (None,) * (len(shape) + count)
    rest = iter(shape)
    return tuple(1 if i in places else next(rest) for i in range(len(shape) + count))


def joined(shapes: list, axis: Any) -> tuple | None:
    """The shape of `concatenate`."""
    if not shapes or any(shape is None for shape in shapes):
        return None
    rank = len(shapes[0])
    if any(len(shape) != rank for shape in shapes):
        return None
    place = axis_of(axis, rank)
    if place is None:
        return (None,) * rank
    total: int | None = 0
    for shape in shapes:
        total = None if total is None or shape[place] is None else total + shape[place]
    return tuple(total if i == place else same(shape[i] for shape in shapes) for i in range(rank))


def stacked(shapes: list, axis: Any) -> tuple | None:
    """The shape of `stack`."""
    return insert(united(shapes), axis, len(shapes))


def united(shapes: list) -> tuple | None:
    """The shape of operands that must have the same."""
    if not shapes or any(shape is None for shape in shapes) or len({len(shape) for shape in shapes}) > 1:
        return next((shape for shape in shapes if shape is not None), None)
    return tuple(same(column) for column in zip(*shapes))


def same(dims: Iterable[int | None]) -> int | None:
    """One dimension of operands that must agree on it."""
    return next((dim for dim in dims if dim is not None), None)


def multiplied(a: tuple | None, b: tuple | None) -> tuple | None:
    """The shape of `matmul`."""
    if a is None or b is None or not a or not b:
        return None
    if len(a) == 1 and len(b) == 1:
        return ()
    if len(a) == 1:
        return (*b[:-2], b[-1])
    if len(b) == 1:
        return a[:-1]
    batch = broadcast(a[:-2], b[:-2])
    return None if batch is None else (*batch, a[-2], b[-1])


def dotted(a: tuple | None, b: tuple | None) -> tuple | None:
    """The shape of `dot`."""
    if a is None or b is None:
        return None
    if not a or not b:
        return a or b
    return a[:-1] + (b[:-2] + b[-1:] if len(b) > 1 else ())


def contracted(a: tuple | None, b: tuple | None, dims: Any) -> tuple | None:
    """The shape of `tensordot`."""
    if a is None or b is None or dims is MISSING:
        return None
    if isinstance(dims, int):
        return a[: len(a) - dims] + b[dims:] if 0 <= dims <= min(len(a), len(b)) else None
    if not isinstance(dims, tuple) or len(dims) != 2:
        return None
    left, right = axes(dims[0], len(a)), axes(dims[1], len(b))
    if left is None or right is None:
        return None
    return tuple(d for i, d in enumerate(a) if i not in left) + tuple(
        d for i, d in enumerate(b) if i not in right
    )


def einsum(subscripts: str, shapes: list) -> tuple | None:
    """The shape of `einsum` with a text of subscripts."""
    text = subscripts.replace(" ", "")
    inputs, arrow, output = text.partition("->")
    terms = inputs.split(",")
    if len(terms) != len(shapes):
        return None
    sizes: dict[str, int | None] = {}
    batches = []
    for term, shape in zip(terms, shapes):
        batch = _letters(term, shape, sizes)
        if batch is None:
            return None
        batches.append(batch)
    batch = broadcast(*batches) if batches else ()
    if not arrow:
        letters = sorted(letter for letter in sizes if inputs.count(letter) == 1)
        return None if batch is None else (*batch, *(sizes[letter] for letter in letters))
    before, dots, after = output.partition("...")
    if any(letter not in sizes for letter in before + after) or batch is None:
        return None
    return (*(sizes[x] for x in before), *(batch if dots else ()), *(sizes[x] for x in after))


def _letters(term: str, shape: tuple | None, sizes: dict[str, int | None]) -> tuple | None:
    """Notes the size of each letter of one operand; gives the dimensions that stand under `...`."""
    before, dots, after = term.partition("...")
    if not all(letter.isalpha() for letter in before + after):
        return None
    count = len(before) + len(after)
    if shape is None:
        for letter in before + after:
            sizes.setdefault(letter, None)
        return None if dots else ()
    if len(shape) < count or (len(shape) > count and not dots):
        return None
    end = len(shape) - len(after)
    for letter, dim in [*zip(before, shape), *zip(after, shape[end:])]:
        # a 1 may be broadcast against another operand's size
        if sizes.get(letter) in (None, 1) and (dim is not None or letter not in sizes):
            sizes[letter] = dim
    return shape[len(before) : end]
