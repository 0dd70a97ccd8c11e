"""Parses statements with LibCST and keeps the trees by their text."""
from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal

from .recovery import too_chained, too_deep
from .stack import run_deep

if TYPE_CHECKING:
    import libcst as cst

MAX_DEPTH = 50  # LibCST's time grows with the square of the depth, and the stack ends somewhere
MAX_CHAIN = 300  # `x.a.a.a…` and `x + x + …` are as deep for LibCST as brackets are, and as slow
MAX_STATEMENT = 20_000

_ERROR_LINE = re.compile(r"error at (\d+):\d+")


@dataclass
class Stats:
    """Work done, so that tests can count it."""

    parsed: int = 0
    failed: int = 0
    reused: int = 0

    def reset(self) -> None:
        self.parsed = self.failed = self.reused = 0


stats = Stats()


@dataclass(eq=False)
class Statement:
    """A parsed statement. `repaired`: a stand-in replaces some of its lines."""

    text: str
    hash: str
    module: cst.Module
    repaired: bool = False

    @property
    def body(self) -> Any:
        """Its nodes; one, save for what a cell's first or last comment leaves."""
        return self.module.body

    @cached_property
    def _spans(self) -> Any:
        from .spans import record

        return run_deep(record, self.module, self.text)

    @property
    def exact(self) -> bool:
        """Positions are exact, so text can be edited by them."""
        return self._spans is not None

    def span(self, node: cst.CSTNode, parens: bool = False) -> tuple[int, int]:
        """(start, end) of a node in `text`: without white space around it, or parentheses unless wanted."""
        if self._spans is None:
            return 0, len(self.text.rstrip())
        return self._spans.outer(node) if parens else self._spans.inner(node)


@dataclass(frozen=True)
class _Failure:
    line: int | None  # zero-based, where the parser stopped


class _Cache:
    """Statements by text, the least recently used ones dropped. A tree takes 100 times its text."""

    def __init__(self, characters: int = 600_000) -> None:
        self.limit, self.size = characters, 0
        self.kept: OrderedDict[tuple[str, bool], Statement | _Failure] = OrderedDict()

    def get(self, key: tuple[str, bool]) -> Statement | _Failure | None:
        found = self.kept.get(key)
        if found is not None:
            self.kept.move_to_end(key)
        return found

    def put(self, key: tuple[str, bool], value: Statement | _Failure) -> None:
        self.kept[key] = value
        self.size += len(key[0])
        while self.size > self.limit and len(self.kept) > 1:
            (text, _), _ = self.kept.popitem(last=False)
            self.size -= len(text)


_cache = _Cache()


def refusal(text: str) -> Literal["nesting", "statement"] | None:
    """Why a text is kept from the parser, which it would take down or stop for seconds."""
    if len(text) > MAX_STATEMENT:
        return "statement"
    return "nesting" if too_deep(text, MAX_DEPTH) or too_chained(text, MAX_CHAIN) else None


def parse(text: str, repaired: bool = False) -> Statement | None:
    """The statement's tree; None where its text is broken or a guard forbids to parse it."""
    found = _parse(text, repaired)
    return found if isinstance(found, Statement) else None


def failure_line(text: str) -> int | None:
    """The line, from 0, where the parser gave up on a broken text."""
    found = _parse(text, False)
    return found.line if isinstance(found, _Failure) else None


def clear_cache() -> None:
    """Forgets every tree."""
    _cache.kept.clear()
    _cache.size = 0


def _parse(text: str, repaired: bool) -> Statement | _Failure:
    key = (text, repaired)
    found = _cache.get(key)
    if found is not None:
        stats.reused += 1
        return found
    found = _Failure(None) if refusal(text) else run_deep(_parse_now, text, repaired)
    _cache.put(key, found)
    return found


def _parse_now(text: str, repaired: bool) -> Statement | _Failure:
    import libcst as cst

    try:
        module = cst.parse_module(text)
    except Exception as error:  # noqa: BLE001 - fuzzing finds AttributeError and others
        stats.failed += 1
        match = _ERROR_LINE.search(str(error))
        return _Failure(int(match[1]) - 1 if match else None)
    if not module.body:
        return _Failure(None)
    stats.parsed += 1
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return Statement(text, digest + ("-repaired" if repaired else ""), module, repaired)
