"""Calling a NumPy method or argument that changes an array in place.

## What JAX does
JAX arrays never change. `x.sort()` returns a sorted copy and leaves `x` as it was; `x.fill(0)`, `x.resize(…)` and
`x.itemset(…)` do not exist and raise `AttributeError`; `out=` is not supported and raises; `jnp.fill_diagonal`,
`jnp.put` and `jnp.place` raise unless `inplace=False` is given.

## Fix
Binds the copy to the array's name, or gives `inplace=False` and binds the result.

## Fix safety
Safe: the statement had no effect, or raised.

## When it is fine
On NumPy arrays and lists, and where the result of `.sort()` is used.

## References
- [Sharp bits: in-place updates](guide#in-place-updates)
"""
import libcst as cst

from ...engine.events import Call
from ...engine.values import JAX, NONE
from ..base import Clean, Example, Fix, Hint, Rule, on

RULE = Rule(
    section="in-place updates",
    kind="error",
    says={"copy": "`{array}` does not change: `.{method}()` returns a new array",
          "missing": "`{array}` is a JAX array: it has no method `{method}`",
          "out": "`{function}` takes no `out`: JAX arrays cannot be written into",
          "function": "`{array}` is a JAX array: `{function}` needs `inplace=False`"},
)

EXAMPLES = [
    Example(
        bad=["import jax.numpy as jnp\nx = jnp.array([3, 1, 2])\n«x.sort()»\nfirst = x[0]"],
        sees="int(first) == 3",
        fixed=["import jax.numpy as jnp\nx = jnp.array([3, 1, 2])\nx = x.sort()\nfirst = x[0]"],
        gives="int(first) == 1",
    ),
    Example(
        bad=["import jax.numpy as jnp\nk = jnp.ones((2, 2))\n«jnp.fill_diagonal(k, 0.0)»"],
        raises="NotImplementedError",
        fixed=["import jax.numpy as jnp\nk = jnp.ones((2, 2))\nk = jnp.fill_diagonal(k, 0.0, inplace=False)"],
        gives="k.tolist() == [[0.0, 1.0], [1.0, 0.0]]",
    ),
    Example(bad=["import jax.numpy as jnp\nx = jnp.ones(2)\n«x.fill(0.0)»"], raises="AttributeError",
            fixed=["import jax.numpy as jnp\nx = jnp.ones(2)\nx = jnp.full_like(x, 0.0)"],
            gives="x.tolist() == [0.0, 0.0]"),
]

CLEAN = [
    Clean(["import numpy as np\nx = np.array([3, 1])\nx.sort()\nx.fill(0)"], because="NumPy arrays change in place"),
    Clean(["import jax.numpy as jnp\nxs = [3, 1, 2]\nxs.sort()"], because="lists change in place"),
    Clean(["import jax.numpy as jnp\nx = jnp.array([3, 1])\ny = x.sort()"], because="the copy is kept"),
    Clean(["import jax.numpy as jnp\nk = jnp.fill_diagonal(jnp.ones((2, 2)), 0.0, inplace=False)"],
          because="asked for a new array"),
]

COPIES = frozenset({"sort", "partition", "byteswap", "round", "clip", "transpose", "squeeze", "swapaxes"})
MISSING = frozenset({"fill", "resize", "itemset", "put", "setflags", "setfield", "partition"})
INPLACE = frozenset({"jax.numpy.fill_diagonal", "jax.numpy.put", "jax.numpy.place", "jax.numpy.put_along_axis"})


@on(Call)
def check(event):
    """Methods and functions that NumPy has for changing arrays."""
    method = event.name.removeprefix("array.")
    if method != event.name and event.receiver is not None and event.receiver.must_be(JAX):
        array = event.text(event.receiver_node) if event.receiver_node is not None else ""
        words = {"array": array, "method": method, "evidence": [event.receiver.made], "data": event}
        if method in MISSING:
            yield Hint(event.node, variant="missing", **words)
        elif method in COPIES and event.statement_level and not event.is_shown:
            yield Hint(event.node, variant="copy", kind="silent", **words)
    out = event.argument("out")
    if event.name.startswith("jax.numpy.") and out is not None and not out.value.may_be(NONE) and out.value.must_be(JAX):
        yield Hint(event.node, variant="out", function=event.text(event.func_node))
    if event.name in INPLACE and event.args and event.args[0].value.must_be(JAX):
        given = event.value("inplace", 3)
        if given is None or given.known and given.const is True:
            yield Hint(event.node, variant="function", array=event.text(event.args[0].node),
                       function=event.text(event.func_node), data=event)


def fixes(hint, edit):
    """Bind the copy; ask for one."""
    event = hint.data
    if hint.variant == "copy" and isinstance(event.receiver_node, (cst.Name, cst.Attribute)):
        yield Fix(f"Keep the result in {hint.array}", [edit.insert_before(event.node, f"{hint.array} = ")])
    elif hint.variant == "missing" and hint.method == "fill" and len(event.args) == 1 and event.statement_level:
        module, edits = edit.import_needed("jax.numpy", alias="jnp")
        if isinstance(event.receiver_node, (cst.Name, cst.Attribute)):
            new = f"{hint.array} = {module}.full_like({hint.array}, {edit.argument(event.args[0].node)})"
            yield Fix("Use full_like", [edit.replace(event.node, new), *edits])
    elif hint.variant == "function" and event.statement_level and len(event.args) == 2:
        target = event.args[0].node
        if isinstance(target, (cst.Name, cst.Attribute)):
            yield Fix("Give inplace=False and keep the result",
                      [edit.insert_before(event.node, f"{edit.text(target)} = "),
                       edit.insert_after(event.args[-1].node, ", inplace=False")])
