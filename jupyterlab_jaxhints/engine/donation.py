"""Which arrays lose their buffers to a call with `donate_argnums` or `donate_argnames`."""
from __future__ import annotations

import re
from collections import Counter
from typing import Any

from . import tracing
from . import values as v
from .callables import Argument, Wrapped
from .interpreter import Machine
from .scopes import names_in
from .values import Taken, Value


def take(m: Machine, wrapped: Wrapped, args: list[Argument], node: Any, result: Value) -> Argument | None:
    """Note the buffers that the call takes, so that a later read is known to fail. Returns an argument whose buffer the
    call takes by another one too."""
    if not wrapped.transform.endswith(("jit", "pmap")) or m.ctx.traced:
        return None
    donated = _donated(m, wrapped, args)
    wanted = Counter(_buffer(leaf) for _, leaf in donated)
    made = Counter(_buffer(leaf) for leaf in m.leaves(result) if leaf.must_be(v.ARRAY))
    for arg, leaf in donated:
        # JAX takes a buffer only where a result of the same kind needs one
        if _buffer(leaf) is not None and made[_buffer(leaf)] >= wanted[_buffer(leaf)]:
            step = Taken(lambda arg=arg: f"`{m.text(arg.node)}` is donated here", node, m.place)
            m.state.used.set(("donated", leaf.ident), step)
    return _twice(m, donated, args) if any(made[_buffer(leaf)] for _, leaf in donated) else None


def _donated(m: Machine, wrapped: Wrapped, args: list[Argument]) -> list[tuple[Argument, Value]]:
    """The arrays in the arguments that are donated. Arguments that the function never reads are left out, as JAX does."""
    given = tracing.static_parameters(m, wrapped, "donate_argnums", "donate_argnames")
    if given is None or not any(given) or any(arg.star for arg in args):
        return []
    names = tracing.parameter_names(wrapped.function) or []
    function = tracing.underlying(wrapped.function)
    read = names_in(function.node.body) if function is not None else frozenset()
    out = []
    for place, arg in enumerate(args):
        name = arg.keyword or (names[place] if place < len(names) else "")
        if (arg.keyword in given[1] if arg.keyword else place in given[0]) and name in read:
            out += [(arg, leaf) for leaf in m.leaves(arg.value) if leaf.ident is not None and leaf.must_be(v.ARRAY)]
    return out


def _buffer(leaf: Value) -> tuple | None:
    """What two arrays share when one can live in the other's buffer; None where the shape is not known."""
    if leaf.shape is None or None in leaf.shape or leaf.dtype is None:
        return None
    width = re.search(r"\d+$", leaf.dtype)
    return leaf.shape, width.group() if width else leaf.dtype


def _twice(m: Machine, donated: list[tuple[Argument, Value]], args: list[Argument]) -> Argument | None:
    """An argument that holds a buffer which is donated by another argument of the same call."""
    for arg, leaf in donated:
        for other in args:
            if other is not arg and any(part.ident == leaf.ident for part in m.leaves(other.value) if part.must_be(v.ARRAY)):
                return other if args.index(other) > args.index(arg) else arg
    return None
