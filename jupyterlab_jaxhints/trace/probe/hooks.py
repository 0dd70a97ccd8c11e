"""What instrumented code calls. Each hook asks the clock; what it learns goes to the records."""
from __future__ import annotations

import ast
import sys
import time
import types

from .base import ProbeRefused, ProbeTimeout, Unknown, is_array, is_tracer, kernel_numpy, leaves
from .calls import Calls
from .clone import ITERATORS, root
from .levels import current_level
from .sources import site_of

UNROLLED = 100  # turns of a Python loop in traced code that are worth a word
EAGER_TURNS = 48  # turns of a loop that would run eagerly: after that its results are unknown
SLOW_TURNS = 4  # the same for turns that take long
FILLING = frozenset("append appendleft add push put put_nowait insert extend update setdefault write store record".split())
MUTATORS = {
    list: frozenset("append extend insert pop remove clear reverse sort".split()),
    dict: frozenset("update setdefault pop popitem clear".split()),
    set: frozenset("add update discard remove pop clear".split()),
}


class Hooks:
    """The functions under their names in the shadow's builtins, and what they remember of one run."""

    def __init__(self, records, clock):
        self.records, self.clock = records, clock
        self.outer = None  # identity of the outer trace
        self.cell = None  # the cell that runs
        self.shadow = self.repeats = None  # set with the run
        self.born: dict = {}  # id of a container or object made in traced code -> staging trace it was made in
        self.kept: list = []
        self.writes: dict = {}  # id of an outer container -> (it, what it held, the reports of its changes)
        self.globals: dict = {}  # name -> (what it was before the statement under way, the reports of its changes)
        self.entries: dict = {}  # site of a function -> staging trace at its latest entry
        self.levels: dict = {}  # id of a frame -> level at its entry
        self.turns: dict = {}  # site of a loop -> most turns in one run of it, in traced code
        self.calls = Calls(self)

    def names(self):
        return {
            "__jh_call__": self.calls.call, "__jh_deco__": self.calls.decorator, "__jh_in__": self.enter,
            "__jh_set__": self.assigned, "__jh_store__": self.stored, "__jh_outer__": self.outer_name,
            "__jh_ret__": self.returned, "__jh_test__": self.tested, "__jh_iter__": self.iterate,
            "__jh_turn__": self.turn, "__jh_again__": self.again,
        }

    def level(self):
        return current_level(self.outer)

    # -- values
    def enter(self, number, *values):
        self.clock.check()
        level = self.level()
        self.levels[id(sys._getframe(1))] = level
        self.entries[number] = level.token
        for name in site_of(number).data or ():
            if name not in self.globals:
                self.globals[name] = dict.get(self.shadow, name, self.shadow.live.get(name)), []
        if not level.eager:
            for index, value in enumerate(values):
                self.records.hint(number, index, value)
        return False

    def assigned(self, number, *values):
        self.clock.check()
        level = None
        for index, value in enumerate(values):
            self.records.hint(number, index, value)
            if _mutable(value):
                level = level or self.level()
                if id(value) not in self.born:
                    self.born[id(value)] = level.token
                    self.kept.append(value)
        self._ran(number)

    def returned(self, number, value):
        self.clock.check()
        self.records.hint(number, 0, value)
        self._ran(number)
        return value

    def tested(self, number, value):
        self.clock.check()
        if not is_tracer(value):
            self._ran(number)
        return value

    def _ran(self, number):
        if number not in self.records.clean and not self.level().eager:
            self.records.clean[number] = True

    # -- effects
    def is_outer(self, value, level) -> bool:
        """Whether a container or object was there before the innermost staging trace began."""
        if level.eager:
            return False
        born = self.born.get(id(value))
        if born is not None:
            return born != level.token
        if id(value) in self.shadow.clone.copies:
            return True
        return any(value is known for name, known in dict.items(self.shadow) if not name.startswith("__"))

    def stored(self, number, base):
        self.clock.check()
        if is_tracer(base) or is_array(base) or root(type(base)) in ("flax", "jax"):
            return
        level = self.level()
        if not self.is_outer(base, level):
            self._unowned(number, base)
            return
        kind, span = site_of(number).data
        holds = _holds_tracer(base, level)
        if not level.staged and not holds:
            return
        place = self.records.place_of(number)
        if place is None:
            return
        target = place[1].text_at(span)
        if not holds and (not _holds_number(base, target) or _looked_up(place)):  # tables of what is known while tracing are kept on purpose
            self.repeats.suspect(number)
            return
        self.repeats.suspect(number, named=True)
        rule = "global-write-under-trace"
        if kind == "Attribute" and target.startswith("self."):
            rule = "self-write-under-trace"
        self._write(rule, place, base, target=target, tracer=holds, how="store")

    def outer_name(self, number, value):
        self.clock.check()
        level = self.level()
        if level.eager:
            return
        kind, owner, span = site_of(number).data
        if kind == "nonlocal" and self.entries.get(owner, level.token) == level.token:
            return
        holds = any(_escapes(leaf, level) for leaf in leaves(value))
        if level.staged or holds:
            place = self.records.place_of(number)
            self.repeats.suspect(number, named=True)
            name = site_of(number).names[0]
            report = {"target": name, "tracer": holds, "how": kind}
            if kind == "global" and not holds and name in self.globals and not self.records.muted:
                self.globals[name][1].append((place, report))
            else:
                self.records.add("global-write-under-trace", place, **report)

    def mutating(self, number, function, args):
        """A call of `history.append` and the like, seen before it happens."""
        owner = getattr(function, "__self__", None)
        name = getattr(function, "__name__", "")
        known = MUTATORS.get(type(owner))
        if known is None and type(owner).__module__ in ("collections", "queue", "_queue"):
            known = FILLING
        if known is None or name not in known:
            return
        level = self.level()
        if not self.is_outer(owner, level):
            self._unowned(number, owner)
            return
        holds = any(_escapes(leaf, level) for leaf in leaves(args))
        if level.staged or holds:
            place = self.records.place_of(number)
            if place is not None:
                self.repeats.suspect(number, named=True)
                target = place[1].text_at(site_of(number).data)
                self._write("global-write-under-trace", place, owner, target=target, tracer=holds, how="method")

    def _unowned(self, number, value):
        """A change of something that no hook saw being made: the default of a parameter, a part of an object."""
        if id(value) not in self.born:
            self.repeats.suspect(number)

    def _write(self, rule, place, owner, **data):
        """A write with a tracer leaks it; any other counts when it is still there at the end: what is pushed and
        popped again by the same trace is not missed later."""
        if data["tracer"] or data["how"] == "store" and not isinstance(owner, (list, dict, set)):
            self.records.add(rule, place, **data)
        elif _contents(owner) is None or data["how"] == "store":
            self.records.add(rule, place, **data)
        else:
            self.writes.setdefault(id(owner), (owner, _contents(owner), []))[2].append((rule, place, data))

    def settle_writes(self):
        for owner, before, reports in self.writes.values():
            now = _contents(owner)
            if len(now) != len(before) or any(a is not b for a, b in zip(now, before)):
                for rule, place, data in reports:
                    self.records.add(rule, place, **data)
        self.writes.clear()

    def settle_globals(self):
        """After a statement of the cell: a number that is what it was before, as a depth that is counted up and down
        again, is not missed later."""
        for name, (before, reports) in self.globals.items():
            now = dict.get(self.shadow, name)
            if type(now) is not type(before) or not isinstance(now, (int, float, str)) or now != before:
                for place, report in reports:
                    self.records.add("global-write-under-trace", place, **report)
        self.globals.clear()

    def advancing(self, number, iterator):
        """`next(it)` in staged code, with an iterator from outside."""
        if is_iterator(iterator):
            level = self.level()
            if level.staged and self.is_outer(iterator, level):
                self.repeats.suspect(number, named=True)
                self.records.add("iterator-under-trace", self.records.place_of(number), how="next")

    # -- loops
    def iterate(self, number, iterable):
        self.clock.check()
        level = self.level()
        if is_iterator(iterable):
            self.advancing(number, iterable)
        iterator = iter(iterable)
        if level.eager and site_of(number).data[0] == "for":
            return self._eager_turns(number, iterator)
        return self._turns(number, iterator, level)

    def _turns(self, number, iterator, level):
        count = 0
        for value in iterator:
            count += 1
            if not count & 7:
                self.clock.check()
            yield value
            if level.staged and count > self.turns.get(number, 0):
                self.turns[number] = count
            if level.eager and count >= EAGER_TURNS * 4:
                raise Unknown("a loop of more than %d turns" % count)

    def _eager_turns(self, number, iterator):
        count, start = 0, time.monotonic()
        for value in iterator:
            self.clock.check()
            yield value
            count += 1
            spent = (time.monotonic() - start) / (self.clock.end - start)
            if count >= EAGER_TURNS and spent > 0.2 or count >= SLOW_TURNS and spent > 0.5:
                raise Unknown("a loop of more than %d turns" % count)

    def turn(self, number):
        self.clock.check()
        self.turns[number] = self.turns.get(number, 0) + 1

    def again(self):
        error = sys.exc_info()[1]
        if isinstance(error, (ProbeTimeout, ProbeRefused, Unknown)):
            raise error

    def unrolled(self):
        """Loops of many turns in staged code."""
        for number, count in self.turns.items():
            entry = site_of(number)
            place = self.records.place_of(number)
            if place is None or count < UNROLLED or entry.kind == "turns":
                continue
            how, header = entry.data
            if how == "for":
                self.records.add("unrolled-loop", (place[0], place[1], header), turns=count)

    def clear(self):
        self.born.clear()
        self.kept.clear()
        self.globals.clear()
        self.entries.clear()
        self.levels.clear()
        self.calls.clear()
        self.repeats.calls.clear()


def is_iterator(value) -> bool:
    return isinstance(value, ITERATORS) or type(value).__module__ == "itertools"


def _mutable(value) -> bool:
    kind = type(value)
    if kind in (list, dict, set):
        return True
    if kind.__module__ in ("builtins", "numpy") or is_tracer(value) or is_array(value):
        return isinstance(value, ITERATORS)
    return not isinstance(value, (type, types.ModuleType, types.FunctionType)) and hasattr(value, "__dict__") or isinstance(
        value, ITERATORS)


def _contents(owner):
    if isinstance(owner, dict):
        return [part for pair in owner.items() for part in pair]
    return list(owner) if isinstance(owner, (list, set)) else None


def _escapes(leaf, level) -> bool:
    """Whether a value is a tracer of the innermost trace, which is over when that trace is."""
    if not is_tracer(leaf):
        return False
    return level.staged or type(leaf).__name__ != "DynamicJaxprTracer"


def _holds_tracer(value, level) -> bool:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, set)) else None
    if parts is None:
        parts = getattr(value, "__dict__", {}).values()
    return any(_escapes(part, level) for part in list(parts)[:10_000])


def _looked_up(place) -> bool:
    """Whether a store stands under `if key not in table`: what is kept so is made once on purpose."""
    source, parents = place[1], place[1].parents()
    node = source.node_at(place[2])
    stored = getattr(node, "targets", None) or [None]
    base = stored[0].value if isinstance(stored[0], ast.Subscript) else None
    while base is not None and node is not None and not isinstance(node, ast.FunctionDef):
        test = node.test if isinstance(node, ast.If) else None
        if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.NotIn):
            if ast.dump(test.comparators[0]) == ast.dump(base):
                return True
        node = parents.get(node)
    return False


def _holds_number(owner, target) -> bool:
    """Whether what was just stored can be a number: a counter or a state, no table."""
    if isinstance(owner, (dict, list)):
        parts = list(owner.values() if isinstance(owner, dict) else owner)[:10_000]
        return any(isinstance(part, (int, float, complex)) for part in parts)
    stored = getattr(owner, "__dict__", {}).get(target.rpartition(".")[2], 0)
    return isinstance(stored, (int, float, complex))


def small_array(value):
    """A concrete array as NumPy's, where reading it waits for nothing."""
    numpy = kernel_numpy()
    if isinstance(value, numpy.ndarray):
        return value if value.size <= 4096 else None
    if is_array(value) and value.size <= 4096:
        try:
            if not value.is_ready() or value.is_deleted() or str(value.dtype).startswith("key"):
                return None
            return numpy.asarray(value)
        except Exception:
            return None
    return None
