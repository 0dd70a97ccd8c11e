"""Makes `api.json`, `aliases.json` and `stars.json`: run it with the oldest and with the newest JAX."""

from __future__ import annotations

from typing import Any

import halves
import names
from measure_api import measure


def entries(objects: dict[str, Any] | None = None) -> dict[str, Any]:
    """Canonical name → entry, for the JAX that runs here."""
    objects = objects or names.public_objects()
    aliases = names.aliases(objects)
    return {name: measure(name, value) for name, value in objects.items() if name not in aliases}


def stars() -> dict[str, list[str]]:
    """Module → the names that a star import of it binds."""
    wanted = (
        "jax",
        "jax.numpy",
        "jax.lax",
        "jax.random",
        "jax.nn",
        "jax.numpy.linalg",
        "jax.scipy.linalg",
        "jax.tree_util",
        "jax.scipy.special",
        "jax.numpy.fft",
        "jax.nn.initializers",
        "jax.sharding",
        "jax.example_libraries.stax",
    )
    return {path: names.star_names(module) for path in wanted if (module := names.load(path)) is not None}


def main() -> None:
    """Writes this JAX's half of the three tables."""
    objects = names.public_objects()
    halves.write("stars.json", stars())
    halves.write("aliases.json", names.aliases(objects))
    halves.write("api.json", entries(objects))


if __name__ == "__main__":
    main()
