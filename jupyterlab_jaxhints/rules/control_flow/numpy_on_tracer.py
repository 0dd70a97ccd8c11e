"""Giving a traced value to a NumPy function.

## What JAX does
Most NumPy functions turn their arguments into NumPy arrays, which needs the values; a tracer has none, and JAX raises
`TracerArrayConversionError`. So do the compiled functions of SciPy. Indexing a list or a NumPy array by a tracer and
storing a tracer in a NumPy array raise as well.

## Fix
The function of `jax.numpy` or `jax.scipy` with the same name; a list or NumPy table becomes a JAX array.

## Fix safety
Safe: the functions of `jax.numpy` and `jax.scipy` do the same.

## When it is fine
NumPy on shapes and other static values. Some functions (`np.sum`, `np.mean`, `np.reshape` …) hand over to the tracer's
own method and work; `np.shape` and `np.ndim` do not look at the values.

## References
- [Sharp bits: control flow](guide#control-flow)
"""
from ...engine.events import Call, ItemLoad, ItemStore
from ...engine.values import ABSTRACT, LINEAR, MAPPING, NUMPY, SEQUENCE
from ...knowledge import scipy_on_tracer, tracers
from ..base import Clean, Example, Fix, Hint, Rule, on, short

RULE = Rule(
    section="control flow",
    kind="error",
    says={"": "`{function}` needs the value of `{value}`, which a tracer does not have: it raises",
          "index": "`{table}` is no JAX array: indexing it by the tracer `{value}` raises",
          "store": "`{table}` is a NumPy array: storing the tracer `{value}` in it raises"},
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
    Example(
        bad=["from scipy import special\nimport jax\nslope = jax.grad(lambda x: «special.expit(x)»)", "y = slope(0.0)"],
        raises="TracerArrayConversionError",
        fixed=["from scipy import special\nimport jax\nslope = jax.grad(lambda x: jax.scipy.special.expit(x))", "y = slope(0.0)"],
        gives="float(y) == 0.25",
    ),
    Example(
        bad=["import numpy as np\nimport jax\n@jax.jit\ndef f(x):\n    out = np.zeros((2, 3))\n    «out[0] = x»\n    return out", "y = f(1.0)"],
        raises="TracerArrayConversionError",
    ),
]

CLEAN = [
    Clean(["import numpy as np\nimport jax, jax.numpy as jnp\n@jax.jit\ndef f(x):\n    return x / np.sqrt(x.shape[-1])\ny = f(jnp.ones(4))"],
          because="the shape is known while tracing"),
    Clean(["import numpy as np\nimport jax, jax.numpy as jnp\n@jax.jit\ndef f(x):\n    return np.sum(x) + np.mean(x) + np.ndim(x)\ny = f(jnp.ones(4))"],
          because="these hand over to the tracer"),
    Clean(["import numpy as np\nimport jax, jax.numpy as jnp\nw = np.ones(3)\n@jax.jit\ndef f(x):\n    return w * x + np.float32(2) * x\ny = f(jnp.ones(3))"],
          because="arithmetic with NumPy arrays works"),
    Clean(["import numpy as np\nimport jax\n@jax.jit\ndef f(x):\n    out = np.empty(2, dtype=object)\n    out[0] = np.eye(2)\n    out[1] = x\n    return out[1]\ny = f(1.0)"],
          because="an array of objects holds anything"),
    Clean(["import jax, jax.numpy as jnp\nlayers = [jnp.ones(2), jnp.ones(2)]\n@jax.jit\ndef f(x):\n    for i in range(len(layers)):\n        x = x * layers[i]\n    return x\ny = f(2.0)"],
          because="`i` is a Python number"),
]


def _tracer(value):
    return "abstract" if value.must_be(ABSTRACT) else "linear" if value.must_be(LINEAR) else ""


@on(Call)
def check_call(event):
    """A function of NumPy or `math` that was seen to raise on this kind of tracer at this place."""
    if event.name.startswith("scipy."):
        yield from _check_scipy(event)
    row = tracers.numpy_function(event.name) if event.name.startswith(("numpy.", "math.")) else None
    if row is None or any(arg.keyword == "dtype" and arg.value.name == "builtins.object" for arg in event.args):
        return
    for place, argument in enumerate(event.args):
        found = _traced_in(event, argument.value)
        if found is None or argument.star:
            continue
        if row.answer(_tracer(found), argument.keyword or place) == "raises":
            yield Hint(event.node, function=event.text(event.func_node), value=short(event.text(argument.node), 30),
                       evidence=[found.traced], data=(event.func_node, row.twin, event.args))
            return


def _traced_in(event, value, depth=3):
    """The value, or the first one in its lists and tuples, that is a tracer."""
    if _tracer(value):
        return value
    parts = event.parts(value) if depth and value.must_be(SEQUENCE) else ()
    return next(filter(None, (_traced_in(event, part, depth - 1) for part in parts)), None)


def _check_scipy(event):
    """A function of SciPy that is compiled code over NumPy arrays, or a method of its distributions."""
    twin = scipy_on_tracer.twin(event.name)
    if twin is None:
        return
    for argument in event.args:
        found = _traced_in(event, argument.value)
        if found is not None and not argument.star:
            yield Hint(event.node, function=event.text(event.func_node), value=short(event.text(argument.node), 30),
                       evidence=[found.traced], data=(event.func_node, twin or None, event.args))
            return


@on(ItemStore)
def check_store(event):
    """A tracer put into a NumPy array."""
    if event.base.must_be(NUMPY) and event.base.dtype not in (None, "object") and _tracer(event.value):
        yield Hint(event.node, variant="store", table=short(event.text(event.base_node), 20),
                   value=short(event.text(event.value_node)), evidence=[event.base.made, event.value.traced])


@on(ItemLoad)
def check_index(event):
    """A list, dict or NumPy array indexed by a tracer."""
    if event.at or not event.base.must_be(SEQUENCE | NUMPY | MAPPING) or "range" in event.base.flags:
        return
    if _tracer(event.index) == "abstract":
        yield Hint(event.node, variant="index", table=event.text(event.base_node),
                   value=short(event.text(event.index_node), 30), evidence=[event.index.traced], data=event)


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
    if hint.variant == "store":
        return
    function, twin, _ = hint.data
    if twin is not None and twin.startswith("jax.scipy."):
        path, _, name = twin.rpartition(".")
        module, edits = edit.import_needed("jax")
        yield Fix(f"Use {twin}", [edit.replace(function, f"{module}.{path.removeprefix('jax.')}.{name}"), *edits])
    if twin is None or not twin.startswith("jax.numpy."):
        return
    name = twin.removeprefix("jax.numpy.")
    yield Fix(f"Use {module}.{name}", [edit.replace(function, f"{module}.{name}"), *edits])
