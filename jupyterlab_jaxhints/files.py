"""Files of the command line: read as cells, written back with everything but changed cells byte for byte as it was."""
from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from . import ipynb
from .engine.cells import Cell, Source, read_bytes
from .errors import SourceError

SUFFIXES = (".ipynb", ".py")
_CODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")


@dataclass(frozen=True)
class SourceFile:
    """A file that was read: its cells, and its bytes."""

    source: Source
    data: bytes = field(repr=False)
    path: Path | None = None

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def cells(self) -> tuple[Cell, ...]:
        return self.source.cells

    @property
    def is_notebook(self) -> bool:
        return self.source.kind == "notebook"

    def cell(self, cell_id: str) -> Cell:
        return next(cell for cell in self.cells if cell.id == cell_id)

    def with_texts(self, texts: Mapping[str, str]) -> SourceFile:
        """The file with other texts in some cells."""
        changed = {cell.id: texts[cell.id] for cell in self.cells if texts.get(cell.id, cell.text) != cell.text}
        if not changed:
            return self
        new = self._notebook(changed) if self.is_notebook else self._script(changed)
        kind = self.source.kind
        return SourceFile(read_bytes(new, self.name, kind), new, self.path)

    def _notebook(self, changed: Mapping[str, str]) -> bytes:
        if json.loads(self.data.decode("utf-8-sig"))["nbformat"] < 4:
            raise SourceError("old-notebook", f"{self.name} has an old notebook format, which is read only.")
        raw = self.data.decode("utf-8")
        numbered = {cell.number - 1: changed[cell.id] for cell in self.cells if cell.id in changed}
        return ipynb.with_sources(raw, numbered).encode("utf-8")

    def _script(self, changed: Mapping[str, str]) -> bytes:
        encoding = _encoding(self.data)
        mark = b"\xef\xbb\xbf" if self.data.startswith(b"\xef\xbb\xbf") else b""
        text = "".join(changed.get(cell.id, cell.text) for cell in self.cells)
        try:
            return mark + text.encode(encoding)
        except UnicodeEncodeError:
            raise SourceError("not-text", f"{self.name} cannot be written in its encoding, {encoding}.") from None

    def write(self) -> None:
        """Writes the file to its place."""
        self.path.write_bytes(self.data)


def read(path: Path) -> SourceFile:
    """Reads a file; raises SourceError with a sentence that says what is wrong with it."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SourceError("unreadable-file", f"{path}: {error.strerror or error}.") from None
    return decode(data, str(path), path)


def decode(data: bytes, name: str, path: Path | None = None) -> SourceFile:
    """A file from its bytes; the end of its name says what it is."""
    return SourceFile(read_bytes(data, name), data, path)


def _encoding(data: bytes) -> str:
    """The encoding that a Python file names in its first two lines, or UTF-8."""
    for line in data.split(b"\n", 2)[:2]:
        match = _CODING.match(line)
        if match:
            return match[1].decode("ascii")
    return "utf-8"
