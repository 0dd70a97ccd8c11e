"""Primitives that take functions: scan, while_loop, fori_loop, cond, switch, map, associative_scan, callbacks."""
from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from typing import Any

from . import items, keys, tracing
from . import values as v
from .callables import Argument
from .context import Frame
from .events import BodyGiven, Call
from .interpreter import Machine
from .specs import Spec
from .values import Step, Value, join, tuple_of

class _Primitive:
    """One call of a primitive: its arguments by name, and how to call the functions among them."""

    def __init__(self, m: Machine, name: str, spec: Spec, args: list[Argument], node: Any) -> None:
        self.m, self.name, self.spec, self.node = m, name, spec, node
        self.args = args
        self.named: dict[str, Argument] = {}
        self.operands: list[Argument] = []
        names = list(takewhile(lambda n: not n.startswith("*"), spec.parameters))
        place = 0
        for arg in args:
            if arg.keyword:
                self.named[arg.keyword] = arg
            elif arg.star:
                self.operands.append(arg)
            elif place < len(names):
                self.named[names[place]] = arg
                place += 1
            else:
                self.operands.append(arg)
        short = name.rsplit(".", 1)[-1]
        self.step = Step(f"`{short}`", node, m.place)
        self.alloc = m.counter

    def value(self, name: str) -> Value:
        found = self.named.get(name)
        return found.value if found is not None else v.UNKNOWN

    def body(self, argument: Argument | None, values: list[Value]) -> Value:
        """Trace one of the functions with these arguments."""
        from .transforms import inside, is_fresh, repeats

        if argument is None:
            return v.UNKNOWN
        m = self.m
        m.emit(BodyGiven, self.node, name=self.name, function=argument.value, function_node=argument.node,
               fresh=is_fresh(m, argument.value), args=tuple(self.args),
               repeats=repeats(m, argument.value, argument.node))
        marker = Frame(None, m.place, self.name, self.spec.staged, self.spec.tracer, self.spec.host, self.node, m.place,
                       self.step)
        return inside(m, marker, argument.value, [Argument(value, self.node) for value in values], self.node,
                      self.alloc)

    def traced(self, value: Value) -> Value:
        return tracing.as_tracer(self.m, value, "abstract", self.step)

    def carried(self, value: Value) -> Value:
        """A carry as its loop's body sees it; keys in it are other ones on each turn."""
        def leaf(part: Value) -> Value:
            known = (part.must_be(v.KEY | v.TREE) or part.is_unknown and not part.name) and part.ident is not None
            return part.but(ident=("carry", part.ident, self.m.alloc())) if known else part

        return tracing.map_leaves(self.m, self.traced(value), leaf, own=True)

    def back(self, value: Value, extra: Any = ()) -> Value:
        kind = tracing.result_kind(self.m, [arg.value for arg in self.args])
        return tracing.come_back(self.m, value, kind, extra=extra)

    def index(self) -> Value:
        return Value(v.ABSTRACT, shape=(), dtype="int32" if self.m.x64 is False else None, traced=self.step,
                     ident=self.m.alloc())


def call(m: Machine, name: str, spec: Spec, args: list[Argument], node: Any, callee: Value) -> Value:
    """Evaluate a call of a primitive: its bodies are traced, its result comes back."""
    if any(arg.star == "**" for arg in args):
        for arg in args:
            m.escape(arg.value)
        return v.UNKNOWN
    primitive = _Primitive(m, name, spec, args, node)
    result = HANDLERS.get(name, _any)(primitive)
    m.emit(Call, node, name=name, callee=callee, func_node=getattr(node, "func", node), args=tuple(args), result=result)
    return result


def _any(p: _Primitive) -> Value:
    """A primitive without rules of its own: its functions see tracers or unknown values as the table says."""
    for parameter in p.spec.functions:
        argument = p.named.get(parameter)
        if argument is None:
            continue
        function = tracing.underlying(argument.value)
        count = len(tracing.parameter_names(argument.value) or ()) if function is not None else 0
        seen = p.spec.seen.get(parameter, ())
        values = []
        for place in range(count):
            kind = seen[min(place, len(seen) - 1)] if seen else ""
            unknown = Value(v.ALL, ident=p.m.alloc())
            values.append(p.traced(unknown) if kind == "abstract" else unknown)
        if function is not None:
            p.body(argument, values)
    for arg in p.args:
        p.m.escape(arg.value)
    return Value(v.ALL, ident=p.m.alloc())


def _widen(before: Value, after: Value) -> Value:
    """A carry keeps the types it starts with; what the body makes of it is only checked against them."""
    return before if before.fingerprint() == after.fingerprint() else before


def _scan(p: _Primitive) -> Value:
    carry = p.carried(p.value("init"))
    xs = p.value("xs")
    length = p.value("length")
    element = p.traced(_element(p.m, xs))
    returned = p.body(p.named.get("f"), [carry, element])
    parts = p.m.parts(returned)
    if len(parts) == 2:
        keys.handed_on(p.m, carry, parts[0])
    count = _length(p.m, xs, length)
    if len(parts) != 2:
        return tuple_of([p.back(carry), v.UNKNOWN])
    return tuple_of([p.back(_widen(carry, parts[0])), p.back(parts[1], extra=count)])


def _element(m: Machine, xs: Value) -> Value:
    """One element of each leaf of the scanned tree."""

    def leaf(part: Value) -> Value:
        if part.must_be(v.NONE):
            return part
        if part.must_be(v.ARRAYLIKE | v.KEY):
            return items.iterated(m, part)
        if part.must_be(v.TREE) or part.is_unknown and not part.name:
            return part.but(ident=m.alloc())
        return part if part.is_unknown else v.UNKNOWN

    return tracing.map_leaves(m, xs, leaf)


def _length(m: Machine, xs: Value, length: Value) -> int | None:
    for leaf in m.leaves(xs):
        if leaf.shape:
            return leaf.shape[0]
    return length.const if length.known and isinstance(length.const, int) else None


def _while_loop(p: _Primitive) -> Value:
    carry = p.carried(p.value("init_val"))
    p.body(p.named.get("cond_fun"), [carry])
    keys.handed_on(p.m, carry, p.body(p.named.get("body_fun"), [carry]))
    return p.back(carry)


def _fori_loop(p: _Primitive) -> Value:
    carry = p.carried(p.value("init_val"))
    keys.handed_on(p.m, carry, p.body(p.named.get("body_fun"), [p.index(), carry]))
    return p.back(carry)


def _cond(p: _Primitive) -> Value:
    operand = p.named.get("operand")
    values = [p.traced(arg.value) for arg in p.operands if not arg.star] + ([p.traced(operand.value)] if operand else [])
    if any(arg.star for arg in p.operands):
        return v.UNKNOWN
    before = p.m.state.fork(p.m.scope)
    yes = p.body(p.named.get("true_fun"), values)
    after = p.m.state.fork(p.m.scope)
    p.m.state.restore(before)
    no = p.body(p.named.get("false_fun"), values)
    p.m.state.merge(before, [after, p.m.state.fork(p.m.scope)])
    return p.back(join(yes, no))


def _switch(p: _Primitive) -> Value:
    branches = p.m.parts(p.value("branches"))
    values = [p.traced(arg.value) for arg in p.operands]
    given = p.named.get("branches")
    before = p.m.state.fork(p.m.scope)
    out, ends = None, []
    for branch in branches:
        p.m.state.restore(before)
        returned = p.body(Argument(branch, given.node), values)
        ends.append(p.m.state.fork(p.m.scope))
        out = returned if out is None else join(out, returned)
    if ends:
        p.m.state.merge(before, ends)
    return v.UNKNOWN if out is None else p.back(out)


def _map(p: _Primitive) -> Value:
    xs = p.value("xs")
    returned = p.body(p.named.get("f"), [p.traced(_element(p.m, xs))])
    return p.back(returned, extra=_length(p.m, xs, v.UNKNOWN))


def _associative_scan(p: _Primitive) -> Value:
    elems = p.value("elems")

    def sliced(part: Value) -> Value:
        return part.but(shape=None, ident=p.m.alloc()) if part.must_be(v.ARRAYLIKE) else part

    value = tracing.map_leaves(p.m, elems, sliced)
    p.body(p.named.get("fn"), [value, value])
    return p.back(elems)


def _callback(p: _Primitive) -> Value:
    functions = [arg for arg in p.args if arg.value.must_be(v.FUNCTION)]
    if functions:
        p.body(functions[0], [Value(v.ALL, ident=p.m.alloc()) for _ in p.args[1:]])
    if p.name == "jax.debug.callback":
        return v.NOTHING
    kind = v.ABSTRACT if p.m.ctx.staged else v.ARRAY
    shape = p.args[1].value if len(p.args) > 1 else v.UNKNOWN
    return Value(kind) if not p.m.parts(shape) else v.UNKNOWN


HANDLERS: dict[str, Callable[[_Primitive], Value]] = {
    "jax.lax.scan": _scan,
    "jax.lax.while_loop": _while_loop,
    "jax.lax.fori_loop": _fori_loop,
    "jax.lax.cond": _cond,
    "jax.lax.switch": _switch,
    "jax.lax.map": _map,
    "jax.lax.associative_scan": _associative_scan,
    "jax.pure_callback": _callback,
    "jax.experimental.io_callback": _callback,
    "jax.debug.callback": _callback,
}
