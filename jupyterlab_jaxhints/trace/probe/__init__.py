"""The probe: what runs in the user's kernel. Written in parts, sent as one text."""
from __future__ import annotations

import ast
import functools
import hashlib
import pathlib

OLDEST_PYTHON = (3, 9)
PARTS = ("base", "guard", "describe", "levels", "clone", "shadow", "instrument", "positions", "sources", "records",
         "permits", "calls", "hooks", "errortexts", "operands", "errors", "registrations", "keys", "promotion", "walk",
         "repeats", "cellrun", "facts", "warned", "watch", "evaluate", "device", "coverage", "verify", "entry")


def _without_joints(text: str) -> str:
    """A part's text without its imports of other parts and of `__future__`; no line moves."""
    lines = text.split("\n")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.level or node.module == "__future__"):
            for number in range(node.lineno - 1, node.end_lineno):
                indent = len(lines[number]) - len(lines[number].lstrip())
                lines[number] = " " * indent + ("pass" if indent and number == node.lineno - 1 else "")
    return "\n".join(lines)


@functools.lru_cache(maxsize=None)
def probe_source() -> str:
    """The whole probe as one source text."""
    folder = pathlib.Path(__file__).parent
    parts = [_without_joints((folder / f"{name}.py").read_text(encoding="utf-8")) for name in PARTS]
    return "from __future__ import annotations\n" + "\n".join(parts)


@functools.lru_cache(maxsize=None)
def too_old_source() -> str:
    """What a kernel gets in the probe's place where its Python is older than `OLDEST_PYTHON`: it answers why."""
    return (pathlib.Path(__file__).parent / "too_old.py").read_text(encoding="utf-8")


@functools.lru_cache(maxsize=None)
def probe_version() -> str:
    """Changes with the probe's text: a kernel that holds another one gets it anew."""
    return hashlib.sha256(probe_source().encode()).hexdigest()[:12]
