"""Builtins that go through things: ranges, iterators, containers made from others, sums."""
from __future__ import annotations

import builtins
from typing import Any

from . import calls, items
from . import values as v
from .callables import Argument
from .events import Iterate
from .interpreter import Machine
from .library import gives
from .operators import known_truth
from .state import Record, join_all
from .values import Value, constant, tuple_of


def first(args: list[Argument]) -> Value:
    """The value of the first argument; unknown without one."""
    return args[0].value if args and not args[0].star else v.UNKNOWN


@gives("builtins.range")
def _range(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    values = [arg.value for arg in args]
    flags = frozenset({"range"})
    if values and all(value.known and isinstance(value.const, int) for value in values):
        try:
            return Value(v.SEQUENCE, const=range(*(int(value.const) for value in values)), flags=flags)
        except (TypeError, ValueError):
            pass
    return Value(v.SEQUENCE, flags=flags)


def _iterator(m: Machine, node: Any, known: list[Value] | None, rest: Value | None, label: str) -> Value:
    record = Record("iterator", None if known is None else tuple(known), rest=rest)
    return m.new(record, v.ITERATOR, target=label, made=m.code_step("`{}` makes an iterator", node))


@gives("builtins.enumerate")
def _enumerate(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    value = first(args)
    elements, count = items.turns(m, value)
    if elements is not None and len(args) == 1:
        return _iterator(m, node, [tuple_of([constant(i), e]) for i, e in enumerate(elements)], None, "enumerate")
    index = Value(v.NUMBER, dtype="int", ident=m.alloc())
    return _iterator(m, node, None, tuple_of([index, items.iterated(m, value)]), "enumerate")


@gives("builtins.zip")
def _zip(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    values = [arg.value for arg in args if not arg.keyword]
    if any(arg.star for arg in args):
        return _iterator(m, node, None, v.UNKNOWN, "zip")
    columns = [items.turns(m, value)[0] for value in values]
    if columns and all(column is not None for column in columns):
        return _iterator(m, node, [tuple_of(row) for row in zip(*columns)], None, "zip")
    return _iterator(m, node, None, tuple_of([items.iterated(m, value) for value in values]), "zip")


@gives("builtins.map", "builtins.filter")
def _map(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    if len(args) < 2 or any(arg.star for arg in args):
        return _iterator(m, node, None, v.UNKNOWN, "map")
    rows = [items.turns(m, arg.value)[0] for arg in args[1:]]
    function = args[0].value
    if all(row is not None and len(row) <= 6 for row in rows):
        out = [calls.call_value(m, function, [calls.given(value, args[1].node) for value in row], node)
               for row in zip(*rows)]
        if name == "builtins.map":
            return _iterator(m, node, out, None, "map")
        return _iterator(m, node, None, items.iterated(m, args[1].value), "filter")
    row = [items.iterated(m, arg.value) for arg in args[1:]]
    if function.must_be(v.NONE):
        return _iterator(m, node, None, row[0], "filter")
    out = calls.call_value(m, function, [calls.given(value, args[1].node) for value in row], node)
    return _iterator(m, node, None, out if name == "builtins.map" else row[0], name.rpartition(".")[2])


@gives("builtins.iter", "builtins.reversed")
def _iter(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    elements, _ = items.turns(m, first(args))
    if elements is not None:
        return _iterator(m, node, elements[::-1] if name.endswith("reversed") else elements, None, "iterator")
    return _iterator(m, node, None, items.iterated(m, first(args)), "iterator")


@gives("builtins.next")
def _next(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    record = m.record(first(args))
    if record is None or record.kind != "iterator":
        return Value(v.ALL, ident=m.alloc())
    out = record.element()
    return out.but(const=v.MISSING) if out.must_be(v.NUMBER) else items.fresh(m, out)


@gives("builtins.list", "builtins.tuple", "builtins.set", "builtins.frozenset", "builtins.sorted")
def _sequence(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    short = name.rpartition(".")[2]
    if not args:
        return tuple_of([]) if short == "tuple" else m.new(Record("set" if "set" in short else "list", ()),
                                                           v.SET if "set" in short else v.SEQUENCE, flags=v.LIST)
    value = first(args)
    elements, _ = items.turns(m, value)
    m.emit(Iterate, args[0].node, value=value, form="star", body=node)
    for arg in args[1:]:
        if arg.keyword == "key" and elements:
            calls.call_value(m, arg.value, [calls.given(elements[0], node)], node)
    if short in ("set", "frozenset"):
        return m.new(Record("set", rest=items.iterated(m, value)), v.SET, flags=frozenset({short}))
    if elements is not None and short != "sorted":
        return tuple_of(elements) if short == "tuple" else m.new_list(elements)
    rest = items.iterated(m, value)
    if short == "tuple":
        return Value(v.SEQUENCE, flags=v.TUPLE) if not value.is_unknown else v.UNKNOWN
    return m.new_list(None, rest=rest)


@gives("builtins.dict")
def _dict(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    entries = {arg.keyword: arg.value for arg in args if arg.keyword}
    positional = [arg for arg in args if not arg.keyword]
    is_open = False
    for arg in positional:
        record = m.record(arg.value)
        if record is not None and record.kind == "dict" and not record.open:
            entries = {**record.entries, **entries}
        else:
            pairs = items.turns(m, arg.value)[0] or []
            parts = [m.parts(pair) for pair in pairs]
            if pairs and all(len(p) == 2 and p[0].known and items.hashable(p[0].const) for p in parts):
                entries = {**{p[0].const: p[1] for p in parts}, **entries}
            else:
                is_open = True
    return m.new(Record("dict", entries=entries, open=is_open, rest=v.UNKNOWN if is_open else None), v.MAPPING)


@gives("builtins.sum", "builtins.min", "builtins.max")
def _reduce(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    from . import operators

    short = name.rpartition(".")[2]
    plain = [arg.value for arg in args if not arg.keyword]
    for arg in args:
        if arg.keyword == "key" and plain:
            element = items.iterated(m, plain[0]) if len(plain) == 1 else plain[0]
            calls.call_value(m, arg.value, [calls.given(element, node)], node)
    if any(arg.star for arg in args) or not plain:
        return v.UNKNOWN
    if short != "sum" and len(plain) > 1:
        elements: list[Value] | None = plain
    else:
        elements = items.turns(m, plain[0])[0]
    if elements is not None and all(e.known and e.must_be(v.NUMBER) for e in elements) and len(plain) == 1 and elements:
        return constant(getattr(builtins, short)([e.const for e in elements]))
    if elements is None:
        elements = [items.iterated(m, plain[0])]
    if short == "sum":
        out = plain[1] if len(plain) > 1 else constant(0)
        for element in elements[:4]:
            out = operators.binary_values(m, "+", out, element)
        return out.but(const=v.MISSING, shape=out.shape if len(elements) > 1 else None) if not out.is_unknown else out
    return join_all(elements).but(const=v.MISSING) if elements else v.UNKNOWN


@gives("builtins.any", "builtins.all")
def _any(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    elements = items.turns(m, first(args))[0]
    if elements is not None:
        answers = [known_truth(m, e) for e in elements]
        if all(answer is not None for answer in answers):
            return constant(getattr(builtins, name.rpartition(".")[2])(answers))
    return Value(v.NUMBER, dtype="bool")
