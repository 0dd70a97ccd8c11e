"""Functions that nobody calls: evaluated once with unknown arguments, traced where a transform wraps them."""
from __future__ import annotations

from typing import Any

import libcst as cst

from . import classes
from . import values as v
from .callables import Argument, Bound, Function, Wrapped
from .context import Frame
from .interpreter import MAX_FOLLOWED, Machine
from .values import Value


def visit(m: Machine, functions: list[Function], wrapped: list[Wrapped]) -> None:
    """Evaluate what was made here and not called; what it does to the state is forgotten."""
    pending = [w for w in wrapped if ("called", w.ident) not in m.followed]
    for each in pending:
        trace(m, each)
    for function in functions:
        if id(function.node) not in m.followed and not isinstance(function.node, cst.Lambda):
            call(m, function)


def trace(m: Machine, wrapped: Wrapped) -> None:
    """Trace a wrapped function with arguments of which nothing is known."""
    from . import tracing, transforms
    from .specs import spec_of

    m.followed.add(("called", wrapped.ident))
    spec = spec_of(wrapped.transform)
    function = tracing.underlying(wrapped.function)
    if spec is None or function is None or m.nodes > MAX_FOLLOWED:
        return
    args = unknown_arguments(m, function, skip=_given(wrapped.function))
    alloc = m.counter
    traced = transforms.traced_arguments(m, wrapped, spec, args, wrapped.node)
    if traced is None:
        return
    traced = [t if t.keyword == "" else Argument(v.UNKNOWN, t.node, "", t.keyword) for t in traced]
    marker = Frame(None, m.place, wrapped.transform, spec.staged, spec.tracer, spec.host, wrapped.node, wrapped.place,
                   transforms.trace_step(m, wrapped, wrapped.node), wrapped=wrapped, generic=True)
    aside(m, lambda: transforms.inside(m, marker, wrapped.function, traced, wrapped.node, alloc))


def _given(value: Value) -> int:
    """How many leading parameters are already bound."""
    target = value.target
    if isinstance(target, Bound):
        return 1
    if isinstance(target, Wrapped):
        return _given(target.function)
    return len(target.args) if hasattr(target, "args") else 0


def unknown_arguments(m: Machine, function: Function, skip: int = 0) -> list[Argument]:
    """One unknown argument for each parameter; those with a default come by keyword and stay unknown."""
    out = []
    for parameter in function.parameters:
        name = parameter.name.value
        value = Value(v.ALL, ident=(m.alloc(), name))
        if name in function.defaults:
            out.append(Argument(value, parameter.name, "", name))
        elif name in function.positional:
            if skip:
                skip -= 1
            else:
                out.append(Argument(value, parameter.name))
        else:
            out.append(Argument(value, parameter.name, "", name))
    return out


def call(m: Machine, function: Function) -> None:
    """Evaluate a plain function as if somebody unknown called it."""
    from . import calls

    if ("decorated", id(function.node)) in m.followed or not calls.may_follow(m, function):
        m.followed.add(id(function.node))
        return
    args = unknown_arguments(m, function)
    if function.cls is not None and args and not _is_static(function):
        args[0] = Argument(classes.some_instance(m, function.cls), args[0].node)

    def body() -> Any:
        bound, _ = calls.bind(m, function, args, function.node)
        return calls.run(m, function, bound, Frame(function, function.place, generic=True))

    aside(m, body)


def _is_static(function: Function) -> bool:
    return any(d.name in ("builtins.staticmethod", "builtins.classmethod") for d in function.decorators)


def aside(m: Machine, work: Any) -> None:
    """Do something whose effects on names, objects and keys are undone."""
    before = m.state.fork(m.scope)
    work()
    m.state.restore(before)
