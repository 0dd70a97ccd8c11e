"""What the other parts of the probe share: its own exceptions, the kernel's JAX, the findings of one run.

The parts of this folder are joined into one source text and run in the user's kernel: standard library and the
JAX that is already there, Python 3.9 and later. They import nothing of ours but each other.
"""
from __future__ import annotations

import itertools
import sys
import time


class ProbeTimeout(BaseException):
    """The limit is over. Not an `Exception`, so that the user's `except Exception` does not catch it."""


class ProbeRefused(BaseException):
    """Traced code did something with an effect outside the notebook's namespace."""


class Unknown(BaseException):
    """What follows cannot be known without running it: no finding, and the statement's names are unknown."""


def kernel_jax():
    """The kernel's JAX, or None. The probe never imports it: that would be a change the user did not ask for."""
    return sys.modules.get("jax")


def kernel_numpy():
    return sys.modules.get("numpy")


def is_jaxs(kind: type) -> bool:
    """Whether JAX itself defines a class. Asked first: `isinstance` and `hasattr` on objects of the user's classes can
    run code of the user."""
    module = kind.__module__
    return isinstance(module, str) and module.partition(".")[0] in ("jax", "jaxlib")


def is_tracer(value) -> bool:
    jax = kernel_jax()
    return jax is not None and issubclass(type(value), jax.core.Tracer)


def is_array(value) -> bool:
    """A concrete array of JAX, no tracer (which passes `isinstance(value, jax.Array)` too)."""
    jax = kernel_jax()
    return jax is not None and is_jaxs(type(value)) and isinstance(value, jax.Array) and not is_tracer(value)


def leaves(tree):
    return kernel_jax().tree_util.tree_leaves(tree)


def first_line(error: BaseException, limit: int = 240) -> str:
    text = str(error).strip()
    return text.split("\n", 1)[0][:limit] if text else ""


SEARCHED = 5000  # values that are looked at for one that holds a tracer


def tracers_in(value):
    """The first tracer that a value holds, in itself or in a container. Calls no code of the user's classes."""
    left = [SEARCHED]
    return _tracer_in(value, 0, left)


def _tracer_in(value, depth, left):
    kind = type(value)
    left[0] -= 1
    if is_tracer(value):
        return value
    parts = ()
    if depth < 3 and kind in (list, tuple, dict, set):
        parts = value.values() if kind is dict else value
    elif depth < 2 and kind.__module__ == "__main__":
        try:
            parts = dict(object.__getattribute__(value, "__dict__")).values()
        except (AttributeError, TypeError):
            return None
    for part in itertools.islice(parts, max(0, left[0])):
        found = _tracer_in(part, depth + 1, left)
        if found is not None or left[0] <= 0:
            return found
    return None


class Clock:
    """The time limit of one request, asked by the hooks that instrumented code calls."""

    def __init__(self, limit: float):
        self.end = time.monotonic() + limit
        self.stopped = False

    def check(self) -> None:
        if self.stopped or time.monotonic() > self.end:
            raise ProbeTimeout
