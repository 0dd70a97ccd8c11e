"""Says for each row of `removed.json` whether the JAX that runs here still has it, and writes that into the
table."""

from __future__ import annotations

import importlib
import json
from typing import Any

import halves
import jax
import jax.numpy as jnp
import numpy as np
from probe_api import attempt, quiet
from removed_calls import CALLS

TABLE = halves.folder() / "removed.json"


def find(qualified: str) -> Any:
    """The object of a qualified name; AttributeError or ImportError where there is none."""
    parts = qualified.split(".")
    for length in range(len(parts), 0, -1):
        good, found = attempt(lambda: importlib.import_module(".".join(parts[:length])))
        if good:
            for part in parts[length:]:
                found = getattr(found, part)
            return found
    raise ImportError(qualified)


def call_of(row: dict[str, Any]) -> str | None:
    """The expression that uses what the row is about."""
    detail = (row.get("keywords") or [row.get("form")])[0]
    return CALLS.get(f"{row['name']} {detail}" if detail else row["name"])


def works(row: dict[str, Any]) -> bool:
    """Whether what the row is about can be used here."""
    code = call_of(row)
    with quiet():
        if row["kind"] == "import":
            return attempt(lambda: importlib.import_module(row["name"]))[0]
        if code is None:
            return attempt(lambda: find(row["name"]))[0]
        from jax.experimental.pjit import pjit

        space = {
            "jax": jax,
            "jnp": jnp,
            "np": np,
            "pjit": pjit,
            "x": jnp.arange(4.0),
            "m": jnp.eye(3) * 2,
            "mesh": jax.sharding.Mesh(np.asarray(jax.devices()[:1]), ("i",)),
        }
        return attempt(lambda: eval(code, space))[0]


def main() -> None:
    """Writes `has`: release → whether it is there; and `new_name`: whether the replacement is."""
    rows = json.loads(TABLE.read_text())
    half = halves.running_half()
    for row in rows:
        row.setdefault("has", {})[half] = works(row)
        name = row.get("replacement", {}).get("name")
        if name and name.startswith("jax"):
            with quiet():
                row["replacement"].setdefault("has", {})[half] = attempt(lambda: find(name))[0]
    TABLE.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")


if __name__ == "__main__":
    main()
