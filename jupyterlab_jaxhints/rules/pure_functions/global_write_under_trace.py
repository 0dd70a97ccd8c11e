"""Changing something outside from traced code.

## What JAX does
While JAX traces, values are tracers. Stored in a global, an outer list or dict, a tracer outlives its trace, and using it
raises `UnexpectedTracerError`. Under `jit`, `scan` and the like the code runs once, so that a counter counts traces and
not calls.

## Fix
Returns the value too, and stores it where the function is called, if all calls are seen and bind what they get.

## Fix safety
Unsafe: the function's result changes; calls that JAX Hints does not see have to be changed by hand.

## When it is fine
Lists and dicts that the traced function makes for itself; counters of traces; numbers stored under `grad` or `vmap`
alone; code in `jax.debug.callback`.

## References
- [Sharp bits: pure functions](guide#pure-functions)
- [Leaked tracers](https://docs.jax.dev/en/latest/errors.html#jax.errors.UnexpectedTracerError)
"""
import re

from ...engine import programs
from ...engine.events import OuterWrite
from ...engine.values import NUMBER, TRACER, TREE
from ..base import Clean, Example, Fix, Hint, Rule, on, short
from ._return import returned
from ._traced import ABOUT_TRACING, is_plain

RULE = Rule(
    section="pure functions",
    kind="silent",
    says={"leak": "`{name}` gets a tracer that outlives its trace: using it later raises",
          "once": "`{name}` changes while JAX traces: once, not each time the program runs"},
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax\nlosses = []\n@jax.jit\ndef loss(w):\n    out = w * w\n    «losses.append(out)»\n    return out", "y = loss(2.0)\nz = y + 1"],
        sees="len(losses) == 1 and isinstance(losses[0], jax.core.Tracer)",
        fixed=["import jax\nlosses = []\n@jax.jit\ndef loss(w):\n    out = w * w\n    return out, out", "y, new_out = loss(2.0)\nlosses.append(new_out)\nz = y + 1"],
        gives="float(y) == 4.0 and [float(l) for l in losses] == [4.0]",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\npeak = None\n@jax.jit\ndef scaled(x):\n    global peak\n    «peak» = jnp.max(x)\n    return x / peak",
             "y = scaled(jnp.array([1.0, 2.0]))"],
        sees="isinstance(peak, jax.core.Tracer)",
        fixed=["import jax, jax.numpy as jnp\npeak = None\n@jax.jit\ndef scaled(x):\n    peak = jnp.max(x)\n    return x / peak, peak",
               "y, peak = scaled(jnp.array([1.0, 2.0]))"],
        gives="float(peak) == 2.0 and y.tolist() == [0.5, 1.0]",
    ),
    Example(
        bad=["import jax\ncalls = 0\n@jax.jit\ndef count(x):\n    global calls\n    «calls» += 1\n    return x", "for _ in range(3):\n    count(1.0)"],
        sees="calls == 1",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\nseen = {}\ndef top(row):\n    «seen['top']» = row.max()\n    return row\nrows = jax.vmap(top)(jnp.ones((2, 3)))"],
        sees="isinstance(seen['top'], jax.core.Tracer)",
    ),
]

CLEAN = [
    Clean(["import jax\n@jax.jit\ndef f(x):\n    parts = {}\n    parts['a'] = x\n    out = []\n    out.append(x)\n    return parts, out\ny = f(1.0)"],
          because="dict and list belong to the function"),
    Clean(["import jax\n@jax.jit\ndef f(params):\n    params['w'] = params['w'] * 2\n    return params\ny = f({'w': 1.0})"],
          because="JAX hands the function a dict of its own"),
    Clean(["import jax\nlosses = []\ndef f(w):\n    losses.append(0.5)\n    return w * w\ng = jax.grad(f)(2.0)"],
          because="a plain number, and `grad` runs the function each time"),
    Clean(["import jax\ntraces = []\n@jax.jit\ndef f(x):\n    traces.append(x.shape)\n    return x\ny = f(1.0)"],
          because="it counts traces on purpose"),
    Clean(["import jax, jax.numpy as jnp\nshapes = []\ndef body(c, x):\n    if len(shapes) < 2:\n        shapes.append([jnp.shape(leaf) for leaf in jax.tree.leaves(c)])\n    return c + x, None\ny = jax.lax.scan(body, 0.0, jnp.ones(3))"],
          because="shapes are known while tracing, and kept on purpose"),
    Clean(["import jax\nseen = []\n@jax.jit\ndef f(x):\n    jax.debug.callback(lambda v: seen.append(v), x)\n    return x\ny = f(1.0)"],
          because="a callback runs on the host with values"),
]

# what is named after such facts keeps them: they are the same in every run of the program
STATIC = re.compile(r"shape|dtype|struct|spec|treedef|aval", re.IGNORECASE)


@on(OuterWrite)
def check(event):
    """Something older than the trace is changed: with a tracer, or in code that runs once."""
    if event.is_self or event.how == "attribute" and not is_plain(event):
        return
    leaves = event.leaves(event.value)
    leaks = any(leaf.must_be(TRACER | TREE) for leaf in leaves)
    if leaks:
        yield Hint(event.node, variant="leak", name=short(event.name), evidence=[leaf.traced for leaf in leaves], data=event)
    elif event.how in ("item", "attribute") and not event.value.must_be(NUMBER):
        return  # tables of what is known while tracing are kept on purpose
    elif programs.is_compiled(event.ctx) and not ABOUT_TRACING.search(event.name) and not STATIC.search(event.name):
        yield Hint(event.node, variant="once", name=short(event.name))


def fixes(hint, edit):
    """The value returned, and stored by the callers."""
    event = hint.data
    if event is not None and event.ctx.function is not None:
        yield Fix(f"Return it and store it in {hint.name} outside", returned(edit, event, event.ctx.function.node), safe=False)
