"""A name that this JAX no longer has.

## What JAX does
JAX removes names, keyword arguments and methods after a time of warning. Using one raises `AttributeError`,
`ImportError` or `TypeError`, often without a word on what took its place.

## Fix
Writes the name, keyword or expression that took its place, imports included.

## Fix safety
Safe where the new name does the same with the same arguments; unsafe where it asks for a look.

## When it is fine
In code for older JAX that asks first (`hasattr`, a version test, `try … except ImportError`).

## References
- [Change log of JAX](jax/changelog.html)
"""
from ...engine.events import AttributeLoad, Call, QualifiedUse
from ...engine.values import JAX
from ...knowledge import removed
from ..base import Clean, Example, Fix, Hint, Rule, on
from ._replace import call_edits, import_edits, imported_call_edits, keyword_edits, name_edits, removed_prefix

RULE = Rule(
    section="changes",
    kind="error",
    says={"": "JAX has no `{name}` any more{since}",
          "keyword": "`{function}` has no keyword `{name}` any more{since}",
          "method": "JAX arrays have no `{name}` any more{since}"},
)

EXAMPLES = [
    Example(
        bad=["import jax\nhalf = «jax.tree_map»(lambda p: p / 2, {'w': 4.0})"],
        raises="AttributeError",
        fixed=["import jax\nhalf = jax.tree.map(lambda p: p / 2, {'w': 4.0})"],
        gives="half == {'w': 2.0}",
        jax=">=0.6",
    ),
    Example(
        bad=["import numpy\nfrom jax import jit, «tree_map as tm»", "half = tm(lambda p: p / 2, {'w': 4.0})"],
        raises="ImportError",
        fixed=["import numpy\nfrom jax import jit\nfrom jax.tree import map as tm", "half = tm(lambda p: p / 2, {'w': 4.0})"],
        gives="half == {'w': 2.0}",
        jax=">=0.6",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\nx = «jax.ops.index_update»(jnp.zeros(2), 0, 5.0)"],
        raises="AttributeError",
        fixed=["import jax, jax.numpy as jnp\nx = jnp.zeros(2).at[0].set(5.0)"],
        gives="x.tolist() == [5.0, 0.0]",
    ),
    Example(
        bad=["import jax.numpy as jnp\ny = jnp.clip(jnp.arange(4), «a_max=2»)"],
        raises="TypeError",
        fixed=["import jax.numpy as jnp\ny = jnp.clip(jnp.arange(4), max=2)"],
        gives="y.tolist() == [0, 1, 2, 2]",
        jax=">=0.10",
    ),
]

CLEAN = [
    Clean(["import jax\ntree_map = jax.tree_map if hasattr(jax, 'tree_map') else jax.tree.map"], because="asked first"),
    Clean(["import jax\ndef leaves(t):\n    if jax.__version_info__ >= (0, 4, 25):\n        return jax.tree.leaves(t)\n    return jax.tree_leaves(t)\nls = leaves([1])"],
          because="the way for newer versions has returned before"),
    Clean(["import jax\ndef leaves(t):\n    new = hasattr(jax, 'tree')\n    return jax.tree.leaves(t) if new else jax.tree_leaves(t)\nls = leaves([1])"],
          because="asked first, by a name"),
    Clean(["import jax\ndef is_sharded(x):\n    return hasattr(jax, 'pxla') and isinstance(x, jax.pxla.ShardedDeviceArray)\nno = is_sharded(1)"],
          because="asked first"),
    Clean(["try:\n    from jax.config import config\nexcept ImportError:\n    from jax import config"], because="asked first"),
    Clean(["import jax\ndef tree_map(f, t):\n    return jax.tree.map(f, t)\nhalf = tree_map(lambda p: p / 2, {'w': 4.0})"],
          because="a function of one's own with the old name"),
    Clean(["import numpy as np\nimport jax\ny = np.clip(np.arange(4), a_min=0, a_max=2)"], because="NumPy still has it"),
]


def _gone(row, event):
    return row is not None and row.status(event.machine.jax_version) == "removed"


def _since(row):
    return f": removed in {row.removed}" if row.removed else ""


@on(QualifiedUse)
def check_name(event):
    """A removed name, or one of a removed module."""
    if event.guarded or event.form == "name" or not event.name.startswith(("jax.", "jaxlib.")):
        return
    if event.through and _import_is_flagged(event):
        return
    row = removed.importing(event.name) if event.form == "import" else removed.name(event.name)
    if event.form == "import" and row is None or not _gone(row, event):
        row = removed_prefix(event.name, event.machine.jax_version) if event.form != "star" else None
    if row is not None:
        yield Hint(event.node, name=row.name, since=_since(row), data=("name", row, event))


def _import_is_flagged(event):
    """The import of what the path goes through is what has to change."""
    return _gone(removed.name(event.through), event) or removed_prefix(event.through, event.machine.jax_version) is not None


@on(Call)
def check_call(event):
    """A removed keyword or method."""
    if event.ctx.catcher("TypeError") is not None or event.machine.is_guarded():
        return
    method = event.name.removeprefix("array.")
    is_method = method != event.name and event.receiver is not None and event.receiver.must_be(JAX)
    function = f"jax.Array.{method}" if is_method else event.name
    for row in removed.keywords(function) if function.startswith("jax.") else ():
        given = [a for a in getattr(event.node, "args", ()) if a.keyword is not None and a.keyword.value in row.keywords]
        if given and _gone(row, event):
            yield Hint(given[0], variant="keyword", name=given[0].keyword.value, function=event.text(event.func_node),
                       since=_since(row), data=("keyword", row, event))
    rows = [removed.method(method), *removed.calls(function)] if is_method else []
    for row in rows:
        if _gone(row, event) and (row.kind == "method" or row.form == "called"):
            yield Hint(event.node, variant="method", name=f".{method}()", since=_since(row), data=("method", row, event))
            return


@on(AttributeLoad)
def check_attribute(event):
    """A removed attribute of arrays."""
    row = removed.method(event.attr) if event.base.must_be(JAX) else None
    if row is not None and row.kind == "attribute" and _gone(row, event) and not event.machine.is_guarded():
        yield Hint(event.node, variant="method", name=f".{event.attr}", since=_since(row), data=("method", row, event))


def fixes(hint, edit):
    """What took its place."""
    kind, row, event = hint.data
    new = row.replacement
    if new is None:
        return
    if kind == "keyword":
        edits = keyword_edits(edit, hint.node, event.node, new)
    elif kind == "method":
        edits = call_edits(edit, event.node, new)
    elif event.form == "import-from" and new.template is not None:
        edits = imported_call_edits(edit, event.node, new)
    elif event.form in ("import", "import-from"):
        edits = import_edits(edit, event.node, event.machine.jax_version)
    elif new.template is not None:
        edits = call_edits(edit, event.node, new)
    else:
        edits = name_edits(edit, event.node, event.name, row)
    if edits:
        yield Fix(_title(row, new), edits, safe=new.drop_in)


def _title(row, new):
    if new.name:
        return f"Use {new.name}"
    if new.keyword:
        return f"Use {new.keyword}="
    if new.template:
        short = new.template.replace("{", "").replace("}", "").split("=")[0]
        return f"Use {short[:40]}"
    return "Leave it out" if not new.positional else "Give it by position"
