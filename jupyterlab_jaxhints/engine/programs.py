"""Which compiled program a piece of traced code goes into, and what was given to it: what JAX's caches go by."""
from __future__ import annotations

from typing import Any

from . import values as v
from .callables import Bound, Function, Wrapped
from .context import Context, Frame
from .values import Value

# trace for the sake of the trace: their result is looked at, and each call traces again
LOOKED_AT = frozenset({"jax.make_jaxpr", "jax.eval_shape", "jax.linear_transpose", "jax.closure_convert"})


def is_compiled(ctx: Context) -> bool:
    """The code goes into a program that is compiled, kept and run again without Python."""
    frame = ctx.staging_frame
    return frame is not None and frame.transform not in LOOKED_AT


def identity(ctx: Context) -> Any:
    """Equal for traces that share an entry of JAX's cache, other things being equal."""
    frame = ctx.staging_frame
    if frame is None:
        return None
    if frame.wrapped is not None:
        return (frame.transform, _of(frame.wrapped.function, frame.wrapped))
    inner = _inside(ctx, frame)
    return (frame.transform, inner.function.ident if inner is not None else None)


def _of(function: Value, wrapped: Wrapped) -> Any:
    target = function.target
    if isinstance(target, (Function, Wrapped)):
        return target.ident
    if isinstance(target, Bound) and isinstance(target.method, Value) and isinstance(target.method.target, Function):
        return (target.receiver.ref, target.method.target.ident)
    return wrapped.ident


def _inside(ctx: Context, frame: Frame) -> Frame | None:
    place = ctx.frames.index(frame)
    return next((each for each in ctx.frames[place + 1:] if each.function is not None), None)


def arguments(ctx: Context) -> tuple[Value, ...]:
    """The program's arguments, as the traced function sees them."""
    frame = ctx.staging_frame
    inner = _inside(ctx, frame) if frame is not None else None
    return tuple(inner.given.values()) if inner is not None else ()


def may_share(a: tuple[Value, ...], b: tuple[Value, ...]) -> bool:
    """Nothing that is known of shapes, dtypes and static values keeps two traces from being one program."""
    return len(a) == len(b) and all(map(_alike, a, b))


def _alike(a: Value, b: Value) -> bool:
    if a.elements is not None and b.elements is not None:
        return may_share(a.elements, b.elements)
    traced = v.TRACER | v.TREE | v.ARRAY
    if not a.kinds & b.kinds and not (a.may_be(traced) and b.may_be(traced)):
        return False
    if a.known and b.known and not a.may_be(v.ARRAYLIKE) and repr(a.const) != repr(b.const):
        return False
    if a.shape is not None and b.shape is not None:
        if len(a.shape) != len(b.shape) or any(None not in (m, n) and m != n for m, n in zip(a.shape, b.shape)):
            return False
    pairs = ((a.dtype, b.dtype), (a.weak, b.weak))
    return all(one is None or other is None or one == other for one, other in pairs)


def is_outside(number: int, ctx: Context) -> bool:
    """What belongs to the frame of this number was there before the program's trace began."""
    frame = ctx.staging_frame
    return frame is not None and number < frame.number


def objects(ctx: Context) -> frozenset:
    """The objects, by heap id, that the program's caller gave it as constants: static arguments, a bound method's."""
    return frozenset(value.ref for value in arguments(ctx) if value.ref is not None)
