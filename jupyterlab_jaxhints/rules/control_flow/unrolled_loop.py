"""A long Python loop in compiled code.

## What JAX does
A Python `for` in a function that JAX compiles is unrolled: each turn becomes a copy of its operations in the program.
Hundreds of turns make tracing and compiling slow, and the program large.

## Fix
`jax.lax.fori_loop` keeps one copy; `jax.lax.scan` does so where each turn gives a result.

## Fix safety
Unsafe: the state must keep its shapes and dtypes, and the index is traced.

## When it is fine
Few turns; loops over layers or other Python structure; loops in eager code.

## References
- [Sharp bits: control flow](guide#control-flow)
"""
import libcst as cst

from ...engine.events import LoopEnd
from ..base import Clean, Example, Fix, Hint, Rule, on, short
from ._rewrite import fori_loop

RULE = Rule(
    section="control flow",
    kind="slow",
    says="`{loop}` is unrolled: the program holds {turns} copies of its operations",
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax\n@jax.jit\ndef settle(x):\n    for _ in «range(200)»:\n        x = x + 0.1 * (1.0 - x)\n    return x", "y = settle(0.0)"],
        sees="len(jax.make_jaxpr(settle)(0.0).eqns[0].params['jaxpr'].eqns) > 400",
        fixed=["import jax\n@jax.jit\ndef settle(x):\n    x = jax.lax.fori_loop(0, 200, lambda _, x: x + 0.1 * (1.0 - x), x)\n    return x", "y = settle(0.0)"],
        gives="abs(float(y) - 1.0) < 1e-3",
    ),
]

CLEAN = [
    Clean(["import jax\n@jax.jit\ndef f(x):\n    for _ in range(4):\n        x = x * x\n    return x\ny = f(1.0)"], because="a few turns"),
    Clean(["import jax\nstep = jax.jit(lambda x: x * 0.5)\nx = 1.0\nfor _ in range(500):\n    x = step(x)"],
          because="the loop is eager, the step is compiled once"),
    Clean(["import jax, jax.numpy as jnp\n@jax.jit\ndef f(x):\n    total = 0\n    for i in range(500):\n        total += i * i\n    return x * total\ny = f(1.0)"],
          because="only Python numbers are touched"),
]

MANY = 100


@on(LoopEnd)
def check(event):
    """A loop of many known turns, with operations on tracers, in staged code."""
    turns = event.loop.turns
    if event.loop.form != "for" or turns is None or turns < MANY or not event.tracer_operations or not event.ctx.staged:
        return
    text = event.text(event.node)
    yield Hint(event.node, turns=str(turns), loop=short(text, 30), data=event.statement)


def fixes(hint, edit):
    """`lax.fori_loop` where the loop is over a range."""
    loop = hint.data
    call = loop.iter
    if not (isinstance(call, cst.Call) and isinstance(call.func, cst.Name) and call.func.value == "range") or loop.orelse:
        return
    if len(call.args) > 3 or not isinstance(loop.target, cst.Name):
        return
    bounds = [edit.argument(argument.value) for argument in call.args]
    yield Fix("Use lax.fori_loop", fori_loop(edit, loop, bounds), safe=False)
