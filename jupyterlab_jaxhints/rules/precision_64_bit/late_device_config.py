"""Setting up devices after JAX has started.

## What JAX does
`XLA_FLAGS`, the platform and the number of devices are read once, when JAX makes its first array or lists its devices;
`JAX_PLATFORMS` in the environment is read at the import. Set later, they are ignored or refused.

## Fix
Moves the setting to the first import of JAX.

## Fix safety
Unsafe: everything in between runs on other devices then.

## When it is fine
After the import, as long as nothing has been computed and no device listed (for all but `JAX_PLATFORMS`).

## References
- [Configuration options](https://docs.jax.dev/en/latest/config_options.html)
"""
import libcst as cst

from ...engine.events import ConfigSet
from ...engine.textedits import EditRefused
from ..base import Clean, Example, Fix, Hint, Rule, on
from ._flags import before_import, first_line

RULE = Rule(
    section="64-bit precision",
    kind="silent",
    says={"": "`{flag}` is set after JAX has started: it changes nothing",
          "import": "`{flag}` is read when JAX is imported: set here it changes nothing"},
)

EXAMPLES = [
    Example(
        bad=["import os\nimport jax\nimport jax.numpy as jnp\nx = jnp.ones(2)\n«os.environ['XLA_FLAGS'] = '--xla_dump_hlo_as_text=false'»"],
        sees="x.shape == (2,)",
        fixed=["import os\nos.environ['XLA_FLAGS'] = '--xla_dump_hlo_as_text=false'\nimport jax\nimport jax.numpy as jnp\nx = jnp.ones(2)"],
        gives="x.shape == (2,)",
    ),
]

CLEAN = [
    Clean(["import os\nos.environ['XLA_FLAGS'] = '--xla_dump_hlo_as_text=false'\nimport jax\nx = jax.numpy.ones(2)"], because="set first"),
    Clean(["import jax\nimport jax.numpy as jnp\ndef f(x):\n    return jnp.sin(x)\njax.config.update('jax_platforms', 'cpu')\ny = f(1.0)"],
          because="nothing has been computed yet"),
    Clean(["import os, jax\nx = jax.numpy.ones(2)\nos.environ['MY_FLAGS'] = 'a'"], because="no variable of JAX"),
]

STARTS = ("XLA_FLAGS", "CUDA_VISIBLE_DEVICES", "jax_num_cpu_devices", "jax_platforms", "jax_platform_name", "jax_cuda_visible_devices",
          "jax_cpu_collectives_implementation")
IMPORTS = ("jax_platforms", "jax_platform_name", "JAX_NUM_CPU_DEVICES")


@on(ConfigSet)
def check(event):
    """A setting that JAX has read already."""
    if event.ctx.generic or event.how == "context":
        return
    flag = event.flag
    shown = flag.upper() if event.how == "environment" else flag
    if event.how == "environment" and flag in IMPORTS:
        if event.imported and event.started is not None:
            yield Hint(event.node, variant="import", flag=shown, data=event)
    elif event.started is not None and (flag in STARTS or flag.startswith("XLA_PYTHON_CLIENT")):
        yield Hint(event.node, flag=shown, evidence=[event.started], data=event)


def fixes(hint, edit):
    """The line, moved up."""
    event = hint.data
    node = next((n for n in reversed(edit.path(hint.node)) if isinstance(n, (cst.Expr, cst.Assign))), None)
    if node is None or event.ctx.frames:
        return
    try:
        gone = [edit.delete(node)]
    except EditRefused:
        return
    if event.how == "environment":
        if "environ" not in edit.text(node):
            return
        edits = before_import(edit, edit.text(node))
    else:
        call = hint.node
        if not isinstance(call, cst.Call) or len(call.args) != 2:
            return
        edits = first_line(edit, event.flag, edit.text(call.args[1].value))
    yield Fix("Set it first", [*edits, *gone], safe=False)
