"""Which functions draw from the random key that they are given: those of `jax.random` and of the libraries
around JAX."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from . import api
from .tables import load_plain


@dataclass(frozen=True)
class KeyUse:
    """A function and the parameter that takes the key."""

    parameter: str
    #: place among the positional arguments, `self` not counted; None: by keyword only
    place: int | None
    #: consumes (draws from it or splits it) | keeps (holds it and draws later)
    effect: str = "consumes"


def use(qualified: str, jax: str | None = None) -> KeyUse | None:
    """What a function does with its key. None: it takes none, leaves it as it is (`fold_in`, `key_data`),
    or is unknown.

    A method is `Class.method` with the class of the library (`flax.linen.Module.init`), a function that
    another one gives
    back is `name()` (`jax.nn.initializers.normal()`), a class that takes a key is the class.
    """
    row = load_plain("keys.json")["keys"].get(qualified)
    if row is not None:
        return KeyUse(**row)
    entry = api.lookup(qualified, jax)
    if entry is None or entry.consumes_key is None:
        return None
    return KeyUse(entry.consumes_key, entry.index(entry.consumes_key))


@lru_cache(maxsize=None)
def methods_of(name: str) -> bool:
    """Whether the table has a row for the thing itself, or for a method of it."""
    rows = load_plain("keys.json")["keys"]
    return name.endswith("()") and name in rows or any(row.startswith(f"{name}.") for row in rows)


def gives(qualified: str) -> str | None:
    """The class of what a function gives back, where its methods are known: `haiku.transform` →
    `haiku.Transformed`."""
    return load_plain("keys.json")["gives"].get(qualified)
