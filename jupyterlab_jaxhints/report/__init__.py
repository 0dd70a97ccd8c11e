"""Results of files as text, JSON, SARIF or GitHub annotations."""
from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from ..checker import FileResult
from . import items, sarif, text

FORMATS: dict[str, Callable[[Sequence[FileResult]], str]] = {
    "full": text.full,
    "concise": text.concise,
    "json": lambda results: json.dumps(items.all_items(results), indent=2, ensure_ascii=False) + "\n",
    "sarif": lambda results: json.dumps(sarif.log(results), indent=2, ensure_ascii=False) + "\n",
    "github": text.github,
}


def render(results: Sequence[FileResult], output_format: str) -> str:
    """All results in one of the formats."""
    return FORMATS[output_format](results)
