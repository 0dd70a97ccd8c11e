"""What the interpreter tells the rules. Events carry nodes and values; a rule never walks a tree.

`node` is what a hint would flag, `place` the statement that holds it, `ctx` what is around it (transforms, loops,
`try`). Events with `kept = True` are also handed to rules once more, all together and in order, by `NotebookEnd`.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .context import Loop
from .event_base import Event, Parameter
from .events_calls import (
    BodyGiven,
    Call,
    ConfigSet,
    FirstUse,
    FunctionCall,
    KeySite,
    KeyUse,
    Print,
    PytreeRegistered,
    Return,
    Timed,
    Transform,
    TransformedCall,
)
from .values import Value

__all__ = [
    "AttributeLoad", "AttributeStore", "Binary", "BodyGiven", "Call", "CaughtHint",
    "ConfigSet", "Event", "FirstUse", "Format", "FunctionCall", "ItemLoad",
    "ItemStore", "Iterate", "KeySite", "KeyUse", "LoopEnd", "NameAugment", "NameBind", "NameRead",
    "NotebookEnd", "OuterWrite", "Parameter", "Print", "PytreeRegistered", "QualifiedUse", "Return",
    "Timed", "Transform", "TransformedCall", "Truth", "TryEnd",
]

# --- names and stores -------------------------------------------------------------------------------------------


@dataclass(eq=False)
class NameBind(Event):
    """A name gets a value. scope: module, function, global, nonlocal. `how`: assign, augment, for, import, def, with."""

    name: str
    value: Value
    scope: str
    how: str
    value_node: Any = None
    kept = True


@dataclass(eq=False)
class NameAugment(Event):
    """`name op= value`. `before` is the old value, `result` the new one; `aliases` other names of the same array.

    `aliases` are names bound to the very same object before (including list elements the name was taken from, as
    'container:NAME'); `aliases_read_later` those of them that are read after this statement.
    """

    name: str
    operator: str
    before: Value
    value: Value
    result: Value
    aliases: tuple[str, ...] = ()
    aliases_read_later: tuple[str, ...] = ()
    read_later: bool = True  # the name itself is read again
    is_copy: bool = False  # the name was bound by `name = other`
    is_parameter: bool = False  # the name is still what the caller gave
    kept = True


@dataclass(eq=False)
class NameRead(Event):
    """Traced code reads a name from outside of the traced function: of the module or an enclosing function.

    `path` is the dotted path or subscript read from it ("config['rate']", "cfg.rate"), the name alone otherwise;
    `value` is the name's, `result` what the path gives. `number`: the frame that the name, or the object, belongs to.
    `outer` is false for a part of an object that was there before the trace but came in by a parameter, as `self.rate`.
    """

    name: str
    value: Value
    path: str
    result: Value | None = None
    number: int = 0
    outer: bool = True
    root: Any = None  # the node of the name
    kept = True


@dataclass(eq=False)
class ItemStore(Event):
    """`base[index] = value`; `operator` is "+" for `+=` and so on, None for `=`. `node` is the whole statement."""

    target: Any
    base_node: Any
    index_node: Any
    value_node: Any
    base: Value
    index: Value
    value: Value
    operator: str | None = None
    kept = True


@dataclass(eq=False)
class AttributeStore(Event):
    """`base.attr = value`. `node` is the target."""

    base_node: Any
    base: Value
    attr: str
    value: Value
    value_node: Any = None
    operator: str | None = None
    kept = True


@dataclass(eq=False)
class OuterWrite(Event):
    """Traced code changes something that was there before the trace: a leak when the value holds a tracer.

    how: global, nonlocal, append (any list, set or dict method), item, attribute. `name` is what is written, as text;
    `owner` the value that is changed, where there is one. `is_self` for `self.attr = …` in a method.
    """

    how: str
    name: str
    value: Value
    owner: Value | None = None
    is_self: bool = False


# --- loads --------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class ItemLoad(Event):
    """`base[index]`. `at` is true for `x.at[index]`; base is then `x`. `result` is what comes out."""

    base_node: Any
    index_node: Any
    base: Value
    index: Value
    result: Value
    at: bool = False


@dataclass(eq=False)
class AttributeLoad(Event):
    """`base.attr` on a value (not on a module: see QualifiedUse)."""

    base_node: Any
    base: Value
    attr: str
    result: Value


@dataclass(eq=False)
class QualifiedUse(Event):
    """Code names something of a module from outside the notebook: `jax.tree_map`, `from jax import tree_map as tm`.

    `name` is the qualified name as written through the imports; `node` the attribute, name or import alias;
    `form`: attribute, import, import-from, name (of what an import-from bound), star (a name that a star import may
    have been meant to bind). `guarded` inside `try: … except (ImportError, AttributeError)` or after
    a `hasattr`/version test.
    """

    name: str
    form: str
    guarded: bool = False
    through: str = ""  # what an import bound the path's first name to, where that is more than a package


# --- operations -----------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Truth(Event):
    """Python asks whether a value is true.

    form: if, elif, while, ifexp, assert, not, and, or, chain (a < b < c), in, filter (comprehension), match.
    `node` is the expression asked, `statement` the whole `if`/`while`/`assert`/conditional expression.
    """

    value: Value
    form: str
    statement: Any
    taken: bool | None = None  # the answer, where it is known
    asked_in: str = ""  # for not, and, or, chain, in: the form they stand in ("if", "while", "assert" …)


@dataclass(eq=False)
class Iterate(Event):
    """Python iterates over a value. form: for, comprehension, unpack, star. `body` is the loop, `target` its target."""

    value: Value
    form: str
    body: Any = None
    target: Any = None


@dataclass(eq=False)
class LoopEnd(Event):
    """A loop has been evaluated. `node` is the loop's header expression; `tracer_operations` counts, for one turn, the
    operations on tracers in it, calls included."""

    loop: Loop
    statement: Any
    tracer_operations: int = 0


@dataclass(eq=False)
class Binary(Event):
    """`left op right`, comparison included (`operator` is "<" …)."""

    operator: str
    left: Value
    right: Value
    left_node: Any
    right_node: Any
    result: Value


@dataclass(eq=False)
class Format(Event):
    """A value is put into an f-string or `str.format`. spec: text after the colon, '' when there is none."""

    value: Value
    spec: str
    string: Any = None


@dataclass(eq=False)
class TryEnd(Event):
    """A `try`, or a `with suppress(…)`, has been evaluated. `node` is the handler, or the call of `suppress`.

    `loads` are the ItemLoad/ItemStore events of its body, `calls` are calls in it that may raise anything.
    """

    statement: Any
    handler: Any
    catches: frozenset[str]
    loads: tuple[Event, ...] = ()
    calls: tuple[Event, ...] = ()


@dataclass(eq=False)
class CaughtHint(Event):
    """A hint of an error that a `try` around it swallows; it is not shown. `node` is the `try`'s handler."""

    rule: str
    hint: Any
    inner: Event
    statement: Any


# --- the end -------------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class NotebookEnd(Event):
    """Every statement has been evaluated. `events` are all kept events in order; `place` and `node` are empty."""

    events: tuple[Event, ...] = ()

    @cached_property
    def _by_kind(self) -> dict[type, list[Event]]:
        out: dict[type, list[Event]] = {}
        for event in self.events:
            out.setdefault(type(event), []).append(event)
        return out

    def of(self, *kinds: type) -> list:
        """The kept events of these classes, in the order in which they happened."""
        if len(kinds) == 1:
            return self._by_kind.get(kinds[0], [])
        return [event for event in self.events if type(event) in kinds] if any(k in self._by_kind for k in kinds) else []

    def once(self, make: Callable[[NotebookEnd], Any]) -> Any:
        """What `make` works out of the events, worked out the first time that a rule asks."""
        if make not in self._answers:
            self._answers[make] = make(self)
        return self._answers[make]

    @cached_property
    def _answers(self) -> dict[Any, Any]:
        return {}
