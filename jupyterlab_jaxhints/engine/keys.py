"""Random keys: who consumes which, and where they were handed over."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import libcst as cst

from ..knowledge import keys as table
from . import values as v
from .callables import Argument, Class, Wrapped
from .context import Frame
from .events import KeySite, KeyUse
from .interpreter import Machine
from .values import Value

# only traced, to learn shapes or a program: no number is drawn
ABSTRACT_ONLY = frozenset({"jax.eval_shape", "jax.make_jaxpr", "equinox.filter_eval_shape", "equinox.filter_make_jaxpr",
                           "flax.nnx.eval_shape", "jax.linearize"})
STAGES = frozenset({"lower", "trace", "eval_shape"})  # methods of a transformed function that only trace
REPEATS = frozenset({"vmap", "filter_vmap", "pmap", "filter_pmap", "scan", "while_loop", "fori_loop", "map", "vectorize"})
# the host's generators of random numbers: their methods draw
GENERATORS = frozenset({"numpy.random.default_rng", "numpy.random.RandomState", "numpy.random.Generator", "random.Random",
                        "random.SystemRandom"})
UNUSED = frozenset({"jax.random.key_data", "jax.random.key_impl", "jax.device_put", "jax.block_until_ready",
                    "copy.copy", "copy.deepcopy"})


def consume(m: Machine, key: Value, node: Any, how: str, name: str, call: Any, certain: bool = True) -> None:
    """Note that a key is used up, and by what; tells the rules what used it before."""
    if key.ident is None or not (key.must_be(v.KEY) or key.is_unknown or key.may_be(v.TREE | v.JAX)):
        return
    if any(frame.transform in ABSTRACT_ONLY for frame in m.ctx.live):
        return
    previous = used_before(m, key.ident)
    again = previous is not None and previous.node is node and _same_loop(m, previous)
    event = KeyUse(m, node, m.place, m.ctx, key=key, key_node=node, how=how, name=name, previous=previous,
                   again_in_loop=again, certain=certain, repeated_by=_repeated_by(m, key),
                   sites=_sites(m, key, node, call), shown=m.last_shown)
    for ident in _with_origins(key.ident):
        m.state.used.set(("key", ident), event)
    if KeyUse in m.listened:
        m.publish(event)


def _with_origins(ident: Any) -> list[Any]:
    """The key itself, and the one that a loop's carry began with: the first turn uses it."""
    out = [ident]
    while isinstance(ident, tuple) and ident and ident[0] == "carry":
        ident = ident[1]
        out.append(ident)
    return out


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
        return whole if whole is not None and whole.how != "split" else None
    if isinstance(ident, tuple) and ident and ident[0] == "carry":
        return used_before(m, ident[1])
    if isinstance(ident, tuple) and ident and ident[0] == "join":
        first, second = (used_before(m, part) if part is not None else None for part in ident[1:])
        return first if first is not None and second is not None else None
    return None


def root(ident: Any) -> Any:
    """The object at the bottom of parts and joins."""
    while isinstance(ident, tuple) and ident and ident[0] in ("part", "join", "item", "attribute"):
        ident = ident[1]
    return ident


# --- one key for all lanes or turns -----------------------------------------------------------------------------------


def _repeated_by(m: Machine, key: Value) -> str:
    """The transform around us that runs this many times with the one key that was there before."""
    for frame in reversed(m.ctx.live):
        if frame.transform.rsplit(".", 1)[-1] in REPEATS:
            return frame.transform if _is_older(m, key, frame) else ""
    return ""


def _is_older(m: Machine, key: Value, frame: Frame) -> bool:
    ident = key.ident
    while isinstance(ident, tuple) and ident and ident[0] == "part":
        if isinstance(ident[2], tuple) and not _was_there(m, ident[2], frame):
            return False  # each lane or turn takes another one of the keys
        ident = ident[1]
    return _was_there(m, root(ident), frame)


def _was_there(m: Machine, made: Any, frame: Frame) -> bool:
    if isinstance(made, tuple) and made and made[0] == "carry":
        return made[2][0] != m.origin.key or made[2][1] <= frame.alloc
    if isinstance(made, tuple) and len(made) == 2 and isinstance(made[0], tuple) and len(made[0]) == 2 and made[0][0] == m.origin.key:
        made = made[0]  # an unknown parameter: (alloc, name)
    if isinstance(made, tuple) and len(made) == 2 and made[0] == m.origin.key and isinstance(made[1], int):
        return made[1] <= frame.alloc
    return True


def handed_on(m: Machine, before: Value, after: Value) -> None:
    """The body of a compiled loop has been evaluated: a key that it consumed and hands on is used on every turn."""
    ends, starts = m.leaves(after), m.leaves(before)
    for start, end in zip(starts, ends) if len(starts) == len(ends) else ():
        carried = isinstance(start.ident, tuple) and start.ident[:1] == ("carry",)
        if not carried or end.ident != start.ident:
            continue
        use = m.state.used.get(("key", start.ident))
        if use is not None and KeyUse in m.listened:
            m.publish(replace(use, previous=use, again_in_loop=True, repeated_by="jax.lax.scan"))


# --- where keys are handed over -----------------------------------------------------------------------------------------


def _sites(m: Machine, key: Value, node: Any, call: Any) -> tuple[KeySite, ...]:
    """The argument of the consumer, then of each call around it that the key came in by."""
    frames = m.ctx.frames
    out = [KeySite(len(frames), node, m.place, call)]
    idents = _family(key.ident)
    for depth in range(len(frames) - 1, -1, -1):
        frame = frames[depth]
        if frame.function is None:
            continue
        name = next((name for name, value in frame.given.items() if _holds(m, value, idents)), None)
        if name is None or frame.nodes.get(name) is None or frame.caller is None or _uncalled(frames, depth):
            break
        out.append(KeySite(depth, frame.nodes[name], frame.caller, frame.call, frame.function))
    return tuple(out)


def _uncalled(frames: tuple[Frame, ...], depth: int) -> bool:
    """No code calls the function of this frame: it, or a transform right around it, is evaluated for its own sake."""
    if frames[depth].generic:
        return True
    while depth and frames[depth - 1].function is None:
        depth -= 1
        if frames[depth].generic:
            return True
    return False


def _family(ident: Any) -> set[Any]:
    """The key, and what it is a part of."""
    out = {ident}
    while isinstance(ident, tuple) and ident and ident[0] in ("part", "carry", "item", "attribute"):
        ident = ident[1]
        out.add(ident)
    return out


def _holds(m: Machine, value: Value, idents: set[Any]) -> bool:
    return any(leaf.ident is not None and leaf.ident in idents for leaf in m.leaves(value))


# --- libraries ------------------------------------------------------------------------------------------------------------


def owner(value: Value) -> str:
    """The library's class that a value is an instance of, where its methods are known to consume keys."""
    if isinstance(value.target, Wrapped):
        return table.gives(value.target.transform) or ""
    return next((flag[3:] for flag in value.flags if flag.startswith("of:")), "")


def instance_of(m: Machine, name: str) -> frozenset:
    """Flags of what a library's function gives: its class, whose methods may consume keys."""
    made = table.gives(name) or (name if table.methods_of(name) else "")
    if not made and name.startswith("flax.linen.") and name.rpartition(".")[2][:1].isupper():
        made = "flax.linen.Module"  # the layers are modules
    if name in GENERATORS:
        made = name
    return frozenset({f"of:{made}"}) if made else frozenset()


def _base_names(cls: Any) -> list[str]:
    out: list[str] = []
    for base in cls.bases if isinstance(cls, Class) else ():
        out += [base.name] if base.name else _base_names(base.target)
    return out


def known_use(m: Machine, callee: Value, name: str, receiver: Value | None, method: str) -> table.KeyUse | None:
    """What the table says of a call: of a function, a class, a method, or what a function gave back."""
    names = [name] if name else []
    if owner(callee):
        names += [owner(callee), f"{owner(callee)}.__call__"]
    if receiver is not None and method:
        record = m.record(receiver)
        classes = [owner(receiver), *_base_names(record.cls if record is not None else None)]
        names += [f"{cls}.{method}" for cls in classes if cls]
    return next((use for use in map(table.use, names) if use is not None), None)


def given_to_unknown(m: Machine, name: str, callee: Value, args: list[Argument], node: Any,
                     receiver: Value | None = None) -> None:
    """A callee that is not followed: one of the table consumes its key, another one probably does."""
    bound = callee.target if hasattr(callee.target, "receiver") else None
    func = getattr(node, "func", None)
    method = func.attr.value if isinstance(func, cst.Attribute) else ""
    if receiver is None and bound is not None:
        receiver = bound.receiver
    if name in UNUSED or receiver is not None and receiver.must_be(v.FUNCTION) and method in STAGES:
        return
    use = known_use(m, callee, name, receiver, method)
    if use is not None:
        arg = _argument(use, args)
        if arg is not None:
            for leaf in m.leaves(arg.value):
                if leaf.must_be(v.KEY) or leaf is arg.value:
                    consume(m, leaf, arg.node, "call", name or method, node, certain=use.effect == "consumes")
        return
    for arg in args:
        for leaf in m.leaves(arg.value):
            if leaf.must_be(v.KEY):
                consume(m, leaf, arg.node, "call", name or method, node, certain=False)


def _argument(use: table.KeyUse, args: list[Argument]) -> Argument | None:
    named = next((arg for arg in args if arg.keyword == use.parameter), None)
    plain = [arg for arg in args if not arg.keyword]
    if named is not None or use.place is None or use.place >= len(plain) or any(arg.star for arg in plain):
        return named
    return plain[use.place]
