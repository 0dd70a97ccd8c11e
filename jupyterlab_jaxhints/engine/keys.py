"""Random keys: who consumes which."""
from __future__ import annotations

from typing import Any

from . import values as v
from .callables import Argument
from .events import KeyUse
from .interpreter import Machine
from .values import Value


def consume(m: Machine, key: Value, node: Any, how: str, name: str, certain: bool = True) -> None:
    """Note that a key is used up, and by what; tells the rules what used it before."""
    if key.ident is None or not (key.must_be(v.KEY) or key.is_unknown or key.may_be(v.TREE | v.JAX)):
        return
    previous = used_before(m, key.ident)
    again = previous is not None and previous.node is node and _same_loop(m, previous)
    event = KeyUse(m, node, m.place, m.ctx, key=key, key_node=node, how=how, name=name, previous=previous,
                   again_in_loop=again, certain=certain, all_lanes=_all_lanes(m, key))
    m.state.used.set(("key", key.ident), event)
    if KeyUse in m.listened:
        m.publish(event)


def _same_loop(m: Machine, previous: KeyUse) -> bool:
    """The use before was on an earlier turn of a loop that we are still in."""
    return bool(m.ctx.loops) and any(loop is other for _, loop in m.ctx.loops for _, other in previous.ctx.loops)


def used_before(m: Machine, ident: Any) -> KeyUse | None:
    """The event that consumed the key, or an array of keys that it is part of."""
    found = m.state.used.get(("key", ident))
    if found is not None:
        return found
    if isinstance(ident, tuple) and ident and ident[0] == "part":
        whole = used_before(m, ident[1])
        return whole if whole is not None and whole.how != "split" or whole is None else None
    if isinstance(ident, tuple) and ident and ident[0] == "join":
        first, second = (used_before(m, part) if part is not None else None for part in ident[1:])
        return first if first is not None and second is not None else None
    return None


def root(ident: Any) -> Any:
    """The object at the bottom of parts and joins."""
    while isinstance(ident, tuple) and ident and ident[0] in ("part", "join", "item", "attribute"):
        ident = ident[1]
    return ident


def _all_lanes(m: Machine, key: Value) -> bool:
    frame = m.ctx.tracing_frame
    if frame is None or not frame.transform.endswith("vmap"):
        return False
    made = root(key.ident)
    if isinstance(made, tuple) and len(made) == 2 and isinstance(made[0], tuple) and len(made[0]) == 2 and made[0][0] == m.origin.key:
        made = made[0]  # an unknown parameter: (alloc, name)
    if isinstance(made, tuple) and len(made) == 2 and made[0] == m.origin.key and isinstance(made[1], int):
        return made[1] <= frame.alloc
    return True


def given_to_unknown(m: Machine, name: str, args: list[Argument], node: Any) -> None:
    """An unknown callee probably consumes the keys that it is given."""
    for arg in args:
        for leaf in m.leaves(arg.value):
            if leaf.must_be(v.KEY):
                consume(m, leaf, arg.node, "call", name, certain=False)
