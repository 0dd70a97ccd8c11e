"""A static argument that differs on every turn.

## What JAX does
A static argument is part of the program: JAX traces and compiles again for each new value. When it changes on every turn
of a loop, nothing is ever found in the cache.

## Fix
Takes the argument out of the static ones, so that it is traced.

## Fix safety
Unsafe: the function must not need the value as a shape, a flag or a Python number.

## When it is fine
A sweep over a few settings; arguments that are needed as shapes have to be static.

## References
- [Just-in-time compilation](guide#jit-methods)
"""
import libcst as cst

from ...engine.events import TransformedCall
from ...engine.tracing import static_parameters
from ...engine.values import NUMBER, VARYING
from ..base import Clean, Example, Fix, Hint, Rule, on

RULE = Rule(
    section="jit",
    kind="slow",
    says="`{argument}` is static and differs on every turn: JAX compiles each time",
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\ndef step(x, t):\n    return x / (1.0 + t)\nfast = jax.jit(step, static_argnames='t')",
             "x = jnp.ones(2)\nfor t in range(9):\n    x = fast(x, «t»)\nprograms = fast._cache_size()"],
        sees="programs == 9",
        fixed=["import jax, jax.numpy as jnp\ndef step(x, t):\n    return x / (1.0 + t)\nfast = jax.jit(step)",
               "x = jnp.ones(2)\nfor t in range(9):\n    x = fast(x, t)\nprograms = fast._cache_size()"],
        gives="programs == 1",
    ),
]

CLEAN = [
    Clean(["import jax, jax.numpy as jnp\nfast = jax.jit(lambda x, n: x ** n, static_argnums=1)\nfor n in (1, 2, 3):\n    y = fast(jnp.ones(2), n)"],
          because="a few settings, a program each"),
    Clean(["import jax, jax.numpy as jnp\nfast = jax.jit(lambda x, n: x ** n, static_argnums=1)\nx = jnp.ones(2)\nfor t in range(9):\n    x = fast(x, 2)"],
          because="always the same value"),
    Clean(["import jax, jax.numpy as jnp\nfast = jax.jit(lambda x, t: x / (1.0 + t))\nx = jnp.ones(2)\nfor t in range(9):\n    x = fast(x, t)"],
          because="`t` is traced"),
]

FEW = 4


@on(TransformedCall)
def check(event):
    """A static argument holds a number that goes with the loop."""
    loop = event.ctx.eager_loop
    if not event.wrapped.transform.endswith("jit") or loop is None or event.ctx.traced:
        return
    if loop.turns is not None and loop.turns <= FEW:
        return
    static = static_parameters(event.machine, event.wrapped)
    for name in sorted(static[1]) if static is not None else ():
        value = event.bound.get(name)
        if value is not None and value.must_be(NUMBER) and not value.known and value.flags & VARYING:
            yield Hint(event.nodes[name], argument=event.text(event.nodes[name]), evidence=[_where(event)],
                       data=(event.wrapped, name))


def _where(event):
    from ...engine.values import Step

    return Step(f"`{event.wrapped.transform.rsplit('.', 1)[-1]}` with static arguments", event.wrapped.node,
                event.wrapped.place)


def fixes(hint, edit):
    """Take the option away where this argument is the only static one."""
    wrapped, name = hint.data
    call = getattr(wrapped.node, "decorator", wrapped.node)
    if not isinstance(call, cst.Call):
        return
    options = [arg for arg in call.args if arg.keyword is not None and arg.keyword.value.startswith("static_arg")]
    option = wrapped.options.get("static_argnames", wrapped.options.get("static_argnums"))
    alone = option is not None and option.known and (not isinstance(option.const, tuple) or len(option.const) == 1)
    if len(options) == 1 and alone:
        there = edit.elsewhere(wrapped.place)
        positional = [arg for arg in call.args if arg is not options[0]]
        is_factory = isinstance(wrapped.node, cst.Decorator) and len(positional) == 1 and positional[0].keyword is None
        if is_factory:  # @partial(jit, static_argnums=1) → @jit
            yield Fix(f"Let {name} be traced", [there.replace(call, there.text(positional[0].value))], safe=False)
        elif not isinstance(wrapped.node, cst.Decorator):
            yield Fix(f"Let {name} be traced", [there.delete(options[0])], safe=False)
