"""What a name may hold: a set of kinds in one int, with optional detail.

A rule fires only where a value *must* be what it speaks of (`Value.must_be`); join is union; unknown is all kinds.
Values are read-only. Lists, dicts, sets and instances live in the interpreter's heap under `Value.ref`.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

(ABSTRACT, LINEAR, TREE, ARRAY, NUMPY, NUMBER, STRING, NONE, SEQUENCE, MAPPING, SET, KEY, FUNCTION, CLASS, MODULE, REF,
 OBJECT, ITERATOR, SLICE, DTYPE, AT, OTHER) = (1 << bit for bit in range(22))
ALL = (1 << 22) - 1
TRACER = ABSTRACT | LINEAR
JAX = ARRAY | TRACER
ARRAYLIKE = JAX | NUMPY
# kinds that a jitted parameter may be before it is used as an array
LEAFLIKE = ABSTRACT | LINEAR | ARRAY | NUMPY | NUMBER | TREE | KEY

KIND_NAMES = {
    ABSTRACT: "tracer", LINEAR: "linear tracer", TREE: "tree of tracers", ARRAY: "JAX array", NUMPY: "NumPy array",
    NUMBER: "number", STRING: "string", NONE: "None", SEQUENCE: "sequence", MAPPING: "mapping", SET: "set", KEY: "key",
    FUNCTION: "function", CLASS: "class", MODULE: "module", REF: "reference", OBJECT: "object", ITERATOR: "iterator",
    SLICE: "slice", DTYPE: "dtype", AT: "at", OTHER: "other",
}


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False


MISSING = _Missing()


@dataclass(eq=False)
class Place:
    """Where a statement stands. The same object serves as long as cell and text stay; `index`, its number among the
    notebook's statements, follows insertions above it. `key` names it in ids that must survive those."""

    cell: str
    key: tuple
    index: int = 0
    piece: Any = None  # engine.statements.Piece: text and first line
    statement: Any = None  # engine.statements.Statement: the parsed tree

    def __repr__(self) -> str:
        return f"{self.cell}:{self.index}"


class Step:
    """One link of the chain of evidence: a sentence, and the node it speaks of.

    The sentence may be given as a function that makes it: few steps are ever shown, and code as text takes time.
    """

    __slots__ = ("_message", "node", "place")

    def __init__(self, message: str | Callable[[], str], node: Any = None, place: Place | None = None) -> None:
        self._message, self.node, self.place = message, node, place

    @property
    def message(self) -> str:
        if not isinstance(self._message, str):
            self._message = self._message()
        return self._message


class Taken(Step):
    """Where a call took an array's buffer."""


class Value:
    """What an expression may evaluate to.

    kinds: bit set, see above. shape: tuple of int or None (unknown dimension), None when the rank is unknown.
    dtype: NumPy name such as "float32". weak: weakly typed. const: the Python constant; for small arrays nested tuples.
    elements: of a tuple. ref: heap id of a mutable object. ident: identity of a key, an array, an unknown parameter.
    target: qualified name (str), Function, Wrapped, Partial, Bound, Class or At for callables and modules.
    made: the Step that says where it comes from; traced: the Step that says why it is a tracer. Neither is compared.
    """

    __slots__ = ("kinds", "shape", "dtype", "weak", "const", "elements", "ref", "ident", "target", "made", "traced",
                 "flags", "_print")

    def __init__(self, kinds: int, *, shape: tuple | None = None, dtype: str | None = None, weak: bool | None = None,
                 const: Any = MISSING, elements: tuple | None = None, ref: Any = None, ident: Any = None,
                 target: Any = None, made: Step | None = None, traced: Step | None = None,
                 flags: frozenset = frozenset()) -> None:
        self.kinds, self.shape, self.dtype, self.weak, self.const = kinds, shape, dtype, weak, const
        self.elements, self.ref, self.ident, self.target = elements, ref, ident, target
        self.made, self.traced, self.flags = made, traced, flags
        self._print: Any = None

    def must_be(self, kinds: int) -> bool:
        """The value is one of these kinds, whatever else is true."""
        return self.kinds != 0 and self.kinds & ~kinds == 0

    def may_be(self, kinds: int) -> bool:
        """The value may be one of these kinds."""
        return self.kinds & kinds != 0

    @property
    def known(self) -> bool:
        """A constant of Python is known."""
        return self.const is not MISSING

    @property
    def is_unknown(self) -> bool:
        return self.kinds == ALL

    @property
    def name(self) -> str:
        """The qualified name of a module, function or class from outside the notebook, or ''."""
        return self.target if isinstance(self.target, str) else ""

    @property
    def rank(self) -> int | None:
        return None if self.shape is None else len(self.shape)

    @property
    def size(self) -> int | None:
        """Number of elements, where every dimension is known."""
        if self.shape is None or any(d is None for d in self.shape):
            return None
        total = 1
        for dimension in self.shape:
            total *= dimension
        return total

    def but(self, **changes: Any) -> Value:
        """A copy with some details changed."""
        details = {name: getattr(self, name) for name in Value.__slots__[:-1]}
        details.update(changes)
        return Value(details.pop("kinds"), **details)

    def fingerprint(self) -> Any:
        """Equal for values that the interpreter treats alike."""
        if self._print is None:
            const = self.const if self.const is MISSING else (type(self.const).__name__, _hashable(self.const))
            elements = self.elements and tuple(e.fingerprint() for e in self.elements)
            target = self.target
            print_ = target.fingerprint() if hasattr(target, "fingerprint") else target
            self._print = (self.kinds, self.shape, self.dtype, self.weak, const, elements, self.ref, self.ident, print_,
                           self.flags)
        return self._print

    def __repr__(self) -> str:
        kinds = "unknown" if self.is_unknown else "|".join(n for k, n in KIND_NAMES.items() if self.kinds & k)
        detail = [f"{n}={getattr(self, n)!r}" for n in ("shape", "dtype", "elements", "ref", "ident", "target")
                  if getattr(self, n) is not None]
        if self.known:
            detail.append(f"const={self.const!r}")
        return f"<{kinds} {' '.join(detail)}>".replace(" >", ">")


def _hashable(value: Any) -> Any:
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return repr(value) if isinstance(value, float) else value


UNKNOWN = Value(ALL)
NOTHING = Value(NONE, const=None)
A_NUMBER = Value(NUMBER)
A_STRING = Value(STRING)


def constant(value: Any) -> Value:
    """The value of a Python literal."""
    if value is None:
        return NOTHING
    if isinstance(value, (bool, int, float, complex)):
        return Value(NUMBER, const=value, dtype=type(value).__name__)
    if isinstance(value, (str, bytes)):
        return Value(STRING if isinstance(value, str) else OTHER, const=value)
    if isinstance(value, tuple):
        return Value(SEQUENCE, elements=tuple(constant(item) for item in value), const=value, flags=TUPLE)
    return Value(OTHER, const=value)


TUPLE = frozenset({"tuple"})
LIST = frozenset({"list"})
# the answer to which JAX this is
ASKS = frozenset({"asks"})
# a number that is another one on every turn of the loop around it
VARYING = frozenset({"varying"})


def tuple_of(elements: tuple | list, made: Step | None = None) -> Value:
    """A tuple; constant when all of its elements are."""
    elements = tuple(elements)
    const = tuple(e.const for e in elements) if all(e.known for e in elements) else MISSING
    return Value(SEQUENCE, elements=elements, const=const, flags=TUPLE, made=made)


def join(a: Value, b: Value) -> Value:
    """The value that may be either."""
    if a is b or a.fingerprint() == b.fingerprint():
        return a
    if a.is_unknown or b.is_unknown:
        return UNKNOWN
    elements = None
    if a.elements is not None and b.elements is not None and len(a.elements) == len(b.elements):
        elements = tuple(map(join, a.elements, b.elements))
    same = {n: getattr(a, n) for n in ("dtype", "weak", "ref", "ident") if getattr(a, n) == getattr(b, n)}
    if "ident" not in same and a.kinds == b.kinds == KEY:
        same["ident"] = ("join", a.ident, b.ident)
    target = a.target if _same_target(a.target, b.target) else None
    const = a.const if a.known and b.known and type(a.const) is type(b.const) and a.const == b.const else MISSING
    return Value(a.kinds | b.kinds, shape=_join_shapes(a.shape, b.shape), const=const, elements=elements, target=target,
                 made=a.made or b.made, traced=a.traced or b.traced, flags=a.flags & b.flags, **same)


def _same_target(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if hasattr(a, "fingerprint") and hasattr(b, "fingerprint"):
        return a.fingerprint() == b.fingerprint()
    return isinstance(a, str) and a == b


def _join_shapes(a: tuple | None, b: tuple | None) -> tuple | None:
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(x if x == y else None for x, y in zip(a, b))


def leaves(value: Value, read: Callable[[Value], list[Value]], depth: int = 4) -> list[Value]:
    """The leaves of a tree of containers; `read` gives the parts of a container, or an empty list."""
    parts = read(value) if depth else []
    if not parts:
        return [value]
    return [leaf for part in parts for leaf in leaves(part, read, depth - 1)]
