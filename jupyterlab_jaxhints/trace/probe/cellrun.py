"""The abstract run of cells: every array is a tracer, nothing is computed, and what cannot be known poisons the
names it would have given."""
from __future__ import annotations

import ast
import contextlib
import sys
import time
import warnings

from .base import ProbeRefused, ProbeTimeout, Unknown, is_array, is_tracer, kernel_jax, leaves, tracers_in
from .clone import ClassState, RandomState
from .errors import Reader
from .hooks import Hooks
from .keys import Keys
from .levels import drop_traces, enter_mesh, enter_trace_contexts, outer_token, run_rules_eagerly, tracer_token
from .permits import Permits
from .records import Records
from .registrations import flags_on, flattening
from .repeats import Repeats
from .shadow import Shadow
from .sources import Book, node_span, renamed
from .walk import Walk

STDLIB = frozenset(
    """math cmath functools itertools collections dataclasses typing time random operator string enum abc copy re
    contextlib types datetime fractions decimal statistics warnings json numbers textwrap bisect heapq pprint
    __future__ logging os sys pathlib inspect""".split()
)
FULL_TURNS = 16  # a loop at the top level runs to its end when it has no more turns
FEW_TURNS = 3


class CellRun:
    """One run over the target cells, in one shadow of the namespace."""

    def __init__(self, live, cells, targets, clock):
        self.clock = clock
        self.book = Book(cells)
        self.records = Records(self.book)
        self.hooks = Hooks(self.records, clock)
        self.shadow = Shadow(live, self.book.code_for, self.hooks.names())
        self.hooks.shadow = self.shadow
        self.hooks.repeats = Repeats(self.hooks, clock)
        self.hooks.calls.permits = Permits(self.shadow)
        self.hooks.config_update = self.config_update
        self.hooks.registered = self.registered
        self.reader = Reader(self.records, self.hooks)
        self.targets = targets
        self.stack = None
        self.filename = None
        self.cell = None
        self.source = None
        self.equations = 0
        self.flags = flags_on()
        self.left: list = []
        self.codes: dict = {}  # (id of a statement's code, file name) -> (it, it under that name)
        self.results: list = []  # (cell, span, value) of the expressions that stand for themselves
        self.times: dict = {}
        self.unread = ""  # why the traced program was not read to the end

    # -- the whole
    def run(self, mesh=None):
        jax = kernel_jax()
        states = RandomState(), ClassState(self.shadow.live)
        closed = None
        try:
            with contextlib.ExitStack() as stack, warnings.catch_warnings():
                enter_trace_contexts(stack)
                enter_mesh(stack, mesh)
                warnings.simplefilter("always")
                warnings.showwarning = self._warned
                self.stack = stack
                self.books_open()
                start = time.perf_counter()
                closed = jax.make_jaxpr(self._jaxhints_outer)()
                self.times["trace"] = time.perf_counter() - start
                self._after(closed)
        finally:
            self.hooks.settle_writes()
            for state in states:
                state.restore()
        return closed

    def run_values(self, mesh, eager):
        """The cells on real values, in the shadow all the same; eagerly means without `jit`."""
        jax = kernel_jax()
        states = RandomState(), ClassState(self.shadow.live)
        try:
            with contextlib.ExitStack() as stack:
                enter_mesh(stack, mesh)
                if eager:
                    stack.enter_context(jax.disable_jit())
                self.stack = stack
                self.books_open()
                self._statements()
        finally:
            for state in states:
                state.restore()

    def books_open(self):
        for cell_id in self.targets:
            if self.book.open(cell_id) is None:
                raise Unknown("the cell is not complete Python")

    def _jaxhints_outer(self):
        self.hooks.outer = outer_token()
        run_rules_eagerly()
        self._statements()
        self.left = self._left_behind()
        self.hooks.repeats.repeat()
        return ()

    def _statements(self):
        for cell_id in self.targets:
            self.filename, self.source = self.book.open(cell_id)
            self.cell = self.hooks.cell = cell_id
            for original, units in self.source.units:
                for unit in units:
                    self.unit(unit)
                    self.hooks.settle_globals()

    def _left_behind(self):
        """Names that hold tracers of traces that are over, after the run."""
        found = []
        copies = self.shadow.clone.memo
        values = {name: copies[id(value)] for name, value in list(self.shadow.live.items()) if id(value) in copies}
        values.update(dict.items(self.shadow))
        for name, value in values.items():
            tracer = None if name.startswith("__") else tracers_in(value)
            if tracer is not None and tracer_token(tracer) != self.hooks.outer:
                found.append(name)
        return found

    def _after(self, closed):
        start = time.perf_counter()
        self.hooks.unrolled()
        self.hooks.calls.retraces()
        if any(count >= 3 for count in self.hooks.calls.counts.values()):
            self._debug_flags()
        walk = Walk(self.records, self.shadow, Keys(self.records))
        walk.clock = self.clock
        try:
            walk.run(closed)
        except Exception as error:  # a JAX newer than this code: what was seen before stands
            self.unread = "a part of this JAX's programs is unknown to the trace: %s %s" % (type(error).__name__, error)
        self.equations = walk.equations
        self.times["walk"] = time.perf_counter() - start

    def close(self):
        self.book.close()
        self.results.clear()
        self.codes.clear()
        self.hooks.clear()
        self.shadow.clear()

    # -- statements
    def unit(self, unit):
        """Runs one statement; its names are known or unknown afterwards."""
        self.clock.check()
        if unit.kind == "await" or None in unit.codes:
            return self._poison(unit, "is not run by the trace")
        try:
            self._donated(unit)
            getattr(self, "_" + unit.kind)(unit)
            for name in unit.names:
                self.shadow.define(name)
            if unit.span:
                self._state(unit, "traced", "")
        except ProbeTimeout:
            raise
        except ProbeRefused as error:
            drop_traces(error)
            self._poison(unit, "refused: %s" % error, "refused")
        except Unknown as error:
            drop_traces(error)
            self._poison(unit, str(error))
        except Exception as error:
            self._failed(unit, error)

    def _failed(self, unit, error):
        try:
            why = self.reader.report(error)
            state = "failed"
        except Unknown as unknown:
            why, state = str(unknown), "unknown"
        drop_traces(error)
        self._poison(unit, why[:160], state)

    def _state(self, unit, state, why):
        if self.source is not None and unit.span is not None:
            key = (self.cell, unit.span)
            before = self.records.statements.get(key)
            if before is None or before[2] == "traced":
                self.records.statements[key] = [self.cell, self.source.wire(unit.span), state, why]

    def _poison(self, unit, why, state="unknown"):
        for name in unit.names:
            self.shadow.forget(name, why)
        self._state(unit, state, why)

    def _exec(self, code):
        code = self._named(code)
        self.shadow.preload(code)
        exec(code, self.shadow)

    def _eval(self, code):
        return eval(self._named(code), self.shadow)

    def _named(self, code):
        """The code under the cell's file name of this run; a loop asks again each turn."""
        known = self.codes.get((id(code), self.filename))
        if known is None:
            known = self.codes[id(code), self.filename] = code, renamed(code, self.filename)
        return known[1]

    def _bind(self, code, value):
        self.shadow.builtins["__jh_value__"] = value
        try:
            self._exec(code)
        finally:
            self.shadow.builtins.pop("__jh_value__", None)

    def _leaf(self, unit):
        for name in unit.names if isinstance(unit.node, (ast.FunctionDef, ast.ClassDef)) else ():
            self.shadow.define(name)
        self._exec(unit.codes[0])
        if isinstance(unit.node, ast.ClassDef):
            made = dict.get(self.shadow, unit.node.name)
            if isinstance(made, type):
                self.shadow.classes[(made.__module__, made.__qualname__)] = made

    def _expr(self, unit):
        self.results.append((self.cell, unit.span, self._eval(unit.codes[0])))

    def _import(self, unit):
        node = unit.node
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        for module in modules:
            if getattr(node, "level", 0) or not (module in sys.modules or module.split(".")[0] in STDLIB
                                                  or module.split(".")[0] == "jax"):
                raise Unknown("imports `%s`, which is not loaded yet" % module)
        self._exec(unit.codes[0])

    def _if(self, unit):
        body, orelse = unit.parts
        test = self._eval(unit.codes[0])
        if is_tracer(test):
            raise Unknown("depends on values")
        for part in body if test else orelse:
            self.unit(part)

    def _with(self, unit):
        with contextlib.ExitStack() as stack:
            for code, bind in unit.codes:
                manager = self._eval(code)
                if not self.hooks.calls.permits.allowed(type(manager).__enter__) and type(manager).__module__ != "contextlib":
                    raise Unknown("enters `%s`" % type(manager).__name__)
                value = stack.enter_context(manager)
                if bind is not None:
                    self._bind(bind, value)
            for part in unit.parts[0]:
                self.unit(part)

    def _try(self, unit):
        """What fails in a `try` of the cell is expected by the user: no finding, and no more is known."""
        self.records.muted += 1
        try:
            for part in unit.parts[0] + unit.parts[1] + unit.parts[2]:
                self.unit(part)
        finally:
            self.records.muted -= 1

    def _for(self, unit):
        iterator = iter(self._eval(unit.codes[0]))
        turns, ended, before = 0, False, None
        start, calls = time.monotonic(), None
        while True:
            try:
                value = next(iterator)
            except StopIteration:
                ended = True
                break
            self._bind(unit.codes[1], value)
            for part in unit.parts[0]:
                self.unit(part)
            turns += 1
            before, calls = calls, sum(map(len, self.hooks.calls.signatures.values()))
            slow = time.monotonic() - start > 0.25 * (self.clock.end - start)
            if turns >= FEW_TURNS and (slow or turns > FULL_TURNS) and before == calls or turns >= 4 * FULL_TURNS:
                break
        self._after_loop(unit, ended, turns)
        if ended:
            for part in unit.parts[1]:
                self.unit(part)

    def _while(self, unit):
        turns, known = 0, True
        while turns < FULL_TURNS:
            try:
                test = self._eval(unit.codes[0]) if known else True
                known = known and not is_tracer(test)
                if known and not test:
                    break
            except Exception as error:
                self._value_dependent(error)
                known = False
            for part in unit.parts[0]:
                self.unit(part)
            turns += 1
            if not known and turns >= 2:
                break
        self._after_loop(unit, known and turns < FULL_TURNS, turns)

    def _value_dependent(self, error):
        """A loop whose test needs values: its body is traced for two turns all the same."""
        try:
            self.reader.report(error)
        except Unknown:
            drop_traces(error)
            return
        raise error

    def _after_loop(self, unit, ended, turns):
        """A loop that was cut short: containers that grew, and names that may differ, are unknown."""
        if ended:
            return
        for name in unit.names:
            value = dict.get(self.shadow, name)
            if not (is_tracer(value) or is_array(value)):
                parts = leaves(value) if value is not None else []
                if isinstance(value, (list, set)) or not parts or not all(is_tracer(p) or is_array(p) for p in parts):
                    self.shadow.forget(name, "a loop that the trace cut short changes it")
        for name, _ in unit.loads:
            value = dict.get(self.shadow, name)
            if isinstance(value, (list, set)) and id(value) in self.hooks.born:
                self.shadow.forget(name, "a loop that the trace cut short may have filled it")

    # -- beside
    def _donated(self, unit):
        """Names that the statement reads although their array was given away."""
        donated = self.hooks.calls.donated
        if not donated:
            return
        for name, span in unit.loads:
            value = dict.get(self.shadow, name)
            if value is not None and id(value) in donated and donated[id(value)][1] is value:
                place = (self.cell, self.source, span)
                related = [(donated[id(value)][0], "donated here")]
                self.records.add("donated-use", place, related=related, how="read", name=name)

    def config_update(self, number, args):
        """`jax.config.update` changes the process: only x64 is stood in for, by its thread-local twin."""
        jax = kernel_jax()
        if len(args) != 2 or args[0] != "jax_enable_x64":
            return
        if args[1] and not jax.config.jax_enable_x64 and self._arrays_made():
            self.records.add("late-x64", self.records.place_of(number))
        switch = getattr(jax, "enable_x64", None)
        if switch is None:
            switch = sys.modules["jax.experimental.x64_context"].enable_x64
        self.stack.enter_context(switch(bool(args[1])))

    def _debug_flags(self):
        """Debug switches that are on while a loop runs jitted code: shown where a cell sets them."""
        for flag in self.flags:
            for cell_id in self.book.by_id:
                opened = self.book.open(cell_id)
                for node in ast.walk(opened[1].tree) if opened is not None else ():
                    if isinstance(node, ast.Call) and node.args and getattr(node.args[0], "value", None) == flag:
                        self.records.add("debug-flag-left-on", (cell_id, opened[1], node_span(node)), flag=flag)

    def registered(self, name):
        """The part of a class's pytree registration that splits it: where its static part is chosen."""
        for cell_id in self.book.by_id:
            opened = self.book.open(cell_id)
            node = flattening(opened[1].tree, name) if opened is not None else None
            if node is not None:
                self.records.add("bad-pytree-registration", (cell_id, opened[1], node_span(node)), kind=name, how="static array")
                return True
        return False

    def _arrays_made(self) -> bool:
        """Whether JAX has made arrays of 32 bits already, in the notebook or in this run."""
        values = list(self.shadow.live.values()) + list(dict.values(self.shadow))
        return any((is_array(v) or is_tracer(v)) and str(v.dtype) in ("float32", "int32", "complex64") for v in values)

    def _warned(self, message, category, filename, line, *rest):
        """JAX warns of a 64-bit dtype that it cuts to 32: the cell frame on the stack is the place."""
        text = str(message)
        if "Explicitly requested dtype" not in text and "requested dtype" not in text:
            return
        frame = sys._getframe(1)
        while frame is not None:
            place = self.book.place(frame.f_code, frame.f_lasti)
            if place is not None:
                dtype = text.split("dtype ", 1)[1].split(" ", 1)[0].strip("',") if "dtype " in text else "a 64-bit dtype"
                self.records.add("float64-without-x64", place, dtype=dtype.split(".")[-1].strip("'>"))
                return
            frame = frame.f_back
