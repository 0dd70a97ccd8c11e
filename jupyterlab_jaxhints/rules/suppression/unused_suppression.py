"""A comment that silences nothing.

## What JAX does
Nothing: the comment speaks to these hints alone. It names a rule that finds nothing there, or no rule at all, so it
hides nothing today and may hide a real hint tomorrow.

## Fix
Takes the comment away, or the names in it that silence nothing.

## Fix safety
Safe: comments do not run.

## When it is fine
A comment for a rule that is switched off or that only a trace in the kernel may find, or one in a cell that does not
parse, is left alone.

## References
- [Sharp bits](guide)
"""
from __future__ import annotations

from ..base import Clean, Example, Rule

RULE = Rule(
    section="suppression",
    kind="style",
    says={"": "`{name}` finds nothing here: the comment silences no hint",
          "all": "The comment silences no hint",
          "unknown": "No rule is called `{name}`: the comment silences no hint"},
)

EXAMPLES = [
    Example(
        bad=["import jax.numpy as jnp\nx = jnp.zeros(3)  «# jaxhints: ignore[item-assignment] made by hand»"],
        sees="x.tolist() == [0.0, 0.0, 0.0]",
        fixed=["import jax.numpy as jnp\nx = jnp.zeros(3)"],
        gives="x.tolist() == [0.0, 0.0, 0.0]",
    ),
]

CLEAN = [
    Clean(["import jax.numpy as jnp\nx = jnp.zeros(3)  # jaxhints is a nice name"], because="it ignores nothing"),
]
