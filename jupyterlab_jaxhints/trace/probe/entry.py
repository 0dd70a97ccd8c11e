"""The probe's door: one request in, one JSON answer out. Runs on the kernel's main thread, traces on a worker."""
from __future__ import annotations

import contextvars
import ctypes
import re
import threading
import time
import traceback

from .base import Clock, ProbeRefused, ProbeTimeout, Unknown, first_line, kernel_jax, tracers_in
from .cellrun import CellRun
from .device import run_device
from .facts import facts_of, versions
from .guard import REFUSALS, ThreadGuard, install_guard
from .levels import drop_traces, read_mesh
from .verify import run_verify
from .warned import ShownWarnings
from .watch import Watch

MIME = "application/vnd.jaxhints+json"
GRACE = 1.0  # seconds after the limit before the worker is stopped from outside
OLDEST_JAX = [0, 4, 30]

_texts: dict = {}  # digest -> a cell's text, as sent once
_running = None
watch = Watch()


class Reply:
    """What the user expression returns: real JSON in the reply, a short text beside it."""

    def __init__(self, data):
        self.data = data

    def __repr__(self):
        return "jaxhints"

    def _repr_mimebundle_(self, **options):
        return {MIME: self.data}


def answer(live, request) -> Reply:
    """Called by the user expression with the kernel's namespace."""
    start = time.perf_counter()
    try:
        reply = _answer(live, request)
    except Exception as error:
        reply = {"status": "failed", "why": "%s: %s" % (type(error).__name__, first_line(error)),
                 "trace": traceback.format_exc()[-1500:]}
    reply.update(versions(live))
    reply["ms"] = round((time.perf_counter() - start) * 1e3, 2)
    return Reply(reply)


def _answer(live, request):
    op = request.get("op", "trace")
    if op == "drop":
        _texts.clear()
        return {"status": "ok"}
    if kernel_jax() is None or not hasattr(kernel_jax(), "make_jaxpr"):
        return {"status": "no-jax", "why": "JAX is not imported in this kernel"}
    if _numbers(kernel_jax().__version__) < OLDEST_JAX:
        why = "the trace needs JAX 0.4.30 or later, this kernel has %s" % kernel_jax().__version__
        return {"status": "unsupported", "why": why}
    cells, missing = [], []
    for cell_id, digest, text in request.get("cells", ()):
        if text is not None:
            _texts[digest] = text
        if digest in _texts:
            cells.append((cell_id, _texts[digest]))
        else:
            missing.append(cell_id)
    if missing:
        return {"status": "cold", "missing": missing}
    watch.start(live)
    if op == "facts":
        return dict(facts_of(live, request.get("names", ()), request.get("attributes", ())), status="ok",
                    traces=watch.counts())
    return run_worker(live, request, cells)


def _numbers(version):
    """The leading numbers of a release: `0.4.30.dev1` gives 0, 4, 30."""
    return [int(number) for number in re.findall(r"\d+", version)[:3]] or OLDEST_JAX


def run_worker(live, request, cells):
    """The trace on a thread of its own, so that a native call that never returns does not take the kernel along."""
    global _running
    if _running is not None and _running.is_alive():
        return {"status": "busy", "why": "an earlier trace has not ended yet"}
    install_guard()
    limit = min(float(request.get("limit", 1.0)), 600.0)
    clock, box, done, lock = Clock(limit), {}, threading.Event(), threading.Lock()
    mesh = read_mesh()
    ended = []

    def work():
        me, refused = threading.get_ident(), []
        watch.ours.add(me)
        threading.current_thread().pydev_do_not_trace = True
        try:
            if request.get("op") == "compare":
                kernel_jax().devices()  # a backend that starts here starts threads of its own
            REFUSALS[me] = refused
            box["reply"] = trace(live, request, cells, clock, mesh)
            if refused:
                box["reply"]["refused"] = refused[:20]
        except BaseException as error:
            drop_traces(error)
            box["reply"] = _state_of(error)
        finally:
            with lock:
                ended.append(True)
            REFUSALS.pop(me, None)
            watch.ours.discard(me)
            done.set()

    context = contextvars.copy_context()  # the worker's prints go to this request, where no cell shows them
    watch.give_back_parent()
    _running = worker = threading.Thread(target=context.run, args=(work,), daemon=True, name="jaxhints")
    with ThreadGuard(), ShownWarnings():
        worker.start()
        reply = _wait(worker, done, clock, lock, ended, limit)
    return reply if reply is not None else box["reply"]


def _wait(worker, done, clock, lock, ended, limit):
    try:
        done.wait(limit + GRACE)
        for _ in range(3):
            if done.is_set():
                break
            _stop(worker, lock, ended)
            done.wait(0.25)
    except KeyboardInterrupt:
        clock.stopped = True
        if not done.wait(0.3):
            _stop(worker, lock, ended)
            done.wait(0.5)
        return {"status": "interrupted", "why": "stopped"}
    if not done.is_set():
        return {"status": "stuck", "why": "native code does not return: the trace is off until it does"}
    worker.join(1.0)  # else the next request finds it alive and says busy
    return None


def _stop(worker, lock, ended):
    """Last resort: an exception from outside lands anywhere, in callbacks of the garbage collector too."""
    with lock:
        if not ended:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(worker.ident), ctypes.py_object(ProbeTimeout))


def _state_of(error):
    if isinstance(error, ProbeTimeout):
        return {"status": "timeout", "why": "the limit is over"}
    if isinstance(error, ProbeRefused):
        return {"status": "refused", "why": str(error)[:200]}
    if isinstance(error, Unknown):
        return {"status": "unknown", "why": str(error)[:200]}
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))[-1500:]
    return {"status": "failed", "why": "%s: %s" % (type(error).__name__, first_line(error)), "trace": text}


def trace(live, request, cells, clock, mesh):
    """One trace of the target cells, on the worker thread."""
    if request.get("op") == "device":
        return run_device(live, request, cells, clock, mesh)
    if request.get("op") in ("verify", "compare"):
        return run_verify(live, request, cells, clock, mesh)
    return trace_targets(live, request, cells, clock, mesh)


def trace_targets(live, request, cells, clock, mesh):
    run = CellRun(live, cells, request["targets"], clock)
    state = None
    try:
        try:
            run.run(mesh)
        except (ProbeTimeout, ProbeRefused, Unknown) as error:
            drop_traces(error)
            state = _state_of(error)
        leaked(run, live)
        return report(run, state)
    finally:
        run.close()


def report(run, state=None):
    records = run.records
    states = [entry[2] for entry in records.statements.values()]
    status = "ok" if all(entry == "traced" for entry in states) else "partial"
    reply = {
        "status": status, "findings": list(records.findings.values()), "hints": records.hint_list(),
        "statements": list(records.statements.values())[:1000], "clean": records.clean_list(), "reads": sorted(run.shadow.read),
        "equations": run.equations, "times": {key: round(value * 1e3, 1) for key, value in run.times.items()},
    }
    if run.unread:
        reply.update(status="partial", why=run.unread)
    if state is not None:
        reply.update(state)
    return reply


_explained: set = set()  # names that hold tracers by a store that was reported where it stands


def leaked(run, live):
    """Names the cells read whose live value holds a tracer of a trace that is over: reported here, unless the store
    was reported in the function that made it."""
    stores = any(f["rule"] in ("global-write-under-trace", "self-write-under-trace") for f in run.records.findings.values())
    if stores:
        _explained.update(run.left)
    for name in list(run.shadow.read):
        if name in _explained:
            continue
        if name in live and tracers_in(live[name]) is not None:
            place = first_load(run, name)
            if place is not None:
                run.records.add("leaked-tracer", place, name=name)


def first_load(run, name):
    for cell_id in run.targets:
        filename, source = run.book.open(cell_id)
        for _, units in source.units:
            for loaded, span in units[0].loads:
                if loaded == name:
                    return cell_id, source, span
    return None
