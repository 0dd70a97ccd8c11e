"""How often JAX traced the functions that a cell calls while the cell ran, as the kernel's own events count it."""
from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from .engine.magics import mask

OFTEN = 2  # traces in one run of a cell from which they are told
CERTAIN = 4  # traces in one run from which nobody can call it warming up


def counted(facts: Mapping[str, Any]) -> dict[str, int]:
    """Function name → traces in the last run of a cell. Empty before JAX 0.6, whose events bear no names."""
    traces = facts.get("traces")
    if not isinstance(traces, dict):
        return {}
    return {name: seen[0] for name, seen in traces.items() if name.isidentifier() and seen and seen[0] >= OFTEN}


def beside_calls(text: str, counts: Mapping[str, int]) -> dict[int, str]:
    """Zero-based line → what stands behind it, for functions that the cell calls at one place only: with more of them
    nobody knows which one JAX traced for."""
    try:
        tree = ast.parse(mask(text).text) if counts else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    calls: dict[str, list[int]] = defaultdict(list)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in counts:
            calls[node.func.id].append((node.end_lineno or node.lineno) - 1)
    return {lines[0]: f"{name} traced {counts[name]} times" for name, lines in calls.items() if len(lines) == 1}
