"""Giving a new body function to a JAX loop on every turn.

## What JAX does
`scan`, `while_loop`, `fori_loop`, `cond`, `switch` and `map` find their compiled programs by the function objects they
are given. A lambda or nested function made inside of an eager loop is new each time: JAX compiles again on every turn.

## Fix
Makes the body once, above the loop or above the function that the loop calls. A body that closes over what differs from
turn to turn gets no fix: put that into the carry, or jit the function around it.

## Fix safety
Unsafe: a name that the body reads may be bound anew between the turns.

## When it is fine
Inside of a jitted function the whole is compiled once. A body with a name of its own is found again.

## References
- [Just-in-time compilation](guide#control-flow)
"""
import libcst as cst

from ...engine.events import BodyGiven
from ...engine.values import FUNCTION
from ..base import Clean, Example, Fix, Hint, Rule, on
from . import _hoist

RULE = Rule(
    section="jit",
    kind="slow",
    says="The body of `{primitive}` is a new object on every turn: JAX compiles it each time",
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\nx = jnp.ones(2)\nfor _ in range(5):\n    x = «jax.lax.fori_loop(0, 3, lambda i, v: 0.5 * v, x)»"],
        sees="x.shape == (2,)",
        fixed=["import jax, jax.numpy as jnp\nx = jnp.ones(2)\ndef body(i, v):\n    return 0.5 * v\nfor _ in range(5):\n    x = jax.lax.fori_loop(0, 3, body, x)"],
        gives="float(x[0]) == 0.5 ** 15",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\nfrom jax import lax\ndef total(xs):\n    def add(s, x):\n        return s + x, None\n    return «lax.scan(add, 0.0, xs)»[0]",
             "sums = [total(jnp.arange(3.0) * k) for k in range(8)]"],
        sees="float(sums[1]) == 3.0",
        fixed=["import jax, jax.numpy as jnp\nfrom jax import lax\ndef add(s, x):\n    return s + x, None\n\ndef total(xs):\n    return lax.scan(add, 0.0, xs)[0]",
               "sums = [total(jnp.arange(3.0) * k) for k in range(8)]"],
        gives="float(sums[1]) == 3.0",
    ),
]

CLEAN = [
    Clean(["import jax, jax.numpy as jnp\ndef half(i, v):\n    return 0.5 * v\nx = jnp.ones(2)\nfor _ in range(5):\n    x = jax.lax.fori_loop(0, 3, half, x)"],
          because="the body has a name: its program is found again"),
    Clean(["import jax, jax.numpy as jnp\n@jax.jit\ndef f(x):\n    return jax.lax.fori_loop(0, 3, lambda i, v: 0.5 * v, x)\nx = jnp.ones(2)\nfor _ in range(5):\n    x = f(x)"],
          because="the function around it is compiled once"),
]

PRIMITIVES = ("jax.lax.scan", "jax.lax.while_loop", "jax.lax.fori_loop", "jax.lax.cond", "jax.lax.switch", "jax.lax.map")
NAMES = {"jax.lax.while_loop": ("goes_on", "body"), "jax.lax.cond": ("when_true", "when_false")}


@on(BodyGiven)
def check(event):
    """A primitive that compiles, with a fresh function, for the second time in an eager loop."""
    if event.name in PRIMITIVES and event.fresh and event.repeats and not event.ctx.traced:
        yield Hint(event.node, primitive=event.name.removeprefix("jax."), evidence=event.ctx.calls(),
                   data=([arg.node for arg in event.args if arg.value.must_be(FUNCTION)], event.name,
                         event.ctx.eager_loop.node))


def fixes(hint, edit):
    """Each function that is given, made once, above."""
    given, name, loop = hint.data
    above = _hoist.place_above(edit, hint.node, loop)
    functions = list({id(f): f for node in given for f in _hoist.nested_functions(edit, node, above)}.values())
    texts, edits = _hoist.move_functions(edit, functions, above)
    for place, node in enumerate(given):
        if not isinstance(node, cst.Name):
            if not isinstance(node, cst.Lambda) or not _hoist.known_above(edit, node, above):
                return
            own = _hoist.unused_name(edit, *NAMES.get(name, ("body",))[place:place + 1], f"{name.rpartition('.')[2]}_body")
            texts.append(_hoist.definition(edit, node, own, above))
            edits.append(edit.replace(node, own))
    if texts:
        where = "function" if isinstance(above, (cst.FunctionDef, cst.Lambda)) else "loop"
        yield Fix(f"Make the body once, above the {where}", [_hoist.inserted(edit, above, texts), *edits], safe=False)
