"""Keeps a measured table for the oldest and the newest JAX in one file: the newest whole, of the oldest
what differs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import jax

DATA = Path(__file__).resolve().parents[2] / "jupyterlab_jaxhints" / "knowledge" / "data"


def folder() -> Path:
    """Where the tables are written: the package, or the folder that the first argument names."""
    return Path(sys.argv[1]) if len(sys.argv) > 1 else DATA


#: JAX releases older than this are taken for the oldest supported one, all others for the newest.
FIRST_NEW = (0, 5)


def running_half() -> str:
    """Which half of a table the JAX that runs here fills."""
    release = tuple(int(part) for part in jax.__version__.split(".")[:2])
    return "oldest" if release < FIRST_NEW else "newest"


def join(oldest: dict[str, Any], newest: dict[str, Any]) -> dict[str, Any]:
    """The two parts of the file: `entries` of the newest, `oldest` what is different there (null: not
    there)."""
    different = {key: value for key, value in oldest.items() if newest.get(key) != value}
    different.update({key: None for key in newest if key not in oldest})
    return {"entries": dict(sorted(newest.items())), "oldest": dict(sorted(different.items()))}


def split(content: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Both tables, from the file's two parts."""
    oldest = {**content["entries"], **content["oldest"]}
    return {
        "newest": content["entries"],
        "oldest": {key: value for key, value in oldest.items() if value is not None},
    }


def read(name: str) -> dict[str, dict[str, Any]]:
    """Both halves of a table; empty ones where it was never made."""
    path = folder() / name
    return split(json.loads(path.read_text())) if path.exists() else {"newest": {}, "oldest": {}}


def write(name: str, measured: dict[str, Any]) -> None:
    """Puts what was measured here into its half of the table."""
    path = folder() / name
    content = json.loads(path.read_text()) if path.exists() else {"jax": {}}
    halves = {**read(name), running_half(): json.loads(json.dumps(measured))}
    content = {
        "jax": {**content["jax"], running_half(): jax.__version__},
        **join(halves["oldest"], halves["newest"]),
    }
    path.parent.mkdir(exist_ok=True)
    path.write_text(_dumps(content))


def _dumps(content: dict[str, Any]) -> str:
    """JSON with one entry a line, so that a change of the table reads well in a diff."""
    parts = [f'"jax": {json.dumps(content["jax"], sort_keys=True)}']
    for part in ("entries", "oldest"):
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in content[part].items())
        parts.append(f'"{part}": {{\n{lines}\n}}')
    return "{\n" + ",\n".join(parts) + "\n}\n"
