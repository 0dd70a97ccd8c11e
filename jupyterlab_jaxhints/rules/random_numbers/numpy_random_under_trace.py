"""Drawing with NumPy's or Python's generator in compiled code.

## What JAX does
JAX runs the function once, to trace it. The number that `np.random` or `random` gives then becomes a constant of the
compiled program: every later call uses the same number.

## Fix
None is written: give the function a key as an argument and draw with `jax.random`; the caller splits the key.

## Fix safety
No fix is offered.

## When it is fine
Outside of compiled code, under `grad` alone, and in a host callback, which runs on every call.

## References
- [Sharp bits: random numbers](guide#random-numbers)
"""
from ...engine.events import Call
from ...engine.keys import owner
from ..base import Clean, Example, Hint, Rule, on

RULE = Rule(
    section="random numbers",
    kind="silent",
    says="`{call}` draws once, while JAX traces: every call gets the same number",
)

EXAMPLES = [
    Example(
        bad=["import numpy as np, jax\n@jax.jit\ndef noisy(x):\n    return x + «np.random.uniform()»", "same = noisy(1.0) == noisy(1.0)"],
        sees="bool(same)",
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
        yield Hint(event.node, call=event.text(event.func_node))
