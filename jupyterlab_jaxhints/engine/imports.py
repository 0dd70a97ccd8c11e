"""Imports: names of modules and of what is in them are values."""
from __future__ import annotations

from typing import Any

import libcst as cst

from ..knowledge import api
from . import asking, config_flags, library
from . import values as v
from .events import NameBind, QualifiedUse
from .interpreter import Machine
from .values import Value


def dotted(node: Any) -> str:
    """`a.b.c` of a Name or Attribute."""
    if isinstance(node, cst.Attribute):
        return f"{dotted(node.value)}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else ""


def _bind(m: Machine, name: str, value: Value, node: Any) -> None:
    value = asking.imported(m, value)
    m.assign(name, value)
    m.emit(NameBind, node, name=name, value=value, scope="module" if m.scope is None else m.scope.kind, how="import")


def plain(m: Machine, node: cst.Import) -> None:
    """`import a.b as c`, `import a.b`."""
    for alias in node.names:
        qualified = dotted(alias.name)
        config_flags.imported(m, qualified, alias)
        m.emit(QualifiedUse, alias, name=qualified, form="import", guarded=m.is_guarded())
        if alias.asname is not None:
            flags = frozenset({"imported-name"}) if "." in qualified else frozenset()
            _bind(m, alias.asname.name.value, Value(v.MODULE, target=api.canonical(qualified), flags=flags), alias)
        else:
            top = qualified.split(".")[0]
            _bind(m, top, Value(v.MODULE, target=top), alias)


def names(m: Machine, node: cst.ImportFrom) -> None:
    """`from a import b as c`, `from a import *`."""
    module = dotted(node.module) if node.module is not None else ""
    if not node.relative:
        config_flags.imported(m, module, node)
    if isinstance(node.names, cst.ImportStar):
        known = () if node.relative else api.star(module)
        if known:
            m.state.used.set(("flag", "stars"), (*(m.state.used.get(("flag", "stars")) or ()), api.canonical(module)))
        for name in known:
            m.assign(name, library.qualified(m, f"{module}.{name}"))
        if not known:
            m.state.names.set("*", v.UNKNOWN)
        return
    for alias in node.names:
        name = alias.name.value
        bound = alias.asname.name.value if alias.asname is not None else name
        if node.relative or not module:
            _bind(m, bound, v.UNKNOWN, alias)
            continue
        qualified = f"{module}.{name}"
        m.emit(QualifiedUse, alias, name=qualified, form="import-from", guarded=m.is_guarded())
        value = library.qualified(m, qualified)
        _bind(m, bound, value.but(flags=value.flags | {"imported-name"}) if value.name else value, alias)
