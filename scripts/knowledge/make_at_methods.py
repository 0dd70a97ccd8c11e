"""Makes `at_methods.json`: the methods of `x.at[i]`, and the operators and functions that they stand for."""

from __future__ import annotations

import inspect
import operator
from typing import Any

import halves
import jax.numpy as jnp
import numpy as np
from probe_api import attempt, quiet

#: Operator of an augmented assignment → what Python does for it.
OPERATORS = {
    "+=": operator.add,
    "-=": operator.sub,
    "*=": operator.mul,
    "/=": operator.truediv,
    "//=": operator.floordiv,
    "%=": operator.mod,
    "**=": operator.pow,
    "@=": operator.matmul,
    "&=": operator.and_,
    "|=": operator.or_,
    "^=": operator.xor,
    "<<=": operator.lshift,
    ">>=": operator.rshift,
}

#: NumPy's functions of two arguments that a method may stand for: `x[i] = np.minimum(x[i], y)`,
#: `np.add.at(x, i, y)`.
FUNCTIONS = (
    "add",
    "subtract",
    "multiply",
    "divide",
    "true_divide",
    "power",
    "pow",
    "minimum",
    "maximum",
    "fmin",
    "fmax",
    "mod",
    "floor_divide",
)

ARRAYS = {
    "float": (np.asarray([3.0, 8.0, 5.0, 4.0], np.float32), np.asarray([2.0, 3.0], np.float32)),
    "nan": (np.asarray([3.0, np.nan, 5.0, 4.0], np.float32), np.asarray([2.0, 3.0], np.float32)),
}
INDEX = np.asarray([1, 2])


def changed(method: str, dtype: str) -> Any | None:
    """`x` after the method wrote `y` at two places; None where it cannot."""
    array, value = ARRAYS[dtype]
    with quiet():
        good, result = attempt(
            lambda: np.asarray(getattr(jnp.asarray(array).at[INDEX], method)(jnp.asarray(value)))
        )
    return result if good else None


def stands_for(method: str, function: Any) -> bool:
    """Whether the method does at the index what the function does to the items, NaN included."""
    for dtype, (array, value) in ARRAYS.items():
        expected = array.copy()
        with quiet():
            good, items = attempt(lambda: function(jnp.asarray(array[INDEX]), jnp.asarray(value)))
        result = changed(method, dtype)
        if not good or result is None:
            return False
        expected[INDEX] = np.asarray(items)
        if not np.allclose(result, expected, equal_nan=True):
            return False
    return True


def measure(method: str) -> dict[str, Any]:
    """The row of one method."""
    update = jnp.zeros(4).at[0]
    signature = inspect.signature(getattr(update, method))
    row: dict[str, Any] = {
        "parameters": [p.name for p in signature.parameters.values()],
        "keywords": [p.name for p in signature.parameters.values() if p.kind is p.KEYWORD_ONLY],
        "writes": method != "get",
        "takes": "function" if method == "apply" else "nothing" if method == "get" else "value",
        "operators": [
            text for text, function in OPERATORS.items() if method != "set" and stands_for(method, function)
        ],
        "functions": [
            name for name in FUNCTIONS if method != "set" and stands_for(method, getattr(jnp, name, None))
        ],
    }
    return row


def main() -> None:
    """Writes this JAX's half of the table."""
    update = jnp.zeros(4).at[0]
    methods = [name for name in dir(update) if not name.startswith("_") and callable(getattr(update, name))]
    halves.write("at_methods.json", {method: measure(method) for method in methods})


if __name__ == "__main__":
    main()
