"""Functions with several arrays as their results."""

from __future__ import annotations

from typing import Any

from ..values import MISSING
from . import broadcast as shapes
from . import dtypes
from .linear import field
from .operands import Ask, Operand, details, integer, items
from .reductions import sized
from .registry import SEVERAL, answers, like, promote, settled

Results = "list[dict[str, Any]] | None"
MOST = 256


def several(names: str, signature: str, module: str = "jax.numpy") -> Any:
    return answers(names, signature, module, SEVERAL)


@several("split array_split", "ary indices axis")
def split(ask: Ask) -> Results:
    return cut(ask, ask.axis("axis", 0))


@several("vsplit", "ary indices")
def vsplit(ask: Ask) -> Results:
    return cut(ask, 0)


@several("hsplit", "ary indices")
def hsplit(ask: Ask) -> Results:
    rank = ask.array("ary").rank
    return None if rank is None else cut(ask, 0 if rank == 1 else 1)


@several("dsplit", "ary indices")
def dsplit(ask: Ask) -> Results:
    return cut(ask, 2)


def cut(ask: Ask, axis: Any) -> Results:
    """The pieces of an array along one axis."""
    found = ask.array("ary")
    value = ask.value("indices") or ask.value("indices_or_sections")
    place = shapes.axis_of(axis, found.rank)
    dim = None if place is None else found.shape[place]
    if value is None:
        return None
    if integer(value) is not None:
        count = value.const
        if not 0 < count <= MOST:
            return None
        sizes = [None if dim is None else dim // count + (i < dim % count) for i in range(count)]
    else:
        points = items(value, ask.parts)
        if points is None:
            return None
        ends = [0, *(integer(point) for point in points), dim]
        if any(isinstance(end, int) and end < 0 for end in ends):
            return None
        sizes = [_between(start, end, dim) for start, end in zip(ends, ends[1:])]
    return [like(ask, found, shapes.put(found.shape, axis, size)) for size in sizes]


def _between(start: int | None, end: int | None, dim: int | None) -> int | None:
    if None in (start, end, dim):
        return None
    return max(min(end, dim) - min(start, dim), 0)


@several("split", "operand sizes axis", "jax.lax")
def lax_split(ask: Ask) -> Results:
    found, sizes = ask.array("operand"), ask.dims("sizes")
    return (
        None
        if sizes is None
        else [like(ask, found, shapes.put(found.shape, ask.axis("axis", 0), n)) for n in sizes]
    )


@several("unstack", "x axis")
def unstack(ask: Ask) -> Results:
    found, axis = ask.array("x"), ask.axis("axis", 0)
    place = shapes.axis_of(axis, found.rank)
    count = None if place is None else found.shape[place]
    if count is None or count > MOST:
        return None
    return [like(ask, found, shapes.reduced(found.shape, axis))] * count


@several("meshgrid", "*xi")
def meshgrid(ask: Ask) -> Results:
    found = [ask.taken(value) for value in ask.rest]
    indexing = ask.value("indexing")
    order = "xy" if indexing is None else indexing.const
    if ask.flag("sparse") is not False or order not in ("xy", "ij"):
        return [details(None, settled(ask, o.typed)[0]) for o in found] or None
    sizes = [None if o.shape is None else shapes.product(o.shape) for o in found]
    if order == "xy" and len(sizes) > 1:
        sizes[:2] = sizes[1], sizes[0]
    return [details(tuple(sizes), settled(ask, o.typed)[0]) for o in found] or None


@several("broadcast_arrays", "*arrays")
def broadcast_arrays(ask: Ask) -> Results:
    found = [ask.taken(value) for value in ask.rest]
    shape = shapes.broadcast(*(o.shape for o in found))
    return [like(ask, o, shape) for o in found] or None


@several("atleast_1d atleast_2d atleast_3d", "*arrays")
def atleast(ask: Ask) -> Results:
    return [details()] * len(ask.rest) if len(ask.rest) > 1 else None


@several("divmod", "x y")
def both(ask: Ask) -> Results:
    a, b = ask.array("x"), ask.array("y")
    dtype = promote(ask, [a, b])[0]
    return [details(shapes.broadcast(a.shape, b.shape), None if dtype == "bool" else dtype)] * 2


@several("modf", "x")
def modf(ask: Ask) -> Results:
    found = ask.array("x")
    return [details(found.shape, found.dtype if dtypes.category(found.dtype) == "float" else None)] * 2


@several("frexp", "x")
def frexp(ask: Ask) -> Results:
    shape = ask.array("x").shape
    return [details(shape), details(shape, "int32")]


@several("nonzero", "a size fill_value")
@several("where", "condition x y size fill_value")
def nonzero(ask: Ask) -> Results:
    if ask.has("x") is not False or ask.has("y") is not False:
        return None
    found = ask.array("a" if ask.name.endswith("nonzero") else "condition")
    if not found.shape:
        return None
    return [details((sized(ask),), ask.dtype("int64", "-"))] * len(found.shape)


@several("unique", "ar return_index return_inverse return_counts axis equal_nan size fill_value")
def unique(ask: Ask) -> Results:
    flags = [ask.flag(f"return_{part}") for part in ("index", "inverse", "counts")]
    if MISSING in flags or not any(flags):
        return None
    found = ask.array("ar")
    flat = ask.axis("axis") is None
    first = like(ask, found, (sized(ask),) if flat else None)
    return [first, *(details() for flag in flags if flag)]


@several("tril_indices triu_indices", "n k m")
@several("tril_indices_from triu_indices_from", "arr k")
@several("diag_indices", "n ndim")
def indices(ask: Ask) -> Results:
    dtype = ask.dtype("int64", "-")
    if not ask.name.endswith("diag_indices"):
        return [details((None,), dtype)] * 2
    n, rank = ask.integer("n", MISSING), ask.integer("ndim", 2)
    return None if rank is MISSING else [details((None if n is MISSING else n,), dtype)] * rank


@several("unravel_index", "indices shape")
def unravel_index(ask: Ask) -> Results:
    shape = ask.dims("shape")
    return None if shape is None else [details(ask.array("indices").shape)] * len(shape)


@several("histogram", "a bins")
def histogram(ask: Ask) -> Results:
    bins = ask.integer("bins", 10)
    known = isinstance(bins, int)
    return [details((bins if known else None,)), details((bins + 1 if known else None,))]


@several("gradient", "f *varargs")
def gradient(ask: Ask) -> Results:
    found = ask.array("f")
    if found.shape is None or len(found.shape) < 2 or ask.value("axis") is not None:
        return None
    return [details(found.shape)] * len(found.shape)


@several("linspace", "start stop num endpoint retstep dtype axis")
def linspace(ask: Ask) -> Results:
    if ask.flag("retstep") is not True:
        return None
    count = ask.integer("num", 50)
    plain = all(ask.array(name).shape == () for name in ("start", "stop"))
    return [
        details((None if count is MISSING else count,) if plain else None),
        details(() if plain else None),
    ]


@several("top_k", "operand k axis", "jax.lax")
def top_k(ask: Ask) -> Results:
    found, k = ask.array("operand"), ask.integer("k", MISSING)
    shape = shapes.put(found.shape, ask.axis("axis", -1), None if k is MISSING else k)
    return [details(shape, settled(ask, found.typed)[0]), details(shape)]


# --- linear algebra ---------------------------------------------------------------------------------------------------


def matrix(found: Operand) -> tuple[tuple, int | None, int | None, int | None] | None:
    """Batch, rows, columns and the smaller of the two."""
    if found.shape is None or len(found.shape) < 2:
        return None
    *batch, rows, columns = found.shape
    return tuple(batch), rows, columns, None if None in (rows, columns) else min(rows, columns)


@several("qr", "a mode", "jax.numpy.linalg")
def qr(ask: Ask) -> Results:
    found, mode = ask.array("a"), ask.value("mode")
    mode = "reduced" if mode is None else mode.const
    known, dtype = matrix(found), field(ask, found)
    if mode not in ("reduced", "complete"):
        return None
    if known is None:
        return [details(None, dtype)] * 2
    batch, rows, columns, least = known
    inner = least if mode == "reduced" else rows
    return [details((*batch, rows, inner), dtype), details((*batch, inner, columns), dtype)]


@several("svd", "a full_matrices compute_uv", "jax.numpy.linalg")
def svd(ask: Ask) -> Results:
    found, full = ask.array("a"), ask.flag("full_matrices", True)
    if ask.flag("compute_uv", True) is not True:
        return None
    known, dtype = matrix(found), field(ask, found)
    real = dtypes.REAL_PART.get(dtype, dtype)
    if known is None or full is MISSING:
        return [details(None, dtype), details(None, real), details(None, dtype)]
    batch, rows, columns, least = known
    return [
        details((*batch, rows, rows if full else least), dtype),
        details((*batch, least), real),
        details((*batch, columns if full else least, columns), dtype),
    ]


@several("eigh", "a", "jax.numpy.linalg")
@several("eigh", "a", "jax.scipy.linalg")
def eigh(ask: Ask) -> Results:
    found = ask.array("a")
    if ask.flag("eigvals_only") is not False:
        return None
    dtype = field(ask, found)
    shape = found.shape
    return [details(shape[:-1] if shape else None, dtypes.REAL_PART.get(dtype, dtype)), details(shape, dtype)]


@several("eig", "a", "jax.numpy.linalg")
def eig(ask: Ask) -> Results:
    shape = ask.array("a").shape
    return [details(shape[:-1] if shape else None), details(shape)]


@several("slogdet", "a", "jax.numpy.linalg")
def slogdet(ask: Ask) -> Results:
    found = ask.array("a")
    shape, dtype = (None if found.shape is None else found.shape[:-2]), field(ask, found)
    return [details(shape, dtype), details(shape, dtypes.REAL_PART.get(dtype, dtype))]


@several("lstsq", "a b rcond", "jax.numpy.linalg")
def lstsq(ask: Ask) -> Results:
    return [details()] * 4
