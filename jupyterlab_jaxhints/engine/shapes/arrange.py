"""Functions that move elements around: reshape, join, repeat, take."""

from __future__ import annotations

from typing import Any

from ..values import MISSING, SEQUENCE
from . import broadcast as shapes
from . import constants
from .operands import Ask, Operand, details, dims, integer, items
from .registry import answers, like, promote, settled


@answers("reshape", "a shape order")
@answers("reshape", "a shape dimensions", "jax.lax")
def reshape(ask: Ask) -> dict[str, Any]:
    found = ask.array("a")
    shape = shapes.reshaped(found.shape, ask.dims("shape" if ask.value("shape") else "newshape"))
    plain = ask.value("order") is None and ask.value("dimensions") is None
    return like(ask, found, shape, constants.reshaped(found.const, shape) if plain else None)


@answers("ravel", "a order")
def ravel(ask: Ask) -> dict[str, Any]:
    found = ask.array("a")
    shape = (None,) if found.shape is None else (shapes.product(found.shape),)
    return like(
        ask, found, shape, constants.reshaped(found.const, shape) if ask.value("order") is None else None
    )


@answers("transpose permute_dims", "a axes")
@answers("transpose", "a axes", "jax.lax")
def transpose(ask: Ask) -> dict[str, Any]:
    found, order = ask.array("a"), ask.axis("axes")
    if isinstance(order, int):
        order = (order,)
    return like(ask, found, shapes.permuted(found.shape, order))


@answers("matrix_transpose", "x")
@answers("matrix_transpose", "x", "jax.numpy.linalg")
def matrix_transpose(ask: Ask) -> dict[str, Any]:
    found = ask.array("x")
    return like(ask, found, shapes.permuted(found.shape, matrix_order(found.rank)))


def matrix_order(rank: int | None) -> Any:
    """The axes with the last two exchanged."""
    return MISSING if rank is None or rank < 2 else (*range(rank - 2), rank - 1, rank - 2)


@answers("swapaxes", "a axis1 axis2")
def swapaxes(ask: Ask) -> dict[str, Any]:
    found = ask.array("a")
    if found.shape is None:
        return like(ask, found, None)
    one, two = (shapes.axis_of(ask.axis(name, MISSING), found.rank) for name in ("axis1", "axis2"))
    order: Any = MISSING
    if one is not None and two is not None:
        order = list(range(len(found.shape)))
        order[one], order[two] = two, one
        order = tuple(order)
    return like(ask, found, shapes.permuted(found.shape, order))


@answers("moveaxis", "a source destination")
def moveaxis(ask: Ask) -> dict[str, Any]:
    found = ask.array("a")
    return like(
        ask, found, shapes.moved(found.shape, ask.axis("source", MISSING), ask.axis("destination", MISSING))
    )


@answers("rollaxis", "a axis start")
def rollaxis(ask: Ask) -> dict[str, Any]:
    found = ask.array("a")
    return like(ask, found, None if found.shape is None else (None,) * len(found.shape))


@answers("squeeze", "a axis")
@answers("squeeze", "a axis", "jax.lax")
def squeeze(ask: Ask) -> dict[str, Any]:
    found = ask.array("a")
    axis = ask.axis("axis" if ask.value("dimensions") is None else "dimensions")
    shape = shapes.squeezed(found.shape, axis)
    return like(ask, found, shape, constants.reshaped(found.const, shape))


@answers("expand_dims", "a axis")
@answers("expand_dims", "a axis", "jax.lax")
def expand_dims(ask: Ask) -> dict[str, Any]:
    found = ask.array("a")
    shape = shapes.expanded(found.shape, ask.axis("axis" if ask.value("axis") else "dimensions", MISSING))
    return like(ask, found, shape, constants.reshaped(found.const, shape))


@answers("atleast_1d atleast_2d atleast_3d", "a")
def atleast(ask: Ask) -> dict[str, Any]:
    if ask.rest:
        return {}
    found, least = ask.array("a"), int(ask.name[-2])
    if found.shape is None:
        return like(ask, found, None)
    if least == 3 and len(found.shape) < 3:
        return like(
            ask, found, {0: (1, 1, 1), 1: (1, *found.shape, 1), 2: (*found.shape, 1)}[len(found.shape)]
        )
    return like(ask, found, (1,) * (least - len(found.shape)) + found.shape)


@answers("broadcast_to", "array shape")
def broadcast_to(ask: Ask) -> dict[str, Any]:
    found, shape = ask.array("array"), ask.dims("shape")
    scalar = found.const if found.shape == () else MISSING
    return like(ask, found, shape, constants.filled(scalar, shape))


@answers("broadcast", "operand sizes", "jax.lax")
def lax_broadcast(ask: Ask) -> dict[str, Any]:
    found, sizes = ask.array("operand"), ask.dims("sizes")
    return like(ask, found, None if sizes is None or found.shape is None else (*sizes, *found.shape))


@answers("broadcast_in_dim", "operand shape broadcast_dimensions", "jax.lax")
def broadcast_in_dim(ask: Ask) -> dict[str, Any]:
    return like(ask, ask.array("operand"), ask.dims("shape"))


@answers("tile", "A reps")
def tile(ask: Ask) -> dict[str, Any]:
    found, reps = ask.array("A"), ask.dims("reps")
    if found.shape is None or reps is None:
        return like(ask, found, None)
    rank = max(len(found.shape), len(reps))
    a = (1,) * (rank - len(found.shape)) + found.shape
    r = (1,) * (rank - len(reps)) + reps
    return like(ask, found, tuple(shapes.product(pair) for pair in zip(a, r)))


@answers("repeat", "a repeats axis total_repeat_length")
def repeat(ask: Ask) -> dict[str, Any]:
    found, axis, count = ask.array("a"), ask.axis("axis"), ask.integer("repeats", MISSING)
    total = ask.integer("total_repeat_length")
    if found.shape is None:
        return like(ask, found, (None,) if axis is None else None)
    before = (shapes.product(found.shape),) if axis is None else found.shape
    before = before or (1,)
    place = shapes.axis_of(0 if axis is None else axis, len(before))
    if place is None:
        return like(ask, found, (None,) * len(before) if axis is not MISSING else None)
    dim = shapes.product((before[place], None if count is MISSING else count))
    if total is not None:
        dim = None if total is MISSING else total
    return like(ask, found, shapes.put(before, place, dim))


@answers("flip fliplr flipud", "a")
@answers("roll", "a shift axis")
@answers("unwrap", "a")
@answers("fftshift ifftshift", "a", "jax.numpy.fft")
def kept(ask: Ask) -> dict[str, Any]:
    """The shape stays."""
    found = ask.array("a")
    return like(ask, found, found.shape) if not ask.name.endswith("unwrap") else details(found.shape)


@answers("rot90", "a k axes")
def rot90(ask: Ask) -> dict[str, Any]:
    found, k = ask.array("a"), ask.integer("k", 1)
    if found.shape is None or len(found.shape) != 2 or k is MISSING:
        return like(ask, found, None if found.shape is None else (None,) * len(found.shape))
    return like(ask, found, found.shape[::-1] if k % 2 else found.shape)


@answers("pad", "array pad_width mode")
def pad(ask: Ask) -> dict[str, Any]:
    found = ask.array("array")
    if found.shape is None:
        return like(ask, found, None)
    widths = _widths(ask, len(found.shape))
    if widths is None:
        return like(ask, found, (None,) * len(found.shape))
    total = tuple(None if d is None or None in w else d + sum(w) for d, w in zip(found.shape, widths))
    return like(ask, found, total)


def _widths(ask: Ask, rank: int) -> list[tuple] | None:
    """How much is added before and after each axis."""
    value = ask.value("pad_width")
    if value is None:
        return None
    if integer(value) is not None:
        return [(value.const, value.const)] * rank
    listed = items(value, ask.parts)
    if not listed:
        return None
    if any(item.may_be(SEQUENCE) for item in listed):
        pairs = [dims(item, ask.parts) for item in listed]
        if any(pair is None or len(pair) not in (1, 2) for pair in pairs):
            return None
        pairs = [pair * 2 if len(pair) == 1 else pair for pair in pairs]
        return pairs * rank if len(pairs) == 1 else pairs if len(pairs) == rank else None
    pair = tuple(integer(item) for item in listed)
    return [pair * (2 if len(pair) == 1 else 1)] * rank if len(pair) in (1, 2) else None


# --- joining ----------------------------------------------------------------------------------------------------------


@answers("concatenate concat", "arrays axis dtype")
@answers("concatenate", "arrays axis", "jax.lax")
def concatenate(ask: Ask) -> dict[str, Any]:
    found = ask.arrays("arrays")
    if not found:
        return {}
    axis = ask.axis("axis" if ask.value("dimension") is None else "dimension", 0)
    if axis is None:
        return join(
            ask,
            found,
            shapes.joined([None if o.shape is None else (shapes.product(o.shape),) for o in found], 0),
        )
    return join(ask, found, shapes.joined([o.shape for o in found], axis))


@answers("stack", "arrays axis")
def stack(ask: Ask) -> dict[str, Any]:
    found = ask.arrays("arrays")
    if not found:
        return {}
    axis = ask.axis("axis", 0)
    const: Any = None
    if axis == 0 and all(o.const is not MISSING for o in found) and len({o.dtype for o in found}) == 1:
        const = tuple(o.const for o in found)
        const = const if len(found) * (shapes.product(found[0].shape or ()) or 0) <= constants.LIMIT else None
    return join(ask, found, shapes.stacked([o.shape for o in found], axis), const)


def join(ask: Ask, found: list[Operand], shape: tuple | None, const: Any = None) -> dict[str, Any]:
    """Several arrays in one: their dtypes are promoted."""
    asked = ask.dtype("")
    if asked != "":
        return details(shape, asked)
    if len(found) > 64 and len({o.typed for o in found}) > 1:
        return details(shape)
    distinct = found if ask.numpy else list({o.typed: o for o in found}.values())
    dtype, weak = settled(ask, promote(ask, distinct))
    extra = {} if const is None or dtype != found[0].dtype else {"const": const}
    return details(shape, dtype, weak, **extra)


@answers("hstack", "arrays")
@answers("vstack row_stack", "arrays")
@answers("dstack", "arrays")
@answers("column_stack", "arrays")
def side_by_side(ask: Ask) -> dict[str, Any]:
    found = ask.arrays("arrays")
    if not found:
        return {}
    short = ask.name.rpartition(".")[2]
    if any(o.shape is None for o in found):
        return join(ask, found, None)
    grown = [_grown(short, o.shape) for o in found]
    axis = {"vstack": 0, "row_stack": 0, "dstack": 2, "column_stack": 1}.get(
        short, 0 if len(grown[0]) == 1 else 1
    )
    return join(ask, found, shapes.joined(grown, axis))


def _grown(short: str, shape: tuple) -> tuple:
    """A shape as `vstack` and its like see it."""
    if short == "hstack":
        return shape or (1,)
    if short == "column_stack":
        return shape if len(shape) > 1 else (*shape, 1) if shape else (1, 1)
    if short == "dstack" and len(shape) < 3:
        return {0: (1, 1, 1), 1: (1, *shape, 1), 2: (*shape, 1)}[len(shape)]
    return shape if len(shape) > 1 else (1, *shape) if shape else (1, 1)


@answers("append", "arr values axis")
def append(ask: Ask) -> dict[str, Any]:
    found = [ask.array("arr"), ask.array("values")]
    axis = ask.axis("axis")
    flat = [None if o.shape is None else (shapes.product(o.shape),) for o in found]
    return join(
        ask,
        found,
        shapes.joined(flat if axis is None else [o.shape for o in found], axis or 0)
        if axis is not MISSING
        else None,
    )


# --- taking -----------------------------------------------------------------------------------------------------------


@answers("take", "a indices axis")
def take(ask: Ask) -> dict[str, Any]:
    found, chosen, axis = ask.array("a"), ask.array("indices"), ask.axis("axis")
    if axis is None:
        return like(ask, found, chosen.shape)
    place = shapes.axis_of(axis, found.rank)
    if place is None or chosen.shape is None:
        return like(ask, found, None)
    return like(ask, found, (*found.shape[:place], *chosen.shape, *found.shape[place + 1 :]))


@answers("take_along_axis", "arr indices axis")
def take_along_axis(ask: Ask) -> dict[str, Any]:
    found, chosen = ask.array("arr"), ask.array("indices")
    axis = ask.axis("axis", MISSING)
    place = shapes.axis_of(axis, found.rank) if chosen.rank == found.rank else None
    if place is None:
        return like(ask, found, chosen.shape if axis is None else None)
    both = shapes.broadcast(shapes.put(found.shape, place, 1), chosen.shape)
    return like(ask, found, both)


@answers("delete", "arr obj axis")
def delete(ask: Ask) -> dict[str, Any]:
    found, axis = ask.array("arr"), ask.axis("axis")
    if axis is None or found.shape is None:
        return like(ask, found, (None,) if axis is None else None)
    place = shapes.axis_of(axis, found.rank)
    one = integer(ask.value("obj")) is not None
    dim = found.shape[place] - 1 if one and place is not None and found.shape[place] else None
    return like(ask, found, shapes.put(found.shape, axis, dim))
