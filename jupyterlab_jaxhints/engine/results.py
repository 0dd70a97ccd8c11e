"""What is kept of evaluated statements, and the states between them."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from ..protocol import Evidence, Range
from ..rules.base import Hint
from .context import Context
from .dispatch import Found, LoadedRule
from .events import Event
from .values import Place, Step, Value


@dataclass(eq=False)
class Finding:
    """A hint in its place."""

    rule: LoadedRule
    hint: Hint
    cell: str
    range: Range
    evidence: list[Evidence]
    context: Context
    place: Place


@dataclass(eq=False)
class Result:
    """What came of evaluating one statement (or one function that nobody calls)."""

    reads: tuple[dict, dict, dict]
    names: dict
    heap: dict
    used: dict
    found: list[Found]
    kept: list[Event]
    functions: list
    deferred: list
    followed: set
    asked: dict
    timeline: list
    shown: Any  # its expression whose value the notebook shows, being the last of its cell
    subject: Any = None  # fingerprint of the function, for one that nobody calls


class State(NamedTuple):
    """Names, heap and used keys in front of the row with this number."""

    row: int
    names: dict
    heap: dict
    used: dict

    def copy(self, row: int) -> State:
        return State(row, dict(self.names), dict(self.heap), dict(self.used))

    def take(self, result: Result) -> None:
        """What a statement leaves behind."""
        self.names.update(result.names)
        self.heap.update(result.heap)
        self.used.update(result.used)


@dataclass(eq=False)
class Whole:
    """What the last analysis of everything left, for answers on one cell alone."""

    rows: list[Place]
    states: list[State]  # some on the way, by which a later analysis can begin
    final: State
    followed: set
    found: dict[str, list[Found]]  # by the cell that they stand in


def fingerprint(value: Any) -> Any:
    """What two entries of the state must share to count as the same."""
    if value is None or isinstance(value, (int, str, tuple)):
        return value
    if isinstance(value, Value) or hasattr(value, "fingerprint"):
        return value.fingerprint()
    if isinstance(value, (Event, Step)):
        return (type(value).__name__, value.place.key if value.place is not None else None, id(value.node))
    return id(value)
