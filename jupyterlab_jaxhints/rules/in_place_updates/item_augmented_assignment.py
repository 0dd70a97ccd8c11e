"""Updating an item of a JAX array in place.

## What JAX does
JAX arrays never change. `x[0] += 1`, `x[0] = jnp.maximum(x[0], y)` and `np.add.at(x, i, y)` raise `TypeError` and leave
`x` as it was. Each has a row in the table of `.at` methods: `add`, `subtract`, `multiply`, `divide`, `power`, `min`,
`max`, `apply`, `get`. They give a new array, and where an index comes several times all of its updates count.

## Fix
Binds the new array to the old name, by the method of `.at` that does the same.

## Fix safety
Unsafe where the array is a parameter that the function does not return: the caller keeps the old one.

## When it is fine
NumPy arrays, lists, dicts, `jax.Ref` and Pallas references change in place.

## References
- [Sharp bits: in-place updates](guide#in-place-updates)
"""
from ...engine.events import Call, ItemStore
from ...engine.values import JAX, NUMPY
from ..base import Clean, Example, Fix, Hint, Rule, on
from ._update import APPLIED, FUNCTIONS, OPERATORS, index_text, keeps_caller_unaware, of_update, rewrite, short

RULE = Rule(
    section="in-place updates",
    kind="error",
    says={"": "`{array}` is a JAX array: updating an item in place raises",
          "ufunc": "`{array}` is a JAX array: `{call}` cannot write into it and raises"},
)

EXAMPLES = [
    Example(
        bad=["import jax.numpy as jnp\nx = jnp.zeros(3)\n«x[0] += 1»"],
        raises="TypeError",
        fixed=["import jax.numpy as jnp\nx = jnp.zeros(3)\nx = x.at[0].add(1)"],
        gives="x.tolist() == [1.0, 0.0, 0.0]",
    ),
    Example(  # a row of the table, spelled out
        bad=["import jax.numpy as jnp\npeak = jnp.ones(2)", "for i in range(2):\n    «peak[i] = jnp.maximum(peak[i], 4.0 * i)»"],
        raises="TypeError",
        fixed=["import jax.numpy as jnp\npeak = jnp.ones(2)", "for i in range(2):\n    peak = peak.at[i].max(4.0 * i)"],
        gives="peak.tolist() == [1.0, 4.0]",
    ),
    Example(  # NumPy's unbuffered update
        bad=["import numpy as np\nimport jax.numpy as jnp\nn = jnp.zeros(2)\n«np.add.at(n, np.array([1, 1]), 2.0)»"],
        raises="TypeError",
        fixed=["import numpy as np\nimport jax.numpy as jnp\nn = jnp.zeros(2)\nn = n.at[np.array([1, 1])].add(2.0)"],
        gives="n.tolist() == [0.0, 4.0]",
    ),
]

CLEAN = [
    Clean(["import numpy as np\nx = np.zeros(3)\nx[0] += 1\nnp.add.at(x, [0, 0], 1.0)"],
          because="NumPy arrays change in place"),
    Clean(["import jax.numpy as jnp\ntotals = [jnp.zeros(2), jnp.ones(2)]\ntotals[0] += 1.0"],
          because="the list gets a new array"),
    Clean(["import jax.numpy as jnp\nlosses = {'train': jnp.zeros(())}\nlosses['train'] += 0.5"],
          because="the dict gets a new array"),
    Clean(["import jax.numpy as jnp\ndef bump(store):\n    store['n'] += 1"], because="nobody knows what `store` is"),
]


@on(ItemStore)
def check_store(event):
    """`x[i] op= y`, or the same spelled out with a function of two arguments."""
    if not event.base.must_be(JAX):
        return
    row = of_update(event)
    if event.operator is None and row is None:
        return
    method = row.method if row else OPERATORS.get(event.operator)
    yield Hint(event.node, array=event.text(event.base_node), evidence=[event.base.made],
               data=(event.target, method, row.operand if row else event.value_node, event.operator,
                     not keeps_caller_unaware(event)))


@on(Call)
def check_ufunc(event):
    """`np.add.at(x, i, y)`, `np.sqrt.at(x, i)`."""
    parts = event.name.split(".")
    if len(parts) != 3 or parts[0] != "numpy" or parts[2] != "at" or len(event.args) < 2:
        return
    array = event.args[0]
    if array.value.must_be(JAX) and not array.value.may_be(NUMPY):
        method = FUNCTIONS.get(parts[1], "")
        yield Hint(event.node, variant="ufunc", array=event.text(array.node), call=event.text(event.func_node),
                   evidence=[array.value.made], data=(parts[1], method, event.args))


def fixes(hint, edit):
    """The method of `.at` that the update is."""
    if hint.variant == "ufunc":
        yield from _ufunc_fix(hint, edit)
        return
    target, method, operand, operator, safe = hint.data
    if method is None:  # an operator without a row: written out
        base = f"{edit.text(target)} {operator} {edit.operand(operand)}"
        yield Fix("Use .at[…].set", rewrite(edit, hint.node, target, "set", base), safe=safe)
        return
    yield Fix(f"Use .at[{short(index_text(edit, target))}].{method}", rewrite(edit, hint.node, target, method, operand),
              safe=safe)


def _ufunc_fix(hint, edit):
    ufunc, method, args = hint.data
    array, index = edit.text(args[0].node), edit.text(args[1].node)
    if method and len(args) == 3:
        new = f"{array} = {array}.at[{index}].{method}({edit.argument(args[2].node)})"
        yield Fix(f"Use .at[…].{method}", [edit.replace(hint.node, new)])
    elif ufunc in APPLIED and len(args) == 2:
        module, edits = edit.import_needed("jax.numpy", alias="jnp")
        new = f"{array} = {array}.at[{index}].apply({module}.{ufunc})"
        yield Fix("Use .at[…].apply", [edit.replace(hint.node, new), *edits])
