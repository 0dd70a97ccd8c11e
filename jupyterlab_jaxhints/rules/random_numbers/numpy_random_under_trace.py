"""Drawing with NumPy's or Python's generator in compiled code.

## What JAX does
JAX runs the function once, to trace it. The number that `np.random` or `random` gives then becomes a constant of the
compiled program: every later call uses the same number.

## Fix
Draws with `jax.random` from a key that is a new argument, where the function draws once and all its calls are seen: each
gets a key of its own.

## Fix safety
Unsafe: the numbers are other ones, in 32 bits, and the function's signature changes.

## When it is fine
Outside of compiled code, under `grad` alone, and in a host callback, which runs on every call.

## References
- [Sharp bits: random numbers](guide#random-numbers)
"""
import libcst as cst

from ...engine.events import Call
from ...engine.keys import owner
from ...engine.scopes import occurrences
from ..base import Clean, Example, Fix, Hint, Rule, on
from ._argument import with_key
from ._draws import as_jax, takes_tracer

RULE = Rule(
    section="random numbers",
    kind="silent",
    says="`{call}` draws once, while JAX traces: every call gets the same number",
)

EXAMPLES = [
    Example(
        bad=["import numpy as np, jax\n@jax.jit\ndef noisy(x):\n    return x + «np.random.uniform()»", "same = noisy(1.0) == noisy(1.0)"],
        sees="bool(same)",
        fixed=["import numpy as np, jax\n@jax.jit\ndef noisy(x, key):\n    return x + jax.random.uniform(key)",
               "same = noisy(1.0, jax.random.key(0)) == noisy(1.0, jax.random.key(1))"],
        gives="not bool(same)",
    ),
    Example(
        bad=["import random, jax\ndef jitter(x):\n    return x * «random.random()»\nfast = jax.jit(lambda x: jitter(x) + 1.0)",
             "same = fast(2.0) == fast(2.0)"],
        sees="bool(same)",
    ),
    Example(
        bad=["import numpy as np, jax\nrng = np.random.default_rng(0)\n@jax.jit\ndef noisy(x):\n    return x + «rng.normal(size=2)»",
             "same = (noisy(1.0) == noisy(1.0)).all()"],
        sees="bool(same)",
        fixed=["import numpy as np, jax\nrng = np.random.default_rng(0)\n@jax.jit\ndef noisy(x, key):\n    return x + jax.random.normal(key, (2,))",
               "same = (noisy(1.0, jax.random.key(0)) == noisy(1.0, jax.random.key(1))).all()"],
        gives="not bool(same)",
    ),
]

CLEAN = [
    Clean(["import numpy as np, jax\n@jax.jit\ndef f(x):\n    return 2 * x\ny = f(np.random.randn(3))"], because="drawn outside"),
    Clean(["import numpy as np, jax\ndef loss(w):\n    return (w - np.random.rand()) ** 2\ng = jax.grad(loss)(1.0)"],
          because="under `grad` alone the function runs each time"),
    Clean(["import jax\n@jax.jit\ndef f(x, key):\n    return x + jax.random.normal(key)\ny = f(1.0, jax.random.key(0))"],
          because="JAX's own random numbers, with a key"),
    Clean(["import numpy as np, jax\ndef make(n):\n    w = np.random.default_rng(0).normal(size=n)\n    return jax.jit(lambda x: x * w)\ny = make(2)(1.0)"],
          because="drawn when the function is made, as a constant that is meant"),
]

# they make, seed or describe generators; nothing is drawn
QUIET = frozenset("default_rng RandomState Generator SeedSequence PCG64 MT19937 Philox seed get_state set_state "
                  "getstate setstate Random SystemRandom spawn bit_generator".split())


@on(Call)
def check(event):
    """A draw from a generator of the host in staged code."""
    if not event.ctx.staged:
        return
    made = owner(event.receiver) if event.receiver is not None else ""
    function = event.name.rpartition(".")[2]
    module = event.name.startswith(("numpy.random.", "random.")) and function not in QUIET
    if module or made.startswith(("numpy.random.", "random.")) and getattr(
            getattr(event.func_node, "attr", None), "value", "") not in QUIET:
        yield Hint(event.node, call=event.text(event.func_node), data=(event, event.name if module else "", _is_simple(event)))


def _is_simple(event):
    function = event.ctx.function.node if event.ctx.function is not None else None
    return isinstance(function, cst.FunctionDef) and takes_tracer(event.machine, function, event.node)


def fixes(hint, edit):
    """A key as an argument, and a draw from it."""
    event, name, simple = hint.data
    function = event.ctx.function.node if event.ctx.function is not None else None
    if not simple or "key" in {other for other, _, _ in occurrences(function)}:
        return
    module, edits = edit.import_needed("jax.random")
    text = as_jax(edit, hint.node, name, module)
    yield Fix("Draw from a key", [edit.replace(hint.node, text), *edits, *with_key(edit, function, "key", 0)], safe=False)
