"""What the interpreter tells the rules. Events carry nodes and values; a rule never walks a tree.

`node` is what a hint would flag, `place` the statement that holds it, `ctx` what is around it (transforms, loops,
`try`). Events with `kept = True` are also handed to rules once more, all together and in order, by `NotebookEnd`.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from .callables import Argument, Class, Function, Wrapped
from .context import Context, Loop
from .values import Place, Step, Value

if TYPE_CHECKING:
    from .interpreter import Machine


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function that a transform traces, as a tracer. `wrapped` is None for bodies of primitives."""

    name: str
    function: Function
    transform: str
    wrapped: Wrapped | None


@dataclass(eq=False)
class Event:
    """What all events have. `machine` answers questions about values (parts of containers, text of nodes)."""

    machine: Machine = field(repr=False)
    node: Any = field(repr=False)
    place: Place
    ctx: Context = field(repr=False)
    kept: ClassVar[bool] = False

    def text(self, node: Any) -> str:
        """The source text of a node, as the user wrote it."""
        return self.machine.text(node, self.place)

    def parts(self, value: Value) -> list[Value]:
        """The elements of a tuple, list, dict or object whose parts are known, else an empty list."""
        return self.machine.parts(value)

    def parameter(self, value: Value) -> Parameter | None:
        """The parameter of the traced function that this very tracer came in by, through helpers too."""
        return self.machine.parameter_of(value, self.ctx)

    def leaves(self, value: Value) -> list[Value]:
        """The leaves of a tree of containers."""
        return self.machine.leaves(value)

    def donated(self, value: Value) -> Step | None:
        """Where an earlier call took this array's buffer; None where it did not, or only on some ways here."""
        return self.machine.donated(value)


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


@dataclass(eq=False)
class Delete(Event):
    """`del name`, `del base[index]`."""

    base: Value | None = None


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


# --- calls ------------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Call(Event):
    """A call of something that is not a function of the notebook (those are followed).

    `name` is the canonical qualified name ("jax.numpy.zeros", "builtins.print", "numpy.sin", "method.item" on JAX
    arrays and tracers, "list.append", "at.set" …) or '' for an unknown callee. `receiver` is the object of a method.
    `statement_level`: the call is a whole expression statement, its result thrown away.
    """

    name: str
    callee: Value
    func_node: Any
    args: tuple[Argument, ...]
    result: Value
    receiver: Value | None = None
    receiver_node: Any = None
    statement_level: bool = False
    kept = True

    @property
    def is_shown(self) -> bool:
        """The call is the last expression of its cell: the notebook shows its result."""
        last = self.machine.last_shown
        return self.statement_level and last is not None and getattr(last, "value", None) is self.node

    def argument(self, name: str, position: int | None = None) -> Argument | None:
        """The argument given for a parameter, by keyword or position; None when left out or after a `*`."""
        for arg in self.args:
            if arg.keyword == name:
                return arg
        if position is None:
            return None
        plain = []
        for arg in self.args:
            if arg.star:
                return None
            if not arg.keyword:
                plain.append(arg)
        return plain[position] if position < len(plain) else None

    def value(self, name: str, position: int | None = None) -> Value | None:
        """The value of `argument`."""
        found = self.argument(name, position)
        return found.value if found else None

    @property
    def tracers(self) -> list[Argument]:
        """Arguments that must be tracers without a value."""
        from .values import ABSTRACT

        return [arg for arg in self.args if arg.value.must_be(ABSTRACT)]


@dataclass(eq=False)
class FunctionCall(Event):
    """A function of the notebook is called (its body is followed). `result` is what it returned."""

    function: Function
    args: tuple[Argument, ...]
    bound: dict[str, Value]
    result: Value
    statement_level: bool = False


@dataclass(eq=False)
class Discard(Event):
    """An expression statement: its value is thrown away. The last expression of a cell is shown, so `shown` is true."""

    value: Value
    shown: bool = False


@dataclass(eq=False)
class Print(Event):
    """`print`, a logging call or `warnings.warn`. `values` are what is printed, f-string parts and % included."""

    name: str
    call: Any
    args: tuple[Argument, ...]
    values: tuple[Value, ...]


@dataclass(eq=False)
class Return(Event):
    """`return value` of a function; `frame` is its frame (ctx.frames[-1])."""

    value: Value


# --- transforms ----------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Transform(Event):
    """A transform is applied: `jit(f)`, `@jit`, `@partial(jit, …)`, `grad(f)`. `node` is the call or the decorator.

    `fresh`: the function object is new at each evaluation (lambda, nested def, partial, bound method, another
    transform's result), so that JAX's cache does not know it. `form`: call, decorator.
    """

    wrapped: Wrapped
    function: Value
    function_node: Any
    form: str
    fresh: bool
    option_nodes: dict[str, Any]
    repeats: bool = False  # an earlier turn of the loop made the same from the same captured settings
    cls: Class | None = None  # decorator inside of a class body: the method's class
    kept = True


@dataclass(eq=False)
class BodyGiven(Event):
    """A function is given to a higher-order primitive: scan, cond, while_loop, fori_loop, switch, map …"""

    name: str
    function: Value
    function_node: Any
    fresh: bool
    args: tuple[Argument, ...] = ()
    repeats: bool = False  # as for Transform


@dataclass(eq=False)
class TransformedCall(Event):
    """A transformed function is called: `jit(f)(x)`, `grad(loss)(w)`. `bound` maps parameters to the caller's values.

    `nodes` maps parameters to argument nodes. `returned` is what the function's body returned (tracers inside).
    """

    wrapped: Wrapped
    function: Function | None
    args: tuple[Argument, ...]
    bound: dict[str, Value]
    nodes: dict[str, Any]
    result: Value
    returned: Value | None = None
    gone: tuple[tuple[Argument, Step], ...] = ()  # arguments whose buffer was donated before
    twice: Argument | None = None  # an argument whose buffer this call also takes by another one
    kept = True


@dataclass(eq=False)
class ClassDefined(Event):
    """A class statement has been evaluated. `node` is its name."""

    cls: Class
    kept = True


@dataclass(eq=False)
class PytreeRegistered(Event):
    """A class is registered as a pytree. how: register_pytree_node, register_pytree_node_class, register_dataclass …

    `flatten` and `unflatten` are the functions (None where they are not known), `fields` the constant field lists.
    """

    how: str
    cls: Class | None
    flatten: Function | None
    unflatten: Function | None
    args: tuple[Argument, ...] = ()
    kept = True


# --- keys, configuration, time -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class KeySite:
    """Where a key is given: to its consumer (the first site), or to a function around it.

    `depth` counts the frames around the site; `call` is the call that it is an argument of.
    """

    depth: int
    node: Any
    place: Place
    call: Any
    function: Function | None = None  # the function of the notebook that gets the key here


@dataclass(eq=False)
class KeyUse(Event):
    """A key is consumed. how: draw, split, fold_in, call (an unknown callee or one from the table of consumers).

    `previous` is the event that consumed it before (None: first use); `again_in_loop`: it is this very node on an
    earlier turn of a loop; `certain` is false where the callee only probably consumes it.
    """

    key: Value
    key_node: Any
    how: str
    name: str
    previous: KeyUse | None
    again_in_loop: bool = False
    certain: bool = True
    repeated_by: str = ""  # the transform (vmap, scan …) that uses one key for every lane or turn
    sites: tuple[KeySite, ...] = ()  # where the key is handed over, from the use outwards
    shown: Any = None  # the cell's last expression statement


@dataclass(eq=False)
class ConfigSet(Event):
    """A JAX flag is set. how: update, attribute, environment, context, magic, call. `imported`/`used`: JAX was
    imported, or had made arrays, before."""

    flag: str
    value: Value
    how: str
    imported: bool
    used: bool
    first_use: Event | None = None
    started: Any = None  # the Step that started JAX's backend, where that was before
    before: Value | None = None  # what the flag was
    kept = True


@dataclass(eq=False)
class FirstUse(Event):
    """The first statement that makes a JAX array or asks for devices."""

    kept = True


@dataclass(eq=False)
class Timed(Event):
    """Code is timed. how: the magic's name (timeit, time) with % or %%, or the clock's qualified name for a pair of
    clock reads. `calls` are the calls of JAX's asynchronous functions inside, `waits` whether something waits."""

    how: str
    calls: tuple[Event, ...]
    waits: bool
    last: Any = None  # node of the expression whose result is to be waited for
    last_value: Value | None = None
    kept = True


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
