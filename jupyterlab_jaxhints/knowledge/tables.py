"""Reads the measured tables: once, and only when asked for the first time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"

#: JAX releases before this one are answered from the oldest measured JAX, all others from the newest.
FIRST_NEW = (0, 5)


@dataclass(frozen=True)
class Table:
    """A table measured on two releases of JAX."""

    newest: Mapping[str, Any]
    oldest: Mapping[str, Any]

    def get(self, key: str, jax: str | None = None) -> Any | None:
        """The row for a JAX release; without one, the newest that there is."""
        if jax is None:
            return self.newest.get(key, self.oldest.get(key))
        return (self.oldest if parse_version(jax) < FIRST_NEW else self.newest).get(key)


@lru_cache(maxsize=None)
def load(name: str) -> Table:
    """The table in a file of `data/` that has the two halves `entries` and `oldest`."""
    content = json.loads((DATA / name).read_text(encoding="utf-8"))
    newest = content["entries"]
    oldest = {key: row for key, row in {**newest, **content["oldest"]}.items() if row is not None}
    return Table(newest, oldest)


@lru_cache(maxsize=None)
def load_plain(name: str) -> Any:
    """The content of a JSON file of `data/` that holds for every release."""
    return json.loads((DATA / name).read_text(encoding="utf-8"))


@lru_cache(maxsize=64)
def parse_version(text: str) -> tuple[int, ...]:
    """`0.4.30.dev1` → (0, 4, 30): the leading numbers of a release."""
    numbers: list[int] = []
    for part in text.split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        numbers.append(int(digits))
        if digits != part:
            break
    return tuple(numbers)
