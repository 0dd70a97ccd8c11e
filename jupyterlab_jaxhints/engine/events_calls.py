"""Events of calls, transforms, keys, flags and clocks; rules take them from `events`."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .callables import Argument, Class, Function, Wrapped
from .event_base import Event
from .values import Place, Step, Value

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
class PytreeRegistered(Event):
    """A class is registered as a pytree. how: register_pytree_node, register_pytree_node_class, register_dataclass …

    `flatten` and `unflatten` are the functions (None where they are not known); `declared` the fields of the class's
    body with the full names of their types.
    """

    how: str
    cls: Class | None
    flatten: Function | None
    unflatten: Function | None
    args: tuple[Argument, ...] = ()
    declared: tuple[tuple[str, str], ...] = ()
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
