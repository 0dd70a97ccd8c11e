"""Converting a traced value to a Python number, list or text.

## What JAX does
`float(x)`, `int(x)`, `bool(x)`, `complex(x)`, `x.item()`, `x.tolist()` and a format like `f"{x:.2f}"` need the value. A
tracer has none: JAX raises `ConcretizationTypeError` or `TypeError`. Under `grad` alone `int(x)` and `x.item()` work,
`float(x)` and formats do not.

## Fix
Leaves the conversion out, or uses `.astype` where the kind of number changes.

## Fix safety
Safe: arrays of one element work wherever JAX takes a number.

## When it is fine
Shapes, static arguments and arrays from outside of the trace have their values; so does everything in eager code.

## References
- [Sharp bits: control flow](guide#control-flow)
"""
from ...engine.events import Call, Format
from ...engine.values import ABSTRACT, JAX, LINEAR
from ...knowledge import tracers
from ..base import Clean, Example, Fix, Hint, Rule, on, short

RULE = Rule(
    section="control flow",
    kind="error",
    says={"": "`{value}` has no value while JAX traces: `{call}` raises",
          "format": "`{value}` has no value while JAX traces: the format `{call}` raises"},
    lanes="S+T",
    yields_to=("missing-static-arg", "nan-check-under-trace", "debug-print-fstring"),
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\n@jax.jit\ndef scale(x):\n    top = «float(x.max())»\n    return x / top", "y = scale(jnp.array([1.0, 2.0]))"],
        raises="ConcretizationTypeError",
        fixed=["import jax, jax.numpy as jnp\n@jax.jit\ndef scale(x):\n    top = x.max()\n    return x / top", "y = scale(jnp.array([1.0, 2.0]))"],
        gives="y.tolist() == [0.5, 1.0]",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\n@jax.jit\ndef mean(x):\n    return «x.mean().item()»", "y = mean(jnp.array([1.0, 3.0]))"],
        raises="ConcretizationTypeError",
        fixed=["import jax, jax.numpy as jnp\n@jax.jit\ndef mean(x):\n    return x.mean()", "y = mean(jnp.array([1.0, 3.0]))"],
        gives="float(y) == 2.0",
    ),
]

CLEAN = [
    Clean(["import jax, jax.numpy as jnp\n@jax.jit\ndef f(x):\n    return x * float(x.shape[0])\ny = f(jnp.ones(2))"],
          because="shapes are known while tracing"),
    Clean(["import jax\ndef f(x):\n    return x * int(x)\ng = jax.grad(f)(2.0)"],
          because="`int` works under `grad` alone"),
    Clean(["import jax, jax.numpy as jnp\nstep = jax.jit(lambda w: w * 0.5)\nw = step(jnp.ones(()))\nprint(float(w), f'{w:.2f}')"],
          because="outside of traced code"),
    Clean(["import jax\n@jax.jit\ndef f(x):\n    label = f'{x} is traced'\n    return x * len(label)\ny = f(1.0)"],
          because="without a format the tracer itself is shown"),
]

CASTS = {"builtins.float": "float", "builtins.int": "int", "builtins.bool": "bool", "builtins.complex": "complex"}
METHODS = ("array.item", "array.tolist")


def _raises(value, name):
    """What was measured for this kind of tracer."""
    if value.must_be(ABSTRACT):
        return True
    return value.must_be(LINEAR) and tracers.builtin(name, "linear", "scalar") == "raises"


@on(Call)
def check_call(event):
    """A cast or a conversion method on what must be a tracer."""
    if event.name in CASTS and len(event.args) == 1 and not event.args[0].star:
        argument = event.args[0]
        if _raises(argument.value, CASTS[event.name]):
            yield Hint(event.node, value=short(event.text(argument.node), 40), call=CASTS[event.name],
                       evidence=[argument.value.traced], data=(CASTS[event.name], argument.node, argument.value))
    elif event.name in METHODS and event.receiver is not None and event.receiver.must_be(ABSTRACT):
        method = event.name.removeprefix("array.")
        yield Hint(event.node, value=short(event.text(event.receiver_node), 40), call=f".{method}()",
                   evidence=[event.receiver.traced], data=(method, event.receiver_node, event.receiver))


@on(Format)
def check_format(event):
    """A format specification needs the number."""
    if event.spec and event.value.must_be(ABSTRACT | LINEAR) and event.value.must_be(JAX):
        yield Hint(event.node, variant="format", value=short(event.text(event.node), 40), call=event.spec,
                   evidence=[event.value.traced])


def fixes(hint, edit):
    """Leave the conversion out, or make it `.astype`."""
    if hint.variant:
        return
    name, inner, value = hint.data
    text = edit.argument(inner)
    floating = (value.dtype or "").startswith(("float", "bfloat"))
    if name in ("float", "item", "tolist"):
        yield Fix("Leave the conversion out", [edit.replace(hint.node, text)])
    elif name == "int" and not floating and value.dtype is not None:
        yield Fix("Leave the conversion out", [edit.replace(hint.node, text)])
    elif name in ("int", "bool", "complex"):
        operand = edit.operand(inner)
        yield Fix("Use .astype", [edit.replace(hint.node, f"{operand}.astype({name})")])
