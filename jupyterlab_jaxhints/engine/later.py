"""Answers what comes later in the notebook: whether a name is read again, which attributes are assigned elsewhere.

Answers are noted, so that a result that rests on one is dropped when it changes.
"""
from __future__ import annotations

from typing import Any

from . import scopes
from .values import Place


class Reader:
    """Looks into the statements of one state of the notebook."""

    def __init__(self, places: list[Place]) -> None:
        self._places = [place for place in places if place.statement is not None]
        self._first: dict[int, dict[str, bool]] = {}
        self._attributes: dict[tuple, frozenset[str]] = {}
        self.asked: dict[Any, Any] = {}

    def begin(self) -> None:
        """Note questions anew, for the next statement."""
        self.asked = {}

    def ask(self, question: tuple) -> Any:
        """Answer a question that was noted."""
        kind, place, detail = question
        if kind == "compares":
            return self._compares(place, *detail)
        if kind == "binds":
            return self._binds_between(detail[0], place, detail[1])
        return self._reads_next(place, detail) if kind == "reads" else self._stored(place)

    def reads_next(self, place: Place, name: str) -> bool | None:
        """Whether the first later statement that names `name` reads it before binding it; None when none does."""
        answer = self.asked[("reads", place, name)] = self._reads_next(place, name)
        return answer

    def attributes_stored(self, asking: Place, besides: Place) -> frozenset[str]:
        """Attributes that statements other than one class assign."""
        answer = self.asked[("stored", besides, None)] = self._stored(besides)
        return answer

    def compares(self, place: Place, first: str, second: str) -> bool:
        """Whether a later statement compares what two names hold."""
        answer = self.asked[("compares", place, (first, second))] = self._compares(place, first, second)
        return answer

    def binds_between(self, first: Place, second: Place, name: str) -> bool:
        """Whether a statement after `first`, and not after `second`, binds a name."""
        answer = self.asked[("binds", second, (first, name))] = self._binds_between(first, second, name)
        return answer

    def _binds_between(self, first: Place, second: Place, name: str) -> bool:
        return any(found == name and stored for place in self._places if first.index < place.index < second.index
                   and name in self._names(place) for node in place.statement.body
                   for found, stored, _ in scopes.occurrences(node))

    def _compares(self, place: Place, first: str, second: str) -> bool:
        from .comparing import compares

        return any(compares(node, first, second) for later in self._places[self._position(place):]
                   if {first, second} <= self._names(later).keys() for node in later.statement.body)

    def _reads_next(self, place: Place, name: str) -> bool | None:
        for later in self._places[self._position(place):]:
            found = self._names(later).get(name)
            if found is not None:
                return found
        return None

    def _position(self, place: Place) -> int:
        for number, other in enumerate(self._places):
            if other.index > place.index:
                return number
        return len(self._places)

    def _names(self, place: Place) -> dict[str, bool]:
        """Names of a statement → whether their first occurrence reads them."""
        known = self._first.get(id(place))
        if known is None:
            known = {}
            for node in place.statement.body:
                for name, stored, _ in scopes.occurrences(node):
                    known.setdefault(name, not stored)
            self._first[id(place)] = known
        return known

    def _stored(self, besides: Place) -> frozenset[str]:
        found = self._attributes.get(besides.key)
        if found is None:
            found = frozenset(name for place in self._places if place is not besides
                              for node in place.statement.body for name in _stored_in(node))
            self._attributes[besides.key] = found
        return found


_stored_cache = scopes.Known()


def _stored_in(node: Any) -> frozenset[str]:
    return _stored_cache.get(node, lambda node: scopes.attributes_stored(node))
