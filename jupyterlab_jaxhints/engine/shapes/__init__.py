"""Shape, dtype, weak type and constants of values.

Each question has one function here; answers are dicts with any of `shape`, `dtype`, `weak`, `const` (fields of `Value`).
What is not known is left out, or a None dimension: an answer may say less than the truth, never something else. Nothing
here raises, and nothing here knows whether a value is a tracer: kinds are the interpreter's.

`parts` gives the elements of a tuple or list; `x64` says whether 64 bits are on (None: not known).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..callables import Argument
from ..values import ARRAYLIKE, JAX, NUMBER, NUMPY, Value, leaves
from . import (  # noqa: F401  (importing a module registers its functions)
    arrange,
    create,
    draws,
    elementwise,
    hosts,
    indexing,
    linear,
    methods,
    operators,
    reductions,
    several,
    slices,
)
from .broadcast import broadcast, broadcastable
from .dtypes import canonical, is_subnormal, overflow
from .dtypes import parse as dtype_of
from .operands import Ask, Parts, bind, common
from .promotions import promotion
from .registry import ONE, SEVERAL, find


def total(nothing: Callable[[], Any]) -> Callable:
    """Whatever happens, the answer is at least "nothing known": a gap in a table must not take the analysis down."""

    def wrap(function: Callable) -> Callable:
        @functools.wraps(function)
        def asked(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except Exception:
                return nothing()

        return asked

    return wrap


def no_parts(value: Value) -> list[Value]:
    """For values without containers in them."""
    return list(value.elements or ())


@total(dict)
def call(name: str, args: tuple[Argument, ...], parts: Parts, x64: bool | None) -> dict[str, Any]:
    """Details of the result of a function with one array as its result, by its qualified name."""
    found = find(name, ONE)
    bound = bind(args, found[0].signature) if found else None
    if bound is None:
        return {}
    entry, numpy = found
    answer = entry.handler(Ask(name, numpy, *bound, parts, x64))
    if numpy and any(arg.value.may_be(JAX) for arg in args):
        # NumPy hands some functions on to a JAX array's own methods
        return common(answer, entry.handler(Ask("jax." + name, False, *bound, parts, x64)))
    if not numpy and "dtype" in answer and "weak" not in answer and all_strong(args, parts):
        answer["weak"] = False
    return answer


def all_strong(args: tuple[Argument, ...], parts: Parts) -> bool:
    """No argument could make the result weakly typed."""
    leaves_ = [leaf for arg in args for leaf in leaves(arg.value, parts)]
    arrays = [leaf for leaf in leaves_ if leaf.may_be(ARRAYLIKE)]
    return (
        bool(arrays)
        and all(
            leaf.dtype not in (None, "bool")
            and (leaf.must_be(NUMPY) or leaf.must_be(JAX) and leaf.weak is False)
            for leaf in arrays
        )
        and not any(leaf.may_be(NUMBER) and leaf.dtype != "int" for leaf in leaves_)
    )


@total(lambda: None)
def calls(
    name: str, args: tuple[Argument, ...], parts: Parts, x64: bool | None
) -> list[dict[str, Any]] | None:
    """Details of each result of a function with several; None when it is not known how many there are."""
    found = find(name, SEVERAL)
    bound = bind(args, found[0].signature) if found else None
    if bound is None:
        return None
    entry, numpy = found
    answer = entry.handler(Ask(name, numpy, *bound, parts, x64))
    if answer and numpy and any(arg.value.may_be(JAX) for arg in args):
        return [{key: item[key] for key in item if key == "shape"} for item in answer]
    return answer


@total(dict)
def method(
    name: str, base: Value, args: tuple[Argument, ...], parts: Parts, x64: bool | None
) -> dict[str, Any]:
    """Details of the result of an array's method: "sum", "method.sum", "at.set"."""
    return methods.method(name, base, args, parts, x64, call)


@total(lambda: None)
def attribute(name: str, base: Value) -> dict[str, Any] | Value | None:
    """An array's attribute: details for T, mT, real, imag; a Value for shape, ndim, size, dtype; None for others."""
    return methods.attribute(name, base)


@total(lambda: None)
def static(name: str, value: Value, parts: Parts = no_parts) -> Value | None:
    """`jnp.shape(x)`, `np.ndim(x)`, `jnp.size(x)`, `len(x)` as a Value; None for other functions."""
    return methods.static(name, value, parts)


@total(dict)
def binary(
    operator: str, left: Value, right: Value, x64: bool | None, parts: Parts = no_parts
) -> dict[str, Any]:
    """Details of `left operator right`, comparison and `@` included; for two numbers those of Python."""
    return operators.binary(operator, left, right, parts, x64)


@total(dict)
def unary(operator: str, value: Value) -> dict[str, Any]:
    """Details of `-x`, `+x`, `~x`, `not x`."""
    return operators.unary(operator, value, no_parts)


@total(dict)
def index(base: Value, index_value: Value, parts: Parts = no_parts) -> dict[str, Any]:
    """Details of `base[index]`."""
    return indexing.index(base, index_value, parts)


@total(dict)
def literal(value: Value, parts: Parts, x64: bool | None, numpy: bool = False) -> dict[str, Any]:
    """Details of the array that `jnp.asarray(value)` makes; NumPy's with `numpy`."""
    return create.literal(value, parts, x64, numpy)


__all__ = [
    "attribute",
    "binary",
    "broadcast",
    "broadcastable",
    "call",
    "calls",
    "canonical",
    "dtype_of",
    "index",
    "is_subnormal",
    "literal",
    "method",
    "overflow",
    "promotion",
    "static",
    "unary",
]
