"""Random numbers and keys."""

from __future__ import annotations

from typing import Any

from ..values import KEY, MISSING
from . import broadcast as shapes
from .operands import Ask, details, operand
from .registry import answers, settled

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
    batch = (
        ask.dims("shape") if has else shapes.broadcast(mean[:-1], cov[:-2]) if has is False and cov else None
    )
    asked = ask.dtype("")
    return details(None if batch is None else (*batch, mean[-1]), asked or None)


@answers("ball", "key d p shape dtype", "jax.random")
def ball(ask: Ask) -> dict[str, Any]:
    d, batch = ask.integer("d", MISSING), () if ask.has("shape") is False else ask.dims("shape")
    return details(
        None if batch is None else (*batch, None if d is MISSING else d), ask.dtype("float64"), False
    )


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
