"""Where a configuration line goes so that it works from the start."""
from __future__ import annotations

from typing import Any

from ...engine import import_lines
from ...engine.textedits import EditRefused


def _first_import(edit: Any) -> tuple[Any, Any, list]:
    """The first statement of the notebook that imports JAX or something of it, with its cell."""
    for cell in edit.cells:
        for piece in cell.pieces:
            found = [each for each in import_lines.of_piece(piece) if each.module.split(".")[0] == "jax"]
            if found:
                return cell, piece, found
    raise EditRefused("nothing imports JAX")


def first_line(edit: Any, flag: str, value: str = "True") -> list:
    """`jax.config.update(flag, value)` behind the notebook's first `import jax`, or with an import of its own above the
    first import of something from JAX."""
    cell, piece, found = _first_import(edit)
    code = f'.config.update("{flag}", {value})'
    plain = next((each.local for each in found if each.binds == "jax"), None)
    if plain is None:
        return [edit.line_above(cell.id, piece, f"import jax\njax{code}")]
    return [edit.line_below(cell, piece, f"{plain}{code}")]


def before_import(edit: Any, code: str) -> list:
    """A line on `os.environ` above the first import of JAX."""
    cell, piece, _ = _first_import(edit)
    known = []
    for other in edit.cells:
        for each in other.pieces:
            if other is cell and each.start_line >= piece.start_line:
                break
            known += import_lines.of_piece(each)
        if other is cell:
            break
    missing = "" if any(each.binds == "os" and each.local == "os" for each in known) else "import os\n"
    return [edit.line_above(cell.id, piece, f"{missing}{code}")]
