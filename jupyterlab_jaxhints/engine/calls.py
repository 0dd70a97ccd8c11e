"""Calls: of the notebook's functions (followed), of everything else (looked up), and decorators."""
from __future__ import annotations

from typing import Any

import libcst as cst

from . import keys, library, methods, timing, transforms
from . import values as v
from .callables import Argument, Bound, Class, Function, Partial, Wrapped
from .context import Frame
from .events import Call, FunctionCall
from .interpreter import MAX_DEPTH, MAX_FOLLOWED, Machine, evaluates
from .state import Record, join_all
from .values import Value, tuple_of

UNCHANGED = frozenset({
    "abc.abstractmethod", "typing.overload", "typing.no_type_check", "typing.final", "typing_extensions.override",
    "functools.wraps.decorator", "builtins.staticmethod", "jaxtyping.jaxtyped.decorator", "beartype.beartype",
    "typing.override", "functools.wraps",
})
CACHES = frozenset({"functools.lru_cache", "functools.cache", "functools.cached_property"})
_MARKS = {"builtins.staticmethod": "static", "builtins.classmethod": "class", "builtins.property": "property",
          "functools.cached_property": "property"}


def given(value: Value, node: Any) -> Argument:
    """A plain positional argument."""
    return Argument(value, node)


@evaluates(cst.Call)
def call(m: Machine, node: cst.Call, statement_level: bool = False) -> Value:
    callee = m.eval(node.func)
    return call_value(m, callee, arguments(m, node), node, statement_level)


def arguments(m: Machine, node: cst.Call) -> list[Argument]:
    """The arguments of a call; `*` of a known tuple or list and `**` of a known dict are spread out."""
    out: list[Argument] = []
    for arg in node.args:
        value = m.eval(arg.value)
        keyword = arg.keyword.value if arg.keyword is not None else ""
        record = m.record(value)
        if arg.star == "*" and (value.elements is not None or (record is not None and record.items is not None)):
            out += [Argument(part, arg.value) for part in m.parts(value)]
        elif arg.star == "**" and record is not None and record.kind == "dict" and not record.open:
            out += [Argument(part, arg.value, "", str(key)) for key, part in record.entries.items()]
        else:
            out.append(Argument(value, arg.value, arg.star, keyword))
    return out


def call_value(m: Machine, callee: Value, args: list[Argument], node: Any, statement_level: bool = False) -> Value:
    """Call any value."""
    target = callee.target
    if isinstance(target, str):
        if transforms.is_transform(target) and target not in library.HANDLERS:
            return transforms.apply(m, target, callee, args, node, statement_level)
        return library.call(m, target, callee, args, node, statement_level)
    if isinstance(target, Function):
        return call_function(m, target, args, node, statement_level=statement_level)
    if isinstance(target, Class):
        from . import classes

        return classes.instantiate(m, callee, args, node)
    if isinstance(target, Wrapped):
        return transforms.call_wrapped(m, target, args, node, statement_level)
    if isinstance(target, Partial):
        names = {arg.keyword for arg in args if arg.keyword}
        first = [Argument(value, node) for value in target.args]
        last = [Argument(value, node, "", name) for name, value in target.keywords.items() if name not in names]
        return call_value(m, target.function, [*first, *args, *last], node, statement_level)
    if isinstance(target, Bound):
        if isinstance(target.method, str):
            return methods.call(m, target, args, node, statement_level)
        return call_value(m, target.method, [given(target.receiver, node), *args], node, statement_level)
    record = m.record(callee)
    if record is not None and isinstance(record.cls, Class) and callee.must_be(v.OBJECT):
        member = record.cls.lookup("__call__")
        if member is not None and member.must_be(v.FUNCTION):
            return call_value(m, member, [given(callee, node), *args], node, statement_level)
    return unknown_call(m, callee, "", args, node, statement_level)


def unknown_call(m: Machine, callee: Value, name: str, args: list[Argument], node: Any, statement_level: bool = False,
                 receiver: Value | None = None, receiver_node: Any = None) -> Value:
    """A call of something nobody knows: it may do anything with what it is given."""
    if name in timing.CLOCKS:
        clock = Value(v.NUMBER, ident=m.alloc(), flags=timing.CLOCK)
        timing.note_call(m, name, args, node, clock)
        m.emit(Call, node, name=name, callee=callee, func_node=getattr(node, "func", node), args=tuple(args), result=clock,
               statement_level=statement_level)
        return clock
    timing.note(m, "wait", node)  # it may wait
    result = Value(v.ALL, ident=m.alloc(), flags=keys.instance_of(m, name))
    m.emit(Call, node, name=name, callee=callee, func_node=getattr(node, "func", node), args=tuple(args), result=result,
           receiver=receiver, receiver_node=receiver_node, statement_level=statement_level)
    keys.given_to_unknown(m, name, callee, args, node, receiver)
    for arg in args:
        m.escape(arg.value)
    if receiver is not None:
        m.escape(receiver)
    return result


# --- functions of the notebook -------------------------------------------------------------------------------------


def bind(m: Machine, function: Function, args: list[Argument], node: Any) -> tuple[dict[str, Value], dict[str, Any]]:
    """Parameters → values and argument nodes. What is not known to be given or left out is unknown."""
    params = function.node.params
    positional = function.positional
    keyword_only = [p.name.value for p in params.kwonly_params]
    bound: dict[str, Value] = {}
    nodes: dict[str, Any] = {}
    extra: list[Value] = []
    extra_named: dict[str, Value] = {}
    place, unsure, unsure_named = 0, False, False
    for arg in args:
        if arg.star == "*":
            unsure = True
        elif arg.star == "**":
            unsure_named = True
        elif arg.keyword:
            if arg.keyword in positional or arg.keyword in keyword_only:
                bound[arg.keyword], nodes[arg.keyword] = arg.value, arg.node
            else:
                extra_named[arg.keyword] = arg.value
        elif unsure:
            continue
        elif place < len(positional):
            bound[positional[place]], nodes[positional[place]] = arg.value, arg.node
            place += 1
        else:
            extra.append(arg.value)
    for name in (*positional, *keyword_only):
        if name not in bound:
            hidden = unsure_named or (unsure and name in positional)
            default = function.defaults.get(name)
            bound[name] = default if default is not None and not hidden else Value(v.ALL, ident=(m.alloc(), name))
    if isinstance(params.star_arg, cst.Param):
        bound[params.star_arg.name.value] = Value(v.SEQUENCE, flags=v.TUPLE) if unsure else tuple_of(extra)
    if params.star_kwarg is not None:
        record = Record("dict", entries=extra_named, open=unsure_named)
        bound[params.star_kwarg.name.value] = m.new(record, v.MAPPING)
    return bound, nodes


def call_function(m: Machine, function: Function, args: list[Argument], node: Any, *, statement_level: bool = False) -> Value:
    """Follow a plain call of a function of the notebook."""
    bound, nodes = bind(m, function, args, node)
    if not may_follow(m, function):
        for arg in args:
            m.escape(arg.value)
        return Value(v.ALL, ident=m.alloc())
    step = m.step(lambda: f"`{m.text(node)}`" if len(m.text(node)) < 40 else f"`{function.name}(…)`", node)
    result = run(m, function, bound, Frame(function, function.place, call=node, caller=m.place, step=step,
                                           nodes=nodes))
    m.emit(FunctionCall, node, function=function, args=tuple(args), bound=bound, result=result,
           statement_level=statement_level)
    return result


def may_follow(m: Machine, function: Function) -> bool:
    """The budget, the depth and recursion allow to evaluate the body."""
    if m.nodes > MAX_FOLLOWED or len(m.ctx.frames) >= MAX_DEPTH:
        return False
    if isinstance(function.node, cst.FunctionDef) and function.node.asynchronous is not None:
        return False
    return sum(frame.function is not None and frame.function.node is function.node for frame in m.ctx.frames) < 2


def run(m: Machine, function: Function, bound: dict[str, Value], frame: Frame) -> Value:
    """Evaluate a body in a frame; the result is the join of what it returns."""
    key = _memo_key(m, function, bound)
    found = m.memo.get(key)
    if found is not None:
        return found
    writes = (m.state.names.writes, m.state.heap.writes, m.state.used.writes, len(m.kept))
    result = _run(m, function, bound, frame)
    if writes == (m.state.names.writes, m.state.heap.writes, m.state.used.writes, len(m.kept)):
        m.memo[key] = result
    return result


def _memo_key(m: Machine, function: Function, bound: dict[str, Value]) -> Any:
    closed = function.scope.chain() if function.scope is not None else ()
    local = tuple((n, value.fingerprint()) for scope in closed for n, value in scope.names.items())
    tries = tuple(id(block) for _, block in m.ctx.tries)
    return (id(function.node), function.ident, tuple((n, value.fingerprint()) for n, value in bound.items()), local,
            m.ctx.staged, m.ctx.abstract, m.ctx.differentiated, m.ctx.generic, id(m.ctx.eager_loop),
            id(m.ctx.staged_loop), tries, m.place.key, m.state.names.writes, m.state.heap.writes, m.state.used.writes)


def _run(m: Machine, function: Function, bound: dict[str, Value], frame: Frame) -> Value:
    from . import generic
    from .execute import body_scope

    outer_scope, outer_place, outer_ctx = m.scope, m.place, m.ctx
    outer_exits, outer_class, outer_asked = m.loop_exits, m.class_body, m.asked_in
    frame.number = m.frame_number()
    m.followed.add(id(function.node))
    m.scope = body_scope(m, function.scope, function.node, function, frame.number, "function")
    m.scope.names.update(bound)
    frame.given = bound
    m.place, m.loop_exits, m.class_body, m.asked_in = function.place, [], None, ("", None)
    m.push(frame)
    made, wrapped = len(m.made_functions), len(m.deferred)
    before = m.state.fork(m.scope)
    try:
        if isinstance(function.node, cst.Lambda):
            frame.returns.append((m.eval(function.node.body), m.state.fork(m.scope)))
        elif m.exec(function.node.body):
            frame.returns.append((v.NOTHING, m.state.fork(m.scope)))
        if frame.returns:
            m.state.merge(before, [state for _, state in frame.returns])
        generic.visit(m, m.made_functions[made:], m.deferred[wrapped:])
        del m.made_functions[made:], m.deferred[wrapped:]
    finally:
        m.scope, m.place, m.ctx = outer_scope, outer_place, outer_ctx
        m.loop_exits, m.class_body, m.asked_in = outer_exits, outer_class, outer_asked
    if frame.yields:
        return m.new(Record("iterator", rest=join_all(frame.yields)), v.ITERATOR, target="generator")
    if not frame.returns:
        return v.UNKNOWN
    return join_all(value for value, _ in frame.returns)


# --- decorators ------------------------------------------------------------------------------------------------------


def decorate(m: Machine, decorator: Value, value: Value, written: cst.Decorator, function: Function) -> Value:
    """What a decorator makes of a function."""
    name = decorator.name
    if name in _MARKS:
        return value.but(flags=value.flags | {_MARKS[name]} | ({"cached"} if name == "functools.cached_property" else set()))
    if name in UNCHANGED:
        return value
    if isinstance(decorator.target, Bound) and decorator.target.method in ("setter", "getter", "deleter"):
        return value
    if isinstance(written.decorator, cst.Attribute) and written.decorator.attr.value in ("setter", "deleter"):
        return value
    m.decorating = (function, written)
    try:
        return call_value(m, decorator, [given(value, written.decorator)], written)
    finally:
        m.decorating = None
