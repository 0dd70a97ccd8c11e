"""Giving a static argument a value without a hash.

## What JAX does
Static arguments are keys of the cache of compiled programs: JAX hashes and compares them. Lists, dicts, sets, arrays and
plain dataclasses have no hash, and the call raises `ValueError`.

## Fix
A tuple for a list, a set of NumPy numbers or the like. An array that is computed with is no static argument at all.

## Fix safety
Safe for a list that is written at the call; a name keeps its list and is wrapped in `tuple(…)`.

## When it is fine
Tuples of hashable values, strings, numbers, functions, frozen dataclasses. A default that nobody overrides is not hashed.

## References
- [jax.jit](https://docs.jax.dev/en/latest/_autosummary/jax.jit.html)
- [Sharp bits: jit methods](guide#jit-methods)
"""
import libcst as cst

from ...engine import tracing
from ...engine.callables import Class
from ...engine.events import TransformedCall
from ...engine.values import ARRAY, LIST, MAPPING, NUMPY, OBJECT, SEQUENCE, SET, TRACER
from ..base import Clean, Example, Fix, Hint, Rule, on

RULE = Rule(
    section="jit methods",
    kind="error",
    says="`{parameter}` is static, but {what} cannot be hashed: the call raises",
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\nfrom functools import partial\n@partial(jax.jit, static_argnames='axes')\ndef flip(x, axes):\n    return jnp.transpose(x, axes)",
             "y = flip(jnp.ones((2, 3)), «[1, 0]»)"],
        raises="ValueError",
        fixed=["import jax, jax.numpy as jnp\nfrom functools import partial\n@partial(jax.jit, static_argnames='axes')\ndef flip(x, axes):\n    return jnp.transpose(x, axes)",
               "y = flip(jnp.ones((2, 3)), (1, 0))"],
        gives="y.shape == (3, 2)",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\ndef grow(x, sizes):\n    return x + sum(sizes)\nfast = jax.jit(grow, static_argnums=(1,))\nsizes = [4]\nsizes.append(2)\ny = fast(1.0, sizes=«sizes»)"],
        raises="ValueError",
        fixed=["import jax, jax.numpy as jnp\ndef grow(x, sizes):\n    return x + sum(sizes)\nfast = jax.jit(grow, static_argnums=(1,))\nsizes = [4]\nsizes.append(2)\ny = fast(1.0, sizes=tuple(sizes))"],
        gives="float(y) == 7.0",
    ),
]

CLEAN = [
    Clean(["import jax, jax.numpy as jnp\nf = jax.jit(jnp.transpose, static_argnames='axes')\ny = f(jnp.ones((2, 3)), axes=(1, 0))"],
          because="a tuple of numbers has a hash"),
    Clean(["import jax\ndef f(x, opts=[1, 2]):\n    return x * len(opts)\ny = jax.jit(f, static_argnames='opts')(1.0)"],
          because="a default that is left out is not hashed"),
    Clean(["import jax\ndef f(x, rows):\n    return x + rows[0]\ny = jax.jit(f)(1.0, [2.0])"], because="the argument is not static"),
    Clean(["import jax\nfrom dataclasses import dataclass\n@dataclass(frozen=True)\nclass Config:\n    power: int\ndef f(x, config):\n    return x ** config.power\ny = jax.jit(f, static_argnums=1)(2.0, Config(3))"],
          because="a frozen dataclass has a hash"),
    Clean(["import jax\nclass Model:\n    def __init__(self, k):\n        self.k = k\ndef f(model, x):\n    return model.k * x\ny = jax.jit(f, static_argnums=0)(Model(2.0), 1.0)"],
          because="a plain object is hashed by what it is"),
]

KINDS = ((MAPPING, "a dict"), (SET, "a set"), (ARRAY, "a JAX array"), (NUMPY, "a NumPy array"), (TRACER, "a tracer"))


@on(TransformedCall)
def check(event):
    """A static argument whose value must be one that has no hash."""
    options = event.wrapped.options
    if not any(name.startswith("static_") for name in options):
        return
    broadcasted = "static_broadcasted_argnums" if "static_broadcasted_argnums" in options else "static_argnums"
    static = tracing.static_parameters(event.machine, event.wrapped, broadcasted)
    for name in sorted(static[1]) if static is not None else ():
        if name in event.bound and name in event.nodes:
            value = event.bound[name]
            kind = _unhashable(event, value)
            if kind:
                yield Hint(event.nodes[name], parameter=name, what=kind, evidence=[value.made, event.wrapped.function.made],
                           data=(value, event.nodes[name], kind))


def _unhashable(event, value, depth=3):
    """What there is without a hash, in words, or ''."""
    if value.must_be(SEQUENCE) and value.flags & LIST:
        return "a list"
    if value.must_be(SEQUENCE) and value.elements is not None and depth:
        inner = next(filter(None, (_unhashable(event, part, depth - 1) for part in value.elements)), "")
        return inner if not inner or inner.startswith("a tuple") else f"a tuple with {inner}"
    if value.must_be(OBJECT):
        record = event.machine.record(value)
        return "an object" if record is not None and isinstance(record.cls, Class) and record.cls.unhashable else ""
    if value.must_be(SET) and "frozenset" in value.flags:
        return ""
    return next((words for kinds, words in KINDS if value.must_be(kinds)), "")


def fixes(hint, edit):
    """A tuple in place of the list."""
    value, node, kind = hint.data
    if kind == "a list" and isinstance(node, cst.List):
        yield Fix("Use a tuple", [edit.replace(node, _tuple(edit, node))])
    elif kind == "a list" and isinstance(node, cst.Call) and edit.text(node.func) == "list" and len(node.args) == 1:
        yield Fix("Use a tuple", [edit.replace(node.func, "tuple")])
    elif kind == "a list" and isinstance(node, (cst.Name, cst.Attribute, cst.Subscript)):
        yield Fix("Use a tuple", [edit.replace(node, f"tuple({edit.text(node)})")])
    elif kind == "a NumPy array" and value.rank == 1 and isinstance(node, (cst.Name, cst.Attribute)):
        yield Fix("Use a tuple", [edit.replace(node, f"tuple({edit.text(node)}.tolist())")])


def _tuple(edit, node):
    """A list display as a tuple, lists inside of it too."""
    parts = [_tuple(edit, e.value) if isinstance(e.value, cst.List) else edit.text(e) for e in node.elements]
    if len(parts) == 1:
        return f"({parts[0].rstrip(',')},)"
    text = edit.text(node)
    if not any(isinstance(e.value, cst.List) for e in node.elements):
        return f"({text[1:-1]})"
    return f"({', '.join(parts)})"
