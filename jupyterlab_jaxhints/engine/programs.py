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


def signature(ctx: Context) -> Any:
    """Shapes, dtypes and static values of the program's arguments, as far as they are known."""
    frame = ctx.staging_frame
    inner = _inside(ctx, frame) if frame is not None else None
    return tuple(_facts(value) for value in inner.given.values()) if inner is not None else ()


def _facts(value: Value) -> Any:
    parts = tuple(_facts(part) for part in value.elements) if value.elements is not None else None
    const = repr(value.const) if value.known and not value.must_be(v.ARRAYLIKE) else None
    return (value.kinds, value.shape, value.dtype, value.weak, const, parts)


def is_outside(number: int, ctx: Context) -> bool:
    """What belongs to the frame of this number was there before the program's trace began."""
    frame = ctx.staging_frame
    return frame is not None and number < frame.number


def objects(ctx: Context) -> frozenset:
    """The objects, by heap id, that the program's caller gave it as constants: static arguments, a bound method's."""
    frame = ctx.staging_frame
    inner = _inside(ctx, frame) if frame is not None else None
    return frozenset(value.ref for value in inner.given.values() if value.ref is not None) if inner is not None else frozenset()
