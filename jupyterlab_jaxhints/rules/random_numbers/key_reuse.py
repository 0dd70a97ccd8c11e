"""Using a random key twice.

## What JAX does
A key holds no state that moves on: the same key gives the same numbers. Two draws from one key are equal or tied to each
other, a draw and a split of one key share their bits, and a key that a loop, `vmap` or `scan` does not change gives every
turn the same numbers. Nothing raises.

## Fix
Splits the key in front of each use: `key, subkey = jax.random.split(key)`, and draws from `subkey`. The new key goes back
to where the old one was, also into an entry of a dict or an attribute. Under `vmap`, each lane gets a key.

## Fix safety
Unsafe: the numbers change, which is what the fix is for.

## When it is fine
`fold_in` with different numbers leaves the key as it is. One seed for things that are to be compared is used on purpose;
`jax.random.clone(key)` says so in code.

## References
- [Sharp bits: random numbers](guide#random-numbers)
- [Pseudorandom numbers](https://docs.jax.dev/en/latest/random-numbers.html)
"""
import libcst as cst

from ...engine import reuse
from ...engine.events import KeyUse
from ...engine.values import Step
from ..base import Clean, Example, Fix, Hint, Rule, on, short
from ._lanes import keys_for_lanes, mapped_names
from ._places import is_writable, own_uses
from ._split import is_statement, new_name, one_more, split_before, splitter, zip_keys

RULE = Rule(
    section="random numbers",
    kind="silent",
    says={
        "": "`{key}` is used a second time: the random numbers repeat",
        "loop": "`{key}` stays the same on every turn: the random numbers repeat",
        "map": "`{key}` is one key for every lane of `{transform}`: all draw the same numbers",
        "turns": "`{key}` is one key for every turn of `{transform}`: all draw the same numbers",
    },
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax\nkey = jax.random.key(0)\na = jax.random.normal(key, (2,))\nb = jax.random.normal(«key», (2,))"],
        sees="a.tolist() == b.tolist()",
        fixed=["import jax\nkey = jax.random.key(0)\nkey, subkey = jax.random.split(key)\na = jax.random.normal(subkey, (2,))\n"
               "key, subkey = jax.random.split(key)\nb = jax.random.normal(subkey, (2,))"],
        gives="a.tolist() != b.tolist()",
    ),
    Example(  # drawn from in one cell, split in the next
        bad=["from jax import random\nkey = random.key(3)\nx = random.uniform(key, (4,))",
             "key, sub = random.split(«key»)\nw = random.normal(sub, (4,))"],
        sees="x.shape == w.shape",
        fixed=["from jax import random\nkey = random.key(3)\nkey, subkey = random.split(key)\nx = random.uniform(subkey, (4,))",
               "key, sub = random.split(key)\nw = random.normal(sub, (4,))"],
        gives="x.shape == w.shape",
    ),
    Example(
        bad=["import jax\nkey = jax.random.key(1)\nsteps = []\nfor _ in range(5):\n    steps.append(float(jax.random.normal(«key»)))"],
        sees="len(set(steps)) == 1",
        fixed=["import jax\nkey = jax.random.key(1)\nsteps = []\nfor _ in range(5):\n    key, subkey = jax.random.split(key)\n    steps.append(float(jax.random.normal(subkey)))"],
        gives="len(set(steps)) == 5",
    ),
    Example(
        bad=["import jax\nstate = {'rng': jax.random.key(0)}\na = jax.random.normal(state['rng'])\nb = jax.random.normal(«state['rng']»)"],
        sees="float(a) == float(b)",
        fixed=["import jax\nstate = {'rng': jax.random.key(0)}\nstate['rng'], subkey = jax.random.split(state['rng'])\n"
               "a = jax.random.normal(subkey)\nstate['rng'], subkey = jax.random.split(state['rng'])\nb = jax.random.normal(subkey)"],
        gives="float(a) != float(b)",
    ),
    Example(  # a method draws from its object's key
        bad=["import jax\nclass Die:\n    def __init__(self):\n        self.key = jax.random.key(0)\n    def roll(self):\n"
             "        return jax.random.uniform(self.key)\ndie = Die()", "a = die.roll()\nb = «die.roll()»"],
        sees="float(a) == float(b)",
        fixed=["import jax\nclass Die:\n    def __init__(self):\n        self.key = jax.random.key(0)\n    def roll(self):\n"
               "        self.key, subkey = jax.random.split(self.key)\n        return jax.random.uniform(subkey)\ndie = Die()",
               "a = die.roll()\nb = die.roll()"],
        gives="float(a) != float(b)",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\ndef noisy(key, x):\n    return x + jax.random.normal(key)\nxs = jnp.zeros(3)",
             "key = jax.random.key(0)\nys = jax.vmap(noisy, in_axes=(None, 0))(«key», xs)"],
        sees="len(set(ys.tolist())) == 1",
        fixed=["import jax, jax.numpy as jnp\ndef noisy(key, x):\n    return x + jax.random.normal(key)\nxs = jnp.zeros(3)",
               "key = jax.random.key(0)\nys = jax.vmap(noisy, in_axes=(0, 0))(jax.random.split(key, len(xs)), xs)"],
        gives="len(set(ys.tolist())) == 3",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\nkey = jax.random.key(0)\nxs = jnp.zeros(3)\nys = jax.vmap(lambda x: x + jax.random.normal(«key»))(xs)"],
        sees="len(set(ys.tolist())) == 1",
        fixed=["import jax, jax.numpy as jnp\nkey = jax.random.key(0)\nxs = jnp.zeros(3)\n"
               "ys = jax.vmap(lambda x, key: x + jax.random.normal(key))(xs, jax.random.split(key, len(xs)))"],
        gives="len(set(ys.tolist())) == 3",
    ),
]

CLEAN = [
    Clean(["import jax\nkey = jax.random.key(0)\nfor step in range(3):\n    key, sub = jax.random.split(key)\n    x = jax.random.normal(sub)"],
          because="the key is split and bound again on every turn"),
    Clean(["import jax\nroot = jax.random.key(0)\na = jax.random.normal(jax.random.fold_in(root, 0))\nb = jax.random.normal(jax.random.fold_in(root, 1))"],
          because="`fold_in` makes other keys and leaves the root as it is"),
    Clean(["import jax, jax.numpy as jnp\nkey = jax.random.key(0)\nassert jnp.array_equal(jax.random.normal(key), jax.random.normal(key))"],
          because="the two draws are compared on purpose"),
    Clean(["import jax\ndef init(key):\n    return jax.random.normal(key, (3,))\nkey = jax.random.key(0)\nshapes = jax.eval_shape(init, key)\nw = init(key)"],
          because="`eval_shape` draws nothing"),
    Clean(["import jax\nkeys = jax.random.split(jax.random.key(0), 3)\na = jax.random.normal(keys[0])\nb = jax.random.normal(keys[-1])"],
          because="the keys are different ones of the array"),
]


@on(KeyUse)
def check(event):
    """A key that has been used up before, on an earlier turn, or that all lanes share."""
    found = reuse.judge(event)
    if found is None:
        return
    variant = "loop" if found.repeats == "loop" else "" if found.repeats in ("", "again") else (
        "map" if "map" in found.repeats else "turns")
    before = found.first
    evidence = [event.key.made]
    if before is not None:
        evidence.append(Step("used here before", before.node, before.place))
    named = event.key_node if isinstance(found.site.node, cst.Call) else found.site.node  # a method's own key
    yield Hint(found.site.node, place=found.site.place, variant=variant, certain=found.certain, evidence=evidence,
               key=short(event.text(named)), transform=found.repeats,
               data=(found, is_writable(event, found.site), own_uses(event, found.site), mapped_names(event)))


def fixes(hint, edit):
    """A split in front of each use."""
    found, writable, own, (call, arrays) = hint.data
    node = found.site.node
    split, edits = splitter(edit.elsewhere(own[0].place) if own else edit)
    subkey = new_name(edit, "subkey", "draw_key", "subkey_")
    if own:
        edits = [*edits, *(split_before(edit.elsewhere(use.place), use.node, subkey, split, True) for use in own)]
        yield Fix("Split the key first", edits, safe=False)
        return
    if call is not None:
        yield Fix("Give each lane a key", [*edits, *keys_for_lanes(edit, node, call, arrays, split)], safe=False)
        return
    if found.repeats == "loop" or found.repeats == "again" and writable:
        comprehension = any(isinstance(n, (cst.ListComp, cst.SetComp, cst.DictComp)) for n in edit.path(node))
        edits = [*edits, *(zip_keys(edit, node, split) if comprehension else split_before(edit, node, subkey, split, writable))]
    elif found.repeats or found.first is None or not (writable or isinstance(node, cst.Name)):
        return
    else:
        there, key = edit.elsewhere(found.first.place), edit.text(node)
        if there.text(found.first.node) != key:
            return
        split_first = found.first_use.how == "split" and found.first is found.first_use.sites[0]
        if split_first and is_statement(there, found.first.call) and not _rebinds(edit, node):
            edits = [there.insert_before(found.first.call, f"{key}, {subkey} = "), edit.replace(node, subkey)]
        elif split_first:
            edits = one_more(there, found.first.call, key)
        else:
            edits = [*edits, *split_before(there, found.first.node, subkey, split, writable)]
            apart = edit.piece is not there.piece or _statement(edit, node) is not _statement(edit, found.first.node)
            if apart and not _rebinds(edit, node):
                edits += split_before(edit, node, subkey, split, writable)
    yield Fix("Split the key first", edits, safe=False)


def _statement(edit, node):
    return next((n for n in reversed(edit.path(node)) if isinstance(n, cst.SimpleStatementLine)), None)


def _rebinds(edit, node):
    """The use is a split that binds the key anew."""
    statement = next((n for n in edit.path(node) if isinstance(n, cst.Assign)), None)
    targets = [target.target for target in statement.targets] if statement is not None else []
    parts = [part for target in targets for part in (
        [each.value for each in target.elements] if isinstance(target, (cst.Tuple, cst.List)) else [target])]
    return edit.text(node) in {edit.text(part) for part in parts}
