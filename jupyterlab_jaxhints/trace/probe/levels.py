"""Which traces are under way where instrumented code runs, and the contexts that a probe's trace enters.

The probe runs a cell inside a trace of its own, so every question is asked relative to that outer trace: code
that is in no other trace would run eagerly in real life.
"""
from __future__ import annotations

import contextlib
import sys

from .base import Unknown, kernel_jax


class Level:
    """The traces between the outer one and here. `token` names the innermost of them."""

    __slots__ = ("token", "staged", "batched", "differentiated")

    def __init__(self, token, staged, batched, differentiated):
        self.token, self.staged = token, staged
        self.batched, self.differentiated = batched, differentiated

    @property
    def eager(self) -> bool:
        return not (self.staged or self.batched or self.differentiated)


def _trace_names():
    """(name, identity) of the traces under way, innermost first; None where this JAX keeps them elsewhere."""
    core = sys.modules.get("jax._src.core")
    context = getattr(core, "trace_ctx", None)
    if context is not None:
        found, trace = [], context.trace
        while trace is not None and len(found) < 64:
            found.append((type(trace).__name__, id(trace)))
            trace = getattr(trace, "parent_trace", None)
        return found
    stack = core.thread_local_state.trace_state.trace_stack
    found = [(main.trace_type.__name__, id(main)) for main in reversed(stack.stack)]
    return found


def current_level(outer_token) -> Level:
    batched = differentiated = False
    innermost, seen = None, 0
    for name, identity in _trace_names():
        innermost = innermost or identity
        if name == "DynamicJaxprTrace":
            if identity == outer_token:
                break
            seen += 1
        elif not seen:
            batched = batched or name == "BatchTrace"
            differentiated = differentiated or name in ("JVPTrace", "LinearizeTrace", "JaxprTrace")
    return Level(innermost, seen > 0, batched, differentiated)


def outer_token():
    """The identity of the innermost staging trace: asked once, at the start of the outer trace."""
    return next((identity for name, identity in _trace_names() if name == "DynamicJaxprTrace"), None)


def run_rules_eagerly():
    """Functions with derivative rules of their own (`custom_jvp`, `custom_vjp`) run on their values where no trace of
    the user's is under way; the outer trace would stage them. Before JAX 0.5 they are staged in the trace they are in."""
    core = sys.modules.get("jax._src.core")
    trace = getattr(getattr(core, "trace_ctx", None), "trace", None)
    if trace is None or not hasattr(core, "set_current_trace"):
        return
    kind = type(trace)

    def custom_jvp_call(self, primitive, function, jvp, tracers, *rest, **params):
        with core.set_current_trace(self):
            return function.call_wrapped(*tracers)

    def custom_vjp_call(self, primitive, function, fwd, bwd, tracers, *rest, **params):
        return custom_jvp_call(self, primitive, function, fwd, tracers)

    with contextlib.suppress(Exception):  # private; without it such functions are staged
        trace.__class__ = type(kind.__name__, (kind,), {
            "__slots__": (), "process_custom_jvp_call": custom_jvp_call, "process_custom_vjp_call": custom_vjp_call})


def tracer_token(tracer):
    """The staging trace that a tracer belongs to, looking through differentiation; "batch" under `vmap`."""
    for _ in range(16):
        name = type(tracer).__name__
        if name == "BatchTracer":
            return "batch"
        if name == "DynamicJaxprTracer":
            trace = tracer._trace
            return id(getattr(trace, "main", None) or trace)
        inner = getattr(tracer, "primal", None)
        if inner is None or inner is tracer:
            return None
        tracer = inner
    return None


def enter_trace_contexts(stack: contextlib.ExitStack) -> None:
    """Contexts that are part of JAX's cache key (so the user's own first call traces as if nothing had been),
    enforce that nothing runs on the device, and keep the user's debug switches out. All are thread-local."""
    jax = kernel_jax()
    if hasattr(jax, "no_execution"):
        stack.enter_context(jax.no_execution(True))
    else:
        current = jax.config.jax_numpy_rank_promotion
        stack.enter_context(jax.numpy_rank_promotion("warn" if current != "warn" else "allow"))
    for name in ("debug_nans", "debug_infs", "debug_key_reuse", "log_compiles", "explain_cache_misses",
                 "check_tracer_leaks", "no_tracing"):
        switch = getattr(jax, name, None)
        if switch is not None:
            with contextlib.suppress(Exception):
                stack.enter_context(switch(False))
    with contextlib.suppress(Exception):
        stack.enter_context(sys.modules["jax._src.config"].disable_jit(False))
    with contextlib.suppress(Exception):  # private; without it the frames that drop_traces looks through are gone
        stack.enter_context(sys.modules["jax._src.config"].traceback_filtering("off"))


def read_mesh():
    """The mesh that the user set with `jax.set_mesh`: thread-local, so it is asked on the main thread."""
    jax = kernel_jax()
    get = getattr(getattr(jax, "sharding", None), "get_mesh", None)
    if get is None:
        abstract = getattr(getattr(jax, "sharding", None), "get_abstract_mesh", None)
        with contextlib.suppress(Exception):
            if abstract is not None and not abstract().empty:
                return "unknown"
        return None
    with contextlib.suppress(Exception):
        mesh = get()
        return None if mesh.empty else mesh
    return None


def enter_mesh(stack: contextlib.ExitStack, mesh) -> None:
    if mesh is None:
        return
    set_mesh = getattr(kernel_jax(), "set_mesh", None)
    if mesh == "unknown" or set_mesh is None:
        raise Unknown("a device mesh is set that this JAX does not let the trace see")
    stack.enter_context(set_mesh(mesh))


def drop_traces(error) -> None:
    """JAX 0.7 and later keep a failed trace alive, with every array it captured. Break that. Traces that are still
    under way, as the outer one where a statement failed, go on with what they have."""
    seen, going_on = set(), {identity for _, identity in _trace_names()}
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        trace = error.__traceback__
        while trace is not None:
            for value in list(trace.tb_frame.f_locals.values()):
                if type(value).__name__ == "DynamicJaxprTrace" and id(value) not in going_on:
                    with contextlib.suppress(Exception):
                        value.invalidate()
            trace = trace.tb_next
        error = error.__cause__ or error.__context__
