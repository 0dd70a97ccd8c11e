"""What a few functions of the standard library give back: iterators of `itertools`, decorators of dataclasses."""
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


@gives("dataclasses.dataclass", "flax.struct.dataclass", "chex.dataclass", "jax_dataclasses.pytree_dataclass")
def _dataclass(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    if args and not args[0].keyword:
        return args[0].value
    if any(arg.star for arg in args):
        return v.UNKNOWN
    named = {arg.keyword: arg.value for arg in args}
    return Value(v.FUNCTION, target=Partial(Value(v.FUNCTION, target=name), (), named, m.ctx.loops))
