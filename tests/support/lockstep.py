"""Runs an expression on real JAX and NumPy and, step by step beside it, asks `engine.shapes` about each result."""

from __future__ import annotations

import ast
import builtins
import operator
from types import ModuleType
from typing import Any

import jax
import numpy as np

from jupyterlab_jaxhints.engine import shapes
from jupyterlab_jaxhints.engine.callables import Argument
from jupyterlab_jaxhints.engine.values import (
    ARRAY,
    DTYPE,
    FUNCTION,
    KEY,
    MISSING,
    MODULE,
    NUMBER,
    NUMPY,
    OTHER,
    SEQUENCE,
    SLICE,
    Value,
    constant,
    tuple_of,
)

OPERATORS = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.USub: "-",
    ast.UAdd: "+",
    ast.Invert: "~",
    ast.Not: "not",
}
FUNCTIONS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "@": operator.matmul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
UNARY = {"-": operator.neg, "+": operator.pos, "~": operator.invert, "not": operator.not_}


def is_key(real: Any) -> bool:
    return isinstance(real, jax.Array) and jax.dtypes.issubdtype(real.dtype, jax.dtypes.prng_key)


def contradictions(real: Any, details: dict[str, Any]) -> list[str]:
    """What the details say that the real result is not."""
    found = []
    shape, dtype = np.shape(real), getattr(real, "dtype", None)
    told = details.get("shape")
    if told is not None and (
        len(told) != len(shape) or any(t is not None and t != d for t, d in zip(told, shape))
    ):
        found.append(f"shape {told}, really {shape}")
    name = str(dtype) if dtype is not None else type(real).__name__
    if details.get("dtype") is not None and details["dtype"] != name:
        found.append(f"dtype {details['dtype']}, really {name}")
    if details.get("weak") is not None and isinstance(real, jax.Array) and details["weak"] != real.weak_type:
        found.append(f"weak {details['weak']}, really {real.weak_type}")
    if details.get("const", MISSING) is not MISSING and not _same_numbers(real, details["const"]):
        found.append(f"const {details['const']}, really {real}")
    return found


def _same_numbers(real: Any, const: Any) -> bool:
    if isinstance(real, tuple):
        return real == const
    if is_key(real):
        return False
    wide = np.asarray(real)
    told = np.asarray(const).reshape(wide.shape) if np.size(const) == wide.size else None
    if told is None or (np.size(const) and np.shape(const) != wide.shape):
        return False
    with np.errstate(all="ignore"):
        return bool(np.array_equal(told.astype(wide.dtype), wide, equal_nan=wide.dtype.kind in "fc"))


def parts(value: Value) -> list[Value]:
    return list(value.elements or ())


def value_of(real: Any, details: dict[str, Any] | None = None) -> Value:
    """A value of the kind that the real object has, with these details of it, or all of them."""
    if isinstance(real, (jax.Array, np.ndarray, np.generic)):
        kind = KEY if is_key(real) else ARRAY if isinstance(real, jax.Array) else NUMPY
        if details is None:
            details = {
                "shape": real.shape,
                "dtype": str(real.dtype),
                "weak": getattr(real, "weak_type", None),
            }
        return Value(kind, **details)
    if isinstance(real, (bool, int, float, complex)):
        return constant(real) if not details else Value(NUMBER, **{"dtype": type(real).__name__, **details})
    if isinstance(real, (tuple, list)):
        elements = tuple(value_of(item) for item in real)
        return tuple_of(elements) if isinstance(real, tuple) else _list(elements)
    if isinstance(real, np.dtype):
        return Value(DTYPE, dtype=str(real))
    return constant(real)


def _list(elements: tuple) -> Value:
    return Value(SEQUENCE, elements=elements, flags=frozenset({"list"}))


class Lockstep:
    """Evaluates expressions over names; `problems` collects what was told wrong."""

    def __init__(
        self,
        names: dict[str, Any],
        x64: bool,
        values: dict[str, Value] | None = None,
        told_x64: bool | None | str = "same",
    ) -> None:
        self.names, self.values, self.problems = names, values or {}, []
        self.x64 = x64 if told_x64 == "same" else told_x64

    def run(self, text: str) -> tuple[Any, Value]:
        return self.evaluate(ast.parse(text, mode="eval").body)

    def note(self, node: ast.AST, real: Any, details: dict[str, Any]) -> tuple[Any, Value]:
        self.problems += [f"{ast.unparse(node)}: {problem}" for problem in contradictions(real, details)]
        return real, value_of(real, details)

    def evaluate(self, node: ast.AST) -> tuple[Any, Value]:
        return getattr(self, type(node).__name__.lower())(node)

    def constant(self, node: ast.Constant) -> tuple[Any, Value]:
        return node.value, constant(node.value)

    def name(self, node: ast.Name) -> tuple[Any, Value]:
        if node.id in self.names:
            real = self.names[node.id]
            if isinstance(real, ModuleType):
                return real, Value(MODULE, target=real.__name__)
            return real, self.values.get(node.id) or value_of(real)
        return vars(builtins)[node.id], Value(OTHER, target=f"builtins.{node.id}")

    def tuple(self, node: ast.Tuple) -> tuple[Any, Value]:
        pairs = [self.evaluate(item) for item in node.elts]
        return tuple(real for real, _ in pairs), tuple_of([value for _, value in pairs])

    def list(self, node: ast.List) -> tuple[Any, Value]:
        pairs = [self.evaluate(item) for item in node.elts]
        return [real for real, _ in pairs], _list(tuple(value for _, value in pairs))

    def slice(self, node: ast.Slice) -> tuple[Any, Value]:
        pairs = [
            (None, constant(None)) if part is None else self.evaluate(part)
            for part in (node.lower, node.upper, node.step)
        ]
        return slice(*(real for real, _ in pairs)), Value(SLICE, elements=tuple(value for _, value in pairs))

    def binop(self, node: ast.BinOp) -> tuple[Any, Value]:
        return self.operate(node, OPERATORS[type(node.op)], node.left, node.right)

    def compare(self, node: ast.Compare) -> tuple[Any, Value]:
        return self.operate(node, OPERATORS[type(node.ops[0])], node.left, node.comparators[0])

    def operate(self, node: ast.AST, sign: str, left: ast.AST, right: ast.AST) -> tuple[Any, Value]:
        (a, left_value), (b, right_value) = self.evaluate(left), self.evaluate(right)
        return self.note(
            node, FUNCTIONS[sign](a, b), shapes.binary(sign, left_value, right_value, self.x64, parts)
        )

    def unaryop(self, node: ast.UnaryOp) -> tuple[Any, Value]:
        sign = OPERATORS[type(node.op)]
        real, value = self.evaluate(node.operand)
        return self.note(node, UNARY[sign](real), shapes.unary(sign, value))

    def subscript(self, node: ast.Subscript) -> tuple[Any, Value]:
        (real, value), (at, index) = self.evaluate(node.value), self.evaluate(node.slice)
        if isinstance(real, tuple):
            return real[at], value.elements[at] if value.elements else value_of(real[at], {})
        return self.note(node, real[at], shapes.index(value, index, parts))

    def attribute(self, node: ast.Attribute) -> tuple[Any, Value]:
        real, value = self.evaluate(node.value)
        found = getattr(real, node.attr)
        if isinstance(real, ModuleType):
            if isinstance(found, ModuleType):
                return found, Value(MODULE, target=found.__name__)
            return found, value_of(found) if isinstance(found, float) else Value(
                FUNCTION, target=f"{real.__name__}.{node.attr}"
            )
        told = shapes.attribute(node.attr, value)
        if isinstance(told, Value):
            if told.known:
                assert told.const == found, (ast.unparse(node), told, found)
            return found, told
        return self.note(node, found, told or {})

    def call(self, node: ast.Call) -> tuple[Any, Value]:
        pairs = [(self.evaluate(arg), "") for arg in node.args]
        pairs += [(self.evaluate(keyword.value), keyword.arg) for keyword in node.keywords]
        args = tuple(Argument(value, None, keyword=keyword) for (_, value), keyword in pairs)
        positional = [real for (real, _), keyword in pairs if not keyword]
        keywords = {keyword: real for (real, _), keyword in pairs if keyword}
        update = _at(node.func)
        if update is not None:
            real, value = self.evaluate(update)
            result = eval(compile(ast.Expression(node), "", "eval"), dict(self.names))
            return self.note(
                node, result, shapes.method(f"at.{node.func.attr}", value, args, parts, self.x64)
            )
        real, value = self.evaluate(node.func.value) if isinstance(node.func, ast.Attribute) else (None, None)
        if real is not None and not isinstance(real, ModuleType):
            result = getattr(real, node.func.attr)(*positional, **keywords)
            return self.result(
                node, result, shapes.method(node.func.attr, value, args, parts, self.x64), None
            )
        function, value = self.evaluate(node.func)
        result = function(*positional, **keywords)
        several = shapes.calls(value.target, args, parts, self.x64)
        return self.result(node, result, shapes.call(value.target, args, parts, self.x64), several)

    def result(self, node: ast.AST, real: Any, details: dict, several: Any) -> tuple[Any, Value]:
        if isinstance(real, (tuple, list)):
            if any(key in details for key in ("dtype", "shape")):
                self.problems.append(f"{ast.unparse(node)}: one array, really {len(real)}")
            if several is None:
                return tuple(real), Value(SEQUENCE)
            if len(several) != len(real):
                self.problems.append(f"{ast.unparse(node)}: {len(several)} results, really {len(real)}")
                return tuple(real), Value(SEQUENCE)
            return tuple(real), tuple_of([self.note(node, r, d)[1] for r, d in zip(real, several)])
        if several is not None:
            self.problems.append(f"{ast.unparse(node)}: {len(several)} results, really one")
        if isinstance(real, (jax.Array, np.ndarray, np.generic, bool, int, float, complex)):
            return self.note(node, real, details)
        return real, value_of(real)


def _at(function: ast.AST) -> ast.AST | None:
    """`x` of `x.at[i].set`."""
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Subscript):
        inner = function.value.value
        if isinstance(inner, ast.Attribute) and inner.attr == "at":
            return inner.value
    return None
