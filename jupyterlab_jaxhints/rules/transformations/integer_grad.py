"""Differentiating at integers.

## What JAX does
`grad` needs inputs that can change a little: floats. An integer, an integer array or one integer leaf in a
tree of parameters raises `TypeError`.

## Fix
Writes the number as a float; turns a name or an array into one.

## Fix safety
Safe: the same value as a float.

## When it is fine
Integers in arguments that are not differentiated, `allow_int=True`, and the leafwise `filter_grad` of
equinox.

## References
- [Automatic differentiation](guide#transformations)
"""
import libcst as cst

from ...engine.events import TransformedCall
from ...engine.values import ARRAYLIKE, NUMBER
from ..base import Clean, Example, Fix, Hint, Rule, on, short

RULE = Rule(
    section="transformations",
    kind="error",
    says={"": "`{argument}` is of type {dtype}: `{transform}` needs floats and raises",
          "leaf": "`{argument}` holds a value of type {dtype}: `{transform}` needs floats and raises"},
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax\ny = jax.grad(lambda x: x * x)(«3»)"],
        raises="TypeError",
        fixed=["import jax\ny = jax.grad(lambda x: x * x)(3.0)"],
        gives="float(y) == 6.0",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\ndef bowl(w, scale):\n    return scale * jnp.sum(w ** 2)", "w = jnp.arange(3)\nvalue, slope = jax.value_and_grad(bowl)(«w», 2)"],
        raises="TypeError",
        fixed=["import jax, jax.numpy as jnp\ndef bowl(w, scale):\n    return scale * jnp.sum(w ** 2)", "w = jnp.arange(3)\nvalue, slope = jax.value_and_grad(bowl)(w.astype(float), 2)"],
        gives="slope.tolist() == [0.0, 4.0, 8.0]",
    ),
]

CLEAN = [
    Clean(["import jax\ny = jax.grad(lambda x, n: x ** n)(3.0, 2)"], because="`n` is not differentiated"),
    Clean(["import jax, jax.numpy as jnp\nstep = {'w': jnp.ones(2), 'b': 0.5}\ng = jax.grad(lambda p: p['w'].sum() * p['b'])(step)"],
          because="all leaves are floats"),
    Clean(["import jax\ny = jax.grad(lambda x: 2.0 * x, allow_int=True)(3)"], because="`allow_int=True` takes integers"),
    Clean(["import jax\ny, pull = jax.vjp(lambda x: 2.0 * x, 3)"], because="`vjp` takes integers"),
]

TRANSFORMS = frozenset({"jax.grad", "jax.value_and_grad", "jax.jacfwd", "jax.jacrev", "jax.jacobian", "jax.hessian"})


@on(TransformedCall)
def check(event):
    """An integer leaf in an argument that is differentiated."""
    wrapped = event.wrapped
    if wrapped.transform not in TRANSFORMS or wrapped.option("allow_int") is not None:
        return
    positional = [arg for arg in event.args if not arg.keyword]
    if any(arg.star for arg in event.args):
        return
    for place in _differentiated(event, wrapped.option("argnums"), len(positional)):
        argument = positional[place]
        leaves = event.leaves(argument.value)
        found = next((leaf for leaf in leaves if _is_integer(leaf)), None)
        if found is not None:
            whole = len(leaves) == 1 and found is argument.value
            yield Hint(argument.node, variant="" if whole else "leaf", argument=short(event.text(argument.node)),
                       dtype=found.dtype, transform=wrapped.transform.rpartition(".")[2],
                       evidence=[found.made or argument.value.made], data=(found, whole))


def _differentiated(event, option, count):
    """Places of the arguments that are differentiated; none where that is not known."""
    if option is None:
        return [0] if count else []
    values = [option] if option.known else event.parts(option)
    given = [n for value in values for n in (value.const if isinstance(value.const, tuple) else [value.const])]
    if not all(isinstance(n, int) for n in given):
        return []
    return [n % count for n in given if -count <= n < count]


def _is_integer(value):
    return value.must_be(NUMBER | ARRAYLIKE) and (value.dtype or "").startswith(("int", "uint", "bool"))


def fixes(hint, edit):
    """A float literal, `float(n)`, `x.astype(float)`."""
    found, whole = hint.data
    node = hint.node
    if not whole:
        return
    if isinstance(node, cst.Integer) and node.value.isdigit():
        yield Fix("Write a float", [edit.replace(node, f"{node.value}.0")])
    elif found.must_be(NUMBER):
        yield Fix("Make it a float", [edit.replace(node, f"float({edit.argument(node)})")])
    elif not isinstance(node, (cst.List, cst.Tuple)):
        yield Fix("Make it floats", [edit.replace(node, f"{edit.operand(node)}.astype(float)")])
