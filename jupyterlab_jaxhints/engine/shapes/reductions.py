"""Reductions, arg-reductions, cumulative functions, sorting, counting."""

from __future__ import annotations

from typing import Any

from ..values import MISSING
from . import dtypes
from .broadcast import axis_of, broadcast, product, put, reduced
from .operands import Ask, Operand, details
from .registry import answers, inexact, like, promote, settled

SIGNATURES = {
    "a axis dtype out keepdims": "sum prod nansum nanprod mean nanmean",
    "a axis dtype out ddof keepdims": "std var nanstd nanvar",
    "a axis out keepdims": "max min amax amin nanmax nanmin any all ptp argmax argmin nanargmax nanargmin",
    "a axis keepdims": "count_nonzero",
    "a axis out overwrite_input keepdims": "median nanmedian",
    "a q axis out overwrite_input method keepdims": "quantile nanquantile percentile nanpercentile",
    "a axis weights returned keepdims": "average",
    "a axis b keepdims return_sign": "logsumexp",
}
INDEX = ("argmax", "argmin", "nanargmax", "nanargmin", "count_nonzero")
TOTAL = ("sum", "prod", "nansum", "nanprod")
SAME = ("max", "min", "amax", "amin", "nanmax", "nanmin", "ptp")


def answered(ask: Ask) -> dict[str, Any]:
    short = ask.name.rpartition(".")[2]
    found = ask.array("a")
    shape = reduced(found.shape, ask.axis("axis"), ask.flag("keepdims"))
    if ask.has("out"):
        return {}
    if short in ("any", "all"):
        return details(shape, "bool", None if ask.numpy else False)
    if short in INDEX:
        return details(shape, ask.dtype("int64"), None if ask.numpy else False)
    if short in SAME:
        return details(shape, settled(ask, found.typed)[0], None if ask.numpy else False)
    if short in ("quantile", "nanquantile", "percentile", "nanpercentile"):
        q = ask.array("q").shape
        return details(
            None if q is None or shape is None else (*q, *shape),
            averaged(ask, found.typed) if dtypes.category(found.dtype) == "float" and not ask.numpy else None,
        )
    if short in TOTAL:
        return details(shape, *total(ask, found.typed))
    if short == "average":
        plain = ask.has("weights") is False and not ask.numpy
        return (
            {}
            if ask.flag("returned") is not False
            else details(shape, averaged(ask, found.typed) if plain else None)
        )
    if short == "logsumexp":
        return {} if ask.flag("return_sign") is not False else details(shape, inexact(ask, found.typed)[0])
    return details(shape, averaged(ask, found.typed), None if ask.numpy else False)


for signature, names in SIGNATURES.items():
    answers(names, signature)(answered)
answers("logsumexp", "a axis b keepdims return_sign", "jax.nn")(answered)
answers("logsumexp", "a axis b keepdims return_sign", "jax.scipy.special")(answered)


def total(ask: Ask, typed: dtypes.Typed) -> dtypes.Typed:
    """The dtype of a sum: small integers grow to the default width."""
    weak = None if ask.numpy else False
    asked = ask.dtype(dtypes.DEFAULT)
    if asked != dtypes.DEFAULT:
        return asked, weak
    if ask.value("promote_integers") is not None:
        return None, weak
    table = dtypes.tables()["numpy" if ask.numpy else "jax"]["sum"]
    dtype = table.get(dtypes.strong(typed[0]) or "")
    return (dtype if ask.numpy else dtypes.canonical(dtype, ask.x64)), weak


def averaged(ask: Ask, typed: dtypes.Typed) -> str | None:
    """The dtype of a mean, a deviation, a median."""
    asked = ask.dtype(dtypes.DEFAULT)
    if asked != dtypes.DEFAULT:
        return asked
    kind = dtypes.category(dtypes.strong(typed[0]))
    short = ask.name.rpartition(".")[2]
    if kind == "complex":
        return settled(ask, typed)[0] if "mean" in short else None
    if kind in ("bool", "int", "uint"):
        if ask.numpy:
            return "float64"
        return dtypes.inexact_jax(typed, ask.x64)[0]
    return settled(ask, typed)[0] if kind else None


@answers("cumsum cumprod nancumsum nancumprod", "a axis dtype out")
def cumulative(ask: Ask) -> dict[str, Any]:
    found = ask.array("a")
    axis = ask.axis("axis")
    shape = found.shape
    if axis is None:
        shape = None if shape is None else (product(shape),)
    elif axis is MISSING:
        shape = None
    elif shape == ():
        shape = (1,)
    asked = ask.dtype(dtypes.DEFAULT)
    if asked != dtypes.DEFAULT:
        return details(shape, asked, None if ask.numpy else False)
    if ask.numpy:
        return details(shape, dtypes.numpy_table("sum", found.dtype))
    dtype = settled(ask, found.typed)[0]
    return details(shape, dtypes.canonical("int64", ask.x64) if dtype == "bool" else dtype, False)


@answers("diff", "a n axis prepend append")
def diff(ask: Ask) -> dict[str, Any]:
    found, n, axis = ask.array("a"), ask.integer("n", 1), ask.axis("axis", -1)
    dtype = settled(ask, found.typed)[0]
    if not found.shape:
        return details(None, dtype)
    place = axis_of(axis, len(found.shape))
    dim = None
    if place is not None and n is not MISSING and found.shape[place] is not None:
        dim = max(found.shape[place] - n, 0)
    if ask.value("prepend") is not None or ask.value("append") is not None:
        return details(put(found.shape, axis, None))
    return details(put(found.shape, axis, dim), dtype)


@answers("sort", "a axis")
def sort(ask: Ask) -> dict[str, Any]:
    found = ask.array("a")
    shape = _flat_if_none(ask, found.shape)
    return (
        like(ask, found, shape)
        if ask.numpy
        else details(shape, settled(ask, found.typed)[0], strong_only(found))
    )


def strong_only(found: Operand) -> bool | None:
    """What a function makes of a weak type is not known; a strong one stays."""
    return False if found.weak is False else None


@answers("argsort", "a axis")
def argsort(ask: Ask) -> dict[str, Any]:
    return details(_flat_if_none(ask, ask.array("a").shape), ask.dtype("int64"), None if ask.numpy else False)


def _flat_if_none(ask: Ask, shape: tuple | None) -> tuple | None:
    axis = ask.axis("axis", -1)
    if not shape:
        return None
    if axis is None:
        return None if shape is None else (product(shape),)
    return None if axis is MISSING else shape


@answers("searchsorted", "a v side sorter")
@answers("digitize", "v bins right")
def searchsorted(ask: Ask) -> dict[str, Any]:
    """Indices; with 64 bits their dtype depends on the size."""
    dtype = "int64" if ask.numpy else "int32" if ask.x64 is False else None
    return details(ask.array("v" if ask.value("v") else "x").shape, dtype)


@answers("bincount", "x weights minlength length")
def bincount(ask: Ask) -> dict[str, Any]:
    length = ask.integer("length")
    return details((None if length in (None, MISSING) else length,))


@answers("argwhere", "a size fill_value")
def argwhere(ask: Ask) -> dict[str, Any]:
    rank = ask.array("a").rank
    return details((sized(ask), rank), ask.dtype("int64"), None if ask.numpy else False)


@answers("flatnonzero", "a size fill_value")
def flatnonzero(ask: Ask) -> dict[str, Any]:
    return details((sized(ask),), ask.dtype("int64"), None if ask.numpy else False)


@answers("unique", "ar return_index return_inverse return_counts axis equal_nan size fill_value")
def unique(ask: Ask) -> dict[str, Any]:
    if any(ask.flag(f"return_{part}") is not False for part in ("index", "inverse", "counts")):
        return {}
    found = ask.array("ar")
    if ask.axis("axis") is None:
        return like(ask, found, (sized(ask),))
    return like(ask, found, None if found.shape is None else (None,) * len(found.shape))


def sized(ask: Ask) -> int | None:
    """The `size=` that fixes a shape that depends on the data."""
    size = ask.integer("size")
    return None if size is MISSING else size


@answers("interp", "x xp fp left right period")
def interp(ask: Ask) -> dict[str, Any]:
    found = [ask.array(name) for name in ("x", "xp", "fp")]
    floats = all(o.dtype == found[0].dtype for o in found) and dtypes.category(found[0].dtype) == "float"
    return details(found[0].shape, found[0].dtype if floats and not ask.numpy else None)


@answers("trace", "a offset axis1 axis2 dtype")
def trace(ask: Ask) -> dict[str, Any]:
    found = ask.array("a")
    if found.shape is None or len(found.shape) < 2:
        return {}
    axes = ask.axis("axis1", 0), ask.axis("axis2", 1)
    return details(reduced(found.shape, axes if MISSING not in axes else MISSING))


# --- jax.lax and jax.nn ----------------------------------------------------------------------------------------------


@answers("reduce_sum reduce_max reduce_min reduce_prod reduce_and reduce_or", "operand axes", "jax.lax")
def lax_reduce(ask: Ask) -> dict[str, Any]:
    found = ask.array("operand")
    return details(reduced(found.shape, ask.axis("axes", MISSING)), settled(ask, found.typed)[0])


@answers("argmax argmin", "operand axis index_dtype", "jax.lax")
def lax_argmax(ask: Ask) -> dict[str, Any]:
    shape = reduced(ask.array("operand").shape, ask.axis("axis", MISSING))
    return details(shape, ask.dtype("int32", "index_dtype"), False)


@answers("softmax log_softmax", "x axis where", "jax.nn")
@answers("standardize", "x axis", "jax.nn")
@answers("softmax log_softmax", "x axis", "jax.scipy.special")
def softmax(ask: Ask) -> dict[str, Any]:
    found = ask.array("x")
    return details(found.shape, inexact(ask, found.typed)[0])


@answers("glu", "x axis", "jax.nn")
def glu(ask: Ask) -> dict[str, Any]:
    found, axis = ask.array("x"), ask.axis("axis", -1)
    place = axis_of(axis, found.rank)
    size = None if place is None else found.shape[place]
    return details(put(found.shape, axis, None if size is None else size // 2), inexact(ask, found.typed)[0])


@answers("one_hot", "x num_classes dtype axis", "jax.nn")
def one_hot(ask: Ask) -> dict[str, Any]:
    shape, count = ask.array("x").shape, ask.integer("num_classes", MISSING)
    asked = ask.dtype(dtypes.DEFAULT)
    if asked == dtypes.DEFAULT:
        asked = None if ask.x64 is None else "float64" if ask.x64 else "float32"
    if shape is None:
        return details(None, asked)
    place = axis_of(ask.axis("axis", -1), len(shape) + 1)
    if place is None:
        return details((None,) * (len(shape) + 1), asked)
    return details((*shape[:place], None if count is MISSING else count, *shape[place:]), asked)


@answers("norm", "x ord axis keepdims", "jax.numpy.linalg")
@answers("vector_norm", "x axis keepdims ord", "jax.numpy.linalg")
def norm(ask: Ask) -> dict[str, Any]:
    found = ask.array("x")
    dtype = inexact(ask, found.typed)[0] if dtypes.category(found.dtype) == "float" else None
    return details(reduced(found.shape, ask.axis("axis"), ask.flag("keepdims")), dtype)


@answers("convolve correlate", "a v mode")
def convolve(ask: Ask) -> dict[str, Any]:
    a, v, mode = ask.array("a"), ask.array("v"), ask.value("mode")
    default = "full" if ask.name.endswith("convolve") else "valid"
    mode = default if mode is None else mode.const
    if not a.shape or not v.shape or None in (*a.shape, *v.shape) or len(a.shape) != 1:
        return details((None,))
    long, short = max(a.shape[0], v.shape[0]), min(a.shape[0], v.shape[0])
    size = {"full": long + short - 1, "same": long, "valid": long - short + 1}
    return details((size.get(mode) if isinstance(mode, str) else None,))


@answers("cov corrcoef", "m y rowvar")
def cov(ask: Ask) -> dict[str, Any]:
    return details(None)


@answers("cross", "a b")
def cross(ask: Ask) -> dict[str, Any]:
    a, b = ask.array("a"), ask.array("b")
    shape = broadcast(a.shape, b.shape)
    known = shape and a.shape[-1:] == b.shape[-1:] == (3,)
    return details(shape if known else None, promote(ask, [a, b])[0])
