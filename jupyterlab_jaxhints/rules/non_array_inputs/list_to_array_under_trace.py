"""A list of numbers that is made an array in traced code.

## What JAX does
A list given to a traced function is a tree: each number in it becomes an operand of its own.
`jnp.array(numbers)` inside then joins them again, one by one. With hundreds of them tracing and compiling
take seconds, and each length compiles anew.

## Fix
Makes the array before the call, `f(jnp.array(numbers))`, which gives one operand. Offered where the function does
nothing with the list but make an array of it, and ask for its length.

## Fix safety
Unsafe: numbers of Python are weakly typed, those of the array are not, which can change later dtypes.

## When it is fine
Lists of arrays, such as layers of parameters; short lists; arrays made outside of the trace.

## References
- [Sharp bits: non-array inputs](guide#non-array-inputs)
"""
import sys

import libcst as cst

from ...engine.events import Call, TransformedCall
from ...engine.scopes import children, occurrences
from ...engine.values import ABSTRACT, NUMBER, SEQUENCE
from ..base import Clean, Example, Fix, Hint, Rule, on, short

RULE = Rule(
    section="non-array inputs",
    kind="slow",
    says={"": "`{numbers}` is a list of traced numbers: `{function}` joins them one by one",
          "argument": "`{numbers}` is a list of numbers: each is an operand of its own in `{function}`"},
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\n@jax.jit\ndef total(xs):\n    return jnp.sum(«jnp.array(xs)»)",
             "y = total(«[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]»)"],
        sees="len(total.lower(list(range(10))).in_avals[0][0]) == 10",
        fixed=["import jax, jax.numpy as jnp\n@jax.jit\ndef total(xs):\n    return jnp.sum(jnp.array(xs))",
               "y = total(jnp.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]))"],
        gives="float(y) == 45.0",
    ),
    Example(  # the length is not known: information
        bad=["import jax, jax.numpy as jnp\nreadings = [0.1 * i for i in range(50)]",
             "def mean(xs):\n    return «jnp.asarray(xs)».mean()",
             "y = jax.jit(mean)(«readings»)"],
        sees="abs(float(y) - 2.45) < 1e-5",
        fixed=["import jax, jax.numpy as jnp\nreadings = [0.1 * i for i in range(50)]",
               "def mean(xs):\n    return jnp.asarray(xs).mean()",
               "y = jax.jit(mean)(jnp.array(readings))"],
        gives="abs(float(y) - 2.45) < 1e-5",
    ),
    Example(  # the list may be what the function is for: no fix
        bad=["import jax\n@jax.jit\ndef total(xs):\n    return sum(xs + [1.0])", "y = total(«[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]»)"],
        sees="float(y) == 46.0",
    ),
]

CLEAN = [
    Clean(["import jax, jax.numpy as jnp\nf = jax.jit(lambda xs: jnp.sum(jnp.asarray(xs)))\ny = f(jnp.array([1.0, 2.0, 3.0]))"],
          because="the array is made before the call"),
    Clean(["import jax, jax.numpy as jnp\nf = jax.jit(lambda xs: jnp.array(xs) * 2)\ny = f([1.0, 2.0, 3.0])"],
          because="three operands cost nothing"),
    Clean(["import jax, jax.numpy as jnp\nlayers = [jnp.ones(2) for _ in range(20)]\nf = jax.jit(lambda ws: sum(w.sum() for w in ws))\ny = f(layers)"],
          because="a list of arrays is a tree of parameters"),
    Clean(["import jax.numpy as jnp\ny = jnp.array([0.1 * i for i in range(50)])"], because="nothing is traced"),
]

MANY = 8
MAKERS = frozenset({"jax.numpy.array", "jax.numpy.asarray"})
JOINING = MAKERS | {"builtins.len"}
STAGED = ("jit", "pmap")


@on(Call)
def check_made(event):
    """`jnp.array` of a list that came into the trace as numbers."""
    if event.name not in MAKERS or not event.args or not event.ctx.staged:
        return
    value = event.args[0].value
    record = event.machine.record(value) if value.must_be(SEQUENCE) else None
    if record is None or record.kind != "list" or record.number != sys.maxsize:
        return
    certain = _is_long(event, value, lambda part: part.must_be(ABSTRACT) and part.shape == () and part.weak is True)
    if certain is not None:
        yield Hint(event.node, numbers=short(event.text(event.args[0].node), 20), function=event.text(event.func_node),
                   certain=certain)


@on(TransformedCall)
def check_given(event):
    """A long list of numbers, given to a jitted function that does not take it as static."""
    if not event.wrapped.transform.endswith(STAGED) or event.wrapped.option("static_argnums") is not None or (
            event.wrapped.option("static_argnames") is not None):
        return
    for argument in event.args:
        record = event.machine.record(argument.value) if argument.value.must_be(SEQUENCE) else None
        if record is not None and record.kind == "list" and not argument.star:
            certain = _is_long(event, argument.value, lambda part: part.must_be(NUMBER))
            if certain is not None:
                name = event.function.name if event.function is not None else "the program"
                yield Hint(argument.node, variant="argument", numbers=short(event.text(argument.node), 20), function=name,
                           certain=certain, data=_only_joins(event, argument.node))


def _only_joins(event, given):
    """The function makes an array of the parameter wherever it reads it, or asks for its length."""
    function = event.function.node if event.function is not None else None
    name = next((name for name, node in event.nodes.items() if node is given), None)
    if function is None or name is None:
        return False
    joined, todo = set(), [function.body]
    while todo:
        node = todo.pop()
        todo += children(node)
        if isinstance(node, cst.Call) and node.args and event.machine.callee_name(node.func) in JOINING:
            joined.add(id(node.args[0].value))
    found = [(stored, id(node)) for other, stored, node in occurrences(function.body) if other == name]
    return bool(found) and all(not stored and node in joined for stored, node in found)


def _is_long(event, value, is_number):
    """True for many numbers, False where only their number is not known, None for everything else."""
    parts = event.parts(value)
    if parts:
        return True if len(parts) >= MANY and all(map(is_number, parts)) else None
    record = event.machine.record(value)
    return False if record.items is None and record.rest is not None and is_number(record.rest) else None


def fixes(hint, edit):
    """`jnp.array(…)` around the argument."""
    if hint.data:
        module, edits = edit.import_needed("jax.numpy", alias="jnp")
        text = edit.argument(hint.node)
        yield Fix("Make it an array before the call", [edit.replace(hint.node, f"{module}.array({text})", parens=True), *edits], safe=False)
