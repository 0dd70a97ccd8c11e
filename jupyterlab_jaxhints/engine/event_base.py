"""What all events of the interpreter have in common."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from .callables import Function, Wrapped
from .context import Context
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
