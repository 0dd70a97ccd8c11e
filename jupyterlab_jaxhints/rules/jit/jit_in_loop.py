"""Compiling a new function object on every turn of a loop.

## What JAX does
`jit` finds its compiled programs by the function object. A lambda, a nested function, `partial(f)`, a bound method or
`grad(f)` made inside of a loop is a new object each time: JAX traces and compiles again on every turn.

## Fix
Makes the jitted function once, above the loop or above the function that the loop calls. What a nested function closes
over becomes arguments, numbers static ones.

## Fix safety
Unsafe: a name that the function reads may be bound anew between the turns.

## When it is fine
`jit(f)` of a function with a name finds the program again. A function that differs on every turn (it captures the
setting of a sweep) has to be compiled anyway.

## References
- [Just-in-time compilation](guide#pure-functions)
"""
import libcst as cst

from ...engine.events import Transform
from ..base import Clean, Example, Fix, Hint, Rule, on, short
from . import _closure, _hoist

RULE = Rule(
    section="jit",
    kind="slow",
    says="`{function}` is a new object on every turn: JAX compiles it each time",
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\nx = jnp.ones(2)\nfor _ in range(5):\n    x = «jax.jit(lambda y: 0.5 * y)»(x)"],
        sees="x.tolist() == [0.03125, 0.03125]",
        fixed=["import jax, jax.numpy as jnp\nx = jnp.ones(2)\ncompiled = jax.jit(lambda y: 0.5 * y)\nfor _ in range(5):\n    x = compiled(x)"],
        gives="x.tolist() == [0.03125, 0.03125]",
    ),
    Example(
        bad=["import jax\nimport jax.numpy as jnp\ndef loss(w):\n    return ((w - 1.0) ** 2).sum()\nw = jnp.zeros(2)\nfor _ in range(3):\n    w = w - 0.1 * «jax.jit(jax.grad(loss))»(w)"],
        sees="w.shape == (2,)",
        fixed=["import jax\nimport jax.numpy as jnp\ndef loss(w):\n    return ((w - 1.0) ** 2).sum()\nw = jnp.zeros(2)\ncompiled_loss = jax.jit(jax.grad(loss))\nfor _ in range(3):\n    w = w - 0.1 * compiled_loss(w)"],
        gives="w.shape == (2,)",
    ),
    Example(  # the loop calls the function around it
        bad=["import jax\ndef run(x):\n    @«jax.jit»\n    def half(y):\n        return 0.5 * y\n    return half(x)", "x = 8.0\nfor _ in range(3):\n    x = run(x)"],
        sees="float(x) == 1.0",
        fixed=["import jax\n@jax.jit\ndef half(y):\n    return 0.5 * y\n\ndef run(x):\n    return half(x)", "x = 8.0\nfor _ in range(3):\n    x = run(x)"],
        gives="float(x) == 1.0",
    ),
    Example(  # it closes over a number
        bad=["import jax\ndef run(x, rate):\n    @«jax.jit»\n    def fade(y):\n        return rate * y\n    return fade(x)", "x = 8.0\nfor _ in range(3):\n    x = run(x, 0.5)"],
        sees="float(x) == 1.0",
        fixed=["import jax\nfrom functools import partial\n@partial(jax.jit, static_argnames=(\"rate\",))\ndef fade(y, rate):\n    return rate * y\n\ndef run(x, rate):\n    return fade(x, rate)", "x = 8.0\nfor _ in range(3):\n    x = run(x, 0.5)"],
        gives="float(x) == 1.0",
    ),
]

CLEAN = [
    Clean(["import jax, jax.numpy as jnp\ndef f(x):\n    return 2 * x\nx = jnp.ones(2)\nfor _ in range(5):\n    x = jax.jit(f)(x)"],
          because="the function has a name: its program is found again"),
    Clean(["import jax, jax.numpy as jnp\nfor power in (2, 3, 4):\n    f = jax.jit(lambda x: x ** power)\n    y = f(jnp.ones(2))"],
          because="each turn asks for another program"),
    Clean(["import jax\nimport zoo\ndef compiled(f):\n    @jax.jit\n    def run(x):\n        return f(x)\n    return run\nprograms = {name: compiled(f) for name, f in zoo.functions().items()}"],
          because="each turn compiles another function", runs=False),
    Clean(["import jax, jax.numpy as jnp\nf = jax.jit(lambda x: 2 * x)\nx = jnp.ones(2)\nfor _ in range(5):\n    x = f(x)"],
          because="made once, above the loop"),
    Clean(["import jax\nimport optimizers\nrule = optimizers.momentum(0.1)\nstate = rule.init(1.0)\nfor g in (0.5, 0.25):\n    step, state = jax.jit(rule.update)(g, state)"],
          because="an attribute may hold one function, as in the named tuples of optax and haiku", runs=False),
]

COMPILES = ("jax.jit", "jax.pmap", "equinox.filter_jit", "flax.nnx.jit", "equinox.filter_pmap")


@on(Transform)
def check(event):
    """A compiled wrapper of a fresh object, for the second time in an eager loop."""
    if event.wrapped.transform in COMPILES and event.fresh and event.repeats and not event.ctx.traced:
        yield Hint(event.node, function=short(event.text(event.function_node), 40), evidence=event.ctx.calls(),
                   data=(event.node, event.function_node, event.ctx.eager_loop.node, _closure.captured(event.function)))


def fixes(hint, edit):
    """The function made once, above."""
    node, function, loop, kinds = hint.data
    path = edit.path(node)
    owner = next((path[i - 1] for i, n in enumerate(path) if isinstance(n, cst.Decorator)), None)
    above = _hoist.place_above(edit, owner or node, loop)
    given = _hoist.free(owner) & _hoist.bound(above) if owner is not None and isinstance(above, cst.FunctionDef) else ()
    if any(kinds.get(name) for name in given):
        yield Fix("Compile it once, with what it closes over as arguments", _closure.edits(edit, owner, above, kinds), safe=False)
        return
    functions = _hoist.nested_functions(edit, owner or node, above) + ([owner] if owner is not None else [])
    if not all(_hoist.known_above(edit, code, above) for code in (node, *functions)):
        return
    texts, edits = _hoist.move_functions(edit, functions, above)
    if owner is None:
        text, more = _hoist.move_expression(edit, node, above, *_names(function))
        texts, edits = [*texts, text], [*edits, *more]
    where = "function" if isinstance(above, (cst.FunctionDef, cst.Lambda)) else "loop"
    yield Fix(f"Compile it once, above the {where}", [_hoist.inserted(edit, above, texts), *edits], safe=False)


def _names(function):
    """What to call it: after the first name that is a function, else plainly."""
    while isinstance(function, cst.Call) and function.args:
        function = function.args[0].value
    own = getattr(function, "attr", function)
    named = [f"compiled_{own.value}"] if isinstance(own, cst.Name) else []
    return [*named, "compiled", "compiled_function"]
