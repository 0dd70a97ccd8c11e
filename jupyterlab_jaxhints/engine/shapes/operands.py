"""Arguments of a call as operands: what is known of each as an array, as a shape, an axis, a flag, a dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..callables import Argument
from ..values import ARRAYLIKE, JAX, KEY, MISSING, NONE, NUMBER, NUMPY, SEQUENCE, Value
from . import broadcast, constants, dtypes

Parts = Callable[[Value], "list[Value]"]
DEPTH = 8


class Operand(NamedTuple):
    """What is known of an array. side: jax, numpy, python (a number), sequence, '' when it may be several of them."""

    shape: tuple | None = None
    dtype: str | None = None
    weak: bool | None = None
    const: Any = MISSING
    side: str = ""

    @property
    def typed(self) -> tuple:
        return self.dtype, self.weak

    @property
    def rank(self) -> int | None:
        return None if self.shape is None else len(self.shape)


NOTHING = Operand()


def details(
    shape: tuple | None = None, dtype: str | None = None, weak: bool | None = None, const: Any = MISSING
) -> dict[str, Any]:
    """The details that are known."""
    found: dict[str, Any] = {}
    if shape is not None:
        found["shape"] = tuple(shape)
    if dtype:
        found["dtype"] = dtype
    if weak is not None:
        found["weak"] = weak
    if const is not MISSING:
        found["const"] = const
    return found


def common(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    """What two answers both say."""
    found = {key: a[key] for key in a if key in b and a[key] == b[key] and type(a[key]) is type(b[key])}
    shapes = a.get("shape"), b.get("shape")
    if None not in shapes and len(shapes[0]) == len(shapes[1]):
        found["shape"] = tuple(x if x == y else None for x, y in zip(*shapes))
    return found


def side_of(value: Value) -> str:
    """Whose array it is; '' when that is not certain."""
    for kinds, side in (
        (JAX, "jax"),
        (NUMPY, "numpy"),
        (NUMBER, "python"),
        (SEQUENCE, "sequence"),
        (KEY, "key"),
    ):
        if value.must_be(kinds):
            return side
    return ""


def operand(value: Value, parts: Parts, depth: int = DEPTH) -> Operand:
    """A value as an operand, as it is (no dtype is cut to 32 bits)."""
    side = side_of(value)
    if side == "python":
        dtype = value.dtype or (dtypes.of_python(value.const) if value.known else None)
        return Operand((), dtype, True if dtype and dtype != "bool" else None, value.const, side)
    if side == "numpy":
        return Operand(value.shape, value.dtype, False, value.const, side)
    if side in ("jax", "key"):
        return Operand(value.shape, value.dtype, value.weak, value.const, side)
    if side == "sequence":
        return sequence(value, parts, depth)
    if value.must_be(ARRAYLIKE | NUMBER):
        return Operand(value.shape, value.dtype, value.weak, value.const, side)
    return NOTHING


def items(value: Value, parts: Parts) -> list[Value] | None:
    """The items of a tuple or list; None when they are not known."""
    if not value.must_be(SEQUENCE):
        return None
    if value.elements is not None:
        return list(value.elements)
    found = parts(value)
    if found or (value.known and value.const in ((), [])):
        return list(found)
    if value.known and isinstance(value.const, tuple):
        return [number(item) for item in value.const]
    return None


def number(const: Any) -> Value:
    """A constant from inside of another."""
    if isinstance(const, tuple):
        return Value(SEQUENCE, const=const)
    dtype = dtypes.of_python(const)
    return Value(NUMBER, const=const, dtype=dtype) if dtype else Value(0)


def sequence(value: Value, parts: Parts, depth: int = DEPTH) -> Operand:
    """The array a nested list is converted to; its dtype is a Python number's where all of its leaves are numbers."""
    found = items(value, parts) if depth else None
    if found is None:
        return Operand(side="sequence")
    if not found:
        return Operand((0,), "float", False, (), "sequence")
    inner = [operand(item, parts, depth - 1) for item in found]
    shape = None if any(o.shape is None for o in inner) else broadcast.united([o.shape for o in inner])
    python = all(o.dtype in ("bool", "int", "float", "complex") for o in inner)
    dtype = None
    if python and all(o.side in ("python", "sequence") for o in inner):
        dtype = max((o.dtype for o in inner), key=("bool", "int", "float", "complex").index)
    elif len({o.dtype for o in inner}) == 1 and len({o.side for o in inner}) == 1:
        dtype = inner[0].dtype
    shape = None if shape is None else (len(inner), *shape)
    const = tuple(o.const for o in inner)
    size = None if shape is None else broadcast.product(shape)
    if MISSING in const or size is None or size > constants.LIMIT or constants.shape_of(const) != shape:
        const = MISSING
    return Operand(shape, dtype, False, const, "sequence")


def jaxed(found: Operand, x64: bool | None) -> Operand:
    """An operand as JAX takes it: 64 bits cut, sequences strong, numbers weak."""
    shape, dtype, weak, const, side = found
    if side in ("python", "sequence"):
        strong = dtypes.canonical(dtypes.strong(dtype), x64)
        if side == "python":
            weak = dtype != "bool" if dtype else None
            strong = dtype if dtype and x64 is None else strong
        if const is not MISSING and dtypes.category(strong) in ("int", "uint"):
            const = MISSING if dtypes.overflow(const, strong) is not None else const
        return Operand(shape, strong, weak, const, side)
    cut = dtypes.canonical(dtype, x64)
    if side == "jax" and cut != dtype:
        cut = None  # made while 64 bits were on
    if side == "" and dtype in dtypes.PYTHON:
        cut = None
    return Operand(shape, cut, weak, const if cut else MISSING, side)


def integer(value: Value | None) -> int | None:
    """A known integer."""
    if (
        value is not None
        and value.known
        and isinstance(value.const, int)
        and not isinstance(value.const, bool)
    ):
        return value.const
    return None


class Ask:
    """One call to answer: its arguments by parameter name, and whose function it is."""

    __slots__ = ("name", "numpy", "given", "rest", "parts", "x64")

    def __init__(
        self,
        name: str,
        numpy: bool,
        given: dict[str, Value],
        rest: list[Value],
        parts: Parts,
        x64: bool | None,
    ) -> None:
        self.name, self.numpy, self.given, self.rest = name, numpy, given, rest
        self.parts, self.x64 = parts, x64

    def value(self, parameter: str) -> Value | None:
        return self.given.get(parameter)

    def has(self, parameter: str) -> bool | None:
        """The argument is there and not None; None when that is not known."""
        value = self.given.get(parameter)
        if value is None or value.must_be(NONE):
            return False
        return None if value.may_be(NONE) else True

    def raw(self, parameter: str) -> Operand:
        value = self.given.get(parameter)
        return NOTHING if value is None else operand(value, self.parts)

    def array(self, parameter: str) -> Operand:
        """An argument as an array of the function's library."""
        return self.taken(self.given.get(parameter))

    def taken(self, value: Value | None) -> Operand:
        if value is None:
            return NOTHING
        found = operand(value, self.parts)
        return found if self.numpy else jaxed(found, self.x64)

    def arrays(self, parameter: str) -> list[Operand] | None:
        """A sequence of arrays, or one array as its rows."""
        value = self.given.get(parameter)
        if value is None:
            return None
        found = items(value, self.parts)
        if found is not None:
            return [self.taken(item) for item in found]
        whole = self.taken(value) if value.must_be(ARRAYLIKE) else NOTHING
        if not whole.shape or whole.shape[0] is None or whole.shape[0] > 256:
            return None
        return [Operand(whole.shape[1:], whole.dtype, whole.weak, MISSING, whole.side)] * whole.shape[0]

    def integer(self, parameter: str, default: int | None = None) -> Any:
        """A whole number, the default when it is left out, MISSING when it is not known."""
        value = self.given.get(parameter)
        if value is None or (value.must_be(NONE) and default is None):
            return default
        found = integer(value)
        return MISSING if found is None else found

    def flag(self, parameter: str, default: bool = False) -> Any:
        """True or False, MISSING when it is not known."""
        value = self.given.get(parameter)
        if value is None:
            return default
        return bool(value.const) if value.known and isinstance(value.const, (bool, int)) else MISSING

    def axis(self, parameter: str, default: Any = None) -> Any:
        """An axis or axes: int, tuple of int, None; MISSING when not known."""
        value = self.given.get(parameter)
        if value is None:
            return default
        if value.must_be(NONE):
            return None
        if integer(value) is not None:
            return value.const
        found = items(value, self.parts)
        if found is None:
            return MISSING
        numbers = tuple(integer(item) for item in found)
        return MISSING if None in numbers else numbers

    def dims(self, parameter: str) -> tuple | None:
        """A shape argument."""
        value = self.given.get(parameter)
        return None if value is None else dims(value, self.parts)

    def dtype(self, default: str | None = None, parameter: str = "dtype") -> str | None:
        """The dtype asked for or the default, cut to 32 bits where JAX does so."""
        found = dtypes.parse(self.given.get(parameter))
        found = default if found == dtypes.DEFAULT else found
        return found if self.numpy else dtypes.canonical(found, self.x64)

    def asked(self, parameter: str = "dtype") -> bool | None:
        """A dtype is asked for; None when that is not known."""
        return self.has(parameter)


def dims(value: Value, parts: Parts) -> tuple | None:
    """A shape from a number, a tuple, a list or a constant 1-d array."""
    if value.must_be(NUMBER):
        return (integer(value),)
    if value.must_be(ARRAYLIKE):
        if isinstance(value.const, int) and not isinstance(value.const, bool):
            return (value.const,)
        if isinstance(value.const, tuple):
            return tuple(d if isinstance(d, int) else None for d in value.const)
        if value.shape is not None and len(value.shape) == 1 and value.shape[0] is not None:
            return (None,) * min(value.shape[0], 32)
        return None
    found = items(value, parts)
    if found is None or any(not item.may_be(NUMBER | ARRAYLIKE) for item in found):
        return None
    return tuple(integer(item) for item in found)


def bind(
    args: tuple[Argument, ...], signature: tuple[str, ...]
) -> tuple[dict[str, Value], list[Value]] | None:
    """Arguments by parameter name; a parameter `*name` takes the rest. None when a star hides what goes where."""
    given: dict[str, Value] = {}
    rest: list[Value] = []
    position = 0
    for arg in args:
        if arg.star:
            return None
        if arg.keyword:
            given[arg.keyword] = arg.value
            continue
        parameter = signature[position] if position < len(signature) else "*"
        if parameter.startswith("*"):
            rest.append(arg.value)
        else:
            given[parameter] = arg.value
            position += 1
    return given, rest
