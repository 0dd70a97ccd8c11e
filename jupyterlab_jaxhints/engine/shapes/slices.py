"""Slices and updates of `jax.lax`, and its conversions."""

from __future__ import annotations

from typing import Any

from ..values import MISSING
from . import broadcast as shapes
from . import constants
from .operands import Ask, details
from .registry import answers, like, settled


@answers("dynamic_slice", "operand start_indices slice_sizes", "jax.lax")
def dynamic_slice(ask: Ask) -> dict[str, Any]:
    return like(ask, ask.array("operand"), ask.dims("slice_sizes"))


@answers("dynamic_slice_in_dim", "operand start_index slice_size axis", "jax.lax")
def dynamic_slice_in_dim(ask: Ask) -> dict[str, Any]:
    found, size = ask.array("operand"), ask.integer("slice_size", MISSING)
    return like(ask, found, shapes.put(found.shape, ask.axis("axis", 0), None if size is MISSING else size))


@answers("dynamic_index_in_dim index_in_dim", "operand index axis keepdims", "jax.lax")
def index_in_dim(ask: Ask) -> dict[str, Any]:
    found = ask.array("operand")
    keep = ask.flag("keepdims", True)
    if keep is False:
        return like(ask, found, shapes.reduced(found.shape, ask.axis("axis", 0)))
    return like(ask, found, shapes.put(found.shape, ask.axis("axis", 0), 1) if keep is True else None)


@answers("dynamic_update_slice", "operand update start_indices", "jax.lax")
@answers("dynamic_update_slice_in_dim", "operand update start_index axis", "jax.lax")
@answers("dynamic_update_index_in_dim", "operand update index axis", "jax.lax")
def updated(ask: Ask) -> dict[str, Any]:
    found = ask.array("operand")
    return details(found.shape, settled(ask, found.typed)[0])


@answers("slice", "operand start_indices limit_indices strides", "jax.lax")
def lax_slice(ask: Ask) -> dict[str, Any]:
    found = ask.array("operand")
    start, limit = ask.dims("start_indices"), ask.dims("limit_indices")
    if start is None or limit is None or ask.has("strides") is not False:
        return like(ask, found, None if found.shape is None else (None,) * len(found.shape))
    return like(ask, found, tuple(None if None in pair else pair[1] - pair[0] for pair in zip(start, limit)))


@answers("slice_in_dim", "operand start_index limit_index stride axis", "jax.lax")
def slice_in_dim(ask: Ask) -> dict[str, Any]:
    found, axis = ask.array("operand"), ask.axis("axis", 0)
    place = shapes.axis_of(axis, found.rank)
    bounds = [
        ask.integer(name, default)
        for name, default in (("start_index", None), ("limit_index", None), ("stride", 1))
    ]
    dim = found.shape[place] if place is not None else None
    if dim is None or MISSING in bounds or bounds[2] < 1:
        return like(ask, found, shapes.put(found.shape, axis, None))
    return like(ask, found, shapes.put(found.shape, axis, len(range(*slice(*bounds).indices(dim)))))


@answers("convert_element_type", "operand dtype", "jax.lax")
def convert(ask: Ask) -> dict[str, Any]:
    found = ask.array("operand")
    dtype = ask.dtype(None, "dtype" if ask.value("new_dtype") is None else "new_dtype")
    return details(found.shape, dtype, False if dtype else None, constants.cast(found.const, dtype))


@answers("collapse", "operand start_dimension stop_dimension", "jax.lax")
def collapse(ask: Ask) -> dict[str, Any]:
    found, start = ask.array("operand"), ask.integer("start_dimension", MISSING)
    stop = ask.integer("stop_dimension")
    if found.shape is None or MISSING in (start, stop) or start < 0:
        return like(ask, found, None)
    end = len(found.shape) if stop is None else stop
    return like(
        ask, found, (*found.shape[:start], shapes.product(found.shape[start:end]), *found.shape[end:])
    )
