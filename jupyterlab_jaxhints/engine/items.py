"""Containers: indexing, iteration, unpacking."""
from __future__ import annotations

from typing import Any

import libcst as cst

from . import shapes
from . import values as v
from .callables import At
from .events import ItemLoad
from .interpreter import Machine, evaluates
from .state import Record, join_all
from .values import MISSING, Value, constant, tuple_of

MANY = 16


def hashable(value: Any) -> bool:
    """Usable as a dictionary's key."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


# --- indices ---------------------------------------------------------------------------------------------------------


def index_of(m: Machine, node: cst.Subscript) -> tuple[Value, Any]:
    """Value and node of what stands in the brackets; several are a tuple, and the node is then the subscript itself."""
    parts = [_slice_value(m, element.slice) for element in node.slice]
    first = node.slice[0]
    if len(parts) == 1 and first.comma is cst.MaybeSentinel.DEFAULT:
        inner = first.slice.value if isinstance(first.slice, cst.Index) else first.slice
        return parts[0], inner
    return tuple_of(parts), node


def _slice_value(m: Machine, part: Any) -> Value:
    if isinstance(part, cst.Index):
        return m.eval(part.value)
    bounds = tuple(v.NOTHING if bound is None else m.eval(bound) for bound in (part.lower, part.upper, part.step))
    return Value(v.SLICE, elements=bounds)


@evaluates(cst.Subscript)
def subscript(m: Machine, node: cst.Subscript) -> Value:
    base = m.eval(node.value)
    index, index_node = index_of(m, node)
    at = base.target if isinstance(base.target, At) and base.must_be(v.AT) else None
    if at is not None and at.index is None:
        result = Value(v.AT, target=At(at.base, at.base_node, index, index_node))
        event = m.emit(ItemLoad, node, base_node=at.base_node, index_node=index_node, base=at.base, index=index,
                       result=result, at=True)
    else:
        result = item(m, base, index, node)
        event = m.emit(ItemLoad, node, base_node=node.value, index_node=index_node, base=base, index=index,
                       result=result)
        m.outer_path(node, result)
    if event is not None and m.item_events:
        m.item_events[-1].append(event)
    return result


def item(m: Machine, base: Value, index: Value, node: Any = None) -> Value:
    """`base[index]`."""
    if base.must_be(v.KEY):
        return key_item(m, base, index)
    if base.must_be(v.JAX | v.NUMPY) or base.must_be(v.JAX | v.TREE | v.NUMPY) and not base.must_be(v.TREE):
        kinds = base.kinds
        if index.must_be(v.ABSTRACT) or any(part.must_be(v.ABSTRACT) for part in m.parts(index)):
            kinds = v.ABSTRACT
        elif base.must_be(v.ARRAY) and m.ctx.staged:
            kinds = v.ABSTRACT
        return Value(kinds, traced=base.traced, ident=m.alloc(), **shapes.index(base, index, m.parts))
    if base.must_be(v.TREE):
        return Value(v.TREE, traced=base.traced, ident=_path(m, base, index), flags=base.flags)
    record = m.record(base)
    if base.elements is not None or (record is not None and record.items is not None and record.kind != "set"):
        return _sequence_item(m, base, index)
    if record is not None and record.kind in ("dict", "object") and record.cls is None:
        if index.known and hashable(index.const):
            found = record.entries.get(index.const)
            if found is not None:
                return found
            return record.rest if record.rest is not None and record.open else v.UNKNOWN
        return record.element()
    if record is not None and record.kind == "list":
        if index.must_be(v.SLICE):
            return m.new(Record("list", rest=record.element()), v.SEQUENCE, flags=v.LIST)
        return record.element()
    if base.must_be(v.STRING):
        return v.A_STRING
    if base.must_be(v.REF):
        return Value(m.array_kind)
    if base.target is not None and base.must_be(v.FUNCTION | v.CLASS | v.MODULE):
        return base if base.must_be(v.CLASS) else v.UNKNOWN  # Generic[T], list[int]
    if base.is_unknown and base.ident is not None and index.known and isinstance(index.const, (str, int)):
        return v.UNKNOWN.but(ident=_path(m, base, index))
    return v.UNKNOWN


def _path(m: Machine, base: Value, index: Value) -> Any:
    if base.ident is None or not index.known or not isinstance(index.const, (str, int)):
        return None
    return ("item", base.ident, index.const, m.state.used.get(("version", base.ident)) or 0)


def _sequence_item(m: Machine, base: Value, index: Value) -> Value:
    parts = m.parts(base)
    if index.known and isinstance(index.const, int):
        return parts[index.const] if -len(parts) <= index.const < len(parts) else v.UNKNOWN
    if index.must_be(v.SLICE) and all(bound.known for bound in index.elements):
        bounds = [bound.const for bound in index.elements]
        if all(bound is None or isinstance(bound, int) for bound in bounds) and bounds[2] != 0:
            chosen = parts[slice(*bounds)]
            return tuple_of(chosen) if base.elements is not None else m.new_list(chosen)
    if index.must_be(v.SLICE):
        rest = join_all(parts) if parts else None
        return m.new(Record("list", rest=rest), v.SEQUENCE) if base.elements is None else Value(v.SEQUENCE)
    return join_all(parts) if parts else v.UNKNOWN


def key_item(m: Machine, base: Value, index: Value) -> Value:
    """One of an array of keys. An index that is not known by value is known by the object it is."""
    shape = base.shape[1:] if base.shape else None
    if index.known and isinstance(index.const, int):
        number: Any = index.const
        if number < 0 and base.shape and base.shape[0] is not None:
            number += base.shape[0]
        return Value(v.KEY, shape=shape, ident=("part", base.ident, number), made=base.made)
    if index.must_be(v.SLICE):
        print_ = index.fingerprint() if all(bound.known for bound in index.elements) else m.alloc()
        return Value(v.KEY, ident=("part", base.ident, print_), made=base.made)
    if index.ident is not None and not index.must_be(v.KEY):
        return Value(v.KEY, shape=shape, ident=("part", base.ident, index.ident), made=base.made)
    return Value(v.KEY, shape=shape, ident=m.alloc(), made=base.made)


# --- iteration ---------------------------------------------------------------------------------------------------------


def turns(m: Machine, iterable: Value) -> tuple[list[Value] | None, int | None]:
    """The elements a loop goes through, where they are known one by one, and the number of turns."""
    record = m.record(iterable)
    if iterable.elements is not None and iterable.must_be(v.SEQUENCE):
        return list(iterable.elements), len(iterable.elements)
    if "range" in iterable.flags and iterable.known:
        count = len(iterable.const)
        return ([constant(i) for i in iterable.const] if count <= MANY else None), count
    if record is not None and record.items is not None and record.kind != "set":
        return list(record.items), len(record.items)
    if record is not None and record.kind == "dict" and not record.open:
        return [constant(key) for key in record.entries], len(record.entries)
    if iterable.must_be(v.KEY) and iterable.shape and iterable.shape[0] is not None and iterable.shape[0] <= MANY:
        return [key_item(m, iterable, constant(i)) for i in range(iterable.shape[0])], iterable.shape[0]
    if iterable.must_be(v.ARRAYLIKE | v.KEY) and iterable.shape and iterable.shape[0] is not None:
        return None, iterable.shape[0]
    return None, None


def fresh(m: Machine, value: Value) -> Value:
    """A value taken anew: keys in it are other ones than the last time."""
    if value.must_be(v.KEY) or value.is_unknown and not value.name:
        return value.but(ident=m.alloc())
    if value.elements is not None and value.must_be(v.SEQUENCE):
        return tuple_of([fresh(m, part) for part in value.elements])
    return value


def turn_element(m: Machine, iterable: Value, elements: list[Value] | None, number: int) -> Value:
    """The element that the first (0) or any later turn of a loop sees."""
    if elements is not None and number == 0:
        return elements[0]
    if elements is not None:
        out = join_all(elements)
        if out.must_be(v.KEY) or out.elements is not None:
            return fresh(m, out)
        return out.but(const=MISSING, ident=m.alloc(), flags=out.flags | v.VARYING) if out.must_be(v.NUMBER) else out
    out = iterated(m, iterable)
    return out.but(flags=out.flags | v.VARYING) if out.must_be(v.NUMBER) else out


def iterated(m: Machine, iterable: Value) -> Value:
    """Any element that iteration gives; a new object each time it is asked."""
    if iterable.must_be(v.KEY):
        return Value(v.KEY, shape=iterable.shape[1:] if iterable.shape else None, ident=m.alloc(), made=iterable.made)
    if "range" in iterable.flags:
        return Value(v.NUMBER, dtype="int", ident=m.alloc(), flags=iterable.flags - {"range"})
    if iterable.must_be(v.ARRAYLIKE):
        return Value(m.array_kind if m.ctx.staged and iterable.must_be(v.ARRAY) else iterable.kinds,
                     shape=iterable.shape[1:] if iterable.shape else None, dtype=iterable.dtype, ident=m.alloc(),
                     traced=iterable.traced)
    if iterable.must_be(v.TREE):
        return Value(v.TREE, traced=iterable.traced, flags=iterable.flags)
    record = m.record(iterable)
    if record is not None and record.kind == "dict":
        return join_all(constant(key) for key in record.entries) if record.entries and not record.open else v.UNKNOWN
    if record is not None or iterable.elements is not None:
        out = m.element(iterable)
        return fresh(m, out)
    return Value(v.ALL, ident=m.alloc())


def unpacked(m: Machine, value: Value, count: int, star: int | None) -> list[Value]:
    """The values that `a, b, *c = value` binds, in the order of the targets."""
    parts = m.parts(value)
    known = bool(parts) and (len(parts) == count if star is None else len(parts) >= count - 1)
    if known and star is None:
        return parts
    if known:
        tail = count - 1 - star
        middle = m.new_list(parts[star:len(parts) - tail])
        return [*parts[:star], middle, *parts[len(parts) - tail:]]
    if value.must_be(v.KEY):
        return [key_item(m, value, constant(i)) if i != star else Value(v.KEY, ident=m.alloc(), made=value.made)
                for i in range(count)]
    out = []
    for i in range(count):
        if value.is_unknown and value.ident is not None:
            out.append(v.UNKNOWN.but(ident=("item", value.ident, i, 0)))
        else:
            out.append(iterated(m, value))
    if star is not None:
        out[star] = m.new(Record("list", rest=iterated(m, value)), v.SEQUENCE, flags=v.LIST)
    return out


# --- displays ------------------------------------------------------------------------------------------------------------


def _elements(m: Machine, node: Any) -> tuple[list[Value], bool]:
    """Values of a display's elements; false when a `*` hides how many there are."""
    out, exact = [], True
    for element in node.elements:
        value = m.eval(element.value)
        if isinstance(element, cst.StarredElement):
            parts = m.parts(value)
            exact = exact and bool(parts)
            out += parts or [iterated(m, value)]
        else:
            out.append(value)
    return out, exact


@evaluates(cst.Tuple)
def tuple_display(m: Machine, node: cst.Tuple) -> Value:
    elements, exact = _elements(m, node)
    return tuple_of(elements) if exact else Value(v.SEQUENCE, flags=v.TUPLE)


@evaluates(cst.List)
def list_display(m: Machine, node: cst.List) -> Value:
    elements, exact = _elements(m, node)
    if exact:
        return m.new_list(elements)
    return m.new_list(None, rest=join_all(elements))


@evaluates(cst.Set)
def set_display(m: Machine, node: cst.Set) -> Value:
    elements, exact = _elements(m, node)
    return m.new(Record("set", tuple(elements) if exact else None, rest=None if exact else v.UNKNOWN), v.SET)


@evaluates(cst.Dict)
def dict_display(m: Machine, node: cst.Dict) -> Value:
    entries: dict = {}
    loose: list[Value] = []
    is_open = False
    for element in node.elements:
        value = m.eval(element.value)
        if isinstance(element, cst.StarredDictElement):
            record = m.record(value)
            if record is not None and record.kind == "dict":
                entries.update(record.entries)
                is_open = is_open or record.open
                loose += [record.rest] if record.rest is not None else []
            else:
                is_open, loose = True, [*loose, v.UNKNOWN]
            continue
        key = m.eval(element.key)
        if key.known and hashable(key.const):
            entries[key.const] = value
        else:
            is_open, loose = True, [*loose, value]
    return m.new(Record("dict", entries=entries, open=is_open, rest=join_all(loose) if loose else None), v.MAPPING)
