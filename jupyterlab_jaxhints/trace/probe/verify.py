"""A fix against the original: both texts are traced in the same way; on request both run on the real values."""
from __future__ import annotations

import types
import warnings

from .base import ProbeRefused, Unknown, is_array, is_tracer, kernel_jax, kernel_numpy
from .cellrun import CellRun
from .coverage import covered
from .describe import describe, short_dtype
from .device import RUN_BYTES
from .levels import drop_traces

MOST_PARTS = 1000  # leaves of one result
MOST_CHANGES = 5


def run_verify(live, request, cells, clock, mesh):
    """`fixed` holds the texts that the fix leaves, `edited` the lines that are new in them."""
    fixed = [(cell, request["fixed"].get(cell, text)) for cell, text in cells]
    edited = request.get("edited") or {}
    targets = request["targets"]
    reply = {"status": "ok", "fix": request.get("fix", 0), "targets": targets}
    if request["op"] == "compare":
        runs = [ValuePass(live, each, targets, clock) for each in (cells, fixed)]
        reply["values"] = compare(*runs, edited, mesh)
        return reply
    before, after = TracePass(live, cells, targets, clock), TracePass(live, fixed, targets, clock)
    reply["before"] = before.summary(mesh)
    reply["after"] = after.summary(mesh, edited)
    reply["types"] = compare_types(before.kept, after.kept)
    return reply


class TracePass(CellRun):
    """A run that knows from which statement on an edit can be felt, and what the statements give from there."""

    def __init__(self, live, cells, targets, clock):
        super().__init__(live, cells, targets, clock)
        self.edited = None
        self.depth = 0
        self.order: list = []  # (cell, names, results before it) of the statements at the top level
        self.since = None  # number of the first statement that an edit is felt in
        self.kept: dict = {}  # key -> [words, type, text of the type]

    def unit(self, unit):
        count = len(self.results)
        self.depth += 1
        try:
            super().unit(unit)
        finally:
            self.depth -= 1
        if self.depth == 0 and unit.span:
            if self.since is None and self.edited is not None and covered(self, self.edited):
                self.since = len(self.order)
            self.order.append((self.cell, unit.names, count))

    def summary(self, mesh, edited=None):
        """What the trace of one text says; `covered` tells whether it came to all lines of the edit."""
        self.edited = edited
        try:
            try:
                self.run(mesh)
            except (ProbeRefused, Unknown) as error:
                drop_traces(error)
                return {"status": "refused", "why": str(error)[:200]}
            self.kept = {key: (words, result_type(value), describe(value) or type(value).__name__)
                         for key, words, value in self.outcome() if result_type(value) is not None}
            statements = list(self.records.statements.values())
            return {
                "status": "ok", "findings": list(self.records.findings.values()),
                "failed": [s for s in statements if s[2] == "failed"],
                "unknown": [s for s in statements if s[2] in ("unknown", "refused")],
                "covered": self.since is not None or self.struck(), "struck": self.struck(), "touched": self.touched(),
            }
        finally:
            self.close()

    def outcome(self):
        """(key, words, value) of what the statements give, from the first on that feels the edit."""
        found = {}
        for number, (cell, names, count) in enumerate(self.order):
            felt = self.since is None or number >= self.since
            for name in names if felt else ():
                if name in self.shadow and not name.startswith("__"):
                    found[name] = (name, name, dict.get(self.shadow, name))
        first = self.order[self.since][2] if self.since is not None else 0
        shown = self.results[first:]
        for index, (cell, span, value) in enumerate(shown):
            source = self.book.open(cell)[1]
            found[(cell, index - len(shown))] = ((cell, index - len(shown)), source.text_at(span, 24), value)
        return list(found.values())

    def struck(self):
        """Whether the run came to the edit and no further: an error arose there."""
        places = [(f["cell"], f["at"]) for f in self.records.findings.values() if "error" in f["data"]]
        places += [(cell, at) for f in self.records.findings.values() if "error" in f["data"] for cell, at, _ in f["related"]]
        return any(first <= at[2] and at[0] <= last for cell, at in places
                   for first, last in (self.edited or {}).get(cell, ()))

    def touched(self):
        """Cells that what was seen depends on: the targets, and those whose functions were called."""
        places = [self.records.place_of(number) for number in self.hooks.entries]
        cells = {place[0] for place in places if place is not None}
        return sorted(cells | set(self.targets) | {f["cell"] for f in self.records.findings.values()})


class ValuePass(TracePass):
    """A run on real values. Arrays are copied: a donated argument would else be the user's."""

    def __init__(self, live, cells, targets, clock):
        super().__init__(live, cells, targets, clock)
        self.copied = 0
        self.shadow.clone.fresh = self._copy

    def _copy(self, array):
        self.copied += array.nbytes
        if self.copied > RUN_BYTES:
            raise ProbeRefused("the arrays are too large to run beside the user's own")
        return kernel_jax().numpy.array(array, copy=True)

    def fails(self):
        return any(state[2] == "failed" for state in self.records.statements.values())

    def values(self, mesh, eager, edited=None):
        self.edited = edited
        self.run_values(mesh, eager)
        return {key: (words, value) for key, words, value in self.outcome()}


# -- types

def result_type(value):
    """(structure, leaves), or None for what has no type worth comparing: functions, modules, None."""
    if value is None or callable(value) or isinstance(value, types.ModuleType):
        return None
    try:
        parts, tree = kernel_jax().tree_util.tree_flatten(value)
    except Exception:
        return None
    return (str(tree)[:4000], [part_type(part) for part in parts[:MOST_PARTS]])


def part_type(part):
    """(kind, dtype, shape, detail) of one leaf."""
    if is_tracer(part) or is_array(part):
        aval = part.aval
        return ("array", short_dtype(aval.dtype), tuple(aval.shape), getattr(aval, "weak_type", False))
    if hasattr(part, "dtype") and hasattr(part, "shape"):
        return ("array", short_dtype(part.dtype), tuple(part.shape), "np")
    if type(part) in (bool, int, float, complex):
        return ("number", type(part).__name__, (), None)
    return ("object", type(part).__name__, (), None)


def likeness(one, other):
    """`same`, `alike` where only weak types, NumPy or plain numbers make the difference, or `changed`."""
    if one == other:
        return "same"
    if one[0] != other[0] or len(one[1]) != len(other[1]):
        return "changed"
    return "alike" if all(map(_alike, one[1], other[1])) else "changed"


def _alike(a, b):
    if a[0] == b[0] == "array":
        return a[:3] == b[:3]
    return a == b or {a[0], b[0]} == {"array", "number"} and a[2] == b[2] == ()


def compare_types(before, after):
    """What both texts give, by name: how many were compared, which changed, and whether some are only alike."""
    changed, alike, count = [], False, 0
    for key, (words, kind, text) in after.items():
        if key in before:
            count += 1
            how = likeness(before[key][1], kind)
            alike = alike or how == "alike"
            if how == "changed":
                changed.append([words, before[key][2], text])
    return {"compared": count, "alike": alike, "changed": changed[:MOST_CHANGES]}


# -- values

def compare(before, after, edited, mesh):
    """Both texts on the real values: the original eagerly, where Python's control flow works, the fix as it is."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            new = after.values(mesh, False, edited)
            if after.fails():
                return {"same": None, "why": "the fixed text fails"}
            if after.since is None:
                return {"same": None, "why": "the run does not come to the changed lines"}
            old = before.values(mesh, True)
            if before.fails():
                return {"same": None, "why": "the old text fails"}
        return compare_values(old, new)
    finally:
        before.close()
        after.close()


def compare_values(old, new):
    pairs = [(words, old[key][1], value) for key, (words, value) in new.items() if key in old]
    pairs = [pair for pair in pairs if result_type(pair[1]) is not None and result_type(pair[2]) is not None]
    worst, count = 0.0, 0
    for words, one, other in pairs:
        ones, others = (kernel_jax().tree_util.tree_leaves(value) for value in (one, other))
        if len(ones) != len(others):
            return {"same": False, "name": words, "before": describe(one), "after": describe(other)}
        for a, b in zip(map(numbers, ones), map(numbers, others)):
            if a is None or b is None:
                continue
            if a.shape != b.shape:
                return {"same": False, "name": words, "before": describe(one), "after": describe(other)}
            count += 1
            apart, allowed = difference(a, b)
            if apart > allowed:
                return {"same": False, "name": words, "apart": apart}
            worst = max(worst, apart)
    return {"same": True, "worst": worst} if count else {"same": None, "why": ""}


def numbers(value):
    """A leaf as an array of NumPy's, keys by their words; None for what has no numbers."""
    jax, numpy = kernel_jax(), kernel_numpy()
    if is_array(value) and str(value.dtype).startswith("key"):
        value = jax.random.key_data(value)
    if is_array(value) or isinstance(value, (bool, int, float, complex, numpy.ndarray, numpy.generic)):
        value = numpy.asarray(value)
        return value if value.dtype.kind != "O" and value.dtype.kind not in "USM" else None
    return None


def difference(a, b):
    """The largest difference of two arrays, and the one that rounding explains."""
    jax, numpy = kernel_jax(), kernel_numpy()
    inexact = [x.dtype for x in (a, b) if jax.numpy.issubdtype(x.dtype, numpy.inexact)]
    with numpy.errstate(all="ignore"):
        wide = [x.astype("complex128") for x in (a, b)]
        apart = numpy.abs(wide[0] - wide[1])
        equal = (wide[0] == wide[1]) | numpy.isnan(wide[0]) & numpy.isnan(wide[1])
        apart = numpy.nan_to_num(numpy.where(equal, 0.0, apart), nan=numpy.finfo("float64").max)
        scale = numpy.abs(wide[0][numpy.isfinite(wide[0])])
    largest = float(apart.max()) if apart.size else 0.0
    if not inexact:
        return largest, 0.0
    rounding = max(float(jax.numpy.finfo(dtype).eps) for dtype in inexact) ** 0.5
    return largest, rounding * max(float(scale.max()) if scale.size else 0.0, 1e-30)
