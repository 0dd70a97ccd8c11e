"""Products of arrays, linear algebra, Fourier transforms, random draws."""
from __future__ import annotations

from typing import Any

from ..values import KEY, MISSING, SEQUENCE
from . import broadcast as shapes
from . import dtypes
from .operands import Ask, Operand, details, dims, items, operand
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
    return details((*found.shape[:-2], found.shape[-1], found.shape[-2]) if known else None, field(ask, found))


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
    return details(found.shape[:-1] if found.shape else None,
                   None if ask.numpy else dtypes.COMPLEX_OF.get(field(ask, found) or ""))


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
        return "float64" if real and found.dtype == "float64" else "complex128" if found.dtype == "float64" and not real else None
    dtype = dtypes.COMPLEX_OF.get(inexact(ask, found.typed)[0] or "")
    return dtypes.REAL_PART.get(dtype) if real else dtype


@answers("fftfreq rfftfreq", "n d", "jax.numpy.fft")
def fftfreq(ask: Ask) -> dict[str, Any]:
    n = ask.integer("n", MISSING)
    if n is MISSING:
        return details((None,))
    return details((n // 2 + 1 if ask.name.endswith("rfftfreq") else n,))


# --- random draws -------------------------------------------------------------------------------------------------------

# name → signature; the shape that holds when none is given: those of the parameters named behind the bar, broadcast
DRAWS = {
    "normal gumbel laplace logistic cauchy exponential maxwell": "key shape dtype",
    "uniform": "key shape dtype minval maxval",
    "truncated_normal": "key lower upper shape dtype | lower upper",
    "gamma loggamma": "key a shape dtype | a",
    "beta": "key a b shape dtype | a b",
    "t": "key df shape dtype | df",
    "chisquare": "key df shape dtype | df",
    "pareto": "key b shape dtype | b",
    "rayleigh": "key scale shape dtype | scale",
    "lognormal": "key sigma shape dtype | sigma",
    "weibull_min": "key scale concentration shape dtype | scale concentration",
    "triangular": "key left mode right shape dtype | left mode right",
    "wald": "key mean shape dtype | mean",
    "geometric poisson": "key p shape dtype | p",
    "randint": "key shape minval maxval dtype",
    "bits": "key shape dtype",
    "bernoulli": "key p shape | p",
    "rademacher": "key shape dtype",
    "binomial": "key n p shape dtype | n p",
    "orthogonal": "key n shape dtype",
}
INTEGERS = ("randint", "geometric", "poisson", "rademacher")


def draw(ask: Ask) -> dict[str, Any]:
    """Numbers from a distribution."""
    short = ask.name.rpartition(".")[2]
    asked = ask.dtype("int64" if short in INTEGERS else "float64")
    if short in ("bits", "bernoulli", "orthogonal"):
        asked = {"bernoulli": "bool"}.get(short)
    has = ask.has("shape")
    if short == "orthogonal":
        n = ask.integer("n", MISSING)
        batch = () if has is False else ask.dims("shape")
        return details(None if batch is None else (*batch, *(None if n is MISSING else n,) * 2))
    if has:
        return details(ask.dims("shape"), asked, False)
    if has is None:
        return details(None, asked, False)
    named = BY_PARAMETERS.get(short, ())
    found = [ask.array(name).shape if ask.value(name) is not None else () for name in named]
    return details(shapes.broadcast(*found) if found else (), asked, False)


BY_PARAMETERS: dict[str, tuple[str, ...]] = {}
for names, text in DRAWS.items():
    signature, _, parameters = text.partition(" | ")
    answers(names, signature, "jax.random")(draw)
    for name in names.split():
        BY_PARAMETERS[name] = tuple(parameters.split())


@answers("categorical", "key logits axis shape", "jax.random")
def categorical(ask: Ask) -> dict[str, Any]:
    has = ask.has("shape")
    shape = ask.dims("shape") if has else None
    if has is False:
        shape = shapes.reduced(ask.array("logits").shape, ask.axis("axis", -1))
    return details(shape, ask.dtype("int64", "-"), False)


@answers("choice", "key a shape replace p axis", "jax.random")
def choice(ask: Ask) -> dict[str, Any]:
    found, shape = ask.array("a"), () if ask.has("shape") is False else ask.dims("shape")
    number = found.shape == ()
    dtype = settled(ask, found.typed)[0] if not number else None
    if found.shape is None or shape is None or len(found.shape) > 1 and ask.axis("axis", 0) != 0:
        return details(None, dtype)
    return details((*shape, *found.shape[1:]), dtype)


@answers("permutation", "key x axis independent", "jax.random")
def permutation(ask: Ask) -> dict[str, Any]:
    found, value = ask.array("x"), ask.value("x")
    if found.shape == () and value is not None:
        return details((value.const if value.known and isinstance(value.const, int) else None,))
    return details(found.shape, settled(ask, found.typed)[0])


@answers("dirichlet", "key alpha shape dtype", "jax.random")
def dirichlet(ask: Ask) -> dict[str, Any]:
    alpha, has = ask.array("alpha").shape, ask.has("shape")
    batch = ask.dims("shape") if has else alpha[:-1] if has is False and alpha else None
    return details(None if batch is None or not alpha else (*batch, alpha[-1]), ask.dtype("float64"), False)


@answers("multivariate_normal", "key mean cov shape dtype", "jax.random")
def multivariate_normal(ask: Ask) -> dict[str, Any]:
    mean, cov, has = ask.array("mean").shape, ask.array("cov").shape, ask.has("shape")
    if not mean:
        return details(None)
    batch = ask.dims("shape") if has else shapes.broadcast(mean[:-1], cov[:-2]) if has is False and cov else None
    asked = ask.dtype("")
    return details(None if batch is None else (*batch, mean[-1]), asked or None)


@answers("ball", "key d p shape dtype", "jax.random")
def ball(ask: Ask) -> dict[str, Any]:
    d, batch = ask.integer("d", MISSING), () if ask.has("shape") is False else ask.dims("shape")
    return details(None if batch is None else (*batch, None if d is MISSING else d), ask.dtype("float64"), False)


@answers("key", "seed impl", "jax.random")
def key(ask: Ask) -> dict[str, Any]:
    return details(())


@answers("PRNGKey", "seed impl", "jax.random")
def raw_key(ask: Ask) -> dict[str, Any]:
    """How many words a raw key has depends on the generator in use."""
    return details((None,), "uint32")


@answers("split", "key num", "jax.random")
def split(ask: Ask) -> dict[str, Any]:
    value = ask.value("key")
    if value is None or not value.must_be(KEY):
        return {}
    num = (2,) if ask.value("num") is None else ask.dims("num")
    found = operand(value, ask.parts)
    return details(None if num is None or found.shape is None else (*num, *found.shape), found.dtype)


@answers("fold_in clone", "key data", "jax.random")
def same_key(ask: Ask) -> dict[str, Any]:
    found = ask.raw("key")
    return details(found.shape, found.dtype)


@answers("key_data", "keys", "jax.random")
def key_data(ask: Ask) -> dict[str, Any]:
    shape = ask.raw("keys").shape
    return details(None if shape is None else (*shape, None), "uint32")
