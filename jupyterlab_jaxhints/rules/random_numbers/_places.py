"""Keys that stand in an item or attribute: which of them code may bind again where they are."""
from __future__ import annotations

from typing import Any

import libcst as cst

from ...engine.callables import Class, Partial

_QUOTED = (cst.SimpleString, cst.Integer)


def is_writable(event: Any, site: Any) -> bool:
    """The key at a site is an entry of a plain dict, or an attribute of a plain object, and nothing there is traced."""
    if event.ctx.traced or event.ctx.generic or event.previous is not None and event.previous.ctx.traced:
        return False
    base = _base(site.node)
    if not isinstance(base, cst.Name) or site is event.sites[0] and _is_given(event.ctx.function, base.value):
        return False
    if "default" in event.key.flags or not _same_object(event):
        return False
    value = _held(event, site, base.value)
    record = event.machine.record(value) if value is not None else None
    if record is None:
        return False
    if isinstance(site.node, cst.Subscript):
        return record.kind == "dict" and record.cls is None
    return record.kind == "object" and _is_plain(record.cls)


def _base(node: Any) -> Any:
    """`d` of `d["key"]`, `s` of `s.key`; None for other forms."""
    if isinstance(node, cst.Attribute):
        return node.value
    index = node.slice[0].slice if isinstance(node, cst.Subscript) and len(node.slice) == 1 else None
    return node.value if isinstance(index, cst.Index) and isinstance(index.value, _QUOTED) else None


def _is_given(function: Any, name: str) -> bool:
    """A parameter: the object is the caller's, but for the one whose method this is."""
    if function is None or name not in {parameter.name.value for parameter in function.parameters}:
        return False
    return function.cls is None or name != (function.positional or [""])[0]


def _same_object(event: Any) -> bool:
    """Where methods use the key, both do so for one object: another one has its own copy of a key that they share."""
    refs = []
    for use in (event, event.previous):
        function = use.ctx.function if use is not None else None
        if function is not None and function.cls is not None and function.positional:
            value = use.ctx.frames[-1].given.get(function.positional[0])
            refs.append(None if value is None else value.ref)
    return not refs or refs[0] is not None and refs.count(refs[0]) == len(refs)


def own_uses(event: Any, site: Any) -> list[Any]:
    """Where methods draw from a key of their object's, when a call of one of them is the site; else nothing."""
    uses = [event] if event.previous is None or event.previous.node is event.node else [event.previous, event]
    if not isinstance(site.node, cst.Call) or not is_writable(event, event.sites[0]):
        return []
    own = all(isinstance(use.sites[0].node, cst.Attribute) and isinstance(use.sites[0].node.value, cst.Name)
              and use.sites[0].node.attr.value == event.sites[0].node.attr.value and use.how != "split"
              and use.ctx.function is not None and use.ctx.function.cls is not None
              and use.sites[0].node.value.value == (use.ctx.function.positional or [""])[0] for use in uses)
    return [use.sites[0] for use in uses] if own and isinstance(event.sites[0].node, cst.Attribute) else []


def _held(event: Any, site: Any, name: str) -> Any:
    """What a name holds at the site: where the event is, or in the module."""
    if site is event.sites[0]:
        scope = event.machine.scope
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            if name in scope.bound:
                return None
            scope = scope.parent
    elif site.depth:
        return None
    return event.machine.state.names.get(name)


def _is_plain(cls: Any) -> bool:
    """A class of the notebook whose objects take new attributes: no tree, no frozen dataclass, nothing of its own."""
    if not isinstance(cls, Class) or not cls.closed or cls.pytree or "__setattr__" in cls.members or "__slots__" in cls.members:
        return False
    if any(isinstance(made.target, Partial) and "frozen" in made.target.keywords for made in cls.decorators):
        return False
    known = all(made.name == "dataclasses.dataclass" or isinstance(made.target, Partial)
                and made.target.function.name == "dataclasses.dataclass" for made in cls.decorators)
    return known and all(isinstance(base.target, Class) and _is_plain(base.target) or base.name == "builtins.object" for base in cls.bases)
