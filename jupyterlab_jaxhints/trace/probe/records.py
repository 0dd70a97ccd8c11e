"""What one run collects: findings, ghost texts, the state of each statement."""
from __future__ import annotations

from .describe import describe, has_jax
from .sources import site_of

MAX_FINDINGS = 200
MAX_HINTS = 800


class Records:
    """Findings by (rule, place), so that a loop's second turn adds nothing."""

    def __init__(self, book):
        self.book = book
        self.findings: dict = {}
        self.hints: dict = {}  # site -> [times, text, varies]
        self.statements: dict = {}  # (cell, span) -> [cell, range, state, why], the worst of a loop's turns
        self.clean: dict = {}  # site -> True where it ran in traced code, False where it also failed
        self.through: set = set()  # sites of calls, and of transforms whose functions were called, without an error
        self.calls: list = []
        self.muted = 0  # depth of `try` blocks of the cell: what fails in there, the user expects
        self.repeating = False  # while functions are traced a second time: nothing new is written
        self.files = None

    def add(self, rule, place, certain=True, related=(), jax=None, **data):
        """`place` is (cell id, source, span). The first report of a rule at a place stands."""
        if place is None or self.muted or len(self.findings) >= MAX_FINDINGS:
            return
        cell, source, span = place
        key = (rule, cell, span)
        if key in self.findings:
            return
        self.findings[key] = {
            "rule": rule, "cell": cell, "at": source.wire(span), "certain": bool(certain),
            "text": source.text_at(span), "data": data, "jax": jax,
            "related": [[c, s.wire(a), label] for (c, s, a), label in related if c is not None],
        }

    def unsure(self, rules, place):
        """Findings of these rules at a place are no longer certain."""
        for rule in rules:
            found = self.findings.get((rule, place[0], place[2])) if place is not None else None
            if found is not None:
                found["certain"] = False

    def place_of(self, number):
        """The place of a hook's site in this request's cells."""
        entry = site_of(number)
        if self.files is None:
            self.files = {}
        found = self.files.get(id(entry.source))
        if found is None:
            for cell, source in self.book.cells.values():
                self.files[id(source)] = (cell, source)
            found = self.files.get(id(entry.source))
        return None if found is None else (found[0], found[1], entry.span)

    def hint(self, number, index, value):
        if self.repeating:
            return
        key = (number, index)
        found = self.hints.get(key)
        if found is None:
            if len(self.hints) < MAX_HINTS:
                text = describe(value) if has_jax(value) or type(value) in (int, bool) else None
                self.hints[key] = [1, text, False]
            return
        found[0] += 1
        if found[0] < 5:
            text = describe(value) if has_jax(value) or type(value) in (int, bool) else None
            if text != found[1]:
                found[2] = True

    def hint_list(self):
        out = []
        for (number, index), (times, text, varies) in self.hints.items():
            place = self.place_of(number)
            if text is None or place is None:
                continue
            entry = site_of(number)
            name = entry.names[index] if index < len(entry.names) else "return"
            where = place[1].wire(place[2])
            line = where[0] if entry.kind in ("function", "lambda") else where[2]
            out.append({"cell": place[0], "line": line, "name": name, "type": text, "times": times, "varies": varies})
        return sorted(out, key=lambda hint: (hint["cell"], hint["line"]))

    def clean_list(self):
        """[cell, range] of what traced code ran; [cell, range, True] of calls that say nothing of what stands in them."""
        out = []
        for number, state in self.clean.items():
            place = self.place_of(number) if state else None
            if place is not None:
                out.append([place[0], place[1].wire(place[2])])
        for number in self.through:
            place = self.place_of(number)
            if place is not None:
                out.append([place[0], place[1].wire(place[2]), True])
        return out
