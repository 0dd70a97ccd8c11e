"""Giving `jax.debug.print` a message that is already formatted.

## What JAX does
`jax.debug.print` fills the placeholders of its format string with values each time the program runs. An f-string, `%` or
`str.format` fills them before, while JAX traces: the message holds the tracer's own text, the same at every run.

## Fix
A plain string with placeholders, and the values as arguments.

## Fix safety
Safe: nothing but the output changes.

## When it is fine
Values that are known while tracing (shapes, dtypes, static arguments) may be formatted before.

## References
- [jax.debug.print](https://docs.jax.dev/en/latest/debugging/print_breakpoint.html)
- [Sharp bits: pure functions](guide#pure-functions)
"""
import libcst as cst

from ...engine.events import Call
from ...engine.textedits import EditRefused
from ...engine.values import STRING, TRACER, TREE
from ..base import Clean, Example, Fix, Hint, Rule, on
from ._message import call_arguments, literal, parts_of, quote_of

RULE = Rule(
    section="pure functions",
    kind="silent",
    says="The message is formatted while JAX traces: it holds a tracer, not its value",
)

EXAMPLES = [
    Example(
        bad=["import jax\n@jax.jit\ndef half(x):\n    jax.debug.print(«f\"x is {x}\"»)\n    return x / 2", "y = half(3.0)"],
        sees="float(y) == 1.5",
        fixed=["import jax\n@jax.jit\ndef half(x):\n    jax.debug.print(\"x is {x}\", x=x)\n    return x / 2", "y = half(3.0)"],
        gives="float(y) == 1.5",
    ),
    Example(
        bad=["from jax import debug, vmap\nimport jax.numpy as jnp\ndef show(v):\n    debug.print(«'sum {}'.format(v.sum())», ordered=False)\n    return v",
             "w = vmap(show)(jnp.ones((2, 2)))"],
        sees="w.shape == (2, 2)",
        fixed=["from jax import debug, vmap\nimport jax.numpy as jnp\ndef show(v):\n    debug.print('sum {}', v.sum(), ordered=False)\n    return v",
               "w = vmap(show)(jnp.ones((2, 2)))"],
        gives="w.shape == (2, 2)",
    ),
]

CLEAN = [
    Clean(["import jax\n@jax.jit\ndef f(x):\n    jax.debug.print(\"x is {x}\", x=x)\n    return x\ny = f(1.0)"],
          because="the value is filled in when the program runs"),
    Clean(["import jax\n@jax.jit\ndef f(x):\n    jax.debug.print(f\"shape {x.shape}\")\n    return x\ny = f(1.0)"],
          because="a shape is known while tracing"),
    Clean(["import jax\n@jax.jit\ndef f(x):\n    name = 'x'\n    jax.debug.print(f\"{name} is {{}}\", x)\n    return x\ny = f(1.0)"],
          because="only a name is formatted; the placeholder stays"),
    Clean(["import jax, jax.numpy as jnp\nx = jnp.ones(2)\njax.debug.print(f\"x is {x}\")"], because="outside of a trace the value is there"),
]


@on(Call)
def check(event):
    """The format string holds the text of a tracer."""
    message = event.argument("fmt", 0)
    if event.name != "jax.debug.print" or message is None or not message.value.must_be(STRING):
        return
    held = [leaf for value in message.value.elements or () for leaf in event.leaves(value)]
    tracers = [leaf for leaf in held if leaf.must_be(TRACER | TREE)]
    if tracers:
        yield Hint(message.node, evidence=[leaf.traced for leaf in tracers], data=(message.node, [arg for arg in event.args if not arg.keyword]))


def fixes(hint, edit):
    """The same message with placeholders."""
    node, positional = hint.data
    if len(positional) > 1:
        raise EditRefused("other values fill placeholders already")
    text = _formatted(edit, node) if isinstance(node, cst.Call) else call_arguments(edit, parts_of(node), quote_of(node))
    yield Fix("Give the values to jax.debug.print", [edit.replace(node, text)])


def _formatted(edit, call):
    """`"…".format(a, b=c)` as the arguments `"…", a, b=c`."""
    func = call.func
    if not isinstance(func, cst.Attribute) or func.attr.value != "format" or any(arg.star for arg in call.args):
        raise EditRefused("the message is put together elsewhere")
    if not isinstance(func.value, cst.SimpleString):
        raise EditRefused("the message is put together elsewhere")
    text = literal(func.value.evaluated_value, quote_of(func.value))
    return ", ".join([text, *(edit.text(arg) for arg in call.args)])
