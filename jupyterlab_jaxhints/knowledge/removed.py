"""Names, keywords, methods and ways of calling that JAX removed, moved or will remove, by release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from .tables import load_plain, parse_version

#: The releases on which every row was tried.
OLDEST, NEWEST = (0, 4, 30), (0, 10, 2)


@dataclass(frozen=True)
class Replacement:
    """What to write instead; one of `name`, `template`, `keyword`, `positional`, or for a keyword that is
    left out none of them."""

    #: whether the fix means the same without a look
    drop_in: bool
    #: a qualified name that takes the old one's place
    name: str | None = None
    #: an expression: `{x}` an argument as written, `{axis=0}` with a default, `{*args}` all, `{self}` the
    #: array, `{jax.numpy.inf}` that name as
    #: the notebook spells it
    template: str | None = None
    #: the old function's parameters, for `template`; None where the old name is no function
    parameters: tuple[str, ...] | None = None
    #: the keyword's new name
    keyword: str | None = None
    #: the argument has to be given by position
    positional: bool = False
    #: old value → new value, as source text, for a keyword
    values: Mapping[str, str] | None = None
    #: whether the oldest and the newest measured JAX have `name`
    has: Mapping[str, bool] | None = None


@dataclass(frozen=True)
class Removed:
    """One row."""

    #: qualified; methods and attributes of arrays as `jax.Array.device_buffer`
    name: str
    #: attribute | module | import (the module cannot be imported, the attribute stays) | method | keyword |
    #: call
    kind: str
    #: removed | deprecated | legacy
    state: str
    #: for `keyword`: the keywords meant
    keywords: tuple[str, ...] = ()
    #: for `call`: which way of calling
    form: str | None = None
    removed: str | None = None
    deprecated: str | None = None
    replacement: Replacement | None = None
    #: what to do instead, in words; None where there is nothing
    advice: str | None = None
    source: str = ""
    #: whether the oldest and the newest measured JAX have it
    has: Mapping[str, bool] | None = None

    def status(self, jax: str | None = None) -> str:
        """removed | missing (not there yet, or gone under other rules) | deprecated | legacy | present |
        unknown, in a release (else the newest)."""
        release = NEWEST if jax is None else parse_version(jax)
        if release >= NEWEST:
            return self.state if self.has["newest"] or self.state == "removed" else "missing"
        if self.removed is not None and release >= parse_version(self.removed):
            return "removed"
        if not self.has["oldest"]:
            before = self.removed is None and self.state == "removed"
            return "removed" if before else "missing" if release <= OLDEST else "unknown"
        if self.state == "removed" and self.removed is None and release > OLDEST:
            return "unknown"
        if self.state == "legacy":
            return "legacy"
        old = self.deprecated is not None and release >= parse_version(self.deprecated)
        return "deprecated" if old else "present"


@lru_cache(maxsize=None)
def rows() -> tuple[Removed, ...]:
    """All rows."""
    return tuple(_row(row) for row in load_plain("removed.json"))


def _row(row: dict) -> Removed:
    replacement = row.get("replacement")
    if replacement is not None:
        replacement = Replacement(**{**replacement, "parameters": _tuple(replacement.get("parameters"))})
    return Removed(**{**row, "replacement": replacement, "keywords": tuple(row.get("keywords", ()))})


def _tuple(value: list[str] | None) -> tuple[str, ...] | None:
    return None if value is None else tuple(value)


@lru_cache(maxsize=None)
def _index() -> dict[tuple[str, str], tuple[Removed, ...]]:
    index: dict[tuple[str, str], tuple[Removed, ...]] = {}
    for row in rows():
        kind = (
            "name"
            if row.kind in ("attribute", "module") and not row.name.startswith("jax.Array.")
            else row.kind
        )
        kind = "method" if row.name.startswith("jax.Array.") and row.kind in ("attribute", "method") else kind
        index[kind, row.name] = (*index.get((kind, row.name), ()), row)
    return index


def name(qualified: str) -> Removed | None:
    """The row of a function, class, constant or module, as it is spelled (aliases not resolved)."""
    return next(iter(_index().get(("name", qualified), ())), None)


def importing(module: str) -> Removed | None:
    """The row of a module that can no longer be imported."""
    return next(iter(_index().get(("import", module), ())), None) or name(module)


def method(attribute: str) -> Removed | None:
    """The row of an attribute or method of arrays."""
    return next(iter(_index().get(("method", f"jax.Array.{attribute}"), ())), None)


def keywords(function: str) -> tuple[Removed, ...]:
    """The rows about keywords of a function, or of a method as `jax.Array.clip`."""
    return _index().get(("keyword", function), ())


def calls(function: str) -> tuple[Removed, ...]:
    """The rows about ways of calling a function, or a method as `jax.Array.astype`."""
    return _index().get(("call", function), ())
