"""Switching 64 bits on too late.

## What JAX does
Arrays that were made before keep their 32 bits, and results that mix both have surprising types. The environment variable
`JAX_ENABLE_X64` is read when JAX is imported: set afterwards it does nothing.

## Fix
Moves the switch to the first import of JAX.

## Fix safety
Unsafe: everything in between then computes with 64 bits too.

## When it is fine
Before the first array, whatever was imported or defined; in a `with jax.enable_x64(True):` block; a second time.

## References
- [Sharp bits: double (64 bit) precision](guide#64-bit-precision)
"""
import libcst as cst

from ...engine.events import ConfigSet
from ...engine.textedits import EditRefused
from ...engine.values import JAX, KEY, Step, Value
from ..base import Clean, Example, Fix, Hint, Rule, on
from ._flags import first_line

RULE = Rule(
    section="64-bit precision",
    kind="silent",
    says={"": "Arrays made before this line keep their 32 bits: the switch comes too late",
          "ignored": "`JAX_ENABLE_X64` is read when JAX is imported: set here it does nothing"},
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax\nimport jax.numpy as jnp\nx = jnp.ones(2)", "«jax.config.update('jax_enable_x64', True)»\ny = x + 1"],
        sees="y.dtype == 'float32'",
        fixed=["import jax\njax.config.update(\"jax_enable_x64\", True)\nimport jax.numpy as jnp\nx = jnp.ones(2)", "y = x + 1"],
        gives="y.dtype == 'float64'",
    ),
]

CLEAN = [
    Clean(["import jax\nimport jax.numpy as jnp\ndef f(x):\n    return jnp.sin(x)\nangle = 2 * jnp.pi\njax.config.update('jax_enable_x64', True)\ny = f(angle)"],
          because="imports and definitions make no array"),
    Clean(["import jax\nimport jax.numpy as jnp\nx = jnp.ones(2)\nwith jax.enable_x64(True):\n    y = jnp.ones(2)"],
          because="on for a block", jax=">=0.8"),
    Clean(["import jax\njax.config.update('jax_enable_x64', True)\nx = jax.numpy.ones(2)\njax.config.update('jax_enable_x64', True)"],
          because="it was on before"),
]


@on(ConfigSet)
def check(event):
    """The switch, after arrays were made; the environment variable, after the import."""
    on_now = event.value.known and event.value.const is True
    was_on = event.before is not None and event.before.known and event.before.const is True
    if event.flag != "jax_enable_x64" or not on_now or was_on or event.how == "context" or event.ctx.generic:
        return
    if event.how == "environment":
        if event.imported:
            yield Hint(event.node, variant="ignored", data=event.node)
    elif event.used and (event.before is None or not event.before.known):
        first = event.first_use
        yield Hint(event.node, certain=_reads_old(event), data=event.node,
                   evidence=[Step("JAX makes its first array here", first.node, first.place)])


def _reads_old(event):
    """Some name that holds an array from before is read further down."""
    machine = event.machine
    names = {**machine.state.names.base, **machine.state.names.delta}
    held = [name for name, value in names.items() if isinstance(value, Value) and value.must_be(JAX | KEY)]
    return machine.reader is None or any(machine.reader.reads_next(event.place, name) for name in held)


def fixes(hint, edit):
    """The line, moved up."""
    edits = first_line(edit, "jax_enable_x64")
    node = next((n for n in reversed(edit.path(hint.node)) if isinstance(n, (cst.Expr, cst.Assign))), None)
    try:
        edits = [*edits, edit.delete(node)]
    except (EditRefused, AttributeError):
        pass  # a magic stays where it is
    yield Fix("Switch 64 bits on first", edits, safe=False)
