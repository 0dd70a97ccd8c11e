"""Runs a piece of code on a tracer of each kind, and says what came of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from probe_api import attempt, quiet

#: Every kind of tracer that the table tells apart; "concrete" is the control: the same code on an ordinary
#: JAX array.
KINDS = ("abstract", "linear")


def on_concrete(code: Callable[[Any], Any], value: Any) -> tuple[bool, Any]:
    """The code on an array that is no tracer."""
    with quiet():
        return attempt(lambda: code(jnp.asarray(value)))


def on_abstract(code: Callable[[Any], Any], value: Any) -> tuple[bool, Any]:
    """The code on the tracer of `jit`, `vmap`, `scan` and all that stage."""
    return _inside(code, lambda body: jax.make_jaxpr(body)(value))


def on_linear(code: Callable[[Any], Any], value: Any) -> tuple[bool, Any]:
    """The code on the tracer of `grad` alone; the value is a float array."""
    return _inside(code, lambda body: jax.grad(body)(jnp.asarray(value)))


ON = {"abstract": on_abstract, "linear": on_linear}


def _inside(code: Callable[[Any], Any], run: Callable[[Callable[[Any], Any]], Any]) -> tuple[bool, Any]:
    out: list[Any] = []

    def body(tracer: Any) -> Any:
        out.append(code(tracer))
        return jnp.float32(0.0)

    with quiet():
        good, error = attempt(lambda: run(body))
    return (True, out[0]) if good else (False, error)


def differentiable(value: Any) -> bool:
    """Whether `grad` makes a tracer of it."""
    return np.asarray(value).dtype.kind == "f"


def has_tracer(value: Any) -> bool:
    """Whether a tracer is in it."""
    if isinstance(value, (tuple, list)):
        return any(has_tracer(item) for item in value)
    if isinstance(value, np.ndarray) and value.dtype == object:
        return any(has_tracer(item) for item in value.ravel().tolist())
    return isinstance(value, jax.core.Tracer)


def same(one: Any, other: Any) -> bool:
    """Whether two results that hold no tracer are equal, as far as that can be told."""
    try:
        return bool(np.all(np.asarray(one) == np.asarray(other)))
    except (
        Exception
    ):  # results of any kind are compared here; what cannot be compared is not called different
        return True


def verdict(code: Callable[[Any], Any], value: Any) -> dict[str, str]:
    """Tracer kind → raises, tracer, static or wrong. Empty where an ordinary JAX array fails too."""
    good, concrete = on_concrete(code, value)
    if not good:
        return {}
    found = {}
    for kind, run in ON.items():
        if kind == "linear" and not differentiable(value):
            continue
        good, result = run(code, value)
        if not good:
            found[kind] = "raises"
        elif has_tracer(result):
            found[kind] = "tracer"
        else:
            found[kind] = "static" if same(result, concrete) else "wrong"
    return found
