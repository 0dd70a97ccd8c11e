"""Code that asks which JAX this is, directly or by what an earlier statement found out.

`hasattr(jax, …)`, `jax.__version__ >= …` and what a `try … except ImportError` leaves behind are such questions; so are
the names, attributes and functions that hold their answers.
"""
from __future__ import annotations

from typing import Any

import libcst as cst

from . import scopes
from . import values as v
from .interpreter import GUARDS, Machine
from .values import Value

QUESTIONS = ("hasattr", "version", "getattr")
# words that are questions when they stand alone
EXACT = frozenset({"dir", "vars", "__dict__", "find_spec"})
# what makes a small function the answer to such a question
ANSWERS = frozenset({"hasattr", "__version__", "__version_info__", "version_info", "find_spec"})
ANSWERING = frozenset({"importlib.metadata.version", "importlib.util.find_spec", "packaging.version.parse",
                       "packaging.version.Version"})
# a `try` that catches one of these by name asks whether a name is there
ABSENCE = GUARDS - {"Exception", "BaseException", ""}
SMALL = 400  # characters of a function that does little but answer
KNOWN = ("flag", "asks")


def in_words(test: Any) -> bool:
    """The test itself names the question."""
    return any(question in word for question in QUESTIONS for word in scopes.words(test))


def asks(m: Machine, test: Any) -> bool:
    """The test asks which JAX this is, or for the answer that somebody has kept."""
    if in_words(test) or EXACT & scopes.words(test):
        return True
    attributes = m.state.used.get(KNOWN)
    if attributes is None:
        return False
    return bool(attributes & scopes.words(test)) or any(
        m.lookup(name).flags & v.ASKS for name in scopes.names_in(test))


def imported(m: Machine, value: Value) -> Value:
    """What an import binds, marked where it answers (`importlib.metadata.version`) or is itself in question."""
    return _marked(m, value) if value.name in ANSWERING else kept(m, value, None)


def kept(m: Machine, value: Value, value_node: Any) -> Value:
    """The value that a name or attribute gets, marked where it is such an answer."""
    answers = value_node is not None and asks(m, value_node)
    if not answers and (value.known or value.must_be(v.MODULE)):
        answers = m.guards > 0 or any(block.catches & ABSENCE for _, block in m.ctx.tries)
    return _marked(m, value) if answers else value


def attribute(m: Machine, attr: str, value_node: Any) -> None:
    """An attribute gets a value: it may be the one that tells."""
    if value_node is not None and asks(m, value_node):
        m.state.used.set(KNOWN, (m.state.used.get(KNOWN) or frozenset()) | {attr})


def answering(m: Machine, function: cst.FunctionDef, value: Value) -> Value:
    """A function, marked where it does little but answer."""
    if ANSWERS & scopes.words(function.body) and len(m.text(function.body)) < SMALL:
        return _marked(m, value)
    return value


def _marked(m: Machine, value: Value) -> Value:
    if m.state.used.get(KNOWN) is None:
        m.state.used.set(KNOWN, frozenset())
    return value.but(flags=value.flags | v.ASKS)
