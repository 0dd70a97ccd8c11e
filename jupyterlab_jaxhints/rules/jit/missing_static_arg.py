"""A parameter of a jitted function that has to be static.

## What JAX does
`jit` traces every argument that is not declared static. A shape, an axis, a count for `range`, a flag for `if` or a
string to compare with needs the value while tracing; a tracer has none, so JAX raises (a string is refused at the call).

## Fix
Adds the parameter to `static_argnames`.

## Fix safety
Safe where the values given are hashable, which numbers, strings and tuples are. Each new value compiles once more.

## When it is fine
Values that come from shapes; parameters left at their defaults.

## References
- [Just-in-time compilation](guide#jit-methods)
"""
from ...engine.events import Binary, Call, Truth
from ...engine.values import ABSTRACT, STRING, TREE
from ...knowledge import api
from ..base import Clean, Example, Fix, Hint, Rule, on
from ._static import METHODS, add_static

RULE = Rule(
    section="jit",
    kind="error",
    says={"": "`{parameter}` is traced, but {use} needs its value: this raises",
          "string": "`{parameter}` is compared with a string: as a traced argument it raises"},
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\n@jax.jit\ndef total(x, axis):\n    return jnp.sum(x, axis=«axis»)", "y = total(jnp.ones((2, 3)), 0)"],
        raises="TypeError",
        fixed=["import jax, jax.numpy as jnp\nfrom functools import partial\n@partial(jax.jit, static_argnames=(\"axis\",))\ndef total(x, axis):\n    return jnp.sum(x, axis=axis)", "y = total(jnp.ones((2, 3)), 0)"],
        gives="y.tolist() == [2.0, 2.0, 2.0]",
    ),
    Example(
        bad=["import jax\ndef scaled(x, mode):\n    if «mode == 'half'»:\n        return 0.5 * x\n    return x\nfast = jax.jit(scaled)", "y = fast(2.0, 'half')"],
        raises="TypeError",
        fixed=["import jax\ndef scaled(x, mode):\n    if mode == 'half':\n        return 0.5 * x\n    return x\nfast = jax.jit(scaled, static_argnames=(\"mode\",))", "y = fast(2.0, 'half')"],
        gives="float(y) == 1.0",
    ),
]

CLEAN = [
    Clean(["import jax, jax.numpy as jnp\nfrom functools import partial\n@partial(jax.jit, static_argnames=('n',))\ndef f(x, n):\n    return jnp.zeros(n) + x\ny = f(1.0, 3)"],
          because="`n` is static"),
    Clean(["import jax, jax.numpy as jnp\n@jax.jit\ndef f(x):\n    return jnp.zeros(x.shape[0]) + x\ny = f(jnp.ones(3))"],
          because="the shape is known while tracing"),
    Clean(["import jax, jax.numpy as jnp\n@jax.jit\ndef f(x, axis=0):\n    return jnp.sum(x, axis=axis)\ny = f(jnp.ones((2, 3)))"],
          because="a default that nobody overrides is a plain value"),
]

JITS = ("jax.jit", "jax.pmap", "flax.nnx.jit")


def _parameter(event, value):
    """The parameter of a jitted function that this tracer came in by."""
    found = event.parameter(value)
    return found if found is not None and found.wrapped is not None and found.transform in JITS else None


@on(Call)
def check_call(event):
    """A static argument of a JAX function, of an array's method or of `range` is a traced parameter."""
    if event.name == "builtins.range":
        wanted = {None: "`range`"}
    elif event.name.startswith("array."):
        wanted = METHODS.get(event.name.removeprefix("array."), {})
    else:
        entry = api.lookup(event.name) if event.name.startswith("jax.") else None
        wanted = {name: f"`{name}`" for name in entry.static if name not in entry.dynamic} if entry is not None else {}
        if event.name == "jax.numpy.repeat":
            wanted.pop("repeats", None)  # how often each element comes may be an array: data-dependent-shape speaks
        if entry is not None and any(event.argument(name) for name in entry.fixed_by):
            wanted = {}
    for place, argument in enumerate(event.args):
        name = argument.keyword or _name_at(event, place)
        use = wanted.get(name) or (wanted.get(None) if not argument.keyword else None)
        if use is None or argument.star:
            continue
        for value in (argument.value, *event.parts(argument.value)):
            scalar = value.must_be(ABSTRACT | TREE) and value.rank in (None, 0)  # an array could not be static
            found = _parameter(event, value) if scalar else None
            if found is not None:
                yield _hint(event, argument.node, found, use)
                return


def _name_at(event, place):
    entry = api.lookup(event.name) if event.name.startswith("jax.") else None
    parameter = entry.parameter_at(place) if entry is not None else None
    return parameter.name if parameter is not None else None


@on(Truth)
def check_flag(event):
    """`if flag` where the caller gives a bool."""
    if event.form in ("if", "elif", "ifexp", "while", "not", "and", "or") and event.value.must_be(ABSTRACT):
        found = _parameter(event, event.value)
        if found is not None and event.value.dtype == "bool" and event.value.shape == ():
            yield _hint(event, event.node, found, f"`{'if' if event.form != 'while' else 'while'}`")


@on(Binary)
def check_string(event):
    """`mode == "fast"` on a traced parameter."""
    for value, other in ((event.left, event.right), (event.right, event.left)):
        if event.operator in ("==", "!=") and other.must_be(STRING) and other.known:
            found = _parameter(event, value) if value.must_be(TREE) or "traced" in value.flags else None
            if found is not None and event.machine.once((found.function.ident, found.name)):
                yield _hint(event, event.node, found, "", "string")


def _hint(event, node, found, use, variant=""):
    return Hint(node, variant=variant, parameter=found.name, use=use, data=found)


def fixes(hint, edit):
    """Add the parameter to the static ones."""
    found = hint.data
    edits = add_static(edit, found.wrapped, found.name)
    if edits is not None:
        yield Fix(f"Make {found.name} static", edits)
