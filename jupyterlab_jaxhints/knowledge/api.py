"""Every public name of JAX: what it is, what calling it gives, what its parameters take.

A name that is not listed is unknown; so is whatever an entry does not say.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from .tables import load


@dataclass(frozen=True)
class Parameter:
    """One parameter in the signature."""

    name: str
    #: "positional" (only), "either", "keyword" (only), "*" or "**"
    kind: str = "either"
    #: whether there is a default; `default` holds it where it is plain data
    optional: bool = False
    default: Any = None


@dataclass(frozen=True)
class Outcome:
    """What a call gives when an option differs from its default."""

    result: str
    items: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Entry:
    """One public name. Parameters are given by name; `index` turns a name into a place."""

    #: the canonical qualified name
    name: str
    #: function | scalar_type (`jnp.float32`) | type | module | constant | object
    kind: str
    #: what calling it gives: array, tuple, list, dict, static (Python or NumPy scalar, or a tuple of them,
    #: also while tracing), dtype, key,
    #: keys (an array of keys), numpy, function, none, type, iterator, object, unknown
    result: str = "unknown"
    parameters: tuple[Parameter, ...] = ()
    #: result kinds of a tuple's items, where its length is fixed
    items: tuple[str, ...] | None = None
    #: result kind of every item of a list or of a tuple of open length
    each: str | None = None
    #: the names of a named tuple's fields
    fields: tuple[str, ...] = ()
    #: the result is a tree like this parameter's argument (an array for an array)
    like: str | None = None
    #: parameters that take an array
    arrays: tuple[str, ...] = ()
    #: … of them, those that raise when given a list or a tuple
    refuses: tuple[str, ...] = ()
    #: parameters that take a list or a tuple of numbers or arrays
    sequences: tuple[str, ...] = ()
    #: parameters that raise when given a tracer, where a Python value works
    static: tuple[str, ...] = ()
    #: array parameters that raise when given a tracer, since the result's shape depends on the values
    dynamic: tuple[str, ...] = ()
    #: parameters that lift that (`size`)
    fixed_by: tuple[str, ...] = ()
    #: parameter whose key is used up by the call
    consumes_key: str | None = None
    #: `option=value` → what then comes back
    when: dict[str, Outcome] = field(default_factory=dict)
    #: dtype that a scalar type stands for
    dtype: str | None = None
    #: the value of a constant, where it is plain data
    value: Any = None

    def index(self, parameter: str) -> int | None:
        """The place of a parameter that may be given by position."""
        for place, candidate in enumerate(self.parameters):
            if candidate.name == parameter:
                return place if candidate.kind in ("positional", "either", "*") else None
        return None

    def parameter_at(self, place: int) -> Parameter | None:
        """The parameter that a positional argument binds."""
        for here, candidate in enumerate(self.parameters):
            if candidate.kind == "*" or (here == place and candidate.kind in ("positional", "either")):
                return candidate
        return None

    def parameter(self, name: str) -> Parameter | None:
        """The parameter that a keyword argument binds."""
        for candidate in self.parameters:
            if candidate.name == name and candidate.kind in ("either", "keyword"):
                return candidate
        return None


@lru_cache(maxsize=4096)
def lookup(qualified: str, jax: str | None = None) -> Entry | None:
    """The entry of a name, aliases resolved; None is unknown. `jax` is the release in question, else the
    newest."""
    return _entry(canonical(qualified), jax)


def canonical(qualified: str) -> str:
    """The name under which the tables know an object: `jax.experimental.pjit.pjit` → `jax.jit`. Unknown
    names stay as they are.

    A module's alias is resolved too: `jax.numpy.linalg` reached through another module.
    """
    table = load("aliases.json")
    known = table.get(qualified)
    if known is not None:
        return known
    parent, dot, last = qualified.rpartition(".")
    if not dot:
        return qualified
    module = table.get(parent)
    return canonical(f"{module}.{last}") if module is not None and module != parent else qualified


def star(module: str, jax: str | None = None) -> tuple[str, ...]:
    """The names that `from module import *` binds; empty where that is not known."""
    return tuple(load("stars.json").get(canonical(module), jax) or ())


def is_module(qualified: str) -> bool:
    """Whether the name is a module of JAX, or leads to one."""
    entry = lookup(qualified)
    return entry.kind == "module" if entry is not None else qualified in _module_prefixes()


@lru_cache(maxsize=None)
def _module_prefixes() -> frozenset[str]:
    table = load("api.json")
    prefixes = set()
    for half in (table.newest, table.oldest):
        for name in half:
            parts = name.split(".")
            prefixes.update(".".join(parts[:length]) for length in range(1, len(parts)))
    return frozenset(prefixes)


@lru_cache(maxsize=4096)
def _entry(name: str, jax: str | None) -> Entry | None:
    row = load("api.json").get(name, jax)
    if row is None:
        return None
    plain = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    if plain["kind"] == "constant" and plain.get("value") in ("nan", "inf"):  # JSON has no such numbers
        plain["value"] = float(plain["value"])
    plain["parameters"] = tuple(_parameter(described) for described in row.get("parameters", ()))
    plain["when"] = {
        option: Outcome(o["result"], tuple(o["items"]) if "items" in o else None)
        for option, o in row.get("when", {}).items()
    }
    return Entry(name=name, **plain)


def _parameter(row: dict[str, Any]) -> Parameter:
    default = row.get("default")
    return Parameter(
        row["name"],
        row.get("kind", "either"),
        "default" in row,
        tuple(default) if isinstance(default, list) else default,
    )
