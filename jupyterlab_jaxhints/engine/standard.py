"""What a few functions of the standard library give back: iterators, queues, namespaces, decorators of dataclasses."""
from __future__ import annotations

from typing import Any

from . import items
from . import values as v
from .callables import Argument, Partial
from .interpreter import Machine
from .library import gives
from .state import Record, join_all
from .values import Value


@gives("itertools.cycle", "itertools.chain", "itertools.islice", "itertools.count", "itertools.repeat")
def _itertools(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    short = name.rpartition(".")[2]
    first = args[0].value if args and not args[0].star else v.UNKNOWN
    if short in ("count", "repeat"):
        element = v.A_NUMBER if short == "count" else first
    else:
        sources = [arg.value for arg in args] if short == "chain" else [first]
        element = join_all([items.iterated(m, source) for source in sources]) if sources else v.UNKNOWN
    return m.new(Record("iterator", rest=element), v.ITERATOR, target=short)


@gives("collections.deque", "queue.Queue", "queue.SimpleQueue", "queue.LifoQueue", "queue.PriorityQueue")
def _queue(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    return m.new(Record("queue", open=True, rest=v.UNKNOWN), v.ALL)


# what `defaultdict` makes for a key that is not there, as far as something can be put into it
_FACTORIES = {"builtins.list": "queue", "builtins.set": "queue", "collections.deque": "queue", "builtins.dict": "dict"}


@gives("collections.defaultdict", "collections.OrderedDict")
def _dictionary(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    rest = v.UNKNOWN
    kind = _FACTORIES.get(args[0].value.name) if args and name.endswith("defaultdict") else None
    if kind is not None and len(args) == 1:
        rest = m.new(Record(kind, open=True, rest=v.UNKNOWN), v.ALL)
    return m.new(Record("dict", open=True, rest=rest), v.MAPPING)


@gives("types.SimpleNamespace")
def _namespace(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    if not all(arg.keyword for arg in args):
        return v.UNKNOWN
    entries = {arg.keyword: arg.value for arg in args}
    return m.new(Record("object", entries=entries, open=True, rest=v.UNKNOWN, cls=name), v.OBJECT)


@gives("dataclasses.dataclass", "flax.struct.dataclass", "chex.dataclass", "jax_dataclasses.pytree_dataclass")
def _dataclass(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    if args and not args[0].keyword:
        return args[0].value
    if any(arg.star for arg in args):
        return v.UNKNOWN
    named = {arg.keyword: arg.value for arg in args}
    return Value(v.FUNCTION, target=Partial(Value(v.FUNCTION, target=name), (), named, m.ctx.loops))
