"""What NumPy, Python's builtins and the methods of arrays do with a tracer.

Two kinds of tracer: `abstract` (jit, vmap, scan and all that stage) and `linear` (grad, vjp, jvp alone). An
answer is

- `raises`: JAX raises, where an ordinary JAX array works
- `tracer`: it works and gives a tracer
- `static`: it works and gives a value that is known while tracing
- `wrong`: it raises nothing and gives another answer than on an ordinary array
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from .tables import load


@dataclass(frozen=True)
class NumpyFunction:
    """A function of NumPy or of `math`."""

    name: str
    #: in order; `*operands` takes all that follow
    parameters: tuple[str, ...]
    #: parameter → tracer kind → answer; a parameter that is missing was not measured
    arguments: Mapping[str, Mapping[str, str]]
    #: the function of `jax.numpy` of the same name, if there is one
    twin: str | None = None

    def answer(self, kind: str, argument: int | str) -> str | None:
        """What a tracer of this kind does at a place, or under a keyword; None is unknown.

        Methods (`ufunc.at`, `ndarray.dot`) have one row for all their arguments.
        """
        if not self.parameters:
            return self.arguments.get("x", {}).get(kind)
        name = argument if isinstance(argument, str) else self._name_at(argument)
        return self.arguments.get(name or "", {}).get(kind)

    def _name_at(self, place: int) -> str | None:
        for here, name in enumerate(self.parameters):
            if name.startswith("*"):
                return name[1:] if not name.startswith("**") else None
            if here == place:
                return name
        return None


@dataclass(frozen=True)
class Method:
    """An attribute or a method of JAX's arrays, or one that only NumPy's have (`kind` "missing")."""

    name: str
    #: method | attribute | missing
    kind: str
    #: what it gives, on an array and on either tracer: a result as in `api.Entry`, `at`, or `raises`
    result: str = "unknown"
    abstract: str = "unknown"
    linear: str = "unknown"
    #: "raises" where even an ordinary array refuses the plain call
    concrete: str | None = None
    #: whether NumPy's arrays have it
    numpy: bool = False
    #: whether NumPy's changes the array and gives None
    numpy_in_place: bool = False


@lru_cache(maxsize=1024)
def numpy_function(qualified: str, jax: str | None = None) -> NumpyFunction | None:
    """The row of `numpy.sin`, `numpy.linalg.norm`, `math.sqrt`; also of `ufunc.at`, `ndarray.__setitem__`.
    None is unknown."""
    row = load("numpy_on_tracer.json").get(qualified, jax)
    if row is None:
        return None
    return NumpyFunction(qualified, tuple(row.get("parameters", ())), row["arguments"], row.get("twin"))


def builtin(name: str, kind: str, shape: str | None = None) -> str | None:
    """What a builtin, or a piece of syntax as `list index`, does with a tracer; None is unknown.

    `shape` is scalar, integer or vector. Without it there is an answer only where all shapes agree.
    """
    row = load("builtins_on_tracer.json").get(name)
    if row is None:
        return None
    if shape is not None:
        return row.get(shape, {}).get(kind)
    answers = {outcome[kind] for outcome in row.values() if kind in outcome}
    return answers.pop() if len(answers) == 1 else None


@lru_cache(maxsize=512)
def method(name: str, jax: str | None = None) -> Method | None:
    """The row of an attribute or method of arrays; None where neither JAX's nor NumPy's arrays have it."""
    row = load("methods.json").get(name, jax)
    return None if row is None else Method(name, **row)
