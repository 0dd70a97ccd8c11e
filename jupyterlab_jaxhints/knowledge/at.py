"""The methods of `x.at[i]`, and which operators and functions they stand for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from .tables import load


@dataclass(frozen=True)
class AtMethod:
    """One method, as in `x.at[i].add(y)`."""

    name: str
    #: parameters in order; those in `keywords` are given by name only
    parameters: tuple[str, ...]
    keywords: tuple[str, ...]
    #: it gives a new array (all but `get`)
    writes: bool
    #: what goes into the brackets: value | function | nothing
    takes: str
    #: augmented assignments that it stands for: `+=`
    operators: tuple[str, ...]
    #: functions that it stands for, without module: `x[i] = maximum(x[i], y)` is `max`
    functions: tuple[str, ...]


@lru_cache(maxsize=64)
def method(name: str, jax: str | None = None) -> AtMethod | None:
    """The row of a method; None where `.at[…]` has none of that name."""
    row = load("at_methods.json").get(name, jax)
    if row is None:
        return None
    return AtMethod(
        name, **{key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    )


def for_operator(operator: str, jax: str | None = None) -> str | None:
    """`+=` → `add`; None for an operator that no method stands for (`%=`: that is `apply`, or `set` of the
    whole)."""
    return _first(jax, lambda row: operator in row.operators)


def for_function(name: str, jax: str | None = None) -> str | None:
    """`maximum` → `max`, for a function of `jax.numpy` or `numpy` of two arguments."""
    return _first(jax, lambda row: name in row.functions)


def _first(jax: str | None, fits: Callable[[AtMethod], bool]) -> str | None:
    rows = [
        row for name in load("at_methods.json").newest if (row := method(name, jax)) is not None and fits(row)
    ]
    # `mul` and `multiply` are one: the longer name is the one that JAX's table gives
    return max(rows, key=lambda row: len(row.name)).name if rows else None
