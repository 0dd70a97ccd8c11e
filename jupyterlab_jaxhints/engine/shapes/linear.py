"""Products of arrays, linear algebra, Fourier transforms."""

from __future__ import annotations

from typing import Any

from ..values import MISSING, SEQUENCE
from . import broadcast as shapes
from . import dtypes
from .operands import Ask, Operand, details, dims, items
from .registry import answers, inexact, promote, settled


def product_of(ask: Ask, a: Operand, b: Operand, shape: tuple | None) -> dict[str, Any]:
    """The dtype of a product of two arrays."""
    if ask.has("preferred_element_type") is not False:
        return details(shape)
    return details(shape, *settled(ask, promote(ask, [a, b])))


@answers("matmul", "a b")
def matmul(ask: Ask) -> dict[str, Any]:
    a, b = ask.array("a"), ask.array("b")
    return product_of(ask, a, b, shapes.multiplied(a.shape, b.shape))


@answers("dot", "a b")
@answers("dot", "a b", "jax.lax")
def dot(ask: Ask) -> dict[str, Any]:
    a, b = ask.array("a"), ask.array("b")
    return product_of(ask, a, b, shapes.dotted(a.shape, b.shape))


@answers("vdot", "a b")
def vdot(ask: Ask) -> dict[str, Any]:
    return product_of(ask, ask.array("a"), ask.array("b"), ())


@answers("inner", "a b")
def inner(ask: Ask) -> dict[str, Any]:
    a, b = ask.array("a"), ask.array("b")
    if a.shape is None or b.shape is None:
        return product_of(ask, a, b, None)
    shape = a.shape[:-1] + b.shape[:-1] if a.shape and b.shape else a.shape or b.shape
    return product_of(ask, a, b, shape)


@answers("outer", "a b")
def outer(ask: Ask) -> dict[str, Any]:
    a, b = ask.array("a"), ask.array("b")
    sizes = tuple(None if o.shape is None else shapes.product(o.shape) for o in (a, b))
    return product_of(ask, a, b, sizes)


@answers("kron", "a b")
def kron(ask: Ask) -> dict[str, Any]:
    a, b = ask.array("a"), ask.array("b")
    if a.shape is None or b.shape is None:
        return product_of(ask, a, b, None)
    rank = max(len(a.shape), len(b.shape))
    left, right = ((1,) * (rank - len(o.shape)) + o.shape for o in (a, b))
    return product_of(ask, a, b, tuple(shapes.product(pair) for pair in zip(left, right)))


@answers("tensordot", "a b axes")
def tensordot(ask: Ask) -> dict[str, Any]:
    a, b = ask.array("a"), ask.array("b")
    return product_of(ask, a, b, shapes.contracted(a.shape, b.shape, _pairs(ask)))


def _pairs(ask: Ask) -> Any:
    """The axes of `tensordot`: a number, or two tuples of axes."""
    found = ask.axis("axes", 2)
    if found is not MISSING:
        return tuple((axis,) for axis in found) if isinstance(found, tuple) else found
    listed = items(ask.value("axes"), ask.parts) or []
    pairs = [dims(item, ask.parts) if item.must_be(SEQUENCE) else None for item in listed]
    return MISSING if len(pairs) != 2 or any(pair is None or None in pair for pair in pairs) else tuple(pairs)


@answers("einsum", "subscripts *operands")
def einsum(ask: Ask) -> dict[str, Any]:
    text = ask.value("subscripts")
    if text is None or not text.known or not isinstance(text.const, str):
        return {}
    found = [ask.taken(value) for value in ask.rest]
    shape = shapes.einsum(text.const, [o.shape for o in found])
    if ask.has("preferred_element_type") is not False or not found:
        return details(shape)
    dtype, weak = settled(ask, promote(ask, found))
    return details(shape, dtype, False if weak is False else None)


# --- linear algebra -----------------------------------------------------------------------------------------------------

FLOATS = "float32", "float64", "complex64", "complex128"


def field(ask: Ask, *operands: Operand) -> str | None:
    """The dtype of linear algebra over these; only floats are certain."""
    dtype = promote(ask, list(operands))[0]
    return dtype if dtype in FLOATS else None


@answers("inv cholesky matrix_power expm", "a", "jax.numpy.linalg")
@answers("inv expm cholesky", "a", "jax.scipy.linalg")
def square(ask: Ask) -> dict[str, Any]:
    found = ask.array("a")
    return details(found.shape, field(ask, found))


@answers("det", "a", "jax.numpy.linalg")
@answers("det", "a", "jax.scipy.linalg")
def det(ask: Ask) -> dict[str, Any]:
    found = ask.array("a")
    return details(None if found.shape is None else found.shape[:-2], field(ask, found))


@answers("pinv", "a", "jax.numpy.linalg")
def pinv(ask: Ask) -> dict[str, Any]:
    found = ask.array("a")
    known = found.shape is not None and len(found.shape) >= 2
    return details(
        (*found.shape[:-2], found.shape[-1], found.shape[-2]) if known else None, field(ask, found)
    )


@answers("solve", "a b", "jax.numpy.linalg")
@answers("solve solve_triangular", "a b", "jax.scipy.linalg")
def solve(ask: Ask) -> dict[str, Any]:
    a, b = ask.array("a"), ask.array("b")
    plain = a.shape is not None and len(a.shape) == 2 and b.shape is not None and len(b.shape) in (1, 2)
    return details(b.shape if plain else None, field(ask, a, b))


@answers("eigvalsh", "a", "jax.numpy.linalg")
def eigvalsh(ask: Ask) -> dict[str, Any]:
    found = ask.array("a")
    dtype = field(ask, found)
    return details(found.shape[:-1] if found.shape else None, dtypes.REAL_PART.get(dtype, dtype))


@answers("eigvals", "a", "jax.numpy.linalg")
def eigvals(ask: Ask) -> dict[str, Any]:
    found = ask.array("a")
    return details(
        found.shape[:-1] if found.shape else None,
        None if ask.numpy else dtypes.COMPLEX_OF.get(field(ask, found) or ""),
    )


@answers("svdvals", "x", "jax.numpy.linalg")
def svdvals(ask: Ask) -> dict[str, Any]:
    shape = ask.array("x").shape
    if shape is None or len(shape) < 2:
        return {}
    return details((*shape[:-2], None if None in shape[-2:] else min(shape[-2:])))


# --- Fourier transforms -----------------------------------------------------------------------------------------------


@answers("fft ifft rfft irfft hfft ihfft", "a n axis", "jax.numpy.fft")
def fft(ask: Ask) -> dict[str, Any]:
    found, axis, n = ask.array("a"), ask.axis("axis", -1), ask.integer("n")
    short = ask.name.rpartition(".")[2]
    place = shapes.axis_of(axis, found.rank)
    dtype = _spectrum(ask, found, short in ("irfft", "hfft"))
    if place is None:
        return details(None if found.shape is None else (None,) * len(found.shape), dtype)
    size = found.shape[place] if n is None else None if n is MISSING else n
    if size is not None and short in ("rfft", "ihfft"):
        size = size // 2 + 1
    elif size is not None and n is None and short in ("irfft", "hfft"):
        size = 2 * (size - 1)
    return details(shapes.put(found.shape, place, size), dtype)


@answers("fft2 ifft2 fftn ifftn", "a s axes", "jax.numpy.fft")
def fftn(ask: Ask) -> dict[str, Any]:
    found = ask.array("a")
    shape = found.shape if ask.has("s") is False else None
    return details(shape, _spectrum(ask, found, False))


def _spectrum(ask: Ask, found: Operand, real: bool) -> str | None:
    if ask.numpy:
        return (
            "float64"
            if real and found.dtype == "float64"
            else "complex128"
            if found.dtype == "float64" and not real
            else None
        )
    dtype = dtypes.COMPLEX_OF.get(inexact(ask, found.typed)[0] or "")
    return dtypes.REAL_PART.get(dtype) if real else dtype


@answers("fftfreq rfftfreq", "n d", "jax.numpy.fft")
def fftfreq(ask: Ask) -> dict[str, Any]:
    n = ask.integer("n", MISSING)
    if n is MISSING:
        return details((None,))
    return details((n // 2 + 1 if ask.name.endswith("rfftfreq") else n,))
