"""Branching on a traced value.

## What JAX does
While JAX traces a function for `jit`, `vmap`, `scan` and the like, its arguments are tracers: they have a shape and a
dtype, but no value. `if`, `elif`, a conditional expression and `match` on a literal ask for the value and raise
`TracerBoolConversionError`.

## Fix
`jnp.where(condition, a, b)` computes both sides and chooses by element. `jax.lax.cond(condition, f, g)` runs one side,
for a condition that is a single value.

## Fix safety
Unsafe: both branches of `jnp.where` run, and both sides must have fitting shapes and dtypes.

## When it is fine
Under `grad` alone values are there; shapes, dtypes, `None`, `isinstance` and static arguments are known while tracing;
an empty dict or list of arrays is false without a look into an array.

## References
- [Sharp bits: control flow](guide#control-flow)
"""
import libcst as cst

from ...engine.events import Truth
from ...engine.values import ABSTRACT
from ..base import Clean, Example, Fix, Hint, Rule, on, short
from . import _chain as chain
from ._rewrite import assignments, is_tuple

RULE = Rule(
    section="control flow",
    kind="error",
    says={"": "`{test}` has no value while JAX traces: this `{form}` raises",
          "match": "`{test}` is compared with a tracer: `match` on a literal raises"},
    lanes="S+T",
    yields_to=("nan-check-under-trace", "missing-static-arg", "bool-op-on-tracer"),
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\n@jax.jit\ndef relu(x):\n    if «x > 0»:\n        return x\n    return 0.0", "y = relu(2.0)"],
        raises="TracerBoolConversionError",
        fixed=["import jax, jax.numpy as jnp\n@jax.jit\ndef relu(x):\n    return jnp.where(x > 0, x, 0.0)", "y = relu(2.0)"],
        gives="float(y) == 2.0",
    ),
    Example(  # in a helper, which a traced function calls
        bad=["import jax, jax.numpy as jnp\ndef cap(v, top):\n    if «v > top»:\n        v = top\n    return v",
             "out = jax.vmap(lambda v: cap(v, 1.0))(jnp.array([0.5, 3.0]))"],
        raises="TracerBoolConversionError",
        fixed=["import jax, jax.numpy as jnp\ndef cap(v, top):\n    v = jnp.where(v > top, top, v)\n    return v",
               "out = jax.vmap(lambda v: cap(v, 1.0))(jnp.array([0.5, 3.0]))"],
        gives="out.tolist() == [0.5, 1.0]",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\n@jax.jit\ndef rate(t):\n    return 0.1 if «t < 10» else 0.01", "r = rate(20)"],
        raises="TracerBoolConversionError",
        fixed=["import jax, jax.numpy as jnp\n@jax.jit\ndef rate(t):\n    return jnp.where(t < 10, 0.1, 0.01)", "r = rate(20)"],
        gives="abs(float(r) - 0.01) < 1e-6",
    ),
]

CLEAN = [
    Clean(["import jax\ndef f(x):\n    if x > 0:\n        return x * x\n    return 0.0 * x\ng = jax.grad(f)(3.0)"],
          because="under `grad` alone the value is there"),
    Clean(["import jax, jax.numpy as jnp\n@jax.jit\ndef f(x, mask=None):\n    if x.ndim == 1 and mask is None:\n        x = x[None]\n    return x\ny = f(jnp.ones(3))"],
          because="shapes and `None` are known while tracing"),
    Clean(["import jax\nfrom functools import partial\n@partial(jax.jit, static_argnames='flip')\ndef f(x, flip):\n    return -x if flip else x\ny = f(1.0, True)"],
          because="`flip` is static"),
    Clean(["import jax\n@jax.jit\ndef total(params):\n    if params:\n        return sum(params.values())\n    return 0.0\ny = total({'a': 1.0})"],
          because="whether a dict is empty is known while tracing"),
    Clean(["import jax, jax.numpy as jnp\nlimit = jnp.asarray(2)\n@jax.jit\ndef f(x):\n    return x if limit else -x\ny = f(1.0)"],
          because="an array from outside has its value"),
]

FORMS = {"if": "if", "elif": "elif", "ifexp": "if", "filter": "if", "match": "match"}


@on(Truth)
def check(event):
    """Python asks for the truth of what must be a tracer without a value."""
    form = FORMS.get(event.form) or (FORMS.get(event.asked_in) if event.form == "not" else None)
    if form is None or not event.value.must_be(ABSTRACT):
        return
    variant = "match" if event.form == "match" else ""
    yield Hint(event.node, variant=variant, test=short(event.text(event.node), 40), form=form,
               evidence=[event.value.traced], data=None if event.form in ("not", "filter", "match") else event)


def fixes(hint, edit):
    """`jnp.where`, then `lax.cond`."""
    event = hint.data
    if event is None:
        return
    statement, test = event.statement, edit.argument(event.node)
    if isinstance(statement, cst.IfExp):
        if not (is_tuple(statement.body) or is_tuple(statement.orelse)):
            yield _where(edit, statement, f"{test}, {edit.argument(statement.body)}, {edit.argument(statement.orelse)}")
        yield _cond(edit, statement, f"{test}, lambda: {edit.argument(statement.body)}, lambda: {edit.argument(statement.orelse)}")
        return
    if chain.told_above(edit, statement):
        return
    ways = chain.ways(edit, statement)
    if all(chain.returns(way.body) for way in ways if way.test):
        last, values = chain.returned_values(edit, statement, ways)
        if not any(is_tuple(value) for value in values):
            yield _where(edit, statement, chain.nested(edit, ways, values, _module(edit)), last)
        if len(values) == 2:
            yield _cond(edit, statement, f"{test}, lambda: {edit.argument(values[0])}, lambda: {edit.argument(values[1])}", last)
        return
    yield _assign(edit, statement, ways)


def _module(edit):
    return edit.import_needed("jax.numpy", alias="jnp")[0]


def _where(edit, node, arguments, last=None):
    module, edits = edit.import_needed("jax.numpy", alias="jnp")
    return Fix("Use jnp.where", [*_put(edit, node, f"{module}.where({arguments})", last), *edits], safe=False)


def _cond(edit, node, arguments, last=None):
    module, edits = edit.import_needed("jax")
    return Fix("Use lax.cond", [*_put(edit, node, f"{module}.lax.cond({arguments})", last), *edits], safe=False)


def _put(edit, node, text, last):
    if last is None:
        return [edit.replace(node, text, parens=True)]
    return [edit.replace_between(node, last, chain.placed(edit, node, f"return {text}"))]


def _assign(edit, statement, ways):
    """`if t: x = a` (with or without `else: x = b`) as `x = jnp.where(t, a, b)`."""
    module, edits = edit.import_needed("jax.numpy", alias="jnp")
    bound = [assignments(edit, way.body) for way in ways]
    names = list(dict.fromkeys(name for way in bound for name in way))
    if ways[-1].test:
        bound.append({})
    values = [f"{module}.where({chain.nested(edit, ways, [way.get(name, name) for way in bound], module)})" for name in names]
    text = chain.placed(edit, statement, f"{', '.join(names)} = {', '.join(values)}")
    return Fix("Use jnp.where", [edit.replace(statement, text), *edits], safe=False)
