"""Looping while a traced value is true.

## What JAX does
While JAX traces a function its arguments are tracers without values. `while` asks for the value at every turn and raises
`TracerBoolConversionError` at the first.

## Fix
`jax.lax.while_loop(cond, body, state)` runs the loop on the device. What the turns hand on becomes its state.

## Fix safety
Unsafe: the state must keep its shapes and dtypes, and reverse-mode gradients do not go through it.

## When it is fine
A condition on Python numbers, shapes or static arguments; under `grad` alone; outside of traced code.

## References
- [Sharp bits: control flow](guide#control-flow)
"""
import libcst as cst

from ...engine.events import Truth
from ...engine.values import ABSTRACT
from ..base import Clean, Example, Fix, Hint, Rule, on, short
from ._rewrite import body_lines, carried, joined

RULE = Rule(
    section="control flow",
    kind="error",
    says="`{test}` has no value while JAX traces: this `while` raises",
    lanes="S+T",
    yields_to=("nan-check-under-trace", "missing-static-arg", "bool-op-on-tracer"),
)

EXAMPLES = [
    Example(
        bad=["import jax\n@jax.jit\ndef halve(x):\n    while «x > 1.0»:\n        x = x / 2.0\n    return x", "y = halve(8.0)"],
        raises="TracerBoolConversionError",
        fixed=["import jax\n@jax.jit\ndef halve(x):\n    x = jax.lax.while_loop(lambda x: x > 1.0, lambda x: x / 2.0, x)\n    return x",
               "y = halve(8.0)"],
        gives="float(y) == 1.0",
    ),
    Example(
        bad=["import jax\n@jax.jit\ndef steps(n):\n    count = 0\n    while «n > 0»:\n        n = n // 2\n        count += 1\n    return count", "c = steps(9)"],
        raises="TracerBoolConversionError",
        fixed=["import jax\n@jax.jit\ndef steps(n):\n    count = 0\n    def keep_going(state):\n        n, count = state\n        return n > 0\n    def turn(state):\n        n, count = state\n        n = n // 2\n        count += 1\n        return n, count\n    n, count = jax.lax.while_loop(keep_going, turn, (n, count))\n    return count", "c = steps(9)"],
        gives="int(c) == 4",
    ),
]

CLEAN = [
    Clean(["import jax\n@jax.jit\ndef f(x):\n    k = 0\n    while k < 3:\n        x, k = x * 2, k + 1\n    return x\ny = f(1.0)"],
          because="`k` is a Python number"),
    Clean(["import jax.numpy as jnp\nx = jnp.asarray(8.0)\nwhile x > 1.0:\n    x = x / 2"], because="outside of traced code"),
    Clean(["import jax\ndef f(x):\n    while x > 1.0:\n        x = x * 0.5\n    return x\ng = jax.grad(f)(4.0)"],
          because="under `grad` alone the value is there"),
]


@on(Truth)
def check(event):
    """The condition of a `while` must be a tracer without a value."""
    asked = event.form == "while" or event.form == "not" and event.asked_in == "while"
    if asked and event.value.must_be(ABSTRACT):
        yield Hint(event.node, test=short(event.text(event.node), 40), evidence=[event.value.traced],
                   data=event.statement if event.form == "while" else None)


def fixes(hint, edit):
    """`lax.while_loop`."""
    loop = hint.data
    if not isinstance(loop, cst.While) or loop.orelse is not None:
        return
    names, lines, test = carried(edit, loop), body_lines(edit, loop.body), edit.argument(loop.test)
    module, edits = edit.import_needed("jax")
    if len(names) == 1 and len(lines) == 1:
        name = names[0]
        value = edit.argument(loop.body.body[0].body[0].value) if isinstance(
            loop.body.body[0].body[0], cst.Assign) else None
        if value is not None:
            text = f"{name} = {module}.lax.while_loop(lambda {name}: {test}, lambda {name}: {value}, {name})"
            yield Fix("Use lax.while_loop", [edit.replace(loop, text), *edits], safe=False)
            return
    state, indent = ", ".join(names), edit.indent(loop)
    one = len(names) == 1
    unpack = [] if one else [f"    {state} = state"]
    parameter = names[0] if one else "state"
    code = [f"def keep_going({parameter}):", *unpack, f"    return {test}", f"def turn({parameter}):", *unpack,
            *(f"    {line}" for line in lines), f"    return {state}",
            f"{state} = {module}.lax.while_loop(keep_going, turn, {state if one else f'({state})'})"]
    yield Fix("Use lax.while_loop", [edit.replace(loop, joined(code, indent)), *edits], safe=False)
