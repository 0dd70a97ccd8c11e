"""Which handler answers for which function. Handlers take an `Ask` and give details; the tables stand beside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from . import dtypes
from .operands import Ask, Operand, details

Handler = Callable[[Ask], "dict[str, Any] | list[dict[str, Any]] | None"]


class Entry(NamedTuple):
    handler: Handler
    signature: tuple[str, ...]


ONE: dict[str, Entry] = {}  # functions with one array as their result
SEVERAL: dict[str, Entry] = {}  # functions with several


def answers(names: str, signature: str, module: str = "jax.numpy", table: dict[str, Entry] = ONE) -> Callable:
    """Registers a handler for functions of a module; those of jax.numpy also serve their namesakes in numpy."""

    def register(handler: Handler) -> Handler:
        entry = Entry(handler, tuple(signature.split()))
        for name in names.split():
            table[f"{module}.{name}"] = entry
        return handler

    return register


def find(name: str, table: dict[str, Entry]) -> tuple[Entry, bool] | None:
    """The entry of a qualified name, and whether it speaks of NumPy."""
    entry = table.get(name)
    if entry is not None:
        return entry, name.startswith("numpy.")
    if name.startswith("numpy."):
        entry = table.get("jax." + name)
        return None if entry is None else (entry, True)
    return None


def promote(ask: Ask, operands: list[Operand]) -> dtypes.Typed:
    """Dtype and weak type of operands together, by the rules of the function's library."""
    if ask.numpy:
        return dtypes.promote_numpy([numpy_typed(o) for o in operands]), None
    return dtypes.promote_jax([o.typed for o in operands], ask.x64)


def numpy_typed(o: Operand) -> tuple:
    """An operand for `dtypes.promote_numpy`."""
    if o.side == "python":
        return o.dtype, True, True
    return dtypes.strong(o.dtype), False, None if o.shape is None else o.shape == ()


def inexact(ask: Ask, typed: dtypes.Typed) -> dtypes.Typed:
    """The dtype that functions over floats give."""
    if ask.numpy:
        return dtypes.numpy_table("inexact", typed[0]), None
    return dtypes.inexact_jax(typed, ask.x64)


def settled(ask: Ask, typed: dtypes.Typed) -> dtypes.Typed:
    """A dtype as an array has it: none of Python's names any more."""
    strong = dtypes.strong(typed[0])
    return (strong, None) if ask.numpy else (dtypes.canonical(strong, ask.x64), typed[1])


def like(ask: Ask, found: Operand, shape: tuple | None, const: Any = None) -> dict[str, Any]:
    """Another shape, the operand's dtype."""
    dtype, weak = settled(ask, found.typed)
    extra = {} if const is None else {"const": const}
    return details(shape, dtype, weak, **extra)
