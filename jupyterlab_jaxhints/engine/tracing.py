"""Into and out of a trace: which arguments become tracers, and what comes back as what."""
from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

from . import classes
from . import values as v
from .callables import Argument, Bound, Class, Function, Partial, Wrapped
from .interpreter import Machine
from .values import MISSING, Step, Value, tuple_of

EVERY, SOME = "every axis", "some axes"  # what `vectorize` maps over, without and with a signature
KINDS = {"abstract": v.ABSTRACT, "linear": v.LINEAR}


def map_leaves(m: Machine, value: Value, change: Any, depth: int = 5, own: bool = False) -> Value:
    """The same tree of tuples, lists, dicts and registered objects with each leaf changed. `own`: JAX makes the tree for
    the trace that begins, so that changing it there changes nothing outside."""
    if depth == 0:
        return v.UNKNOWN
    if value.elements is not None and value.must_be(v.SEQUENCE):
        return tuple_of([map_leaves(m, part, change, depth - 1, own) for part in value.elements]).but(const=MISSING)
    record = m.record(value)
    if record is None or record.kind not in ("list", "dict", "object"):
        return change(value)
    if record.kind == "object" and not (isinstance(record.cls, Class) and record.cls.pytree):
        return v.UNKNOWN if own and isinstance(record.cls, Class) and not record.cls.closed else value  # may be a tree
    items = record.items and tuple(map_leaves(m, part, change, depth - 1, own) for part in record.items)
    children = classes.children_of(record.cls) if record.kind == "object" else frozenset(record.entries)
    entries = {key: map_leaves(m, part, change, depth - 1, own) if children is not None and key in children else (
        part if children is not None else v.UNKNOWN) for key, part in record.entries.items()}
    rest = record.rest and map_leaves(m, record.rest, change, depth - 1, own)
    out = m.new(replace(record, items=items, entries=entries, rest=rest), value.kinds, flags=value.flags)
    if own:
        m.store(out, replace(m.record(out), number=sys.maxsize))
    return out


def as_tracer(m: Machine, value: Value, tracer: str, step: Step, leafwise: bool = False,
              drop: int | str | None = None) -> Value:
    """What a function sees of an argument that its transform traces. `drop`: the axis that vmap maps over, EVERY or SOME."""
    kind = KINDS[tracer]

    def leaf(part: Value) -> Value:
        if part.must_be(v.KEY):
            return part.but(shape=_without(part.shape, drop), ident=lane(part))
        if leafwise and part.must_be(v.NUMBER):
            return part
        if part.must_be(v.NUMBER | v.ARRAYLIKE) or part.must_be(v.NUMBER | v.ARRAYLIKE | v.TREE) and not part.must_be(v.TREE):
            return _leaf(m, part, kind, step, drop)
        if part.must_be(v.STRING) and not leafwise:
            return Value(v.STRING, traced=step, ident=m.alloc(), flags=frozenset({"traced"}))
        if part.must_be(v.TREE) or part.is_unknown and not part.name:
            if leafwise:
                return v.UNKNOWN.but(ident=lane(part))
            flags = frozenset({"linear"}) if tracer == "linear" else frozenset()
            if part.must_be(v.TREE) and "linear" not in part.flags:
                flags = frozenset()
            return Value(v.TREE, traced=step, ident=lane(part), flags=flags)
        return part

    def lane(part: Value) -> Any:
        return part.ident if drop is None or part.ident is None else ("carry", part.ident, m.alloc())

    return map_leaves(m, value, leaf, own=True)


def _leaf(m: Machine, part: Value, kind: int, step: Step, drop: int | str | None) -> Value:
    shape, dtype, weak = part.shape, part.dtype, part.weak
    if part.must_be(v.NUMBER):
        dtype = {"bool": "bool", "int": "int32", "float": "float32", "complex": "complex64"}.get(dtype or "")
        if m.x64 is not False and dtype != "bool":
            dtype = None
        shape, weak = (), dtype != "bool"
    if part.must_be(v.ABSTRACT) or part.may_be(v.ABSTRACT) and kind == v.LINEAR:
        kind = v.ABSTRACT
    return Value(kind, shape=_without(shape, drop), dtype=dtype, weak=weak, traced=step, ident=m.alloc())


def _without(shape: tuple | None, axis: int | str | None) -> tuple | None:
    if axis == EVERY:
        return ()
    if shape is None or axis is None or axis == SOME:
        return shape if axis is None else None
    if not -len(shape) <= axis < len(shape):
        return None
    axis %= len(shape)
    return shape[:axis] + shape[axis + 1:]


def result_kind(m: Machine, args: list[Value]) -> int:
    """Kind of an array that comes back from a transformed function, in the context around it."""
    if m.ctx.staged:
        return v.ABSTRACT
    leaves = [leaf for arg in args for leaf in m.leaves(arg)]
    if any(leaf.must_be(v.ABSTRACT) for leaf in leaves):
        return v.ABSTRACT
    if m.ctx.abstract and any(leaf.may_be(v.TRACER | v.TREE) for leaf in leaves):
        return v.ARRAY | v.ABSTRACT
    if m.ctx.differentiated and any(leaf.may_be(v.TRACER | v.TREE) for leaf in leaves):
        return v.ARRAY | v.LINEAR
    return v.ARRAY


def come_back(m: Machine, value: Value, kind: int, extra: Any = None, lose_shape: bool = False,
              flags: frozenset = frozenset()) -> Value:
    """A result outside of the trace. `extra`: a dimension put in front (vmap, stacked outputs of scan)."""

    def leaf(part: Value) -> Value:
        if part.must_be(v.KEY):
            shape = None if part.shape is None or lose_shape else ((extra, *part.shape) if extra != () else part.shape)
            return part.but(shape=shape, ident=m.alloc())
        if part.must_be(v.NUMBER | v.ARRAYLIKE | v.TREE) and not part.must_be(v.TREE):
            shape = () if part.must_be(v.NUMBER) else part.shape
            dtype = part.dtype
            if part.must_be(v.NUMBER):
                dtype = {"bool": "bool", "int": "int32", "float": "float32"}.get(dtype or "") if m.x64 is False else None
            if lose_shape:
                shape = None
            elif extra != () and shape is not None:
                shape = (extra, *shape)
            return Value(kind, shape=shape, dtype=dtype, weak=part.weak, ident=m.alloc(), flags=flags)
        if part.must_be(v.NONE):
            return part
        if part.must_be(v.TREE) or part.is_unknown:
            return v.UNKNOWN.but(ident=m.alloc())
        return part

    return map_leaves(m, value, leaf)


# --- which arguments ---------------------------------------------------------------------------------------------------


def underlying(value: Value) -> Function | None:
    """The notebook's function at the bottom of partials and transforms that keep its signature."""
    target = value.target
    if isinstance(target, Function):
        return target
    if isinstance(target, Wrapped):
        return underlying(target.function)
    if isinstance(target, Partial):
        return underlying(target.function)
    if isinstance(target, Bound) and isinstance(target.method, Value):
        return underlying(target.method)
    return None


def parameter_names(value: Value) -> list[str] | None:
    """Names of the positional parameters that a call of the value fills, None when not known."""
    target = value.target
    if isinstance(target, Function):
        return target.positional
    if isinstance(target, Wrapped):
        return parameter_names(target.function)
    if isinstance(target, Bound) and isinstance(target.method, Value):
        names = parameter_names(target.method)
        return names[1:] if names else names
    if isinstance(target, Partial):
        names = parameter_names(target.function)
        return names[len(target.args):] if names is not None else None
    return None


def numbers(value: Value | None) -> set[int] | None:
    """The ints of an argnums-like option; None when not known, empty when it is not given."""
    if value is None or value.must_be(v.NONE):
        return set()
    if value.known and isinstance(value.const, int):
        return {int(value.const)}
    if value.known and isinstance(value.const, tuple) and all(isinstance(n, int) for n in value.const):
        return set(value.const)
    return None


def words(m: Machine, value: Value | None) -> set[str] | None:
    """The strings of an argnames-like option; None when not known, empty when it is not given."""
    if value is None or value.must_be(v.NONE):
        return set()
    if value.known and isinstance(value.const, str):
        return {value.const}
    parts = m.parts(value)
    if parts and all(part.known and isinstance(part.const, str) for part in parts):
        return {part.const for part in parts}
    return set() if value.known and value.const == () else None


def numbers_of(m: Machine, value: Value | None) -> set[int] | None:
    """As `numbers`, for lists too."""
    found = numbers(value)
    if found is None and value is not None:
        parts = m.parts(value)
        if parts and all(part.known and isinstance(part.const, int) for part in parts):
            return {part.const for part in parts}
    return found


def static_parameters(m: Machine, wrapped: Wrapped, numbers_option: str = "static_argnums",
                      names_option: str = "static_argnames") -> tuple[set[int], set[str]] | None:
    """Positions and names of static arguments, completed by each other as JAX does; None when not known."""
    places = numbers_of(m, wrapped.option(numbers_option))
    names = words(m, wrapped.option(names_option))
    if places is None or names is None:
        return None
    known = parameter_names(wrapped.function)
    if known is not None:
        if any(not -len(known) <= place < len(known) for place in places) or not names <= _by_keyword(wrapped.function):
            return None  # JAX refuses these, or a `*args` takes them
        places = {place % len(known) if place < 0 and known else place for place in places}
        names = names | {known[place] for place in places if place < len(known)}
        places = places | {known.index(name) for name in names if name in known}
    return places, names


def _by_keyword(function: Value) -> set[str]:
    """Names that a call of the notebook's function may give by keyword, those in `**` aside."""
    inner = underlying(function)
    return {parameter.name.value for parameter in inner.parameters} if inner is not None else set()


def axes(m: Machine, value: Value | None, count: int) -> list[Any]:
    """vmap's axis of each argument: int, None for not mapped, MISSING where it is not known."""
    if value is None:
        return [0] * count
    if value.known and (value.const is None or isinstance(value.const, int)):
        return [value.const] * count
    parts = m.parts(value)
    if len(parts) != count:
        return [MISSING] * count
    return [part.const if part.known and (part.const is None or isinstance(part.const, int)) else MISSING for part in parts]


def plain(args: list[Argument]) -> list[Value]:
    """The values of arguments."""
    return [arg.value for arg in args]


