"""Jitted functions traced twice with the same arguments: where the two programs differ, something goes into them
beside the arguments.

Only functions in which a hook saw a doing that may differ from trace to trace are traced again, after everything else
and for a share of the limit. Where another rule names the doing, that rule speaks.
"""
from __future__ import annotations

import collections
import functools
import time

from .base import ProbeRefused, ProbeTimeout, Unknown, is_array, is_tracer, kernel_jax, kernel_numpy
from .calls import IMPURE
from .clone import root
from .hooks import is_iterator, small_array
from .levels import drop_traces
from .permits import PURE
from .walk import frames_of, is_literal, sub_programs

SHARE = 0.15  # of the limit, for all second traces together
REPEATED = 8  # functions of one run
DIFFERING = frozenset("next id hash setattr delattr __next__ __setattr__ setitem delitem".split())
CONSUMING = frozenset("list tuple set frozenset dict sum max min any all sorted reduce array asarray stack concatenate".split())
CHANGING = frozenset("time datetime os random threading secrets uuid".split())
FILLED = frozenset("collections queue _queue itertools".split())
NAMES = frozenset("name debug_info jvp_jaxpr_fun jvp_jaxpr_thunk fwd_jaxpr_thunk bwd callback effects".split())
WEIGHED = 1 << 16  # bytes of a constant that are compared


class Repeats:
    """What may differ, and the calls in which it was seen."""

    def __init__(self, hooks, clock):
        self.hooks, self.clock = hooks, clock
        self.suspects: list = []  # (site, whether another rule names it), in the order of the run
        self.calls: list = []  # (function, args, kwargs, site, suspects, the named of them) of jitted calls to repeat
        self.start = time.monotonic()

    def suspect(self, number, named=False):
        self.suspects.append((number, named))

    def watch(self, number, function, args):
        """A call of the user's code: what is not known to do the same each time is a suspect."""
        if getattr(function, "__name__", "") in CONSUMING:
            for value in args:
                if is_iterator(value):
                    self.hooks.advancing(number, value)
        if self._may_differ(function):
            self.suspect(number)

    def _may_differ(self, function) -> bool:
        if type(function).__name__ == "partial":
            return self._may_differ(function.func)
        if getattr(function, "__globals__", None) is self.hooks.shadow:
            return False
        module = getattr(function, "__module__", None) or root(type(getattr(function, "__self__", None)))
        place = module.partition(".")[0]
        if place in CHANGING or module.startswith("numpy.random"):
            return True
        if getattr(function, "__name__", "") in DIFFERING:
            return True
        owner = getattr(function, "__self__", None)
        if owner is not None and type(owner).__module__ in FILLED:
            return True
        return place not in PURE and place not in ("builtins", "__main__", "")

    def called(self, number, function, args, kwargs, first):
        """A jitted call that ended well; `first`: how many suspects there were before it."""
        seen = self.suspects[first:]
        if not seen or len(self.calls) >= REPEATED or any(known[0] is function for known in self.calls):
            return
        named = {site for site, known in seen if known}
        self.calls.append((function, args, kwargs, number, list(dict.fromkeys(site for site, _ in seen)), named))

    # -- the second trace
    def repeat(self):
        """At the end of the run, still inside its outer trace: nothing of the run sees what the repeats change."""
        if not self.calls:
            return
        records, whole, now = self.hooks.records, self.clock.end, time.monotonic()
        share = SHARE * (whole - self.start)
        if now + 2 * share > whole:  # the reading of the program comes first
            return
        self.clock.end = now + share
        records.muted += 1
        records.repeating, found = True, []
        try:
            for call in self.calls:
                found.append((self._compared(*call[:5]), call))
        except ProbeTimeout as error:
            drop_traces(error)
        finally:
            records.muted -= 1
            records.repeating, self.clock.end = False, whole
        self._told(found)

    def _told(self, found):
        """Differences that no other rule names are findings; calls whose value is in no program are no sure ones."""
        records = self.hooks.records
        kept = {site for different, call in found if different for site in call[5]}
        for different, call in found:
            if different and not call[5]:
                place, suspects = different
                related = [(at, "may differ from trace to trace") for at in suspects if at[2] != place[2]][:3]
                name = getattr(getattr(call[0], "__wrapped__", None), "__name__", None)
                records.add("impure-trace", place, related=related, function=name or "it")
            for site in call[5] if different is False else ():
                if site not in kept:
                    records.unsure(IMPURE.values(), records.place_of(site))

    def _compared(self, function, args, kwargs, number, sites):
        """(place of the first difference, places of the suspects); False where the programs are the same, None where
        the function cannot be traced again."""
        try:
            programs = [self._program(function, args, kwargs) for _ in range(2)]
        except (Exception, ProbeRefused, Unknown) as error:
            drop_traces(error)
            return None
        way = unlike(*programs)
        if way is None:
            return False
        records = self.hooks.records
        suspects = [at for at in map(records.place_of, sites) if at is not None]
        places = [found[0] for found in (frames_of(each, records.book) for each in reversed(way)) if found]
        if not places:
            return (suspects or [records.place_of(number)])[0], suspects
        inside = [at for at in suspects if at[0] == places[0][0] and _within(at[2], places[0][2])]
        return (inside or places)[0], suspects

    def _program(self, function, args, kwargs):
        self.clock.check()
        inner = function.__wrapped__
        options = self.hooks.calls.static_options(function)

        @functools.wraps(inner)
        def again(*args, **kwargs):  # a new function: JAX remembers the program of the old one
            return inner(*args, **kwargs)

        jitted = kernel_jax().jit(again, **options)
        return kernel_jax().make_jaxpr(lambda: jitted(*args, **kwargs))()


def _within(inner, outer) -> bool:
    return tuple(outer[:2]) <= tuple(inner[:2]) and tuple(inner[2:]) <= tuple(outer[2:])


# -- programs beside each other

def unlike(one, other):
    """The equation of the first program that the second has not (or the other way round), with those around it,
    outermost first; empty where only results differ; None where the programs are the same. Names, functions and the
    order of equations do not count."""
    return _unlike((one.jaxpr, one.consts), (other.jaxpr, other.consts))


def _unlike(one, other):
    first, second = _prints(*one), _prints(*other)
    missing = _unmatched(first, second)
    extra = _unmatched(second, first)
    for equation in missing or extra:
        way = [equation]
        twin = next((e for e in extra if e.primitive is equation.primitive), None) if missing else None
        for below, beside in zip(sub_programs(equation), sub_programs(twin) if twin is not None else ()):
            deeper = _unlike(below, beside)
            if deeper:
                return way + deeper
        return way
    results = [[_operand(v, {}) for v in program.outvars if is_literal(v)] for program, _ in (one, other)]
    return [] if results[0] != results[1] else None


def _unmatched(some, others):
    left = collections.Counter(text for _, text in others)
    found = []
    for equation, text in some:
        left[text] -= 1
        if left[text] < 0:
            found.append(equation)
    return found


def _prints(program, consts):
    """[(equation, what it does)]: all but names."""
    values = dict(zip(program.constvars, consts))
    return [(equation, _print(equation, values)) for equation in program.eqns]


def _print(equation, values):
    operands = tuple(_operand(v, values) for v in equation.invars)
    shapes = tuple(_shape(v.aval) for v in equation.outvars)
    outside = "callback" in equation.primitive.name or equation.primitive.name == "debug_print"
    params = () if outside else tuple((k, _param(v)) for k, v in sorted(equation.params.items()) if k not in NAMES)
    below = tuple(tuple(sorted(collections.Counter(text for _, text in _prints(*sub)).items())) + tuple(
        _operand(v, {}) for v in sub[0].outvars if is_literal(v)) for sub in sub_programs(equation))
    return hash((equation.primitive.name, operands, shapes, params, below))


def _operand(variable, values):
    if is_literal(variable):
        return _value(variable.val)
    return _value(values[variable]) if variable in values else _shape(variable.aval)


def _shape(aval):
    return "%s %s" % (getattr(aval, "shape", ""), getattr(aval, "dtype", ""))


def _value(const):
    """A constant by its value, where reading that is cheap."""
    if is_tracer(const):
        return _shape(const.aval)
    value = small_array(const) if is_array(const) else const
    if value is None:
        return _shape(const)
    try:
        array = kernel_numpy().asarray(value)
    except Exception:
        return _shape(const)
    if array.dtype.kind not in "biufcV":
        return _shape(array)
    step = max(1, array.nbytes // WEIGHED)
    return "%s %s %d" % (array.shape, array.dtype, hash(array.ravel()[::step].tobytes()))


def _param(value) -> str:
    """A parameter that says what is computed; nothing for functions, programs and what is told by its address."""
    if callable(value) and not isinstance(value, type) or hasattr(value, "eqns") or hasattr(value, "jaxpr"):
        return ""
    if isinstance(value, (tuple, list)):
        return "(" + ",".join(map(_param, value)) + ")"
    text = repr(value)
    return "" if " at 0x" in text or len(text) > 2000 else text
