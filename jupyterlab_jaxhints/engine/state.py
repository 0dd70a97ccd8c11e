"""What the interpreter remembers: names, the heap of mutable objects, consumed keys. Forked at branches, merged after.

A `Store` lies over the notebook's state before the statement: writes go to `delta`, reads of what was there before are
noted in `reads`, so that a statement's result can be kept as long as everything it read is the same.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from .values import UNKNOWN, Step, Taken, Value, join

MAX_ELEMENTS = 16


class Store:
    """A dictionary over a read-only base."""

    __slots__ = ("base", "delta", "reads", "writes")

    def __init__(self, base: dict) -> None:
        self.base, self.delta, self.reads = base, {}, {}
        self.writes = 0

    def get(self, key: Any) -> Any:
        """The entry, or None."""
        if key in self.delta:
            return self.delta[key]
        found = self.base.get(key)
        self.reads[key] = found
        return found

    def set(self, key: Any, value: Any) -> None:
        self.delta[key] = value
        self.writes += 1


def merge(before: dict, branches: list[dict], joined: Callable[[Any, Any], Any], base: Callable[[Any], Any]) -> dict:
    """The dictionary after branches that started from `before`; entries that some branch lacks come from `base`."""
    if len(branches) == 1:
        return branches[0]
    keys: dict = {}
    for branch in branches:
        keys.update(dict.fromkeys(branch))
    out = {}
    for key in keys:
        values = [branch[key] if key in branch else base(key) for branch in branches]
        first = values[0]
        for other in values[1:]:
            if other is not first:
                first = joined(first, other)
        out[key] = first
    return out


def join_names(a: Value | None, b: Value | None) -> Value | None:
    """Join of two bindings; a name bound on one way alone keeps that value."""
    if a is None or b is None:
        return a or b
    return join(a, b)


def join_used(a: Any, b: Any) -> Any:
    """Join of two entries: a key is used up on either way, a buffer is gone only on both."""
    if isinstance(a or b, Taken):
        return a and b
    return a or b


@dataclass(frozen=True, eq=False)
class Record:
    """A mutable object. items: elements of a list or set, None when not known one by one; then `rest` joins them.

    entries: of a dict by constant key, or an object's attributes; `open`: there may be others, joined in `rest`.
    number: the frame that made it, to tell what is older than a trace.
    """

    kind: str  # list, set, dict, object, iterator, numpy
    items: tuple[Value, ...] | None = None
    entries: dict[Any, Value] = field(default_factory=dict)
    open: bool = False
    rest: Value | None = None
    cls: Any = None
    number: int = 0
    made: Step | None = None

    def fingerprint(self) -> Any:
        items = self.items and tuple(v.fingerprint() for v in self.items)
        entries = tuple((repr(k), v.fingerprint()) for k, v in self.entries.items())
        return (self.kind, items, entries, self.open, self.rest and self.rest.fingerprint(), id(self.cls))

    def element(self) -> Value:
        """What any element may be."""
        values = list(self.items) if self.items is not None else list(self.entries.values())
        if self.rest is not None:
            values.append(self.rest)
        if not values or (self.open and self.rest is None) or (self.items is None and self.kind == "list"
                                                             and self.rest is None):
            return UNKNOWN
        return join_all(values)

    def unknown(self) -> Record:
        """The same object after somebody unknown had it."""
        return replace(self, items=None, entries={}, open=True, rest=UNKNOWN)


def join_all(values: Iterable[Value]) -> Value:
    """Join of one or more values."""
    values = iter(values)
    out = next(values)
    for value in values:
        out = join(out, value)
    return out


def join_records(a: Record | None, b: Record | None) -> Record | None:
    if a is None or b is None:
        return a or b
    if a.fingerprint() == b.fingerprint():
        return a
    if a.kind != b.kind:
        return a.unknown()
    items, rest = None, None
    if a.items is not None and b.items is not None and len(a.items) == len(b.items):
        items = tuple(map(join, a.items, b.items))
    elif a.kind in ("list", "set", "iterator"):
        values = [*(a.items or ()), *(b.items or ())] + [r for r in (a.rest, b.rest) if r is not None]
        rest = join_all(values) if values else None
    if a.kind in ("dict", "object"):
        entries = {k: join(a.entries[k], b.entries[k]) for k in a.entries if k in b.entries}
        loose = [v for x, y in ((a, b), (b, a)) for k, v in x.entries.items() if k not in y.entries]
        loose += [r for r in (a.rest, b.rest) if r is not None]
        if a.kind == "object":
            entries.update({k: v for x, y in ((a, b), (b, a)) for k, v in x.entries.items() if k not in y.entries})
            return replace(a, entries=entries, open=a.open or b.open, rest=a.rest or b.rest)
        return replace(a, entries=entries, open=a.open or b.open or bool(loose), rest=join_all(loose) if loose else None)
    return replace(a, items=items, rest=rest, open=a.open or b.open)


class Scope:
    """The names of one call of a function (or of a class body)."""

    __slots__ = ("names", "parent", "function", "globals", "nonlocals", "bound", "number", "kind")

    def __init__(self, parent: Scope | None, function: Any, bound: frozenset[str], number: int,
                 kind: str = "function") -> None:
        self.names: dict[str, Value] = {}
        self.parent, self.function, self.bound, self.number, self.kind = parent, function, bound, number, kind
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()

    def chain(self) -> list[Scope]:
        scope, out = self, []
        while scope is not None:
            out.append(scope)
            scope = scope.parent
        return out


class State:
    """Names of the module, heap and consumed keys, as one thing that branches can fork."""

    def __init__(self, names: dict, heap: dict, used: dict) -> None:
        self.names, self.heap, self.used = Store(names), Store(heap), Store(used)

    def fork(self, scope: Scope | None) -> tuple:
        """A snapshot to come back to."""
        scopes = [(s, dict(s.names)) for s in scope.chain()] if scope else []
        return (dict(self.names.delta), dict(self.heap.delta), dict(self.used.delta), scopes)

    def restore(self, snapshot: tuple) -> None:
        names, heap, used, scopes = snapshot
        self.names.delta, self.heap.delta, self.used.delta = dict(names), dict(heap), dict(used)
        for scope, saved in scopes:
            scope.names = dict(saved)

    def merge(self, before: tuple, branches: list[tuple]) -> None:
        """The state after one of several branches; each is a snapshot taken at its end."""
        if len(branches) == 1:
            self.restore(branches[0])
            return
        self.names.delta = merge(before[0], [b[0] for b in branches], join_names, self.names.base.get)
        self.heap.delta = merge(before[1], [b[1] for b in branches], join_records, self.heap.base.get)
        self.used.delta = merge(before[2], [b[2] for b in branches], join_used, self.used.base.get)
        for number, (scope, _) in enumerate(before[3]):
            scope.names = merge({}, [dict(b[3][number][1]) for b in branches if number < len(b[3])], join_names,
                                lambda key: None)
