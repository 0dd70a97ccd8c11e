"""Making a key with `PRNGKey`.

## What JAX does
`jax.random.PRNGKey` gives a raw key: a plain `uint32` array that can be added to, indexed and sliced by mistake.
`jax.random.key` gives a typed key with the same random numbers, which only functions of random numbers take.

## Fix
Calls `jax.random.key` instead.

## Fix safety
Unsafe: code that looks into the key's numbers (`key[0]`, saving it to a file) needs `jax.random.key_data` then.

## When it is fine
Always: raw keys still work. Libraries that were written for raw keys may need them.

## References
- [Typed keys](https://docs.jax.dev/en/latest/jep/9263-typed-keys.html)
"""
import libcst as cst

from ...engine.events import Call
from ..base import Clean, Example, Fix, Hint, Rule, on

RULE = Rule(section="random numbers", kind="style", says="`{call}` makes a raw key: `jax.random.key` makes a typed one")

EXAMPLES = [
    Example(
        bad=["import jax\nkey = «jax.random.PRNGKey»(0)\nx = jax.random.normal(key)"],
        sees="key.shape == (2,)",
        fixed=["import jax\nkey = jax.random.key(0)\nx = jax.random.normal(key)"],
        gives="key.shape == ()",
    ),
    Example(
        bad=["from jax import random\nkeys = random.split(«random.PRNGKey»(7), 3)"],
        sees="keys.shape == (3, 2)",
        fixed=["from jax import random\nkeys = random.split(random.key(7), 3)"],
        gives="keys.shape == (3,)",
    ),
]

CLEAN = [
    Clean(["import jax\nkey = jax.random.key(0)"], because="a typed key"),
    Clean(["import jax\ndef PRNGKey(seed):\n    return jax.random.key(seed)\nkey = PRNGKey(0)"], because="a function of the notebook"),
    Clean(["import jax\nraw = jax.random.key_data(jax.random.key(0))"], because="the raw numbers are asked for by name"),
]


@on(Call)
def check(event):
    """A call of the old constructor."""
    if event.name == "jax.random.PRNGKey":
        yield Hint(event.func_node, call=event.text(event.func_node))


def fixes(hint, edit):
    """`key` in place of `PRNGKey`."""
    if isinstance(hint.node, cst.Attribute):
        yield Fix("Use jax.random.key", [edit.replace(hint.node.attr, "key")], safe=False)
    else:
        module, edits = edit.import_needed("jax.random")
        yield Fix("Use jax.random.key", [edit.replace(hint.node, f"{module}.key"), *edits], safe=False)
