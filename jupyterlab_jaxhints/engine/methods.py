"""Methods of arrays, `.at`, containers, strings and transformed functions."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ..knowledge.tables import load
from . import calls, config_flags, items, shapes, stores, timing
from . import values as v
from .callables import Argument, At, Bound
from .events import Call, OuterWrite
from .interpreter import Machine
from .state import Record, join_all
from .values import Value, constant, join, tuple_of

AT_READS = frozenset({"get"})


@lru_cache(maxsize=None)
def METHODS() -> Any:
    """The measured table of array methods and attributes."""
    return load("methods.json").newest


def call(m: Machine, bound: Bound, args: list[Argument], node: Any, statement_level: bool = False) -> Value:
    """`receiver.name(…)` of a receiver that is no notebook's object."""
    receiver, name = bound.receiver, bound.method
    receiver_node = getattr(bound.node, "value", None)
    label, result = _result(m, receiver, name, args, node, receiver_node)
    if result is None:
        return calls.unknown_call(m, v.UNKNOWN, label, args, node, statement_level, receiver, receiver_node)
    timing.note_call(m, label, args, node, result)
    m.emit(Call, node, name=label, callee=v.UNKNOWN, func_node=getattr(node, "func", node), args=tuple(args),
           result=result, receiver=receiver, receiver_node=receiver_node, statement_level=statement_level)
    return result


def _result(m: Machine, receiver: Value, name: str, args: list[Argument], node: Any, receiver_node: Any) -> tuple[str, Value | None]:
    if receiver.must_be(v.AT) and isinstance(receiver.target, At):
        return f"at.{name}", _at(m, receiver.target, name, args, node)
    if receiver.must_be(v.JAX | v.TREE) and not receiver.must_be(v.TREE):
        return f"array.{name}", _array(m, receiver, name, args, node)
    if receiver.must_be(v.NUMPY):
        return f"ndarray.{name}", _numpy(m, receiver, name, args, node)
    if receiver.must_be(v.STRING):
        return f"str.{name}", _string(m, receiver, name, args)
    record = m.record(receiver)
    if record is not None and record.kind in ("list", "dict", "set", "queue"):
        _note_outer(m, receiver, record, name, args, node, receiver_node)
        handler = CONTAINERS.get((record.kind, name))
        if handler is not None:
            return f"{record.kind}.{name}", handler(m, receiver, record, args)
        if name in READ_ONLY:
            return f"{record.kind}.{name}", v.UNKNOWN
    if receiver.elements is not None and name in ("index", "count"):
        return f"tuple.{name}", v.A_NUMBER
    if receiver.must_be(v.KEY):
        return f"key.{name}", v.UNKNOWN
    return "", None


# --- .at ------------------------------------------------------------------------------------------------------------------


def _at(m: Machine, at: At, name: str, args: list[Argument], node: Any) -> Value:
    base = at.base
    kinds = base.kinds
    values = [arg.value for arg in args]
    if m.ctx.staged or any(value.must_be(v.ABSTRACT) for value in (*values, at.index or v.UNKNOWN)):
        kinds = v.ABSTRACT
    step = m.step(f"made by `.at[…].{name}`", node)
    if name in AT_READS:
        details = shapes.index(base, at.index, m.parts) if at.index is not None else {}
        details.pop("const", None)
        return Value(kinds, ident=m.alloc(), traced=base.traced, made=step, **details)
    return Value(kinds, shape=base.shape, dtype=base.dtype, weak=base.weak, ident=m.alloc(), traced=base.traced, made=step)


# --- arrays -----------------------------------------------------------------------------------------------------------------


def _array(m: Machine, receiver: Value, name: str, args: list[Argument], node: Any) -> Value | None:
    row = METHODS().get(name)
    if row is None or row.get("kind") == "missing":
        return v.UNKNOWN
    config_flags.used(m, node)
    from .library import NAN_FLAG, array_kinds, operands_of

    flags = receiver.flags & NAN_FLAG if name in ("any", "all", "sum") else frozenset()
    if row["result"] == "array":
        kinds = array_kinds(m, [receiver, *operands_of(m, args)])
        if kinds & v.TRACER:
            m.operations += 1
        details = shapes.method(name, receiver, tuple(args), m.parts, m.x64)
        ident = receiver.ident if name == "block_until_ready" else m.alloc()
        return Value(kinds, ident=ident, traced=receiver.traced, flags=flags, made=receiver.made if ident is
                     receiver.ident else m.step(f"made by `.{name}`", node), **details)
    if name in ("item", "__float__", "__int__"):
        return v.A_NUMBER
    if name == "tolist":
        return v.UNKNOWN
    return v.UNKNOWN


NUMPY_IN_PLACE = frozenset({"sort", "fill", "resize", "partition", "put", "itemset", "setflags", "setfield"})


def _numpy(m: Machine, receiver: Value, name: str, args: list[Argument], node: Any) -> Value | None:
    row = METHODS().get(name)
    if name in NUMPY_IN_PLACE:
        return v.NOTHING
    if row is not None and row.get("numpy") and row.get("result") == "array":
        return Value(v.NUMPY, ident=m.alloc(), **shapes.method(name, receiver, tuple(args), m.parts, m.x64))
    return v.A_NUMBER if name == "item" else v.UNKNOWN


def _string(m: Machine, receiver: Value, name: str, args: list[Argument]) -> Value:
    if name == "format":
        from .events import Format

        for arg in args:
            m.emit(Format, arg.node, value=arg.value, spec="", string=None)
        return Value(v.STRING, elements=tuple(arg.value for arg in args))
    if name in ("split", "splitlines", "rsplit"):
        return m.new_list(None, rest=v.A_STRING)
    if name in ("startswith", "endswith", "isdigit", "isalpha", "find", "count", "index"):
        return v.A_NUMBER
    return v.A_STRING if name not in ("encode", "partition") else v.UNKNOWN


# --- containers ----------------------------------------------------------------------------------------------------------------

READ_ONLY = frozenset({"index", "count", "union", "intersection", "difference", "issubset", "issuperset"})
WRITES = frozenset({"append", "extend", "insert", "add", "update", "setdefault", "pop", "popitem", "clear", "remove",
                    "discard", "reverse", "sort", "appendleft", "extendleft", "put", "put_nowait"})


def _note_outer(m: Machine, receiver: Value, record: Record, name: str, args: list[Argument], node: Any, receiver_node: Any) -> None:
    frame = m.ctx.tracing_frame
    if frame is not None and name in WRITES and m.is_older(receiver, frame):
        value = tuple_of([arg.value for arg in args]) if len(args) != 1 else args[0].value
        m.emit(OuterWrite, node, how="append", name=m.text(receiver_node) if receiver_node is not None else "",
               value=value, owner=receiver)


Container = Callable[[Machine, Value, Record, list[Argument]], Value]
CONTAINERS: dict[tuple[str, str], Container] = {}


def _container(*keys_: tuple[str, str]) -> Callable[[Container], Container]:
    def register(function: Container) -> Container:
        CONTAINERS.update(dict.fromkeys(keys_, function))
        return function

    return register


def _loose(record: Record, value: Value) -> Value:
    known = record.items or ()
    rest = [record.rest] if record.rest is not None else []
    return join_all([*known, *rest, value])


@_container(("list", "append"), ("set", "add"))
def _append(m: Machine, receiver: Value, record: Record, args: list[Argument]) -> Value:
    value = args[0].value if args else v.UNKNOWN
    if record.items is not None and len(record.items) < items.MANY and not _in_open_loop(m):
        m.store(receiver, replace(record, items=(*record.items, value)))
    else:
        m.store(receiver, replace(record, items=None, rest=_loose(record, value)))
    return v.NOTHING


def _in_open_loop(m: Machine) -> bool:
    """A turn that stands for many is being evaluated."""
    return any(loop.turn > 0 and (loop.turns is None or loop.turns > 4) for _, loop in m.ctx.loops)


@_container(("list", "extend"), ("set", "update"))
def _extend(m: Machine, receiver: Value, record: Record, args: list[Argument]) -> Value:
    parts = m.parts(args[0].value) if args else []
    if record.items is not None and parts and len(record.items) + len(parts) <= items.MANY and not _in_open_loop(m):
        m.store(receiver, replace(record, items=(*record.items, *parts)))
    elif args:
        m.store(receiver, replace(record, items=None, rest=_loose(record, items.iterated(m, args[0].value))))
    return v.NOTHING


@_container(("list", "insert"))
def _insert(m: Machine, receiver: Value, record: Record, args: list[Argument]) -> Value:
    value = args[1].value if len(args) > 1 else v.UNKNOWN
    m.store(receiver, replace(record, items=None, rest=_loose(record, value)))
    return v.NOTHING


@_container(("list", "pop"))
def _pop(m: Machine, receiver: Value, record: Record, args: list[Argument]) -> Value:
    if record.items and (not args or args[0].value.known and args[0].value.const in (0, -1)):
        last = not args or args[0].value.const == -1
        m.store(receiver, replace(record, items=record.items[:-1] if last else record.items[1:]))
        return record.items[-1] if last else record.items[0]
    element = record.element()
    m.store(receiver, replace(record, items=None, rest=element))
    return items.fresh(m, element)


@_container(("list", "clear"), ("set", "clear"))
def _clear(m: Machine, receiver: Value, record: Record, args: list[Argument]) -> Value:
    m.store(receiver, replace(record, items=(), rest=None))
    return v.NOTHING


@_container(("list", "sort"), ("list", "reverse"), ("list", "remove"), ("set", "remove"), ("set", "discard"))
def _shuffle(m: Machine, receiver: Value, record: Record, args: list[Argument]) -> Value:
    if record.items:
        m.store(receiver, replace(record, items=None, rest=join_all(record.items)))
    return v.NOTHING


@_container(("list", "copy"), ("dict", "copy"), ("set", "copy"))
def _copy(m: Machine, receiver: Value, record: Record, args: list[Argument]) -> Value:
    return m.new(record, receiver.kinds, flags=receiver.flags)


@_container(("dict", "setdefault"))
def _setdefault(m: Machine, receiver: Value, record: Record, args: list[Argument]) -> Value:
    found = _get(m, receiver, record, args)
    key = args[0].value if args else v.UNKNOWN
    if not (key.known and items.hashable(key.const) and key.const in record.entries):
        stores.write_item(m, receiver, key, found)
    return found


@_container(("dict", "pop"))
def _take(m: Machine, receiver: Value, record: Record, args: list[Argument]) -> Value:
    found = _get(m, receiver, record, args)
    key = args[0].value if args else v.UNKNOWN
    if key.known and items.hashable(key.const):
        m.store(receiver, replace(record, entries={k: value for k, value in record.entries.items() if k != key.const}))
    else:
        m.store(receiver, record.unknown())
    return found


@_container(("dict", "get"))
def _get(m: Machine, receiver: Value, record: Record, args: list[Argument]) -> Value:
    key = args[0].value if args else v.UNKNOWN
    default = args[1].value if len(args) > 1 else v.NOTHING
    if key.known and items.hashable(key.const) and key.const in record.entries:
        return record.entries[key.const]
    if record.open or not key.known:
        return v.UNKNOWN if record.open else join(record.element(), default)
    return default


@_container(("dict", "keys"))
def _keys(m: Machine, receiver: Value, record: Record, args: list[Argument]) -> Value:
    known = None if record.open else tuple(constant(key) for key in record.entries)
    return m.new(Record("iterator", known, rest=v.UNKNOWN if known is None else None), v.ITERATOR, target="dict view")


@_container(("dict", "values"))
def _values(m: Machine, receiver: Value, record: Record, args: list[Argument]) -> Value:
    known = None if record.open else tuple(record.entries.values())
    rest = None if known is not None else record.element()
    return m.new(Record("iterator", known, rest=rest), v.ITERATOR, target="dict view")


@_container(("dict", "items"))
def _items(m: Machine, receiver: Value, record: Record, args: list[Argument]) -> Value:
    known = None if record.open else tuple(tuple_of([constant(k), part]) for k, part in record.entries.items())
    rest = None if known is not None else tuple_of([v.UNKNOWN, record.element()])
    return m.new(Record("iterator", known, rest=rest), v.ITERATOR, target="dict view")


@_container(("dict", "update"))
def _update(m: Machine, receiver: Value, record: Record, args: list[Argument]) -> Value:
    entries = dict(record.entries)
    is_open = record.open
    for arg in args:
        other = m.record(arg.value)
        if arg.keyword:
            entries[arg.keyword] = arg.value
        elif other is not None and other.kind == "dict" and not other.open:
            entries.update(other.entries)
        else:
            entries, is_open = {}, True
    m.store(receiver, replace(record, entries=entries, open=is_open, rest=v.UNKNOWN if is_open else None))
    return v.NOTHING


@_container(("dict", "clear"), ("dict", "popitem"))
def _forget(m: Machine, receiver: Value, record: Record, args: list[Argument]) -> Value:
    m.store(receiver, record.unknown())
    return v.UNKNOWN


