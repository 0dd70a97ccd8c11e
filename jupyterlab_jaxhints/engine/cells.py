"""A notebook or a Python file as cells, in order, with ids that stay the same from run to run."""
from __future__ import annotations

import io
import json
import re
import tokenize
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ..errors import SourceError

MARKER = re.compile(r"^# ?%%(?!\w)[^\r\n]*", re.MULTILINE)


@dataclass(frozen=True)
class Cell:
    """One code cell.

    number: its place among all cells of the notebook, from 1; None in a Python file. first_line: where its
    text begins in the file, from 0; always 0 in a notebook. tags: those of its metadata.
    """

    id: str
    text: str
    number: int | None = None
    first_line: int = 0
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Source:
    """A file's code cells, with the notebook's metadata. A notebook in another `language` has none."""

    name: str
    kind: Literal["notebook", "script"]
    cells: tuple[Cell, ...]
    metadata: dict[str, Any] = field(default_factory=dict)
    language: str = "python"


def read_file(path: Path) -> Source:
    """The cells of a file; `.ipynb` is a notebook, everything else Python."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SourceError("unreadable-file", f"{path}: {error.strerror or error}.") from None
    return read_bytes(data, str(path))


def read_bytes(data: bytes, name: str, kind: Literal["notebook", "script"] | None = None) -> Source:
    """The cells of a file's content. Without `kind` the name's ending decides."""
    if kind is None:
        kind = "notebook" if name.endswith(".ipynb") else "script"
    if kind == "notebook":
        return _notebook(data, name)
    return Source(name, "script", tuple(script_cells(_python_text(data, name))))


def script_cells(text: str) -> list[Cell]:
    """A Python file as one cell, or one for each `# %%` marker; the marker's line belongs to its cell."""
    cuts = [match.start() for match in MARKER.finditer(text)]
    if not cuts:
        return [Cell("script", text)]
    if cuts[0] > 0:
        cuts.insert(0, 0)
    bounds = zip(cuts, [*cuts[1:], len(text)])
    cells, line = [], 0
    for index, (start, end) in enumerate(bounds, 1):
        part = text[start:end]
        cells.append(Cell(f"part-{index}", part, first_line=line))
        line += len(re.findall(r"\r\n?|\n", part))
    return cells


def _python_text(data: bytes, name: str) -> str:
    if b"\0" in data:
        raise SourceError("binary-file", f"{name} is a binary file.")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError):
        raise SourceError("not-text", f"{name} is not text in UTF-8 or the encoding it names.") from None


def _notebook(data: bytes, name: str) -> Source:
    book = _json(data, name)
    if not isinstance(book, dict) or not isinstance(book.get("nbformat"), int):
        raise SourceError("not-a-notebook", f"{name} is JSON, but not a notebook: it has no `nbformat`.")
    if book["nbformat"] < 4:
        book = _upgrade(data, name)
    cells, metadata = book.get("cells"), book.get("metadata")
    if not isinstance(cells, list):
        raise SourceError("not-a-notebook", f"{name} is not a notebook: it has no list of cells.")
    metadata = metadata if isinstance(metadata, dict) else {}
    language = _language(metadata)
    found = tuple(_code_cells(cells, name)) if language in ("python", "ipython") else ()
    return Source(name, "notebook", found, metadata, language)


def _json(data: bytes, name: str) -> Any:
    if not data.strip():
        raise SourceError("empty-file", f"{name} is empty.")
    if b"\0" in data:
        raise SourceError("binary-file", f"{name} is a binary file.")
    try:
        return json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise SourceError("binary-file", f"{name} is not UTF-8 text.") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise SourceError("broken-json", f"{name} is not JSON: {error.msg} at {place}.") from None
    except RecursionError:
        raise SourceError("broken-json", f"{name} is nested too deeply.") from None


def _upgrade(data: bytes, name: str) -> dict[str, Any]:
    import nbformat  # needs a second to import; notebooks of the current format are plain JSON

    try:
        return nbformat.reads(data.decode("utf-8-sig"), as_version=4)
    except Exception as error:  # noqa: BLE001 - old files fail in many ways inside nbformat
        raise SourceError("not-a-notebook", f"{name} cannot be read as an old notebook: {error}.") from None


def _language(metadata: dict[str, Any]) -> str:
    for key, entry in (("language_info", "name"), ("kernelspec", "language")):
        part = metadata.get(key)
        if isinstance(part, dict) and isinstance(part.get(entry), str):
            return part[entry].lower()
    return "python"


def _code_cells(cells: list[Any], name: str) -> list[Cell]:
    found: list[Cell] = []
    taken: set[str] = set()
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, dict):
            raise SourceError("not-a-notebook", f"{name} is not a notebook: cell {number} is not an object.")
        if cell.get("cell_type") != "code":
            continue
        source = cell.get("source", "")
        if isinstance(source, list) and all(isinstance(line, str) for line in source):
            source = "".join(source)
        if not isinstance(source, str):
            raise SourceError("not-a-notebook", f"{name} is not a notebook: cell {number} has no source.")
        ident = cell.get("id")
        if not isinstance(ident, str) or not ident or ident in taken:
            ident = f"cell-{number}"
        while ident in taken:
            ident += "+"
        taken.add(ident)
        found.append(Cell(ident, source, number, tags=_tags(cell.get("metadata"))))
    return found


def _tags(metadata: Any) -> tuple[str, ...]:
    tags = metadata.get("tags") if isinstance(metadata, dict) else None
    return tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else ()
