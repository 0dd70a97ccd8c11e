"""Throwing away what `split` or `fold_in` gives.

## What JAX does
`jax.random.split` and `fold_in` change nothing: they give new keys and leave the old one as it is. When nobody takes
the new keys, the next draw uses the old key again.

## Fix
None is written: bind the new keys, as in `key, subkey = jax.random.split(key)`, and draw from `subkey`.

## Fix safety
No fix is offered.

## When it is fine
As the last expression of a cell, where the notebook shows the keys.

## References
- [Sharp bits: random numbers](guide#random-numbers)
"""
from ...engine.events import Call
from ..base import Clean, Example, Hint, Rule, on

RULE = Rule(section="random numbers", kind="silent", says="`{call}` changes nothing: the new keys are thrown away")

EXAMPLES = [
    Example(
        bad=["import jax\nkey = jax.random.key(0)\nbefore = jax.random.key_data(key)\n«jax.random.fold_in(key, 3)»\nx = jax.random.normal(key)"],
        sees="(before == jax.random.key_data(key)).all().item()",
    ),
    Example(
        bad=["from jax import random\ndef fresh(key):\n    «random.split(key)»\n    return key", "k = fresh(random.key(5))"],
        sees="(random.key_data(k) == random.key_data(random.key(5))).all().item()",
    ),
]

CLEAN = [
    Clean(["import jax\nkey, sub = jax.random.split(jax.random.key(0))"], because="the new keys are bound"),
    Clean(["import jax\njax.random.split(jax.random.key(0), 2)"], because="the notebook shows the keys of a last expression"),
    Clean(["import jax.numpy as jnp\nline = 'a b'\nline.split()\njnp.split(jnp.arange(4), 2)\nn = 1"], because="other things are split"),
]

NAMES = ("jax.random.split", "jax.random.fold_in")


@on(Call)
def check(event):
    """A statement that splits or folds and binds nothing."""
    if event.name in NAMES and event.statement_level and not event.is_shown:
        yield Hint(event.node, call=event.text(event.func_node))
