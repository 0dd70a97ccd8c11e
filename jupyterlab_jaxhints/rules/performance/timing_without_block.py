"""Timing that does not wait for the result.

## What JAX does
JAX returns before the work is done: a call only hands it to the device. `%timeit`, `%%time` and a pair of clock reads
around it measure how long that takes, not how long the work does.

## Fix
Waits for the result with `.block_until_ready()`, or `jax.block_until_ready(…)` for a tree of arrays.

## Fix safety
Safe: waiting changes no value.

## When it is fine
Where the timed code reads the result (`float(x)`, `np.asarray(x)`, printing it), or measures the dispatch on purpose.

## References
- [Benchmarking JAX code](jax/benchmarking.html)
"""
import libcst as cst

from ...engine.events import NotebookEnd, Timed
from ...engine.values import ARRAY
from ..base import Clean, Example, Fix, Hint, Rule, on, short

RULE = Rule(
    section="performance",
    kind="silent",
    says="Nothing waits for `{call}`: this times its dispatch, not its work",
)

EXAMPLES = [
    Example(
        bad=["import time\nimport jax, jax.numpy as jnp\nf = jax.jit(lambda m: m @ m)\nm = jnp.ones((9, 9))",
             "t0 = time.perf_counter()\ny = «f(m)»\nseconds = time.perf_counter() - t0"],
        sees="seconds > 0",
        fixed=["import time\nimport jax, jax.numpy as jnp\nf = jax.jit(lambda m: m @ m)\nm = jnp.ones((9, 9))",
               "t0 = time.perf_counter()\ny = f(m).block_until_ready()\nseconds = time.perf_counter() - t0"],
        gives="seconds > 0 and float(y[0, 0]) == 9.0",
    ),
    Example(
        bad=["import jax.numpy as jnp\nm = jnp.ones((9, 9))", "%time y = «m @ m»"],
        sees="y.shape == (9, 9)",
        fixed=["import jax.numpy as jnp\nm = jnp.ones((9, 9))", "%time y = (m @ m).block_until_ready()"],
        gives="float(y[0, 0]) == 9.0",
    ),
]

CLEAN = [
    Clean(["import jax.numpy as jnp\nm = jnp.ones((9, 9))", "%timeit -n 1 -r 1 (m @ m).block_until_ready()"], because="waits"),
    Clean(["import time\nimport jax.numpy as jnp\nm = jnp.ones((9, 9))\nt0 = time.time()\ntotal = float((m @ m).sum())\nprint(time.time() - t0)"],
          because="`float` waits for the value"),
    Clean(["import time\nimport numpy as np\nimport jax\nm = np.ones((9, 9))\nt0 = time.time()\ny = m @ m\nprint(time.time() - t0)"],
          because="NumPy works at once"),
]


@on(NotebookEnd)
def check(event):
    """A timed stretch whose last dispatch nothing waits for."""
    for timed in event.of(Timed):
        if not timed.waits:
            yield Hint(timed.node, place=timed.place, call=short(event.machine.text(timed.node), 30), data=timed)


def fixes(hint, edit):
    """Wait for the value."""
    timed = hint.data
    node = timed.node
    if not isinstance(node, (cst.Call, cst.BinaryOperation)):
        return
    if timed.last_value is not None and timed.last_value.must_be(ARRAY):
        text = f"{edit.operand(node)}.block_until_ready()"
        yield Fix("Wait with .block_until_ready()", [edit.replace(node, text, parens=True)])
    else:
        module, edits = edit.import_needed("jax")
        yield Fix("Wait with jax.block_until_ready", [*edit.wrap(node, f"{module}.block_until_ready(", ")"), *edits])
