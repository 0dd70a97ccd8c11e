"""The gradient of a function whose result is not one number.

## What JAX does
`grad` is defined for functions that give one number. A vector, a pair, a dict or None as the result raises
`TypeError`. For a pair of a number and something else there is `has_aux=True`; for a vector there is
`jacrev`, or `vmap(grad(f))` where the function was meant for one number at a time.

## Fix
Adds `has_aux=True` to a function that returns a number and something else; for a vector, `jacrev`.

## Fix safety
`has_aux=True` is safe: nothing else would run. `jacrev` gives a matrix where a gradient was asked for:
unsafe.

## When it is fine
Results without dimensions, and functions used with `jacrev`, `jacfwd`, `vjp`.

## References
- [Automatic differentiation](guide#transformations)
"""
import libcst as cst

from ...engine.events import TransformedCall
from ...engine.values import ARRAYLIKE, MAPPING, NONE, NUMBER, SEQUENCE
from ..base import Clean, Example, Fix, Hint, Rule, on

RULE = Rule(
    section="transformations",
    kind="error",
    says={"": "`{function}` gives an array of shape {shape}: `{transform}` needs one number and raises",
          "aux": "`{function}` returns more than one value: `{transform}` raises without `has_aux`",
          "tree": "`{function}` returns a {what}: `{transform}` needs one number and raises",
          "none": "`{function}` returns nothing: `{transform}` needs one number and raises"},
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\ndef curve(x):\n    return jnp.sin(x) * x\ny = «jax.grad(curve)»(jnp.array([0.0, 1.0]))"],
        raises="TypeError",
        fixed=["import jax, jax.numpy as jnp\ndef curve(x):\n    return jnp.sin(x) * x\ny = jax.jacrev(curve)(jnp.array([0.0, 1.0]))"],
        gives="y.shape == (2, 2)",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\ndef loss(w, x):\n    error = w * x - 1.0\n    return jnp.mean(error ** 2), error", "slope = «jax.grad(loss)»\nout = slope(1.0, jnp.ones(2))"],
        raises="TypeError",
        fixed=["import jax, jax.numpy as jnp\ndef loss(w, x):\n    error = w * x - 1.0\n    return jnp.mean(error ** 2), error", "slope = jax.grad(loss, has_aux=True)\nout = slope(1.0, jnp.ones(2))"],
        gives="float(out[0]) == 0.0",
    ),
]

CLEAN = [
    Clean(["import jax, jax.numpy as jnp\ny = jax.grad(lambda x: jnp.sum(x ** 2))(jnp.ones(3))"], because="the sum is one number"),
    Clean(["import jax, jax.numpy as jnp\ny = jax.vmap(jax.grad(lambda x: jnp.sin(x) * x))(jnp.ones(3))"],
          because="for each element the result is one number"),
    Clean(["import jax, jax.numpy as jnp\ndef loss(w):\n    return jnp.sum(w), {'w': w}\n(v, aux), g = jax.value_and_grad(loss, has_aux=True)(jnp.ones(2))"],
          because="`has_aux=True` takes the pair"),
    Clean(["import jax, jax.numpy as jnp\ndef curve(w, x):\n    return jnp.sin(x) * w\nslopes = jax.pmap(jax.grad(curve))(jnp.ones(1), jnp.ones(1))"],
          because="`pmap` takes the first axis away"),
    Clean(["import jax, jax.numpy as jnp\nslopes = jnp.vectorize(jax.grad(lambda x: jnp.sin(x) * x))(jnp.ones((2, 3)))"],
          because="`vectorize` goes through the elements"),
    Clean(["import jax, jax.numpy as jnp\ny = jax.jacrev(lambda x: jnp.sin(x) * x)(jnp.ones(3))"], because="`jacrev` takes vectors"),
]

TRANSFORMS = frozenset({"jax.grad", "jax.value_and_grad", "equinox.filter_grad", "equinox.filter_value_and_grad"})


@on(TransformedCall)
def check(event):
    """What the function returned is known not to be one number."""
    wrapped, returned = event.wrapped, event.returned
    if wrapped.transform not in TRANSFORMS or returned is None:
        return
    aux = wrapped.option("has_aux")
    if aux is not None and not aux.known:
        return
    if aux is not None and aux.const:
        parts = event.parts(returned)
        if len(parts) != 2:
            return
        returned = parts[0]
    variant, words = _wrong(event, returned, aux is not None)
    if variant is None:
        return
    written = getattr(wrapped.node, "decorator", wrapped.node)
    yield Hint(written, variant=variant, function=event.function.name if event.function is not None else "the function",
               transform=wrapped.transform.rpartition(".")[2], place=wrapped.place, data=(variant, wrapped, event.parts(returned)),
               evidence=[returned.made], **words)


def _wrong(event, returned, aux_given):
    """Why the result is not one number: (variant of the message, words for it), else (None, {})."""
    if returned.must_be(SEQUENCE):
        if "tuple" in returned.flags and not aux_given and len(event.parts(returned)) > 1:
            return "aux", {}
        return "tree", {"what": "tuple" if "tuple" in returned.flags else "list"}
    if returned.must_be(MAPPING):
        return "tree", {"what": "dict"}
    if returned.must_be(NONE):
        return "none", {}
    if returned.must_be(ARRAYLIKE) and returned.shape:
        return "", {"shape": "(" + ", ".join("?" if d is None else str(d) for d in returned.shape) + ("," if returned.rank == 1 else "") + ")"}
    return None, {}


def fixes(hint, edit):
    """`has_aux=True`, or `jacrev`."""
    variant, wrapped, parts = hint.data
    node = wrapped.node
    if not isinstance(node, cst.Call) or not node.args:
        return
    there = edit.elsewhere(wrapped.place)
    if variant == "aux" and len(parts) == 2 and (parts[0].must_be(NUMBER) or parts[0].must_be(ARRAYLIKE) and not parts[0].shape):
        yield Fix("Add has_aux=True", [there.insert_after(node.args[-1].value, ", has_aux=True")])
    elif variant == "" and wrapped.transform == "jax.grad":
        if isinstance(node.func, cst.Attribute):
            yield Fix("Use jacrev", [there.replace(node.func.attr, "jacrev")], safe=False)
        else:
            name, edits = there.import_needed("jax", "jacrev")
            yield Fix("Use jacrev", [there.replace(node.func, name), *edits], safe=False)
