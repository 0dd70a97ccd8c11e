"""Branching on a traced value.

## What JAX does
While JAX traces a function for `jit`, `vmap`, `scan` and the like, its arguments are tracers: they have a shape and a
dtype, but no value. `if`, `elif`, a conditional expression and `match` on a literal ask for the value and raise
`TracerBoolConversionError`.

## Fix
`jnp.where(condition, a, b)` computes both sides and chooses by element. `jax.lax.cond(condition, f, g)` runs one side,
for a condition that is a single value. What a way binds before it returns is bound on every way, where no other way reads
it.

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
from ...engine.scopes import names_in
from ...engine.textedits import EditRefused
from ...engine.values import ABSTRACT
from ..base import Clean, Example, Fix, Hint, Rule, on, short
from . import _chain as chain
from ._rewrite import assignments, is_tuple, names_before

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
    Example(  # names are bound on the way to the later return
        bad=["import jax, jax.numpy as jnp\n@jax.jit\ndef area(r):\n    if «r < 0»:\n        return 0.0\n    square = r * r\n    return 3.0 * square",
             "a = area(2.0), area(-1.0)"],
        raises="TracerBoolConversionError",
        fixed=["import jax, jax.numpy as jnp\n@jax.jit\ndef area(r):\n    square = r * r\n    return jnp.where(r < 0, 0.0, 3.0 * square)",
               "a = area(2.0), area(-1.0)"],
        gives="[float(x) for x in a] == [12.0, 0.0]",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\nfrom functools import partial\n@partial(jax.jit, static_argnames='clip')\ndef f(x, clip):\n"
             "    if clip:\n        if «x > 1»:\n            return 1.0\n    return 2 * x", "y = f(3.0, True), f(0.5, True), f(3.0, False)"],
        raises="TracerBoolConversionError",
        fixed=["import jax, jax.numpy as jnp\nfrom functools import partial\n@partial(jax.jit, static_argnames='clip')\ndef f(x, clip):\n"
               "    if clip:\n        return jnp.where(x > 1, 1.0, 2 * x)\n    return 2 * x", "y = f(3.0, True), f(0.5, True), f(3.0, False)"],
        gives="[float(v) for v in y] == [1.0, 1.0, 6.0]",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\n@jax.jit\ndef gain(mode):\n    match mode:\n        case «0»:\n            return 1.0\n"
             "        case 1 | 2:\n            return 2.0\n        case _:\n            return 4.0", "g = [gain(m) for m in range(4)]"],
        raises="TracerBoolConversionError",
        fixed=["import jax, jax.numpy as jnp\n@jax.jit\ndef gain(mode):\n"
               "    return jnp.where(mode == 0, 1.0, jnp.where((mode == 1) | (mode == 2), 2.0, 4.0))", "g = [gain(m) for m in range(4)]"],
        gives="[float(v) for v in g] == [1.0, 2.0, 2.0, 4.0]",
    ),
    Example(  # a recursion would not end while JAX traces: no fix
        bad=["import jax\n@jax.jit\ndef down(n):\n    if «n < 1»:\n        return n\n    return down(n - 1)", "y = down(2)"],
        raises="TracerBoolConversionError",
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
               evidence=[event.value.traced], data=None if event.form in ("not", "filter") else event)


def fixes(hint, edit):
    """`jnp.where`, then `lax.cond`."""
    event = hint.data
    if event is None:
        return
    statement = event.statement
    if isinstance(statement, cst.IfExp):
        test = edit.argument(event.node)
        if not (is_tuple(statement.body) or is_tuple(statement.orelse)):
            yield _where(edit, statement, f"{test}, {edit.argument(statement.body)}, {edit.argument(statement.orelse)}")
        yield _cond(edit, statement, f"{test}, lambda: {edit.argument(statement.body)}, lambda: {edit.argument(statement.orelse)}")
        return
    if chain.told_above(edit, statement):
        return
    ways = chain.ways(edit, statement)
    if all(chain.returns(way.body) for way in ways if way.test):
        found = chain.returned_values(edit, statement, ways)
        values = found.values
        if any(_own_name(edit, statement) in names_in(value) for value in values):
            return  # both sides are traced: a recursion would not end
        if not any(is_tuple(value) for value in values):
            yield _where(edit, statement, chain.nested(edit, ways, values, _module(edit)), found)
        if len(values) == 2 and not found.before:
            test = ways[0].test
            yield _cond(edit, statement, f"{test}, lambda: {edit.argument(values[0])}, lambda: {edit.argument(values[1])}", found)
        return
    yield _assign(edit, statement, ways)


def _module(edit):
    return edit.import_needed("jax.numpy", alias="jnp")[0]


def _own_name(edit, node):
    return next((n.name.value for n in reversed(edit.path(node)) if isinstance(n, cst.FunctionDef)), "")


def _where(edit, node, arguments, found=None):
    module, edits = edit.import_needed("jax.numpy", alias="jnp")
    return Fix("Use jnp.where", [*_put(edit, node, f"{module}.where({arguments})", found), *edits], safe=False)


def _cond(edit, node, arguments, found=None):
    module, edits = edit.import_needed("jax")
    return Fix("Use lax.cond", [*_put(edit, node, f"{module}.lax.cond({arguments})", found), *edits], safe=False)


def _put(edit, node, text, found):
    if found is None:
        return [edit.replace(node, text, parens=True)]
    text = f"\n{edit.indent(node)}".join([*found.before, f"return {text}"])
    if found.before and chain.placed(edit, node, text) != text:
        raise EditRefused("an `elif` does not bind names first")
    text = chain.placed(edit, node, text)
    return [edit.replace(node, text) if found.last is None else edit.replace_between(node, found.last, text)]


def _assign(edit, statement, ways):
    """`if t: x = a` (with or without `else: x = b`) as `x = jnp.where(t, a, b)`."""
    module, edits = edit.import_needed("jax.numpy", alias="jnp")
    bound = [assignments(edit, way.body) for way in ways]
    names = list(dict.fromkeys(name for way in bound for name in way))
    if ways[-1].test:
        bound.append({})
    if any(name not in way for name in names for way in bound) and not set(names) <= names_before(edit, statement) | set.intersection(
            *map(set, bound)):
        raise EditRefused("a name is not there on every way")
    values = [f"{module}.where({chain.nested(edit, ways, [way.get(name, name) for way in bound], module)})" for name in names]
    text = chain.placed(edit, statement, f"{', '.join(names)} = {', '.join(values)}")
    return Fix("Use jnp.where", [edit.replace(statement, text), *edits], safe=False)
