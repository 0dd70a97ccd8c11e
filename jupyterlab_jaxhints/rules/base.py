"""What a rule file is made of: the rule, its examples, its clean look-alikes, its hints and fixes."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["error", "silent", "slow", "style"]


@dataclass(frozen=True)
class Rule:
    """The facts about a rule. Its name is its file's name in kebab-case; severity follows from kind and certainty.

    `says` is the message template, filled from a hint's words; a dict holds several, chosen by `Hint.variant`.
    `yields_to` names the rules that win when both flag the same range.
    """

    section: str
    kind: Kind
    says: str | dict[str, str]
    lanes: Literal["S", "S+T", "T"] = "S"
    jax: str = ""
    yields_to: tuple[str, ...] = ()


@dataclass(frozen=True)
class Example:
    """Bad cells with each flagged range in «marks», what real JAX does with them, and the cells after the first fix.

    `raises` is an exception's class name; `sees` an expression that is true after the bad cells ran; `gives` one that
    is true after the fixed cells ran. `jax` limits the claim to JAX versions, for example ">=0.8".
    """

    bad: Sequence[str]
    raises: str | None = None
    sees: str | None = None
    fixed: Sequence[str] | None = None
    gives: str | None = None
    jax: str = ""


@dataclass(frozen=True)
class Clean:
    """Cells that look alike and must stay silent, with the reason. `runs` is false where they need what is not there."""

    cells: Sequence[str]
    because: str
    jax: str = ""
    runs: bool = True


class Hint:
    """A finding at a node, with the words of its message.

    `certain=False` marks a probable one; `kind` overrides the rule's kind for this hint (print of shapes: "style");
    `evidence` is a list of `engine.values.Step`; `place` is needed only where the node stands in another statement than
    the event's; `data` is for the rule's own `fixes`; other keywords are the words that the message template names.
    """

    __slots__ = ("node", "words", "evidence", "certain", "variant", "kind", "data", "place")

    def __init__(self, node: Any, *, evidence: Sequence[Any] = (), certain: bool = True, variant: str = "",
                 kind: Kind | None = None, data: Any = None, place: Any = None, **words: str) -> None:
        self.node, self.words, self.evidence = node, words, tuple(evidence)
        self.certain, self.variant, self.kind, self.data = certain, variant, kind, data
        self.place = place

    def __getattr__(self, name: str) -> str:
        try:
            return self.words[name]
        except KeyError:
            raise AttributeError(name) from None


def short(text: str, limit: int = 24) -> str:
    """Code as a word of a message: on one line, cut where it is longer than `limit`."""
    text = " ".join(text.split())
    return text if len(text) <= limit else text[:limit - 1] + "…"


@dataclass
class Fix:
    """A rewrite: a label that starts with a verb, the text edits, and whether it keeps the meaning."""

    title: str
    edits: Any
    safe: bool = True


Handler = Callable[[Any], Iterator[Hint] | None]


@dataclass
class Subscription:
    """Which events a handler listens to; put on the function by `on`."""

    events: tuple[type, ...] = field(default_factory=tuple)


def on(*events: type) -> Callable[[Handler], Handler]:
    """Registers the function for these events; it yields a `Hint` for each finding."""

    def mark(function: Handler) -> Handler:
        function.subscription = Subscription(events)  # type: ignore[attr-defined]
        return function

    return mark
