"""A shape or a count that is computed in traced code.

## What JAX does
Shapes have to be known while JAX traces a function. `jnp.zeros(n)`, `jnp.arange(n)`, `x.reshape(n, -1)` or
`num_segments=n` with a traced `n` raise. Anything that `jax.numpy` computes in there is traced, also from
shapes: `jnp.prod(jnp.array(x.shape))`.

## Fix
Computes the number with `math` where everything that goes in is known while tracing.

## Fix safety
Safe: the same number, known earlier. Where it depends on data, make it an argument that is static.

## When it is fine
Shapes, numbers, static arguments, and what `math` or NumPy make of them.

## References
- [Sharp bits: dynamic shapes](guide#dynamic-shapes)
"""
import libcst as cst

from ...engine.events import Call
from ...engine.values import ABSTRACT
from ...knowledge import api
from ..base import Clean, Example, Fix, Hint, Rule, on, short
from ._masks import is_static

RULE = Rule(
    section="dynamic shapes",
    kind="error",
    says="`{size}` is traced, but `{function}` needs it while tracing: this raises",
    lanes="S+T",
    yields_to=("missing-static-arg",),
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\n@jax.jit\ndef upto(x):\n    top = x.max()\n    return jnp.arange(«top»)", "y = upto(jnp.array([1, 3]))"],
        raises="ConcretizationTypeError",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\n@jax.jit\ndef flat(x):\n    return x.reshape(«jnp.prod(jnp.array(x.shape))»)", "y = flat(jnp.ones((2, 3)))"],
        raises="TypeError",
        fixed=["import jax, jax.numpy as jnp\nimport math\n@jax.jit\ndef flat(x):\n    return x.reshape(math.prod(x.shape))", "y = flat(jnp.ones((2, 3)))"],
        gives="y.shape == (6,)",
    ),
]

CLEAN = [
    Clean(["import math\nimport jax, jax.numpy as jnp\nf = jax.jit(lambda x: x.reshape(math.prod(x.shape)) + jnp.zeros(x.size))\ny = f(jnp.ones((2, 3)))"],
          because="shapes are known while tracing"),
    Clean(["import jax.numpy as jnp\ntop = jnp.array([1, 3]).max()\ny = jnp.arange(top)"], because="nothing is traced"),
    Clean(["import jax, jax.numpy as jnp\nfrom functools import partial\n@partial(jax.jit, static_argnums=1)\ndef f(x, n):\n    return jnp.zeros(n + 1) + x\ny = f(1.0, 3)"],
          because="`n` is static"),
    Clean(["import jax, jax.numpy as jnp\nf = jax.jit(lambda x: jnp.full((2,), x.max()) + jnp.linspace(0.0, x[0], 2))\ny = f(jnp.ones(3))"],
          because="fill values and end points may be traced"),
    Clean(["import jax, jax.numpy as jnp\ny = jax.grad(lambda x: jnp.zeros(int(x)).sum() + x)(2.0)"],
          because="under `grad` alone the value is there"),
]

# parameters that hold shapes, lengths and counts; axes and flags are other mistakes
SIZES = frozenset({"shape", "new_shape", "new_sizes", "num", "n", "N", "M", "reps", "num_classes", "num_segments", "sizes", "size",
                   "total_repeat_length", "length", "minlength", "slice_size", "slice_sizes", "start", "stop", "step", "pad_width",
                   "indices_or_sections", "k", "dimensions", "batch_shape"})
ROUNDING = {"jax.numpy.ceil": "ceil", "jax.numpy.floor": "floor"}


@on(Call)
def check(event):
    """A traced value where a JAX function takes a size."""
    for argument in _sizes(event):
        for value in (argument.value, *event.parts(argument.value)):
            if value.must_be(ABSTRACT):
                fix = _known(event, value, argument.node)
                yield Hint(argument.node, size=short(event.text(argument.node)), function=event.text(event.func_node),
                           evidence=[value.made, value.traced], data=fix)
                return


def _sizes(event):
    """The arguments that are sizes."""
    if any(arg.star for arg in event.args):
        return
    if event.name == "array.reshape":
        yield from (arg for arg in event.args if arg.keyword in ("", "shape"))
    entry = api.lookup(event.name, event.machine.jax_version) if event.name.startswith("jax.") else None
    if entry is None:
        return
    for place, argument in enumerate(event.args):
        parameter = entry.parameter(argument.keyword) if argument.keyword else entry.parameter_at(place)
        if parameter is not None and parameter.name in entry.static and parameter.name in SIZES:
            yield argument


def _known(event, value, node):
    """What computes the size, where `math` can do it: (its node, its place, how, what goes in), else None."""
    if isinstance(node, cst.BinaryOperation):  # `count + 1` of a traced `count`
        sides = ((node.left, node.right), (node.right, node.left))
        name = next((a for a, b in sides if isinstance(a, cst.Name) and is_static(event.machine, b)), None)
        return _known(event, event.machine.lookup(name.value), name) if name is not None else None
    made = value.made
    call = made.node if made is not None else None
    if not isinstance(call, cst.Call) or made.place is None or made.place.key != event.place.key:
        return None
    inner, machine = call, event.machine
    if isinstance(call.func, cst.Attribute) and call.func.attr.value in ("astype", "prod"):
        if isinstance(call.func.value, cst.Call):
            inner = call.func.value
    name = machine.callee_name(inner.func)
    if name in ROUNDING and len(inner.args) == 1 and is_static(machine, inner.args[0].value):
        return call, made.place, ROUNDING[name], inner.args[0].value
    source = inner.args[0].value if name == "jax.numpy.prod" and len(inner.args) == 1 else None
    if inner is not call and call.func.attr.value == "prod" and not call.args:
        source = inner
    shape = _shape(machine, source)
    return (call, made.place, "prod", shape) if shape is not None else None


def _shape(machine, node):
    """`x.shape[1:]` of `jnp.array(x.shape[1:])`, or as it stands."""
    if isinstance(node, cst.Call) and len(node.args) == 1 and machine.callee_name(node.func) in ("jax.numpy.array", "jax.numpy.asarray"):
        node = node.args[0].value
    part = node.value if isinstance(node, cst.Subscript) else node
    return node if isinstance(part, cst.Attribute) and part.attr.value == "shape" else None


def fixes(hint, edit):
    """`math.prod`, `math.ceil`."""
    if hint.data is not None:
        call, place, how, source = hint.data
        there = edit.elsewhere(place)
        module, edits = there.import_needed("math")
        yield Fix(f"Use math.{how}", [there.replace(call, f"{module}.{how}({there.argument(source)})"), *edits])
