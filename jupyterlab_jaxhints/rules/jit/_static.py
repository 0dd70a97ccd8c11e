"""What the rules on static arguments share: which methods need which, and how one is declared."""
from __future__ import annotations

from typing import Any

import libcst as cst

# array methods → parameter (None: any positional one) → what it is called in a message
_AXIS = {None: "the axis", "axis": "`axis`", "keepdims": "`keepdims`"}
METHODS: dict[str, dict[Any, str]] = {
    "reshape": {None: "the shape", "shape": "the shape"},
    "transpose": {None: "the order of axes"},
    "swapaxes": {None: "the axis"},
    "squeeze": {None: "the axis", "axis": "`axis`"},
    **{name: _AXIS for name in ("sum", "mean", "max", "min", "prod", "std", "var", "any", "all", "argmax", "argmin",
                                "cumsum", "cumprod")},
    "sort": _AXIS, "argsort": _AXIS,
}


def add_static(edit: Any, wrapped: Any, name: str) -> list | None:
    """The edits that add a parameter to a transform's static ones; None where it is not plain how."""
    there = edit.elsewhere(wrapped.place)
    node = getattr(wrapped.node, "decorator", wrapped.node)
    option = f'static_argnames=("{name}",)'
    if not isinstance(node, cst.Call):  # @jax.jit
        partial, edits = there.import_needed("functools", "partial")
        return [there.replace(node, f"{partial}({there.text(node)}, {option})"), *edits]
    for argument in node.args:
        keyword = argument.keyword.value if argument.keyword is not None else ""
        if keyword == "static_argnames":
            return _extended(there, argument, name)
        if keyword == "static_argnums":
            return None
    return [there.insert_after(node.args[-1].value, f", {option}")] if node.args else None


def _extended(there: Any, argument: Any, name: str) -> list | None:
    value = argument.value
    if isinstance(value, cst.SimpleString):
        return [there.replace(value, f'({there.text(value)}, "{name}")')]
    if isinstance(value, (cst.Tuple, cst.List)) and value.elements:
        return [there.insert_after(value.elements[-1].value, f', "{name}"')]
    return None
