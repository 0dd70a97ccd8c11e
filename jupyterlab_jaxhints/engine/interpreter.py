"""The abstract machine: evaluates statements over values and tells the rules what it sees.

Statements are in `execute`, expressions in `expressions`, operators in `operators`, calls in `calls`, transforms in
`transforms`, what libraries' functions give back in `library` and `methods`. Each registers itself by node type or
qualified name.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from . import values as v
from .context import Context, Frame
from .events import Call, Event, NameRead, Parameter
from .scopes import Known
from .state import Record, Scope, State
from .values import Place, Step, Value

MAX_NODES = 30_000  # a statement that needs more is given up
MAX_FOLLOWED = 15_000  # beyond this, calls are no longer followed
MAX_DEPTH = 9  # calls within calls

GUARDS = frozenset({"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException", ""})

_RENDER = cst.Module([])
_texts = Known()


class OverBudget(Exception):
    """A statement needs more evaluation than the budget allows; what it binds is unknown."""


class Machine:
    """Evaluates one statement at a time; `begin` sets it on the state before that statement."""

    def __init__(self, publish: Callable[[Event], None], listened: frozenset[type]) -> None:
        self.publish, self.listened = publish, listened
        self.evaluated = 0  # nodes, over all statements; tests guard speed by it
        self.strict = False
        self.jax_version: str | None = None
        self.reader: Any = None  # answers what is read later in the notebook

    # --- one statement ---------------------------------------------------------------------------------------

    def begin(self, place: Place, names: dict, heap: dict, used: dict) -> None:
        """Get ready to evaluate the statement at `place` over the notebook's state."""
        self.state = State(names, heap, used)
        self.place: Place = place
        self.origin = place
        self.scope: Scope | None = None
        self.ctx = Context()
        self.nodes = 0
        self.counter = 0
        self.frames_made = 0
        self.kept: list[Event] = []
        self.made_functions: list[Any] = []
        self.followed: set[Any] = set()
        self.operations = 0  # on tracers
        self.item_events: list[list[Event]] = []
        self.loop_exits: list[dict[str, list]] = []
        self.last_turn_operations = 0
        self.class_body: Any = None  # the class whose body is being evaluated
        self.decorating: Any = None  # (function, decorator) while a decorator is applied
        self.captured: dict[Any, tuple] = {}  # (node, loop) → what a function made there captured
        self.timeline: list[Any] = []  # clocks, dispatches and waits, in order
        self.branches = 0  # `if`s that we are in
        self.guards = 0  # tests around us that ask whether a name is there
        self.deferred: list[Any] = []  # wrapped functions made, to be traced if nobody calls them
        self.memo: dict[Any, Value] = {}
        self.asked_in: tuple[str, Any] = ("", None)  # the condition being evaluated: its form, its statement
        self.last_shown: Any = None  # the cell's last expression statement: the notebook shows its value

    def alloc(self) -> tuple:
        """A name for a new object, the same when the statement is evaluated again."""
        self.counter += 1
        return (self.origin.key, self.counter)

    # --- events ------------------------------------------------------------------------------------------------

    def emit(self, kind: type, node: Any, **fields: Any) -> Event | None:
        """Tell the rules; returns the event, or None when nobody wants to know."""
        if kind not in self.listened and not kind.kept:
            return None
        event = kind(self, node, self.place, self.ctx, **fields)
        if self.item_events and kind is Call:
            self.item_events[-1].append(event)
        if kind.kept:
            self.kept.append(event)
        if kind in self.listened:
            self.publish(event)
        return event

    def text(self, node: Any, place: Place | None = None) -> str:
        """The source of a node as the user wrote it."""
        return _texts.get(node, lambda node: _RENDER.code_for_node(node).strip())

    # --- evaluating --------------------------------------------------------------------------------------------

    def eval(self, node: Any) -> Value:
        """The value of an expression; unknown for what the interpreter does not know."""
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise OverBudget
        handler = EVAL.get(type(node))
        value = v.UNKNOWN if handler is None else handler(self, node)
        if value.must_be(v.TRACER) and not self.ctx.traced:
            return v.UNKNOWN  # it has outlived its trace: where it was stored is spoken of
        return value

    def exec(self, node: Any) -> bool:
        """Evaluate a statement; false when control does not come out at its end."""
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise OverBudget
        handler = EXEC.get(type(node))
        return True if handler is None else handler(self, node)

    def exec_all(self, body: Any) -> bool:
        """Evaluate statements in order until control leaves."""
        guards = self.guards  # one way of a test for a name may have left: what follows in the block is the other
        falls = all(self.exec(statement) for statement in body)
        self.guards = guards
        return falls

    # --- names -------------------------------------------------------------------------------------------------

    def lookup(self, name: str, node: Any = None) -> Value:
        """What a name holds here."""
        scope = self.scope
        while scope is not None:
            if name in scope.globals:
                break
            if scope.kind != "class" or scope is self.scope:
                if name in scope.names:
                    value = scope.names[name]
                    self._outer_read(name, value, node, scope.number)
                    return value
                if name in scope.bound and scope.kind != "class" and name not in scope.nonlocals:
                    return v.UNKNOWN
            scope = scope.parent
        value = self.state.names.get(name)
        if value is not None:
            self._outer_read(name, value, node, 0)
            return value
        if self.state.names.get("*") is not None:
            return v.UNKNOWN
        builtin = BUILTINS.get(name)
        return v.UNKNOWN if builtin is None else builtin

    def _outer_read(self, name: str, value: Value, node: Any, number: int) -> None:
        frame = self.ctx.tracing_frame
        if node is not None and frame is not None and number < frame.number and not value.must_be(
                v.FUNCTION | v.MODULE | v.CLASS):
            self.emit(NameRead, node, name=name, value=value, path=name, result=value, number=number, root=node)

    def once(self, key: Any) -> bool:
        """True the first time a rule asks with this key while one statement is evaluated."""
        first = ("once", key) not in self.captured
        self.captured[("once", key)] = ()
        return first

    def outer_path(self, node: Any, result: Value) -> None:
        """A dotted or subscripted path is read; told when it begins at what was there before the trace."""
        root = node
        while isinstance(root, (cst.Attribute, cst.Subscript)):
            root = root.value
        frame = self.ctx.tracing_frame
        if frame is None or not isinstance(root, cst.Name):
            return
        scope = self.scope
        while scope is not None and root.value not in scope.names:
            scope = scope.parent
        number = scope.number if scope is not None else 0
        value, outer = self.lookup(root.value), number < frame.number
        if not outer and self.is_older(value, frame):
            number = self.record(value).number if value.ref[0] == self.origin.key else 0
        elif not outer:
            return
        self.emit(NameRead, node, name=root.value, value=value, path=self.text(node), result=result, number=number,
                  outer=outer, root=root)

    def parameter_of(self, value: Value, ctx: Context) -> Parameter | None:
        """The parameter of a traced function that this very tracer came in by."""
        if value.ident is None:
            return None
        for marker, frame in zip(ctx.live, ctx.live[1:]):
            if marker.transform and frame.function is not None:
                for name, given in frame.given.items():
                    if given.ident == value.ident:
                        return Parameter(name, frame.function, marker.transform, marker.wrapped)
        return None

    def donated(self, value: Value) -> Step | None:
        """Where the buffer of this array, or of one in this container, was taken by a call."""
        for leaf in self.leaves(value):
            found = self.state.used.get(("donated", leaf.ident)) if leaf.must_be(v.ARRAY) and leaf.ident is not None else None
            if found is not None:
                return found
        return None

    def is_guarded(self, name: str = "") -> bool:
        """The code runs only where a name is there: a `try` catches its absence, a test asks for it, or the notebook
        itself has put it there."""
        if name and name in (self.state.used.get(("flag", "patched")) or ()):
            return True
        return self.guards > 0 or any(block.catches & GUARDS for _, block in self.ctx.tries)

    def callee_name(self, node: Any) -> str:
        """The canonical qualified name of what an expression names, or ''; evaluates nothing but names."""
        if isinstance(node, cst.Name):
            return self.lookup(node.value).name
        if isinstance(node, cst.Attribute):
            base = self.callee_name(node.value)
            return f"{base}.{node.attr.value}" if base else ""
        return ""

    @property
    def x64(self) -> bool | None:
        """Whether 64-bit types are on here; None when that is not known."""
        flag = self.state.used.get(("flag", "jax_enable_x64"))
        if flag is None:
            return False
        return bool(flag.const) if flag.known else None

    def assign(self, name: str, value: Value) -> None:
        """Bind a name where Python would."""
        scope = self.scope
        if scope is None or name in scope.globals:
            self.state.names.set(name, value)
            return
        if name in scope.nonlocals:
            owner = scope.parent
            while owner is not None and name not in owner.names:
                owner = owner.parent
            if owner is not None:
                owner.names[name] = value
            return
        scope.names[name] = value

    def refine(self, node: Any, value: Value) -> None:
        """What has been learned of the value behind a plain name: the same object, seen better."""
        if isinstance(node, cst.Name):
            scope = self.scope
            while scope is not None:
                if node.value in scope.names:
                    scope.names[node.value] = value
                    return
                if node.value in scope.globals:
                    break
                scope = scope.parent
            if self.state.names.get(node.value) is not None:
                self.state.names.set(node.value, value)

    # --- heap ----------------------------------------------------------------------------------------------------

    def new(self, record: Record, kinds: int, **details: Any) -> Value:
        """A value for a new mutable object."""
        ref = self.alloc()
        number = self.ctx.frames[-1].number if self.ctx.frames else 0
        self.state.heap.set(ref, Record(record.kind, record.items, record.entries, record.open, record.rest,
                                        record.cls, number, record.made))
        return Value(kinds, ref=ref, **details)

    def record(self, value: Value) -> Record | None:
        """The mutable object behind a value."""
        return None if value.ref is None else self.state.heap.get(value.ref)

    def store(self, value: Value, record: Record) -> None:
        """The object behind a value has changed."""
        self.state.heap.set(value.ref, record)

    def new_list(self, items: list[Value] | tuple[Value, ...] | None, rest: Value | None = None,
                 made: Step | None = None) -> Value:
        """A Python list."""
        return self.new(Record("list", None if items is None else tuple(items), rest=rest), v.SEQUENCE, flags=v.LIST,
                        made=made)

    def parts(self, value: Value) -> list[Value]:
        """The elements of a container, one by one; empty when they are not known so."""
        if value.elements is not None and value.must_be(v.SEQUENCE):
            return list(value.elements)
        record = self.record(value)
        if record is None or record.open:
            return []
        if record.items is not None:
            return list(record.items)
        return list(record.entries.values()) if record.kind in ("dict", "object") else []

    def leaves(self, value: Value) -> list[Value]:
        """The leaves of a tree of containers."""
        return v.leaves(value, self.parts)

    def element(self, value: Value) -> Value:
        """What any element of a container may be."""
        if value.elements is not None:
            from .state import join_all

            return join_all(value.elements) if value.elements else v.UNKNOWN
        record = self.record(value)
        return v.UNKNOWN if record is None else record.element()

    def escape(self, value: Value, depth: int = 3) -> None:
        """Somebody unknown has the object now: its contents are unknown from here on."""
        if value.ref is not None and depth:
            record = self.record(value)
            if record is not None and not (record.open and record.rest is v.UNKNOWN):
                for part in self.parts(value):
                    self.escape(part, depth - 1)
                self.store(value, record.unknown())
        elif value.elements is not None and depth:
            for part in value.elements:
                self.escape(part, depth - 1)
        if value.is_unknown and value.ident is not None:
            key = ("version", value.ident)
            self.state.used.set(key, (self.state.used.get(key) or 0) + 1)

    def is_older(self, value: Value, frame: Frame | None) -> bool:
        """The mutable object was there before this frame began."""
        record = self.record(value)
        if record is None or frame is None:
            return False
        return value.ref[0] != self.origin.key or record.number < frame.number

    # --- frames --------------------------------------------------------------------------------------------------

    def frame_number(self) -> int:
        self.frames_made += 1
        return self.frames_made

    def step(self, message: str | Callable[[], str], node: Any) -> Step:
        """One link of evidence, here."""
        return Step(message, node, self.place)

    def code_step(self, template: str, node: Any, limit: int = 50) -> Step:
        """One link of evidence whose sentence holds the node's own code, shortened."""
        return Step(lambda: template.format(self.text(node)[:limit]), node, self.place)

    @property
    def array_kind(self) -> int:
        """Kind of what a JAX function makes here when no tracer goes in."""
        return v.ABSTRACT if self.ctx.staged else v.ARRAY

    def push(self, frame: Frame) -> Context:
        """Enter a frame; give the result to `pop`."""
        before = self.ctx
        self.ctx = Context((*before.frames, frame), before.loops, before.tries)
        return before


EVAL: dict[type, Callable[[Machine, Any], Value]] = {}
EXEC: dict[type, Callable[[Machine, Any], bool]] = {}
BUILTINS: dict[str, Value] = {}


def evaluates(*types: type) -> Callable:
    """Registers the evaluator of expression nodes of these types."""

    def register(function: Callable) -> Callable:
        EVAL.update(dict.fromkeys(types, function))
        return function

    return register


def executes(*types: type) -> Callable:
    """Registers the evaluator of statement nodes of these types."""

    def register(function: Callable) -> Callable:
        EXEC.update(dict.fromkeys(types, function))
        return function

    return register
