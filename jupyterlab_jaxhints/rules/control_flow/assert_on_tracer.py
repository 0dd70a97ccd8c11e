"""Asserting something of a traced value.

## What JAX does
`assert` asks for a truth value; a tracer has none, and JAX raises `TracerBoolConversionError`, whatever the values are.

## Fix
`checkify.check(condition, message)` checks while the program runs. Offered where `checkify.checkify` is around the function;
elsewhere JAX refuses the check under `jit`: wrap the function first, and throw the error outside.

## Fix safety
Unsafe: the check raises only where the error that `checkify` gives back is thrown.

## When it is fine
Assertions on shapes, dtypes and static values run once, while tracing, and are a good habit.

## References
- [Sharp bits: control flow](guide#control-flow)
"""
from ...engine.events import Truth
from ...engine.values import ABSTRACT
from ..base import Clean, Example, Fix, Hint, Rule, on, short

RULE = Rule(
    section="control flow",
    kind="error",
    says="`{test}` has no value while JAX traces: this `assert` raises",
    lanes="S+T",
    yields_to=("nan-check-under-trace", "bool-op-on-tracer"),
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\nfrom jax.experimental import checkify\n@jax.jit\ndef log(x):\n    assert «x > 0»\n    return jnp.log(x)",
             "error, y = checkify.checkify(log)(1.0)"],
        raises="TracerBoolConversionError",
        fixed=["import jax, jax.numpy as jnp\nfrom jax.experimental import checkify\n@jax.jit\ndef log(x):\n    checkify.check(x > 0, \"x > 0\")\n    return jnp.log(x)",
               "error, y = checkify.checkify(log)(1.0)"],
        gives="error.get() is None and float(y) == 0.0",
    ),
]

CLEAN = [
    Clean(["import jax, jax.numpy as jnp\n@jax.jit\ndef f(x):\n    assert x.ndim == 1 and x.dtype == jnp.float32\n    return x\ny = f(jnp.ones(2))"],
          because="shapes and dtypes are known while tracing"),
    Clean(["import jax.numpy as jnp\nx = jnp.ones(2)\nassert x.sum() == 2"], because="outside of traced code"),
]


@on(Truth)
def check(event):
    """An assertion on what must be a tracer without a value."""
    asked = event.form == "assert" or event.form == "not" and event.asked_in == "assert"
    if asked and event.value.must_be(ABSTRACT):
        yield Hint(event.node, test=short(event.text(event.node), 40), evidence=[event.value.traced],
                   data=event.statement if event.form == "assert" and _is_functionalized(event.ctx) else None)


def _is_functionalized(ctx):
    """`checkify.checkify` is around the code: elsewhere JAX refuses a check under `jit`."""
    return any(frame.transform.endswith(".checkify") for frame in ctx.frames)


def fixes(hint, edit):
    """`checkify.check`."""
    statement = hint.data
    if statement is None:
        return
    module, edits = edit.import_needed("jax.experimental", "checkify")
    test = edit.argument(statement.test)
    message = edit.argument(statement.msg) if statement.msg is not None else '"' + " ".join(test.split()).replace(
        '"', "'") + '"'
    yield Fix("Use checkify.check", [edit.replace(statement, f"{module}.check({test}, {message})"), *edits], safe=False)
