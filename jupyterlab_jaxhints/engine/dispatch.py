"""Hands events to the rules and collects their hints."""
from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ..protocol import Range
from ..rules.base import Hint
from .context import BROAD, Context
from .events import CaughtHint, Event, ItemLoad, ItemStore, NotebookEnd, TryEnd
from .values import Place

log = logging.getLogger(__name__)

# what JAX raises where a rule of kind "error" fires, as a handler may name it
RAISED = BROAD | {
    "TypeError", "ValueError", "IndexError", "AttributeError", "ImportError", "NotImplementedError",
    "JAXTypeError", "JAXIndexError", "ConcretizationTypeError", "TracerBoolConversionError",
    "TracerArrayConversionError", "TracerIntegerConversionError", "NonConcreteBooleanIndexError",
    "UnexpectedTracerError", "ModuleNotFoundError", "RuntimeError", "AssertionError",
}


class LoadedRule(Protocol):
    """What the engine needs of a rule."""

    name: str
    handlers: Any
    fixes: Any
    rule: Any


@dataclass(eq=False)
class Found:
    """A hint before its place is worked out."""

    rule: Any
    hint: Hint
    place: Place
    context: Context
    range: Range | None = None


class Dispatcher:
    """Calls the handlers of each event's class; a rule that raises is switched off for the rest of the process."""

    def __init__(self, rules: Sequence[Any], strict: bool) -> None:
        self.handlers: dict[type, list[tuple[Any, Any]]] = {}
        self.strict = strict
        self.failed: dict[str, str] = {}
        self.machine: Any = None
        self._found: list[Found] = []
        for rule in rules:
            for handler in rule.handlers:
                for kind in handler.subscription.events:
                    self.handlers.setdefault(kind, []).append((rule, handler))
        self.listened = frozenset(self.handlers) | {ItemLoad, ItemStore, TryEnd}

    def begin(self) -> list[Found]:
        """A new list that hints are collected in."""
        self._found = []
        return self._found

    def publish(self, event: Event) -> None:
        """Tell every rule that listens."""
        failed = self.failed
        for rule, handler in self.handlers.get(type(event), ()):
            if failed and rule.name in failed:
                continue
            try:
                for hint in handler(event) or ():
                    self._take(rule, hint, event)
            except Exception as error:
                if self.strict:
                    raise
                self.failed[rule.name] = type(error).__name__
                log.warning("rule %s failed with %s", rule.name, type(error).__name__)

    def _take(self, rule: Any, hint: Hint, event: Event) -> None:
        place = hint.place or event.place
        kind = hint.kind or rule.rule.kind
        if kind == "error" and event.ctx is not None:
            block = next((b for _, b in reversed(event.ctx.tries) if not b.reraises and b.catches & RAISED), None)
            if block is not None:
                self.publish(CaughtHint(self.machine, block.node, block.place, event.ctx, rule=rule.name, hint=hint,
                                        inner=event, statement=block.node))
                return
        self._found.append(Found(rule, hint, place, event.ctx or Context()))

    def end(self, event: NotebookEnd) -> list[Found]:
        """The last event, whose hints are kept apart."""
        found = self.begin()
        self.publish(event)
        return found
