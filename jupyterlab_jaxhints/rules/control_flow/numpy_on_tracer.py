"""Giving a traced value to a NumPy function.

## What JAX does
Most NumPy functions turn their arguments into NumPy arrays, which needs the values; a tracer has none, and JAX raises
`TracerArrayConversionError`. Indexing a list or a NumPy array by a tracer raises as well.

## Fix
The function of `jax.numpy` with the same name; a list or NumPy table becomes a JAX array.

## Fix safety
Safe: the functions of `jax.numpy` do the same.

## When it is fine
NumPy on shapes and other static values. Some functions (`np.sum`, `np.mean`, `np.reshape` …) hand over to the tracer's
own method and work; `np.shape` and `np.ndim` do not look at the values.

## References
- [Sharp bits: control flow](guide#control-flow)
"""
from ...engine.events import Call, ItemLoad
from ...engine.values import ABSTRACT, LINEAR, MAPPING, NUMPY, SEQUENCE
from ...knowledge import tracers
from ..base import Clean, Example, Fix, Hint, Rule, on

RULE = Rule(
    section="control flow",
    kind="error",
    says={"": "`{function}` needs the value of `{value}`, which a tracer does not have: it raises",
          "index": "`{table}` is no JAX array: indexing it by the tracer `{value}` raises"},
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import numpy as np\nimport jax, jax.numpy as jnp\n@jax.jit\ndef f(x):\n    return «np.sin(x)»", "y = f(0.0)"],
        raises="TracerArrayConversionError",
        fixed=["import numpy as np\nimport jax, jax.numpy as jnp\n@jax.jit\ndef f(x):\n    return jnp.sin(x)", "y = f(0.0)"],
        gives="float(y) == 0.0",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\nrates = [0.1, 0.2, 0.4]\nf = jax.vmap(lambda i: «rates[i]»)", "y = f(jnp.array([0, 2]))"],
        raises="TracerIntegerConversionError",
        fixed=["import jax, jax.numpy as jnp\nrates = [0.1, 0.2, 0.4]\nf = jax.vmap(lambda i: jnp.array(rates)[i])", "y = f(jnp.array([0, 2]))"],
        gives="abs(float(y[1]) - 0.4) < 1e-6",
    ),
]

CLEAN = [
    Clean(["import numpy as np\nimport jax, jax.numpy as jnp\n@jax.jit\ndef f(x):\n    return x / np.sqrt(x.shape[-1])\ny = f(jnp.ones(4))"],
          because="the shape is known while tracing"),
    Clean(["import numpy as np\nimport jax, jax.numpy as jnp\n@jax.jit\ndef f(x):\n    return np.sum(x) + np.mean(x) + np.ndim(x)\ny = f(jnp.ones(4))"],
          because="these hand over to the tracer"),
    Clean(["import numpy as np\nimport jax, jax.numpy as jnp\nw = np.ones(3)\n@jax.jit\ndef f(x):\n    return w * x + np.float32(2) * x\ny = f(jnp.ones(3))"],
          because="arithmetic with NumPy arrays works"),
    Clean(["import jax, jax.numpy as jnp\nlayers = [jnp.ones(2), jnp.ones(2)]\n@jax.jit\ndef f(x):\n    for i in range(len(layers)):\n        x = x * layers[i]\n    return x\ny = f(2.0)"],
          because="`i` is a Python number"),
]


def _tracer(value):
    return "abstract" if value.must_be(ABSTRACT) else "linear" if value.must_be(LINEAR) else ""


@on(Call)
def check_call(event):
    """A function of NumPy or `math` that was seen to raise on this kind of tracer at this place."""
    if not event.name.startswith(("numpy.", "math.")):
        return
    row = tracers.numpy_function(event.name)
    if row is None:
        return
    for place, argument in enumerate(event.args):
        values = [argument.value, *event.parts(argument.value)]
        found = next((value for value in values if _tracer(value)), None)
        if found is None or argument.star:
            continue
        if row.answer(_tracer(found), argument.keyword or place) == "raises":
            yield Hint(event.node, function=event.text(event.func_node), value=_short(event.text(argument.node)),
                       evidence=[found.traced], data=(event.func_node, row.twin, event.args))
            return


@on(ItemLoad)
def check_index(event):
    """A list, dict or NumPy array indexed by a tracer."""
    if event.at or not event.base.must_be(SEQUENCE | NUMPY | MAPPING) or "range" in event.base.flags:
        return
    if _tracer(event.index) == "abstract":
        yield Hint(event.node, variant="index", table=event.text(event.base_node),
                   value=_short(event.text(event.index_node)), evidence=[event.index.traced], data=event)


def _short(text):
    text = " ".join(text.split())
    return text if len(text) <= 30 else text[:27] + "…"


def fixes(hint, edit):
    """The `jax.numpy` twin; a JAX array for the table."""
    module, edits = edit.import_needed("jax.numpy", alias="jnp")
    if hint.variant == "index":
        event = hint.data
        parts = event.parts(event.base)
        if event.base.must_be(NUMPY) or parts and all(part.dtype in ("float", "int", "bool") or part.must_be(NUMPY)
                                                      for part in parts):
            yield Fix("Make the table a JAX array", [*edit.wrap(event.base_node, f"{module}.array(", ")"), *edits])
        return
    function, twin, _ = hint.data
    if twin is None or not twin.startswith("jax.numpy."):
        return
    name = twin.removeprefix("jax.numpy.")
    yield Fix(f"Use {module}.{name}", [edit.replace(function, f"{module}.{name}"), *edits])
