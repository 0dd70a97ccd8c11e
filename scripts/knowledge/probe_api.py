"""Calls a JAX function in several ways and says what came of it: result, parameters, who takes lists, who
must be static."""

from __future__ import annotations

import contextlib
import inspect
import io
import itertools
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import samples

# thousands of errors are made here on purpose: making their tracebacks pretty takes a third of the time
jax.config.update("jax_traceback_filtering", "off")

STATIC_TYPES = (bool, int, float, complex, str, np.generic, slice, type(None))
MAX_TRIES = 120


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """No warnings, nothing printed."""
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        yield


# --- what came back
# -------------------------------------------------------------------------------------------------


def is_key(value: Any) -> bool:
    """A typed key or an array of such."""
    return isinstance(value, jax.Array) and jnp.issubdtype(
        getattr(value, "dtype", np.float32), jax.dtypes.prng_key
    )


def kind_of(value: Any) -> str:
    """One word for a result, as in `jupyterlab_jaxhints.knowledge.api.Entry.result`."""
    if is_key(value):
        return "key" if value.ndim == 0 else "keys"
    if isinstance(value, jax.Array):
        return "array"
    if isinstance(value, np.ndarray):
        return "numpy"
    if value is None:
        return "none"
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return "dtype"
    if isinstance(value, STATIC_TYPES):
        return "static"
    if isinstance(value, (tuple, list)):
        if value and all(isinstance(item, STATIC_TYPES) for item in value):
            return "static"
        return "tuple" if isinstance(value, tuple) else "list"
    if isinstance(value, dict):
        return "dict"
    if isinstance(value, type):
        return "type"
    if inspect.isgenerator(value):
        return "iterator"
    if isinstance(value, types.FunctionType) or type(value).__name__ in (
        "PjitFunction",
        "PmapFunction",
        "ufunc",
        "partial",
    ):
        return "function"
    if callable(value) and hasattr(value, "__wrapped__"):
        return "function"
    return "object"


def items_of(value: Any) -> list[str] | None:
    """The kinds of a tuple's or list's items."""
    return [kind_of(item) for item in value] if isinstance(value, (tuple, list)) else None


# --- calling
# --------------------------------------------------------------------------------------------------------


class Call:
    """Arguments for one function: positional and by keyword, arrays still NumPy's."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]):
        self.args, self.kwargs = args, kwargs

    def replaced(self, key: int | str, value: Any) -> Call:
        """The same call with one argument changed or added."""
        if isinstance(key, int):
            return Call((*self.args[:key], value, *self.args[key + 1 :]), self.kwargs)
        return Call(self.args, {**self.kwargs, key: value})

    def __getitem__(self, key: int | str) -> Any:
        return self.args[key] if isinstance(key, int) else self.kwargs[key]


def _convert(value: Any, array: Callable[[np.ndarray], Any]) -> Any:
    if isinstance(value, np.ndarray) or (isinstance(value, np.generic) and not isinstance(value, np.str_)):
        return array(value)
    if isinstance(value, (list, tuple)) and any(isinstance(item, np.ndarray) for item in value):
        return type(value)(_convert(item, array) for item in value)
    if isinstance(value, dict):
        return {name: _convert(item, array) for name, item in value.items()}
    return value


def run_eager(function: Callable[..., Any], call: Call) -> Any:
    """The result of the call outside every transformation."""
    with quiet():
        return function(
            *(_convert(a, jnp.asarray) for a in call.args),
            **{k: _convert(v, jnp.asarray) for k, v in call.kwargs.items()},
        )


def run_traced(function: Callable[..., Any], call: Call, named_axis: bool = False) -> Any:
    """The result of the call while JAX traces, every array being a tracer. Nothing is computed."""
    arrays: list[np.ndarray] = []

    def note(value: np.ndarray) -> np.ndarray:
        arrays.append(value)
        return value

    for value in (*call.args, *call.kwargs.values()):
        _convert(value, note)
    out: list[Any] = []

    def body(tracers: tuple[Any, ...]) -> float:
        left = iter(tracers)
        args = [_convert(a, lambda _: next(left)) for a in call.args]
        kwargs = {k: _convert(v, lambda _: next(left)) for k, v in call.kwargs.items()}
        out.append(function(*args, **kwargs))
        return 0.0

    traced = body
    if named_axis:
        traced = lambda tracers: jax.vmap(lambda _: body(tracers), axis_name="i")(jnp.zeros(2))  # noqa: E731
    with quiet():
        jax.make_jaxpr(traced)(tuple(arrays))
    return out[0]


def attempt(run: Callable[[], Any]) -> tuple[bool, Any]:
    """(True, result) or (False, exception)."""
    try:
        return True, run()
    except Exception as error:  # the point is to learn whether it raises, whatever it raises
        return False, error


# --- finding a call that works
# --------------------------------------------------------------------------------------


def signature_of(function: Any) -> inspect.Signature | None:
    """The signature; for ufunc objects the one with their operands."""
    if type(function).__name__ == "ufunc":
        names = ["x"] if function.nin == 1 else [f"x{n + 1}" for n in range(function.nin)]
        return inspect.Signature(
            [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in names]
        )
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def calls_for(qualified: str, function: Any, signature: inspect.Signature) -> Iterator[Call]:
    """Calls worth a try, best first."""
    if qualified in samples.CALLS:
        yield written_call(samples.CALLS[qualified])
        return
    known = samples.by_name()
    required = [
        p
        for p in signature.parameters.values()
        if p.default is p.empty
        and p.kind is not p.VAR_KEYWORD
        and (p.kind is not p.VAR_POSITIONAL or p.name != "kwargs")
    ]
    for array in samples.ARRAYS:
        choices = []
        for parameter in required:
            values = known.get(parameter.name, [])
            fits = (
                [v for v in values if isinstance(v, np.ndarray)]
                if parameter.name in ("a", "p", "alpha")
                else values
            )
            choices.append((fits or [array])[:1])
        yield from _spelled(required, itertools.islice(itertools.product(*choices), 1))
    choices = [
        [
            *known.get(p.name, []),
            *(() if p.name in known and p.name not in ("a", "p", "alpha") else samples.ARRAYS),
        ]
        for p in required
    ]
    yield from _spelled(required, itertools.islice(itertools.product(*choices), MAX_TRIES))


def _spelled(parameters: list[inspect.Parameter], values: Any) -> Iterator[Call]:
    for combination in values:
        args, kwargs = [], {}
        for parameter, value in zip(parameters, combination):
            if parameter.kind is parameter.KEYWORD_ONLY:
                kwargs[parameter.name] = value
            elif parameter.kind is parameter.VAR_POSITIONAL:
                args += [value, value]
            else:
                args.append(value)
        yield Call(tuple(args), kwargs)


def written_call(text: str) -> Call:
    """The arguments of a call written as in `samples.CALLS`."""
    names = {
        name: getattr(samples, name)
        for name in ("A", "V", "IX", "B", "SCALAR", "COMPLEX", "IMAGE", "KERNEL", "HEADS", "first")
    }
    names.update(jnp=jnp, jax=jax, np=np, key=jax.random.key(0), f=lambda *args, **kwargs: Call(args, kwargs))
    return eval(text, names)
