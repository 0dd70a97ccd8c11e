"""Leaving a debug flag on for training or timing.

## What JAX does
`jax_debug_nans` and `jax_debug_infs` fetch and check every result, `jax_disable_jit` compiles nothing, and
`jax_check_tracer_leaks` traces with checks. Everything that runs after them is slower, often by orders of magnitude.

## Fix
None is written: switch the flag off when the search is over, or use it as a context: `with jax.debug_nans(True):`.

## Fix safety
No fix is offered.

## When it is fine
While hunting the NaN; in a `with` block; when it is switched off before the loop.

## References
- [Debugging flags](https://docs.jax.dev/en/latest/debugging/flags.html)
"""
from ...engine.events import ConfigSet, NotebookEnd, Timed, TransformedCall
from ...engine.values import Step
from ..base import Clean, Example, Hint, Rule, on

RULE = Rule(section="debugging NaNs", kind="slow", says="`{flag}` stays on: what trains or is timed below runs slowly", lanes="S+T")

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\n«jax.config.update('jax_debug_nans', True)»",
             "step = jax.jit(lambda w: 0.9 * w)\nw = jnp.ones(2)\nfor _ in range(50):\n    w = step(w)\non = jax.config.jax_debug_nans\njax.config.update('jax_debug_nans', False)"],
        sees="on",
    ),
]

CLEAN = [
    Clean(["import jax, jax.numpy as jnp\nstep = jax.jit(lambda w: 0.9 * w)\nw = jnp.ones(2)\nwith jax.debug_nans(True):\n    w = step(w)\nfor _ in range(50):\n    w = step(w)"],
          because="on in the `with` block only"),
    Clean(["import jax, jax.numpy as jnp\njax.config.update('jax_debug_nans', True)\ny = jnp.log(jnp.ones(2))\njax.config.update('jax_debug_nans', False)",
           "step = jax.jit(lambda w: 0.9 * w)\nw = jnp.ones(2)\nfor _ in range(50):\n    w = step(w)"],
          because="switched off before the loop"),
    Clean(["import jax, jax.numpy as jnp\njax.config.update('jax_debug_infs', False)\nstep = jax.jit(lambda w: 0.9 * w)\nw = jnp.ones(2)\nfor _ in range(50):\n    w = step(w)"],
          because="`False` is the default"),
]

FLAGS = ("jax_debug_nans", "jax_debug_infs", "jax_disable_jit", "jax_check_tracer_leaks")
FEW = 8


@on(NotebookEnd)
def check(event):
    """A flag that is on when a compiled function runs in a long loop, or is timed."""
    on_now: dict = {}
    for found in event.of(ConfigSet, TransformedCall, Timed):
        if isinstance(found, ConfigSet):
            if found.flag in FLAGS and found.how != "context":
                works = found.how != "environment" or not found.imported
                on_now.pop(found.flag, None)
                if works and found.value.known and found.value.const is True and not found.ctx.generic:
                    on_now[found.flag] = found
        elif on_now and _is_heavy(found):
            for flag, setting in on_now.items():
                later = Step("this runs with the flag on", found.node, found.place)
                yield Hint(setting.node, place=setting.place, flag=flag, evidence=[later])
            return


def _is_heavy(event):
    if isinstance(event, Timed):
        return True
    loop = event.ctx.eager_loop
    if loop is None or event.ctx.traced or event.ctx.generic or not event.wrapped.transform.endswith(("jit", "grad", "pmap")):
        return False
    return loop.turns is None or loop.turns > FEW
