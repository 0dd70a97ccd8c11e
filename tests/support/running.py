"""Running cells on the JAX that is installed, as IPython runs them."""
from __future__ import annotations

import contextlib
import functools
import io
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import jax
from IPython.core.interactiveshell import InteractiveShell


@functools.lru_cache(maxsize=1)
def _shell() -> InteractiveShell:
    return InteractiveShell.instance()


@contextlib.contextmanager
def _main_module_as_it_was() -> Iterator[None]:
    """IPython puts its own `__main__` in place, where processes that are spawned later would look for theirs."""
    before = sys.modules["__main__"]
    try:
        sys.modules["__main__"] = _shell().user_module
        yield
    finally:
        sys.modules["__main__"] = before


@contextlib.contextmanager
def _flags_as_they_were() -> Iterator[None]:
    before = dict(jax.config.values)
    try:
        yield
    finally:
        for name, value in jax.config.values.items():
            if name in before and before[name] != value:
                jax.config.update(name, before[name])


@contextlib.contextmanager
def ran(cells: Sequence[str]) -> Iterator[tuple[BaseException | None, dict[str, Any]]]:
    """The exception that stopped the cells, if one did, and the names they made; JAX's flags are reset after."""
    error: BaseException | None = None
    with _main_module_as_it_was(), _flags_as_they_were(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        shell = _shell()
        shell.reset(new_session=False)
        for cell in cells:
            outcome = shell.run_cell(cell, store_history=False)
            error = outcome.error_before_exec or outcome.error_in_exec
            if error is not None:
                break
        else:
            jax.effects_barrier()
        yield error, shell.user_ns


def is_called(error: BaseException | None, name: str) -> bool:
    """The exception, or one of its classes, has this name."""
    return error is not None and any(cls.__name__ == name for cls in type(error).__mro__)
