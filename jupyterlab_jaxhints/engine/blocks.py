"""`with` and `try`: what they set, catch and let through."""
from __future__ import annotations

from typing import Any

import libcst as cst

from . import asking, config_flags, operators, stores
from . import values as v
from .context import Context, Frame, Try
from .events import Call, TryEnd
from .interpreter import GUARDS, Machine, executes


@executes(cst.With)
def with_(m: Machine, node: cst.With) -> bool:
    tries = m.ctx
    host = False
    suppressed: frozenset[str] = frozenset()
    handler = None
    for item in node.items:
        value = m.eval(item.item)
        if isinstance(item.item, cst.Call):
            name = m.callee_name(item.item.func)
            host = host or name == "jax.ensure_compile_time_eval"
            if name in ("contextlib.suppress", "pytest.raises"):
                suppressed |= {_exception_name(m, arg.value) for arg in item.item.args}
                handler = item.item if name == "contextlib.suppress" else handler
        if item.asname is not None:
            stores.assign_target(m, item.asname.name, operators.entered(m, value), item.item, node, how="with")
    if suppressed:
        block = Try(node, m.place, suppressed)
        m.ctx = Context(tries.frames, tries.loops, (*tries.tries, (len(tries.frames), block)))
        m.item_events.append([])
    if host:
        returns = m.ctx.frames[-1].returns if m.ctx.frames else []
        m.push(Frame(m.ctx.function, m.place, host=True, returns=returns, given=m.ctx.frames[-1].given if m.ctx.frames else {}))
    before = config_flags.entered(m, node)
    falls = m.exec(node.body)
    config_flags.left(m, before)
    m.ctx = tries
    if suppressed:
        loads, calls_ = _tried(m)
        if handler is not None:
            m.emit(TryEnd, handler, statement=node, handler=handler, catches=suppressed, loads=loads, calls=calls_)
    return falls or bool(suppressed)


# calls that raise no IndexError of their own
KEEPS_BOUNDS = ("jax.", "array.", "at.", "builtins.", "math.", "str.", "list.append", "list.extend")


def _tried(m: Machine) -> tuple[tuple, tuple]:
    """What happened in a `try`: items read and written, and calls that may raise anything."""
    events = m.item_events.pop()
    return (tuple(event for event in events if not isinstance(event, Call)),
            tuple(event for event in events if isinstance(event, Call) and not event.name.startswith(KEEPS_BOUNDS)))


def _exception_name(m: Machine, node: Any) -> str:
    text = m.text(node)
    return text.rsplit(".", 1)[-1]


def _handler_names(m: Machine, handler: Any) -> frozenset[str]:
    if handler.type is None:
        return frozenset({""})
    kinds = [e.value for e in handler.type.elements] if isinstance(handler.type, cst.Tuple) else [handler.type]
    return frozenset(_exception_name(m, kind) for kind in kinds)


def _reraises(handler: Any) -> bool:
    """The handler's last statement raises, so that the exception reaches the user after all."""
    body = handler.body.body
    last = body[-1] if body else None
    if isinstance(last, cst.SimpleStatementLine):
        last = last.body[-1]
    return isinstance(last, cst.Raise)


@executes(cst.Try)
def try_(m: Machine, node: cst.Try) -> bool:
    outer = m.ctx
    going_on = [h for h in node.handlers if not _reraises(h)]
    catches = frozenset(name for handler in going_on for name in _handler_names(m, handler))
    before = m.state.fork(m.scope)
    block = Try(node, m.place, catches, reraises=not going_on)
    m.ctx = Context(outer.frames, outer.loops, (*outer.tries, (len(outer.frames), block)))
    m.item_events.append([])
    falls = m.exec(node.body)
    loads, calls_ = _tried(m)
    m.ctx = outer
    for handler in node.handlers:
        m.emit(TryEnd, handler, statement=node, handler=handler, catches=_handler_names(m, handler), loads=loads,
               calls=calls_)
    if falls and node.orelse is not None:
        guarding = bool(catches & asking.ABSENCE)
        m.guards += guarding
        falls = m.exec(node.orelse)
        m.guards -= guarding
    ends = [m.state.fork(m.scope)] if falls else []
    if not node.handlers:
        ends = ends or []
    else:
        m.state.merge(before, [before, *(ends or [m.state.fork(m.scope)])])
        start = m.state.fork(m.scope)
        for handler in node.handlers:
            m.state.restore(start)
            m.state.used.delta = dict(before[2])  # what the body has consumed before it failed is not known
            if handler.name is not None:
                stores.assign_target(m, handler.name.name, v.UNKNOWN, None, handler, how="with")
            guarding = bool(_handler_names(m, handler) & GUARDS)
            m.guards += guarding
            falls = m.exec(handler.body)
            m.guards -= guarding
            if falls:
                ends.append(m.state.fork(m.scope))
    if ends:
        m.state.merge(before, ends)
    if node.finalbody is not None:
        return m.exec(node.finalbody) and bool(ends)
    return bool(ends)
