"""What is timed: clocks read, work dispatched, results waited for, in the order in which it happens."""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from . import values as v
from .context import Context
from .events import Timed
from .values import Place, Value

CLOCKS = frozenset({"time.time", "time.perf_counter", "time.monotonic", "time.process_time", "timeit.default_timer",
                    "time.perf_counter_ns", "time.time_ns", "time.monotonic_ns"})
CLOCK = frozenset({"clock"})
WAITS = frozenset({
    "array.block_until_ready", "jax.block_until_ready", "array.item", "array.tolist", "builtins.float", "builtins.int",
    "builtins.bool", "builtins.complex", "builtins.str", "builtins.repr", "builtins.print", "jax.device_get",
    "jax.effects_barrier", "IPython.display.display", "builtins.max", "builtins.min", "builtins.any", "builtins.all",
    "builtins.sorted", "pprint.pprint", "array.__array__", "array.to_device",
})


@dataclass(frozen=True)
class Entry:
    """One thing that happened. kind: clock, elapsed, async, wait."""

    kind: str
    node: Any
    place: Place
    ctx: Context
    value: Value | None = None
    detail: Any = None


def note(m: Any, kind: str, node: Any, value: Value | None = None, detail: Any = None) -> None:
    """Write an entry, for code that really runs here: not while tracing, not of functions that nobody calls."""
    if not m.ctx.traced and not m.ctx.generic:
        m.timeline.append(Entry(kind, node, m.place, m.ctx, value, detail))


def note_call(m: Any, name: str, args: Iterable[Any], node: Any, result: Value) -> None:
    """A call as an entry: it dispatches work, or waits for some."""
    if name in CLOCKS:
        note(m, "clock", node, result, result.ident)
    elif name in WAITS or name.startswith(("numpy.", "math.")):
        values = [arg.value for arg in args]
        if name in ("array.block_until_ready", "array.item", "array.tolist", "jax.block_until_ready", "jax.device_get",
                    "jax.effects_barrier") or any(part.may_be(v.JAX) for value in values for part in _deep(m, value)):
            note(m, "wait", node)
    elif result.must_be(v.ARRAY) and name.startswith(("jax.", "array.", "at.")):
        note(m, "async", node, result)


def _deep(m: Any, value: Value) -> list[Value]:
    return [value, *(value.elements or ()), *m.leaves(value)]


def collect(m: Any, timelines: list[list[Entry]], magics: list[tuple[str, list[Entry]]]) -> list[Timed]:
    """Stretches of timed work, each with its last dispatch and whether something waits for it."""
    entries = [entry for timeline in timelines for entry in timeline]
    out = [timed for how, part in magics for timed in _stretch(m, how, part, 0)]
    clocks = {entry.detail: number for number, entry in enumerate(entries) if entry.kind == "clock"}
    spans = [(clocks[e.detail[0]], clocks[e.detail[1]]) for e in entries
             if e.kind == "elapsed" and e.detail[0] in clocks and e.detail[1] in clocks]
    waited = {start for start, end in spans if _waits(entries[start:end])}
    for start, end in dict.fromkeys(spans):
        if start < end and start not in waited and not _total_follows(entries, spans, start, end):
            depth = len(entries[start].ctx.frames)
            out += _stretch(m, "clock", entries[start:end], depth)
    return out


def _waits(part: list[Entry]) -> bool:
    """Something waits after the last dispatch."""
    for entry in reversed(part):
        if entry.kind in ("wait", "async"):
            return entry.kind == "wait"
    return True


def _total_follows(entries: list[Entry], spans: list[tuple[int, int]], start: int, end: int) -> bool:
    """The stretch that begins where this one ends waits: dispatch and the rest are measured apart on purpose."""
    return any(first == end and any(e.kind == "wait" for e in entries[first:last]) and not any(
        e.kind == "async" for e in entries[first:last]) for first, last in spans)


def _stretch(m: Any, how: str, part: list[Entry], depth: int) -> Iterable[Timed]:
    dispatches = [entry for entry in part if entry.kind == "async"]
    if not dispatches:
        return
    last = dispatches[-1]
    node, place, value = last.node, last.place, last.value
    if len(last.ctx.frames) > depth:  # inside of a function: the call that leads there
        frame = last.ctx.frames[depth]
        if frame.call is None or frame.caller is None:
            return
        node, place, value = frame.call, frame.caller, None
    yield Timed(m, node, place, last.ctx, how=how, calls=(), waits=_waits(part), last=node, last_value=value)
