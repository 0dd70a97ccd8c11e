"""What a compiled program read while it was traced and that has changed before it runs again."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from . import programs
from . import values as v
from .events import AttributeStore, Call, ItemStore, NameAugment, NameBind, NameRead, NotebookEnd
from .methods import WRITES

FORGETS = frozenset({"jax.clear_caches", "jax.clear_backends"})


@dataclass(frozen=True)
class Stale:
    """A read whose value is frozen in a program, the change that comes too late, and the same read in a later call."""

    read: NameRead
    change: Any
    again: NameRead


def reads(end: NotebookEnd) -> tuple[Stale, ...]:
    """The stale reads of a notebook, each node once."""
    return end.once(_all) if end.of(NameRead) else ()


def _all(end: NotebookEnd) -> tuple[Stale, ...]:
    return tuple(_reads(end))


def _reads(end: NotebookEnd) -> Iterator[Stale]:
    events = end.events
    roots = {_site(e.root, e) for e in events if isinstance(e, NameRead) and e.node is not e.root}
    first: dict[Any, list[tuple[int, NameRead, tuple]]] = {}
    found: set = set()
    for place, event in enumerate(events):
        if isinstance(event, Call) and _forgets(event):
            first.clear()
        if not isinstance(event, NameRead) or event.ctx.generic or _site(event.node, event) in found:
            continue
        if not programs.is_compiled(event.ctx) or not programs.is_outside(event.number, event.ctx):
            continue
        given = programs.arguments(event.ctx)
        known = first.setdefault((_site(event.node, event), programs.identity(event.ctx)), [])
        before = next((each for each in known if programs.may_share(each[2], given)), None)
        if before is None:
            known.append((place, event, given))
            continue
        change = _changed(before[1], event, events[before[0] + 1:place], roots)
        if change is not None:
            found.add(_site(event.node, event))
            yield Stale(before[1], change, event)


def _forgets(event: Call) -> bool:
    """JAX throws its programs away here."""
    return event.name in FORGETS or getattr(event.callee.target, "method", "") == "clear_cache"


def _changed(read: NameRead, again: NameRead, between: Sequence[Any], roots: set) -> Any:
    if read is again:
        return None
    old, new = read.result, again.result
    same = old.fingerprint() == new.fingerprint() and not (old.is_unknown and new.is_unknown)
    if same and old.ref is None and not old.must_be(v.NUMPY) and not read.value.must_be(v.CLASS):
        return None
    whole = read.node is read.root
    for event in reversed(between):
        if event.ctx.traced or event.ctx.generic:
            continue
        if old.must_be(v.NUMPY) and _writes_array(event, read):
            return event
        if same and old.ref is None and not read.value.must_be(v.CLASS):
            continue
        if whole and _binds(event, read):
            return event
        if whole and _site(read.node, read) not in roots and old.ref is not None and _mutates(event, old.ref):
            return event
        if not whole and _stores(event, read):
            return event
    return None


def _binds(event: Any, read: NameRead) -> bool:
    """The name is bound anew in the scope that it was read from."""
    if not isinstance(event, NameBind) or event.name != read.name:
        return False
    if read.number == 0:
        return event.scope in ("module", "global")
    return event.scope in ("function", "nonlocal") and any(
        frame.number == read.number and frame in read.ctx.frames for frame in event.ctx.frames[-1:])


def _mutates(event: Any, ref: Any) -> bool:
    """The object itself is changed."""
    if isinstance(event, Call):
        container, _, method = event.name.partition(".")
        return container in ("list", "dict", "set") and method in WRITES and event.receiver is not None and (
            event.receiver.ref == ref)
    if isinstance(event, NameAugment):
        return event.before.ref == ref
    return isinstance(event, (ItemStore, AttributeStore)) and event.base.ref == ref


def _writes_array(event: Any, read: NameRead) -> bool:
    """An element of the NumPy array itself is assigned, at the notebook's top level."""
    return isinstance(event, ItemStore) and event.base.must_be(v.NUMPY) and not event.ctx.frames and (
        read.outer and read.number == 0 and event.text(event.base_node) == read.path)


def _stores(event: Any, read: NameRead) -> bool:
    """The part that was read is assigned, by whatever name the object has there."""
    if isinstance(event, (ItemStore, AttributeStore)):
        written = event.text(event.target if isinstance(event, ItemStore) else event.node)
        if read.value.ref is not None and event.base.ref == read.value.ref:
            part, changed = _normal(read.path[len(read.name):]), _normal(written[len(event.text(event.base_node)):])
            return part == changed or part.startswith((f"{changed}.", f"{changed}["))
        if read.value.must_be(v.CLASS):
            return event.base.must_be(v.CLASS) and event.base.target is read.value.target and written == read.path
        return read.outer and written == read.path
    held = read.result.ref
    return isinstance(event, Call) and (held is not None and _mutates(event, held) or read.value.ref is not None and (
        _mutates(event, read.value.ref) and not read.result.is_unknown))


def _normal(path: str) -> str:
    return path.replace("'", '"').replace(" ", "")


def _site(node: Any, event: Any) -> tuple:
    """A node where it stands: statements with the same text share their tree."""
    return (id(node), event.place.key)
