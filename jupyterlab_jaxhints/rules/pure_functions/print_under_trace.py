"""Printing in compiled code.

## What JAX does
A function under `jit`, `scan`, `cond` and the like runs in Python only while JAX traces it. `print`, `logging` and
`warnings.warn` run then, once, and show tracers instead of values; later calls print nothing.

## Fix
`jax.debug.print` prints the values each time the program runs. A call of `logging` or `warnings` goes into
`jax.debug.callback`, with the values as arguments.

## Fix safety
Safe for `print`: nothing but the output changes. Unsafe for a log: what its handlers do happens on every run.

## When it is fine
Shapes, dtypes and notes such as "tracing f" are right at trace time. Under `grad` or `vmap` alone the function runs, and
prints, at every call.

## References
- [Sharp bits: pure functions](guide#pure-functions)
"""
import libcst as cst

from ...engine import programs
from ...engine.events import Print
from ...engine.values import ABSTRACT, DTYPE, NONE, NUMBER, NUMPY, SEQUENCE, STRING, TRACER, TREE
from ..base import Clean, Example, Fix, Hint, Rule, on
from ._message import Hole, call_arguments, called_back, has_format, parts_of, quote_of
from ._traced import ABOUT_TRACING

RULE = Rule(
    section="pure functions",
    kind="silent",
    says={"": "`{function}` runs while JAX traces: it shows a tracer, once, not values",
          "text": "`{function}` runs while JAX traces: once, not each time the program runs"},
)

EXAMPLES = [
    Example(
        bad=["import jax\n@jax.jit\ndef half(x):\n    «print(\"x is\", x)»\n    return x / 2", "y = half(3.0)"],
        sees="float(y) == 1.5",
        fixed=["import jax\n@jax.jit\ndef half(x):\n    jax.debug.print(\"x is {}\", x)\n    return x / 2", "y = half(3.0)"],
        gives="float(y) == 1.5",
    ),
    Example(
        bad=["import jax\ndef turn(i, x):\n    y = x * i\n    «print(f'turn {i}: {y}')»\n    return y", "z = jax.lax.fori_loop(1, 3, turn, 1)"],
        sees="int(z) == 2",
        fixed=["import jax\ndef turn(i, x):\n    y = x * i\n    jax.debug.print('turn {i}: {y}', i=i, y=y)\n    return y", "z = jax.lax.fori_loop(1, 3, turn, 1)"],
        gives="int(z) == 2",
    ),
    Example(
        bad=["import jax\ndef low(x):\n    «print('low {ok}')»\n    return x\ny = jax.lax.cond(True, low, low, 1.0)"],
        sees="float(y) == 1.0",
        fixed=["import jax\ndef low(x):\n    jax.debug.print('low {{ok}}')\n    return x\ny = jax.lax.cond(True, low, low, 1.0)"],
        gives="float(y) == 1.0",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp, logging\n@jax.jit\ndef norm(x):\n    «logging.info('sum %s of %s', jnp.sum(x), x)»\n    return x / jnp.sum(x)",
             "y = norm(jnp.ones(2))"],
        sees="y.tolist() == [0.5, 0.5]",
        fixed=["import jax, jax.numpy as jnp, logging\n@jax.jit\ndef norm(x):\n"
               "    jax.debug.callback(lambda value, x: logging.info('sum %s of %s', value, x), jnp.sum(x), x)\n    return x / jnp.sum(x)",
               "y = norm(jnp.ones(2))"],
        gives="y.tolist() == [0.5, 0.5]",
    ),
]

CLEAN = [
    Clean(["import jax\n@jax.jit\ndef f(x):\n    print('shape', x.shape, x.dtype)\n    return x\ny = f(1.0)"],
          because="shapes and dtypes are known while tracing"),
    Clean(["import jax\n@jax.jit\ndef f(x):\n    print('tracing f')\n    return x\ny = f(1.0)"],
          because="the message is about tracing"),
    Clean(["import jax\ndef f(x):\n    print(x)\n    return x * x\ng = jax.grad(f)(2.0)"], because="`grad` alone runs the function each time"),
    Clean(["import jax\n@jax.jit\ndef f(x):\n    jax.debug.callback(lambda v: print('x is', v), x)\n    return x\ny = f(1.0)"],
          because="a callback runs on the host with values"),
    Clean(["import jax\n@jax.jit\ndef f(x):\n    return x\ny = f(1.0)\nprint(y)"], because="the print is outside"),
]

PASSED = TRACER | TREE | NUMBER | NUMPY | ABSTRACT
LOGGERS = frozenset({"warnings.warn", *(f"{module}logging.{level}" for module in ("", "absl.")
                                        for level in ("debug", "info", "warning", "error", "critical", "log"))})
STATIC = NUMBER | STRING | DTYPE | NONE


@on(Print)
def check(event):
    """Printing in code that is compiled: what a tracer is in, and bare notes on progress."""
    if not programs.is_compiled(event.ctx) or not event.args:
        return
    leaves = [leaf for value in event.values for leaf in event.leaves(value)]
    shows = any(leaf.must_be(TRACER | TREE) for leaf in leaves)
    if shows and any(has_format(arg.node) for arg in event.args):
        return  # the message raises before it is printed: cast-on-tracer speaks of it
    words = " ".join(event.text(arg.node) for arg in event.args)
    if not shows and (ABOUT_TRACING.search(words) or any("shape" in leaf.flags or leaf.must_be(DTYPE) for leaf in leaves)):
        return
    bare = all(leaf.must_be(STRING) for leaf in leaves)
    static = not bare and all(leaf.must_be(STATIC | SEQUENCE) for leaf in leaves)
    function = event.name.rpartition(".")[2] if event.name != "builtins.print" else "print"
    yield Hint(event.node, variant="" if shows else "text", function=function, certain=shows or bare,
               kind="style" if static and not shows else None, data=event,
               evidence=[leaf.traced for leaf in leaves])


def fixes(hint, edit):
    """`jax.debug.print` with placeholders; a log's call in `jax.debug.callback`."""
    event = hint.data
    if event.name in LOGGERS and hint.kind is None:
        module, edits = edit.import_needed("jax")
        yield Fix("Log from a callback", [*called_back(edit, event, module, PASSED), *edits], safe=False)
    if event.name != "builtins.print" or any(arg.keyword is not None and arg.keyword.value != "flush" or arg.star for arg in event.node.args):
        return
    for value in event.values:
        if any(not leaf.must_be(PASSED | STRING) for leaf in event.leaves(value)):
            return
    parts = []
    for arg in (a.value for a in event.node.args if a.keyword is None):
        parts += [" "] if parts else []
        known = isinstance(arg, (cst.SimpleString, cst.FormattedString, cst.ConcatenatedString))
        parts += parts_of(arg) if known else [Hole(arg, "")]
    nodes = [arg.value for arg in event.node.args]
    text = call_arguments(edit, parts, quote_of(*nodes), named=isinstance(nodes[0], cst.FormattedString) and len(nodes) == 1)
    module, edits = edit.import_needed("jax")
    yield Fix("Use jax.debug.print", [edit.replace(event.node, f"{module}.debug.print({text})"), *edits])
