"""What really compiles or runs on the device, on request only: memory, NaN search, out-of-bounds search."""
from __future__ import annotations

import ast
import contextlib
import os
import sys

from .base import ProbeRefused, ProbeTimeout, Unknown, kernel_jax
from .cellrun import CellRun
from .evaluate import Evaluator
from .guard import unguarded
from .keys import Keys
from .levels import drop_traces
from .walk import CALLS, Walk, is_literal, sub_programs

RUN_BYTES = 1 << 30  # programs that touch more than this are not run beside the user's own
DEVICE_SETTINGS = ("XLA_FLAGS", "JAX_PLATFORM", "jax_platform", "num_cpu_devices", "host_device_count", "VISIBLE_DEVICES")
COMPILED_EQUATIONS = 4000  # of larger programs a compilation takes minutes, and nothing stops it
COMPILED_SHARE = 8  # programs whose values together stay under an eighth of the memory are not compiled for it


def run_device(live, request, cells, clock, mesh):
    """One pass for each thing that is wanted; findings as from a trace."""
    want = request.get("want", ("memory", "nan", "index"))
    run = CellRun(live, cells, request["targets"], clock)
    state, info = None, {}
    try:
        try:
            closed = run.run(mesh)
            run.records.findings.clear()
            info = _checks(run, closed, want, clock)
        except (ProbeTimeout, ProbeRefused, Unknown) as error:
            drop_traces(error)
            state = {"status": {ProbeTimeout: "timeout", ProbeRefused: "refused"}.get(type(error), "unknown"),
                     "why": str(error) or "the limit is over"}
        reply = {"status": "ok", "findings": list(run.records.findings.values()), "checks": info,
                 "statements": list(run.records.statements.values())[:1000]}
        reply.update(state or {})
        return reply
    finally:
        run.close()


def _checks(run, closed, want, clock):
    walk = Walk(run.records, run.shadow, Keys(run.records))
    info = {}
    if not started() and closed.jaxpr.eqns and not chooses_devices(run):
        with unguarded():
            kernel_jax().devices()
    if not started():
        if closed.jaxpr.eqns:
            info["run"] = "a cell that chooses JAX's devices"
        return info
    if "memory" in want:
        info["memory"] = Memory(run, walk, clock).check(closed)
    if "nan" not in want and "index" not in want:
        return info
    if run.records.findings or program_bytes(closed.jaxpr) > RUN_BYTES:
        info["run"] = "too large to run here"
        return info
    try:
        with wide_types(closed):
            search(run, walk, closed, want, clock)
    except kernel_jax().errors.UnexpectedTracerError as error:
        drop_traces(error)
        info["run"] = "a tracer of a trace that is over is among the values"
    return info


def started() -> bool:
    """Whether JAX has its devices: from then on the user cannot choose them any more."""
    bridge = sys.modules.get("jax._src.xla_bridge")
    asked = getattr(bridge, "backends_are_initialized", None)
    return asked() if asked is not None else bool(getattr(bridge, "_backends", None))


def chooses_devices(run) -> bool:
    texts = [run.book.open(cell_id)[1].text for cell_id in run.targets if run.book.open(cell_id) is not None]
    return any(word in text for text in texts for word in DEVICE_SETTINGS)


@contextlib.contextmanager
def wide_types(closed):
    """A program with 64-bit values runs with x64 on, as it was traced."""
    jax = kernel_jax()
    wide = any(str(getattr(v.aval, "dtype", "")) in ("float64", "int64", "uint64", "complex128")
               for e in closed.jaxpr.eqns for v in e.outvars)
    if not wide or jax.config.jax_enable_x64:
        yield
        return
    switch = getattr(jax, "enable_x64", None)
    if switch is None:
        switch = sys.modules["jax.experimental.x64_context"].enable_x64
    with switch(True):
        yield


def program_bytes(program) -> int:
    """All values that a program makes, loops once."""
    total = 0
    for equation in program.eqns:
        total += sum(aval_bytes(v.aval) for v in equation.outvars)
        total += sum(program_bytes(below) for below, _ in sub_programs(equation))
    return total


def aval_bytes(aval) -> int:
    return int(getattr(aval, "size", 0)) * int(getattr(getattr(aval, "dtype", None), "itemsize", 0) or 4)


# -- memory

def device_memory() -> int:
    """Bytes of the first device; the host's memory where the device has none of its own."""
    jax = kernel_jax()
    with contextlib.suppress(Exception):
        device = jax.local_devices()[0]
        stats = device.memory_stats() or {}
        if "bytes_limit" in stats:
            return int(stats["bytes_limit"])
    with contextlib.suppress(Exception):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return 0


class Memory:
    """What the cell's calls need against what the device has."""

    def __init__(self, run, walk, clock):
        self.run, self.walk, self.clock = run, walk, clock

    def check(self, closed):
        has = device_memory()
        biggest = {"has": has, "needs": 0}
        for equation in closed.jaxpr.eqns:
            self.clock.check()
            needs, exact = self._needs(equation, has)
            biggest["needs"] = max(biggest["needs"], needs)
            if has and needs > has:
                place = self._place(equation)
                self.run.records.add("memory-peak", place, needs=needs, has=has, compiled=exact)
        return biggest

    def _needs(self, equation, has):
        if equation.primitive.name in CALLS:
            for below, consts in sub_programs(equation):
                total = program_bytes(below)
                if has and total < has // COMPILED_SHARE:
                    return total, False
                return self._compiled(equation, below, consts, has)
        own = sum(aval_bytes(v.aval) for v in equation.outvars)
        return own, False

    def _compiled(self, equation, below, consts, has):
        """The compiler's own account of a jitted call; where it cannot compile that, the largest single value."""
        jax = kernel_jax()
        arguments = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in below.invars]
        try:
            function = program_function(below, consts)
            stats = jax.jit(function).lower(*arguments).compile().memory_analysis()
            peak = (stats.argument_size_in_bytes + stats.output_size_in_bytes + stats.temp_size_in_bytes
                    - stats.alias_size_in_bytes)
            return int(peak), True
        except Exception as error:
            drop_traces(error)
            return 0, False

    def _place(self, equation):
        """The outermost place in the cell that was asked for: where the user runs it."""
        places = self.walk.places(equation)
        asked = [place for place in places if place[0] in self.run.targets]
        return (asked or places or [None])[-1]


def program_function(program, consts):
    extend = sys.modules.get("jax.extend.core")
    core = sys.modules["jax._src.core"]
    as_function = getattr(extend, "jaxpr_as_fun", None) or core.jaxpr_as_fun
    return as_function(core.ClosedJaxpr(program, list(consts)))


# -- NaN and index search

def search(run, walk, closed, want, clock):
    """A quick run of the whole program tells whether any result holds a NaN; only then, or to look at indices, it is
    run equation by equation."""
    program = closed.jaxpr
    used = {v for e in program.eqns for v in e.invars if not is_literal(v)}
    results = [v for e in program.eqns for v in e.outvars if v not in used]
    nan = "nan" in want and _any_nan(program, closed.consts, results)
    index = "index" in want and has_indexing(program)
    if not nan and not index:
        return
    evaluator = Evaluator(walk, run.records, clock)
    evaluator.nan, evaluator.index = nan, index
    origins = evaluator.program(program, closed.consts, [], [], None)[2]
    if not nan:
        return
    for variable in results:
        origin = origins.get(variable)
        if origin:
            place, primitive = origin
            rule = "where-nan-gradient" if inside_where(place) else "nan-produced"
            run.records.add(rule, place, primitive=primitive)


def _any_nan(program, consts, results) -> bool:
    jax = kernel_jax()
    core = sys.modules["jax._src.core"]
    results = [v for v in results if not hasattr(v.aval, "inner_aval")]  # a `Ref` is no array
    floats = [v for v in results if jax.numpy.issubdtype(getattr(v.aval, "dtype", "int32"), jax.numpy.inexact)]
    if not floats:
        return False
    if equations_in(program) > COMPILED_EQUATIONS:
        return True
    try:
        shown = program.replace(outvars=floats, debug_info=_no_names(program, floats))
    except Exception:
        try:
            shown = program.replace(outvars=floats)
        except Exception:
            return True
    try:
        out = jax.jit(lambda *c: [jax.numpy.isnan(x).any() for x in core.eval_jaxpr(shown, c)])(*consts)
        return any(bool(x) for x in out)
    except Exception as error:
        drop_traces(error)
        return True


def _no_names(program, outvars):
    info = program.debug_info
    return info._replace(result_paths=None) if hasattr(info, "_replace") else info


def equations_in(program) -> int:
    return sum(1 + sum(equations_in(below) for below, _ in sub_programs(equation)) for equation in program.eqns)


def has_indexing(program) -> bool:
    for equation in program.eqns:
        name = equation.primitive.name
        if name in ("gather", "dynamic_slice", "dynamic_update_slice") or name.startswith("scatter"):
            return True
        if any(has_indexing(below) for below, _ in sub_programs(equation)):
            return True
    return False


def inside_where(place) -> bool:
    """Whether a place stands in the arguments of `where` or `select`."""
    _, source, span = place
    node = source.node_at(span)
    parents = source.parents()
    while node is not None and not isinstance(node, ast.stmt):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in ("where", "select", "select_n"):
                return True
        node = parents.get(node)
    return False
