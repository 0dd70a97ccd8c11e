"""Checking for NaN with Python's `if` or `assert` in traced code.

## What JAX does
`jnp.isnan`, `isinf` and `isfinite` give tracers while JAX traces. `if` and `assert` ask them for a value that is not
there: JAX raises `TracerBoolConversionError`, whether there is a NaN or not.

## Fix
None is written: `jax.config.update("jax_debug_nans", True)` in a cell of its own finds the operation that makes the first
NaN; `jnp.where` or `jax.lax.cond` chooses by the check inside of the program; `checkify` raises from within.

## Fix safety
No fix is offered, but for an `assert`, which is taken out and replaced by the flag.

## When it is fine
Outside of traced code, and under `grad` alone, where values are known.

## References
- [Sharp bits: debugging NaNs and Infs](guide#nan-and-inf)
"""
import libcst as cst

from ...engine.events import Truth
from ...engine.values import ABSTRACT
from ..base import Clean, Example, Fix, Hint, Rule, on, short

RULE = Rule(
    section="debugging NaNs",
    kind="error",
    says="`{test}` has no value while JAX traces: this check for NaN raises",
    yields_to=(),
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\n@jax.jit\ndef step(x):\n    y = jnp.log(x)\n    if «jnp.isnan(y)»:\n        return x\n    return y", "z = step(2.0)"],
        raises="TracerBoolConversionError",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\ndef update(w):\n    if «jnp.isfinite(w).all()»:\n        w = w / 2\n    return w\nfast = jax.jit(update)", "w = fast(jnp.ones(2))"],
        raises="TracerBoolConversionError",
    ),
]

CLEAN = [
    Clean(["import jax, jax.numpy as jnp\n@jax.jit\ndef f(x):\n    return jnp.where(jnp.isnan(x), 0.0, x)\ny = f(1.0)"],
          because="the check chooses inside of the program"),
    Clean(["import jax, jax.numpy as jnp\ny = jax.jit(jnp.log)(2.0)\nassert not jnp.isnan(y)"], because="outside of traced code"),
    Clean(["import jax, jax.numpy as jnp\ndef f(x):\n    if jnp.isnan(x):\n        return 0.0 * x\n    return x * x\ng = jax.grad(f)(2.0)"],
          because="under `grad` alone the value is there"),
    Clean(["import jax, math\nlimit = 2.0\n@jax.jit\ndef f(x):\n    return x if math.isnan(limit) else 2 * x\ny = f(1.0)"],
          because="a Python number"),
]

FORMS = ("if", "elif", "ifexp", "assert", "while", "not", "and", "or", "filter")


@on(Truth)
def check(event):
    """Python asks a check for NaN that must be a tracer without a value."""
    if event.form in FORMS and event.value.must_be(ABSTRACT) and "nan-check" in event.value.flags:
        asserted = event.form == "assert" or event.asked_in == "assert"
        yield Hint(event.node, test=short(event.text(event.node), 36), evidence=[event.value.traced],
                   data=event if asserted else None)


def fixes(hint, edit):
    """Take an assertion out, and switch the search for NaN on above it."""
    if hint.data is None:
        return
    statement = next((node for node in edit.path(hint.node) if isinstance(node, cst.Assert)), None)
    if statement is None:
        return
    module, edits = edit.import_needed("jax")
    if edits:
        return
    flag = edit.line_above(edit.site.cell, edit.piece, f'{module}.config.update("jax_debug_nans", True)')
    yield Fix("Use jax_debug_nans", [flag, edit.delete(statement)], safe=False)
