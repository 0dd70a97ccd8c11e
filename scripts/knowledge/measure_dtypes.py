"""Writes jupyterlab_jaxhints/knowledge/data/dtypes.json: how JAX and NumPy promote dtypes, asked from both.

Run with the newest JAX: `python scripts/knowledge/measure_dtypes.py`. All tables are those of 64-bit mode; without it
every result is cut to 32 bits (`canonical`).
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

TABLE = Path(__file__).parents[2] / "jupyterlab_jaxhints" / "knowledge" / "data" / "dtypes.json"
DTYPES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128"
).split()
NUMPY = [dtype for dtype in DTYPES if dtype != "bfloat16"]
PYTHON = {"bool": True, "int": 1, "float": 1.0, "complex": 1j}
# what promotion alone does not answer for two booleans
ON_BOOLS = {"//": "floor_divide", "%": "remainder", "**": "power", "<<": "left_shift", ">>": "right_shift"}


def result(function: Callable, *args: Any) -> Any:
    """What a JAX function gives for these arguments, abstractly; None when it raises."""
    try:
        arrays = [a for a in args if not is_python(a)]
        # the types of the trace say in every release whether a result is weakly typed
        return jax.make_jaxpr(lambda *traced: function(*fill(args, traced)))(*arrays).out_avals[0]
    except TypeError:
        return None


def is_python(value: Any) -> bool:
    return isinstance(value, (bool, int, float, complex))


def fill(args: tuple, traced: tuple) -> list:
    rest = iter(traced)
    return [arg if is_python(arg) else next(rest) for arg in args]


def array(dtype: str) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct((2,), dtype)


def name(outcome: Any) -> str | None:
    return None if outcome is None else np.dtype(outcome.dtype).name


def jax_tables() -> dict[str, Any]:
    """JAX's lattice. `weak_results`: array and Python number whose result is weakly typed."""
    weak = {a: {kind: result(jnp.add, array(a), number) for kind, number in PYTHON.items()} for a in DTYPES}
    return {
        "promote": {a: {b: name(result(jnp.add, array(a), array(b))) for b in DTYPES} for a in DTYPES},
        "weak": {a: {kind: name(found) for kind, found in row.items()} for a, row in weak.items()},
        "weak_results": {
            a: [kind for kind, found in row.items() if found.weak_type] for a, row in weak.items()
        },
        "inexact": {a: name(result(jnp.exp, array(a))) for a in DTYPES},
        "sum": {a: name(result(jnp.sum, array(a))) for a in DTYPES},
        "bools": {
            sign: name(result(getattr(jnp, function), array("bool"), array("bool")))
            for sign, function in ON_BOOLS.items()
        },
        "canonical": {a: narrow(a) for a in DTYPES},
    }


def narrow(dtype: str) -> str:
    """The dtype JAX uses in its place while 64 bits are off."""
    jax.config.update("jax_enable_x64", False)
    try:
        return jax.dtypes.canonicalize_dtype(dtype).name
    finally:
        jax.config.update("jax_enable_x64", True)


def numpy_name(function: Callable, *args: Any) -> str | None:
    try:
        return np.asarray(function(*args)).dtype.name
    except TypeError:
        return None


def numpy_tables() -> dict[str, Any]:
    """NumPy's rules, version 2. `inexact` is for `exp` and the like, `divide` for the operator `/`."""
    ones = {a: np.ones(2, a) for a in NUMPY}
    return {
        "promote": {a: {b: np.promote_types(a, b).name for b in NUMPY} for a in NUMPY},
        "weak": {
            a: {kind: numpy_name(np.add, ones[a], number) for kind, number in PYTHON.items()} for a in NUMPY
        },
        "inexact": {a: numpy_name(np.exp, ones[a]) for a in NUMPY},
        "divide": {a: numpy_name(np.true_divide, ones[a], ones[a]) for a in NUMPY},
        "sum": {a: numpy_name(np.sum, ones[a]) for a in NUMPY},
        "bools": {
            sign: numpy_name(getattr(np, function), ones["bool"], ones["bool"])
            for sign, function in ON_BOOLS.items()
        },
    }


def main() -> None:
    jax.config.update("jax_enable_x64", True)
    warnings.simplefilter("ignore")
    tables = {"dtypes": DTYPES, "jax": jax_tables(), "numpy": numpy_tables()}
    text = json.dumps(tables, indent=1)
    table = Path(sys.argv[1]) if len(sys.argv) > 1 else TABLE
    table.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
