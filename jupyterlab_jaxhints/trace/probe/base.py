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


def is_tracer(value) -> bool:
    jax = kernel_jax()
    return jax is not None and isinstance(value, jax.core.Tracer)


def is_array(value) -> bool:
    """A concrete array of JAX, no tracer (which passes `isinstance(value, jax.Array)` too)."""
    jax = kernel_jax()
    return jax is not None and isinstance(value, jax.Array) and not isinstance(value, jax.core.Tracer)


def leaves(tree):
    return kernel_jax().tree_util.tree_leaves(tree)


def first_line(error: BaseException, limit: int = 240) -> str:
    text = str(error).strip()
    return text.split("\n", 1)[0][:limit] if text else ""


def tracers_in(value, depth=0):
    """The first tracer that a value holds, in itself or in a container."""
    if is_tracer(value):
        return value
    if depth < 3 and type(value) in (list, tuple, dict, set):
        parts = value.values() if type(value) is dict else value
        for part in itertools.islice(parts, 1000):
            found = tracers_in(part, depth + 1)
            if found is not None:
                return found
    if depth < 2 and type(value).__module__ == "__main__" and hasattr(value, "__dict__"):
        return tracers_in(dict(vars(value)), depth + 1)
    return None


class Clock:
    """The time limit of one request, asked by the hooks that instrumented code calls."""

    def __init__(self, limit: float):
        self.end = time.monotonic() + limit
        self.stopped = False

    def check(self) -> None:
        if self.stopped or time.monotonic() > self.end:
            raise ProbeTimeout
