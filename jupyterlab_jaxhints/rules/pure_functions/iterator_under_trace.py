"""Python iterators in compiled code.

## What JAX does
An iterator has state that JAX does not see. `next(it)` in traced code runs once, while JAX traces: the program uses the
same element at every turn. An iterator, a generator, `zip`, `range` or a dict's view given to `scan`, `cond`, `jit` and
the like is no array and no pytree, and raises `TypeError`.

## Fix
`jnp.arange` for `range`; for `zip` and `enumerate` a tuple, of arrays where JAX goes through the rows; `jnp.array` of the
elements for others. `next(it)` in the body of `fori_loop` becomes an element of an array, by the loop's index.

## Fix safety
Safe where the elements are numbers. Unsafe for `next`: the array takes the iterator's name.

## When it is fine
Python loops over iterators that are made and used up in the traced function, also of `zip` and `enumerate`.

## References
- [Sharp bits: pure functions](guide#pure-functions)
"""
import re

import libcst as cst

from ...engine import programs, tracing
from ...engine.events import Call, TransformedCall
from ...engine.specs import spec_of
from ...engine.textedits import EditRefused
from ...engine.values import ARRAY, ITERATOR, NUMBER, SEQUENCE
from ..base import Clean, Example, Fix, Hint, Rule, on, short

RULE = Rule(
    section="pure functions",
    kind="silent",
    says={"next": "`{value}` runs while JAX traces: the program uses one element again and again",
          "given": "`{value}` is a Python iterator: `{function}` takes arrays and pytrees, and raises"},
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["from jax import lax\nit = iter(range(10))\nn = lax.fori_loop(0, 10, lambda i, x: x + «next(it)», 0)"],
        sees="int(n) == 0",
        fixed=["from jax import lax\nimport jax.numpy as jnp\nit = jnp.arange(10)\nn = lax.fori_loop(0, 10, lambda i, x: x + it[i], 0)"],
        gives="int(n) == 45",
    ),
    Example(
        bad=["import jax\ndef add(c, x):\n    return c + x, None\nn, _ = jax.lax.scan(add, 0, «range(4)»)"],
        raises="TypeError",
        fixed=["import jax\ndef add(c, x):\n    return c + x, None\nn, _ = jax.lax.scan(add, 0, jax.numpy.arange(4))"],
        gives="int(n) == 6",
        jax=">=0.5",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\na = [1.0, 2.0]\nb = (1.0, 1.0)\nn, _ = jax.lax.scan(lambda c, p: (c + p[0] * p[1], None), 0.0, «zip(a, b)»)"],
        raises="TypeError",
        fixed=["import jax, jax.numpy as jnp\na = [1.0, 2.0]\nb = (1.0, 1.0)\nn, _ = jax.lax.scan(lambda c, p: (c + p[0] * p[1], None), 0.0, (jnp.array(a), jnp.array(b)))"],
        gives="float(n) == 3.0",
        jax=">=0.5",
    ),
]

CLEAN = [
    Clean(["import jax\n@jax.jit\ndef f(xs, ys):\n    return sum(x * y for x, y in zip(xs, ys))\ny = f([1.0, 2.0], [3.0, 4.0])"],
          because="the iterator is made and used up in the function"),
    Clean(["import jax\n@jax.jit\ndef f(x):\n    it = iter([1.0, 2.0])\n    return x * next(it) + next(it)\ny = f(3.0)"],
          because="each trace makes an iterator of its own"),
    Clean(["import jax\nbatches = iter([1.0, 2.0])\nf = jax.jit(lambda x: 2 * x)\ny = f(next(batches))\nz = f(next(batches))"],
          because="`next` is called outside"),
    Clean(["import jax\nf = jax.jit(lambda x: 2 * x)\nys = list(map(f, zip([1.0], [2.0]))) if False else [f(v) for v in (1.0, 2.0)]"],
          because="Python iterates, and `jit` sees single elements"),
    Clean(["import jax\ndef f(x, rows):\n    return x * len(rows)\ny = jax.jit(f, static_argnums=1)(1.0, range(3))"],
          because="a range has a hash and may be static"),
]

BY_ROWS = ("scan", "map", "associative_scan", "vmap", "pmap")  # go through the first axis of each leaf


@on(Call)
def check_call(event):
    """`next` of an iterator from outside, and iterators as operands of primitives."""
    if event.name == "builtins.next":
        value = event.args[0].value if event.args else None
        outside = value is not None and value.must_be(ITERATOR) and event.machine.is_older(value, event.ctx.staging_frame)
        if outside and programs.is_compiled(event.ctx):
            yield Hint(event.node, variant="next", value=short(event.text(event.node)), evidence=[value.made],
                       data=_turn(event, value))
        return
    spec = spec_of(event.name)
    if spec is not None and spec.form == "loop" and spec.tracer == "abstract":
        yield from _given(event, event.args, event.name)


@on(TransformedCall)
def check_transformed(event):
    """Iterators as traced arguments."""
    spec = spec_of(event.wrapped.transform)
    if spec is None or spec.selects not in ("static", "static_broadcasted", "in_axes", ""):
        return
    static = tracing.static_parameters(event.machine, event.wrapped) if spec.selects.startswith("static") else (set(), set())
    if spec.tracer != "abstract" or spec.leafwise or static is None:
        return
    traced = [arg for i, arg in enumerate(event.args) if (arg.keyword not in static[1] if arg.keyword else i not in static[0])]
    yield from _given(event, traced, event.wrapped.transform)


def _given(event, args, name):
    for arg in args:
        if not arg.star and (arg.value.must_be(ITERATOR) or arg.value.must_be(SEQUENCE) and "range" in arg.value.flags):
            yield Hint(arg.node, variant="given", kind="error", value=short(event.text(arg.node)),
                       function=name.rpartition(".")[2], evidence=[arg.value.made], data=(arg.node, _numbers(event, arg.value)))


def _turn(event, value):
    """What the fix of `next(it)` in a body of `fori_loop` needs: the calls of `next` and `iter`, and the index's text."""
    loop, frame, made = event.ctx.staging_frame, event.ctx.frames[-1], value.made
    if loop.transform != "jax.lax.fori_loop" or event.ctx.frames[-2:-1] != (loop,) or len(event.args) != 1 or event.ctx.own_loop:
        return None
    bounds = [arg.value for arg in loop.call.args if arg.keyword is None or arg.keyword.value == "lower"]
    call = made.node if made is not None and isinstance(made.node, cst.Call) else None
    known = call is not None and isinstance(call.func, cst.Name) and call.func.value == "iter" and _numbers(event, value)
    if not known or not isinstance(event.args[0].node, cst.Name) or not isinstance(bounds[0], cst.Integer):
        return None
    index, lower = frame.function.positional[0], bounds[0].value
    return event.node, True, made, index if lower == "0" else f"{index} - {lower}"


def _numbers(event, value):
    """Every element, or every part of each, must be a number or an array."""
    rows = event.parts(value) or [event.machine.element(value)]
    return all(leaf.must_be(NUMBER | ARRAY) for row in rows for leaf in event.leaves(row))


def fixes(hint, edit):
    """Arrays in place of the iterator."""
    if hint.data is None:
        return
    node, numbers, *index = hint.data
    if index:
        yield Fix("Index an array instead", _indexed(edit, *hint.data), safe=False)
        return
    module, needed = edit.import_needed("jax.numpy", alias="jnp")
    name = node.func.value if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) else ""
    plain = isinstance(node, cst.Call) and not any(a.star or a.keyword for a in node.args)
    if name == "range" and plain:
        yield Fix("Use jnp.arange", [edit.replace(node.func, f"{module}.arange"), *needed])
    elif not numbers:
        return
    elif name in ("zip", "enumerate") and hint.function not in BY_ROWS:
        yield Fix("Use a tuple", [edit.replace(node, f"tuple({edit.text(node)})")])
    elif name == "zip" and plain and len(node.args) > 1:
        values = ", ".join(f"{module}.array({edit.argument(a.value)})" for a in node.args)
        yield Fix("Use a tuple of arrays", [edit.replace(node, f"({values})"), *needed])
    elif name == "enumerate" and plain and len(node.args) == 1:
        many = edit.argument(node.args[0].value)
        values = f"({module}.arange(len({many})), {module}.array({many}))"
        yield Fix("Use a tuple of arrays", [edit.replace(node, values), *needed])
    elif name not in ("zip", "enumerate"):
        yield Fix("Use an array of the elements", [edit.replace(node, _array(edit, module, node), parens=True), *needed])


def _array(edit, module, node):
    """An array of what Python would go through."""
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value == "iter" and len(node.args) == 1:
        node = node.args[0].value
    if isinstance(node, (cst.List, cst.Tuple)):
        return f"{module}.array({edit.argument(node)})"
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value == "range":
        return f"{module}.arange{edit.text(node)[len('range'):]}"
    return f"{module}.array(list({edit.argument(node)}))"


def _indexed(edit, call, numbers, made, index):
    """`it = iter(values)` and `next(it)` as an array and an element of it, where nothing else uses the iterator."""
    name, there = call.args[0].value.value, edit.elsewhere(made.place)
    uses = sum(len(re.findall(rf"\b{name}\b", cell.masked.text)) for cell in edit.cells)
    statement = there.path(made.node)[-2]
    if uses != 2 or not isinstance(statement, cst.Assign) or there.text(statement.targets[0].target) != name:
        raise EditRefused("the iterator is used elsewhere")
    module, needed = there.import_needed("jax.numpy", alias="jnp")
    return [there.replace(made.node, _array(there, module, made.node)), edit.replace(call, f"{name}[{index}]"), *needed]
