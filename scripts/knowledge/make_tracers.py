"""Makes `numpy_on_tracer.json`, `builtins_on_tracer.json` and `methods.json`: run it with the newest JAX,
then with the oldest."""

from __future__ import annotations

import builtins
import inspect
import itertools
import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

import halves
import jax.numpy as jnp
import numpy as np
import samples
from measure_api import _places
from numpy_samples import BUILTINS, CALLS, METHOD_ARGUMENTS, NUMPY_1_METHODS, PARAMETERS, SKIP
from probe_api import Call, attempt, kind_of, quiet, signature_of, written_call
from tracers import ON, differentiable, on_concrete, verdict

MODULES = {"numpy": np, "numpy.linalg": np.linalg, "numpy.fft": np.fft, "math": math}
TWINS = {"numpy": jnp, "numpy.linalg": jnp.linalg, "numpy.fft": jnp.fft, "math": jnp}


# --- NumPy's functions
# ----------------------------------------------------------------------------------------------


def numpy_functions() -> Iterator[tuple[str, Any]]:
    """Qualified name and function, for what a program may call."""
    for path, module in MODULES.items():
        for name in sorted(dir(module)):
            function = getattr(module, name)
            if not name.startswith("_") and callable(function) and f"{path}.{name}" not in SKIP:
                if not isinstance(function, type) or issubclass(function, np.generic):
                    yield f"{path}.{name}", function
    for name in PARAMETERS:
        if name.startswith("numpy.random."):
            yield name, getattr(np.random, name.rpartition(".")[2])


def measure_function(qualified: str, function: Any) -> dict[str, Any] | None:
    """The row of one function: per parameter, what a tracer there does."""
    names, calls = _calls(qualified, function)
    row: dict[str, Any] = {}
    for call in calls:
        with quiet():
            if not attempt(lambda: function(*call.args, **call.kwargs))[0]:
                continue
        for name, place in names(call):
            outcome = _one_argument(function, call, place)
            if outcome:
                row[name] = outcome
        if row:
            break
    if not row:
        return None
    path, _, name = qualified.rpartition(".")
    twin = getattr(TWINS.get(path), name, None)
    return {
        "arguments": row,
        "parameters": _parameter_names(qualified, function),
        **({"twin": _twin(path, name)} if callable(twin) else {}),
    }


def _twin(path: str, name: str) -> str:
    return f"jax.{path}.{name}" if path != "math" else f"jax.numpy.{name}"


def _parameter_names(qualified: str, function: Any) -> list[str]:
    if qualified in PARAMETERS:
        return list(PARAMETERS[qualified])
    if isinstance(function, np.ufunc):
        return ["x"] if function.nin == 1 else [f"x{place + 1}" for place in range(function.nin)]
    if isinstance(function, type):
        return ["x"]
    signature = signature_of(function)
    if signature is None:
        return []
    star = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [star.get(parameter.kind, "") + parameter.name for parameter in signature.parameters.values()]


def _calls(qualified: str, function: Any) -> tuple[Callable[[Call], list[tuple[str, Any]]], Iterator[Call]]:
    parameters = _parameter_names(qualified, function)

    signature = signature_of(function)
    readable = (
        signature is not None and not isinstance(function, (np.ufunc, type)) and qualified not in PARAMETERS
    )

    def places(call: Call) -> list[tuple[str, Any]]:
        if readable:
            return _places(signature, call)
        named = (
            [
                (parameters[min(place, len(parameters) - 1)].lstrip("*"), place)
                for place in range(len(call.args))
            ]
            if parameters
            else []
        )
        return named + [(key, key) for key in call.kwargs]

    if qualified in CALLS:
        return places, iter([written_call(text) for text in CALLS[qualified]])
    if not readable:
        count = len(parameters) if isinstance(function, (np.ufunc, type)) else 1
        return places, iter([Call((value,) * count, {}) for value in samples.ARRAYS])
    required = [
        p for p in signature.parameters.values() if p.default is p.empty and p.kind not in (p.VAR_KEYWORD,)
    ]
    known = samples.by_name()
    choices = []
    for parameter in required:
        arrays = parameter.name in ("a", "p", "alpha", "where", "condition", "mask")
        values = [*known.get(parameter.name, []), *samples.ARRAYS]
        choices.append([v for v in values if isinstance(v, np.ndarray)] if arrays else values)
    same = [Call((value,) * len(required), {}) for value in samples.ARRAYS]
    mixed = [Call(values, {}) for values in itertools.islice(itertools.product(*choices), 60)]
    return places, iter([*same[:1], *mixed, *same[1:]])


def _one_argument(function: Any, call: Call, place: Any) -> dict[str, str]:
    value = call[place]
    if isinstance(value, (np.ndarray, np.generic)):
        return verdict(
            lambda tracer: function(
                *call.replaced(place, tracer).args, **call.replaced(place, tracer).kwargs
            ),
            value,
        )
    if type(value) in (int, float):
        value = np.asarray(value, np.int32 if type(value) is int else np.float32)
        return verdict(
            lambda tracer: function(
                *call.replaced(place, tracer).args, **call.replaced(place, tracer).kwargs
            ),
            value,
        )
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], np.ndarray):

        def code(tracer: Any) -> Any:
            changed = call.replaced(place, [tracer, *value[1:]])
            return function(*changed.args, **changed.kwargs)

        return verdict(code, value[0])
    return {}


# --- methods of ufuncs and of NumPy arrays
# ----------------------------------------------------------------------------


def numpy_methods() -> dict[str, Any]:
    """`ufunc.reduce`, `ndarray.dot` …: what a tracer does as an argument."""
    ufunc, array = np.add, np.asarray(samples.V)
    writable = lambda: np.array(samples.V)  # noqa: E731
    code = {
        "ufunc.reduce": lambda t: ufunc.reduce(t),
        "ufunc.accumulate": lambda t: ufunc.accumulate(t),
        "ufunc.outer": lambda t: ufunc.outer(t, array),
        "ufunc.reduceat": lambda t: ufunc.reduceat(t, np.asarray([0, 1])),
        "ufunc.at": lambda t: ufunc.at(writable(), np.asarray([0, 1, 2]), t),
        "ndarray.dot": lambda t: array.dot(t),
        "ndarray.clip": lambda t: array.clip(t, 2.0),
        "ndarray.fill": lambda t: writable().fill(t.sum()),
        "ndarray.searchsorted": lambda t: np.sort(array).searchsorted(t),
        "ndarray.put": lambda t: writable().put([0, 1, 2], t),
        "ndarray.__setitem__": lambda t: writable().__setitem__(0, t.sum()),
        "ndarray +=": lambda t: operator.iadd(writable(), t),
    }
    integer = {
        "ndarray.take": lambda t: array.take(t),
        "ndarray.__getitem__": lambda t: array[t],
    }
    rows = {name: verdict(function, samples.V) for name, function in code.items()}
    rows.update({name: verdict(function, np.asarray(1, np.int32)) for name, function in integer.items()})
    rows["ndarray.compress"] = verdict(lambda t: array.compress(t), samples.B)
    rows["ndarray.repeat"] = verdict(lambda t: array.repeat(t), np.asarray([1, 2, 1], np.int32))
    rows["ndarray.reshape"] = verdict(lambda t: array.reshape(t), np.asarray(3, np.int32))
    return {name: row for name, row in rows.items() if row}


# --- builtins and syntax
# ---------------------------------------------------------------------------------------------


def builtins_table() -> dict[str, Any]:
    """Builtin, or piece of syntax → argument (`scalar`, `integer`, `vector`) → what a tracer does."""
    values = {"scalar": np.float32(2.0), "integer": np.int32(2), "vector": samples.V}
    table: dict[str, Any] = {}
    for name, code in BUILTINS.items():
        function = eval(f"lambda x: {code}", {**vars(builtins), "np": np, "jnp": jnp, "math": math})
        row = {shape: outcome for shape, value in values.items() if (outcome := verdict(function, value))}
        if row:
            table[name] = row
    return table


# --- attributes and methods of JAX's arrays
# ----------------------------------------------------------------------------


def methods_table() -> dict[str, Any]:
    """Name → what it is on an array, on each tracer, and whether NumPy's array has it."""
    array = jnp.asarray(samples.A)
    names = {name for name in (*dir(array), *dir(np.ndarray), *NUMPY_1_METHODS) if not name.startswith("_")}
    return {name: measure_attribute(name, array) for name in sorted(names)}


def measure_attribute(name: str, array: Any) -> dict[str, Any]:
    """The row of one attribute or method."""
    row: dict[str, Any] = {}
    in_numpy = hasattr(np.ndarray, name) or name in NUMPY_1_METHODS
    if in_numpy:
        row["numpy"] = True
    if not attempt(lambda: getattr(array, name))[0]:
        return {"kind": "missing", **row}
    if name in METHOD_ARGUMENTS:
        args = METHOD_ARGUMENTS[name]
        row["kind"] = "method"
        code = lambda x: getattr(x, name)(*args)  # noqa: E731
        row.update(_numpy_in_place(name, args) if in_numpy else {})
    elif callable(getattr(array, name)) and name not in ("at",):
        row["kind"] = "method"
        code = lambda x: getattr(x, name)()  # noqa: E731
        row.update(_numpy_in_place(name, ()) if in_numpy else {})
    else:
        row["kind"] = "attribute"
        code = lambda x: getattr(x, name)  # noqa: E731
    good, result = on_concrete(code, samples.A)
    if not good and name in METHOD_ARGUMENTS:
        return {**row, "concrete": "raises"}
    row["result"] = _kind(name, result) if good else "unknown"
    for kind, run in ON.items():
        if differentiable(samples.A):
            good, result = run(code, samples.A)
            row[kind] = _kind(name, result) if good else "raises"
    return row


def _kind(name: str, result: Any) -> str:
    return "at" if name == "at" else kind_of(result)


def _numpy_in_place(name: str, args: tuple[Any, ...]) -> dict[str, bool]:
    """Whether NumPy's method of that name changes its array and gives nothing."""
    before = np.array(samples.A[:, ::-1])
    array = np.array(before)
    with quiet():
        good, result = attempt(lambda: getattr(array, name)(*args))
    return {"numpy_in_place": True} if good and result is None and not np.array_equal(array, before) else {}


def main() -> None:
    """Writes this JAX's half of the three tables."""
    rows = {
        name: row
        for name, function in numpy_functions()
        if (row := measure_function(name, function)) is not None
    }
    halves.write(
        "numpy_on_tracer.json",
        {**rows, **{name: {"arguments": {"x": row}} for name, row in numpy_methods().items()}},
    )
    halves.write("builtins_on_tracer.json", builtins_table())
    halves.write("methods.json", methods_table())


if __name__ == "__main__":
    main()
