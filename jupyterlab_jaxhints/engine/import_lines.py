"""What a notebook's top-level import statements bind, and the line that adds one."""
from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import libcst as cst

from .statements import CellCode, Piece, parse_piece

# what `import jax` alone gives access to
JAX_MODULES = frozenset(f"jax.{name}" for name in (
    "numpy", "lax", "random", "nn", "tree", "tree_util", "debug", "dtypes", "errors", "image", "profiler",
    "sharding", "stages", "typing",
))


@dataclass(frozen=True)
class Imported:
    """`import module as local`, or with a name `from module import name as local`."""

    module: str
    name: str | None
    local: str

    @property
    def binds(self) -> str:
        """The full name of what `local` is."""
        return f"{self.module}.{self.name}" if self.name else self.module


def of_piece(piece: Piece) -> list[Imported]:
    """What an import statement binds; empty for every other statement."""
    if not piece.text.startswith(("import ", "from ", "import\t", "from\t")):
        return []
    statement = parse_piece(piece)
    found: list[Imported] = []
    for line in statement.body if statement else ():
        for small in getattr(line, "body", ()):
            if isinstance(small, cst.Import):
                found += [_plain(alias) for alias in small.names]
            elif isinstance(small, cst.ImportFrom):
                found += _from(small)
    return found


def existing(known: Iterable[Imported], module: str, name: str | None) -> str | None:
    """How the code already calls a module, or a name of it; the latest import wins."""
    best: str | None = None
    fallback: str | None = None
    for each in known:
        if name is None:
            if each.binds == module:
                best = each.local
            elif each.name is None and each.module == "jax" and module in JAX_MODULES:
                fallback = f"{each.local}.{module[4:]}"
        elif each.name == name and each.module == module:
            best = each.local
        elif each.binds == module:
            fallback = f"{each.local}.{name}"
    return best or fallback


def taken(local: str, known: Iterable[Imported], module: str) -> bool:
    """Another import binds the name; `import jax` and `import jax.numpy` bind the same."""
    head = module.split(".")[0]
    others = (each for each in known if each.name or each.module.split(".")[0] != head)
    return any(each.local.split(".")[0] == local for each in others)


def rebound(local: str, cells: Sequence[CellCode]) -> bool:
    """Some line binds the name otherwise than by an import."""
    defined = rf"(?:(?:async[ \t]+)?def|class|for)[ \t]+{local}\b"
    pattern = re.compile(rf"^[ \t]*(?:{defined}|{local}[ \t]*(?:=(?!=)|:))", re.MULTILINE)
    return any(pattern.search(cell.masked.text) for cell in cells)


def line(module: str, name: str | None, alias: str | None) -> str:
    """The import statement."""
    what, own = (f"from {module} import {name}", name) if name else (f"import {module}", module)
    return f"{what} as {alias}" if alias and alias != own else what


def is_docstring(piece: Piece) -> bool:
    """The statement is nothing but a string."""
    return bool(re.match(r"[rRuUbB]{0,2}(?:\"|')", piece.text))


def _plain(alias: cst.ImportAlias) -> Imported:
    module = _dotted(alias.name)
    return Imported(module, None, _local(alias) or module)


def _from(small: cst.ImportFrom) -> list[Imported]:
    if small.relative or small.module is None or isinstance(small.names, cst.ImportStar):
        return []
    module = _dotted(small.module)
    names = ((_dotted(alias.name), _local(alias)) for alias in small.names)
    return [Imported(module, name, local or name) for name, local in names]


def _local(alias: cst.ImportAlias) -> str | None:
    target = alias.asname.name if alias.asname else None
    return target.value if isinstance(target, cst.Name) else None


def _dotted(node: cst.BaseExpression) -> str:
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else ""
