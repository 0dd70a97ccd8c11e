"""Making a key from a constant where the code runs many times.

## What JAX does
A key from the same seed gives the same numbers. Made inside of a traced function, or anew on each turn of a loop, it
makes every call, every lane and every turn draw alike.

## Fix
Takes the key as an argument, where all calls of the function are seen: each gets a key of its own. In a loop that counts
its turns, folds the number of the turn into the key.

## Fix safety
Unsafe: the numbers change, which is what the fix is for, and the function's signature may.

## When it is fine
A seed that is an argument or goes with the loop, a key that is folded with the step, a start that is shared on purpose by
things that are compared, a function that is called once.

## References
- [Sharp bits: random numbers](guide#random-numbers)
"""
import libcst as cst

from ...engine import reuse
from ...engine.events import KeyUse
from ...engine.scopes import occurrences
from ...engine.values import ITERATOR, MAPPING, SEQUENCE
from ..base import Clean, Example, Fix, Hint, Rule, on, short
from ._argument import turn, with_key

RULE = Rule(
    section="random numbers",
    kind="silent",
    says={"": "`{call}` makes the same key in every call: the same numbers each time",
          "loop": "`{call}` makes the same key on every turn: the same numbers each time"},
)

EXAMPLES = [
    Example(
        bad=["import jax\n@jax.jit\ndef noisy(x):\n    key = «jax.random.key(0)»\n    return x + jax.random.normal(key, x.shape)",
             "import jax.numpy as jnp\nsame = noisy(jnp.ones(2)) == noisy(jnp.ones(2))"],
        sees="bool(same.all())",
        fixed=["import jax\n@jax.jit\ndef noisy(x, key):\n    return x + jax.random.normal(key, x.shape)",
               "import jax.numpy as jnp\nsame = noisy(jnp.ones(2), jax.random.key(0)) == noisy(jnp.ones(2), jax.random.key(1))"],
        gives="not bool(same.any())",
    ),
    Example(
        bad=["import jax\ndraws = []\nfor day in range(5):\n    key = «jax.random.key(42)»\n    draws.append(float(jax.random.uniform(key)))"],
        sees="len(set(draws)) == 1",
        fixed=["import jax\ndraws = []\nfor day in range(5):\n    key = jax.random.fold_in(jax.random.key(42), day)\n    draws.append(float(jax.random.uniform(key)))"],
        gives="len(set(draws)) == 5",
    ),
    Example(  # mapped too, so that not all calls are seen: no fix
        bad=["import jax, jax.numpy as jnp\n@jax.jit\ndef noisy(x):\n    return x + jax.random.normal(«jax.random.key(0)»)",
             "a = noisy(1.0)\nb = jax.vmap(noisy)(jnp.ones(2))"],
        sees="float(b[0]) == float(b[1])",
    ),
]

CLEAN = [
    Clean(["import jax\ndef draw(seed):\n    return jax.random.normal(jax.random.key(seed))\nx = [draw(s) for s in range(3)]"],
          because="the seed is an argument"),
    Clean(["import jax\n@jax.jit\ndef noisy(x, step):\n    return x + jax.random.normal(jax.random.fold_in(jax.random.key(0), step))\ny = noisy(1.0, 3)"],
          because="the key is folded with the step"),
    Clean(["import jax\ndef setup():\n    return jax.random.normal(jax.random.key(7), (3,))\nw = setup()"], because="called once"),
    Clean(["import jax\ninit = jax.jit(lambda: jax.random.normal(jax.random.key(0), (3,)))\nw = init()"],
          because="a function without arguments makes a constant"),
]

MAKERS = ("key", "PRNGKey")


@on(KeyUse)
def check(event):
    """A draw from a key that was made from a constant in the same trace, or on the same turn."""
    made = event.key.made
    call = made.node if made is not None else None
    if not isinstance(call, cst.Call) or event.how == "call" or not _is_maker(event, call):
        return
    if not all(isinstance(arg.value, cst.Integer) or _is_outer(event, arg.value) for arg in call.args):
        return
    frame = _frame(event)
    if frame is not None:
        yield Hint(call, place=made.place, call=short(event.text(call), 30))
        return
    loop = event.ctx.own_loop
    if loop is None or event.ctx.traced or made.place is not event.place or not reuse.contains(loop.node, call):
        return
    over = getattr(loop.node, "iter", None)
    if over is not None and reuse.contains(over, call):
        return
    sweep = loop.over is not None and loop.over.must_be(SEQUENCE | MAPPING | ITERATOR) and "range" not in loop.over.flags
    yield Hint(call, variant="loop", place=made.place, certain=not sweep, call=short(event.text(call), 30))


def _frame(event):
    """The frame of the traced function in which the key was made, when its calls have arguments."""
    ident, ctx = event.key.ident, event.ctx
    if not isinstance(ident, tuple) or len(ident) != 2 or not isinstance(ident[1], int) or not ctx.abstract:
        return None
    for marker, frame in zip(ctx.live, ctx.live[1:]):
        if marker.tracer == "abstract" and frame.function is not None:
            inside = ident[0] == event.machine.origin.key and ident[1] > marker.alloc
            return frame if inside and frame.given else None
    return None


def _is_maker(event, call):
    function = call.func
    name = function.attr.value if isinstance(function, cst.Attribute) else getattr(function, "value", "")
    return name in MAKERS or event.machine.callee_name(function) in {f"jax.random.{maker}" for maker in MAKERS}


def _is_outer(event, node):
    """A name of the module that no loop and no function around binds."""
    if not isinstance(node, cst.Name):
        return False
    scope = event.machine.scope
    while scope is not None:
        if node.value in scope.names or node.value in scope.bound:
            return False
        scope = scope.parent
    loops = [loop.node for _, loop in event.ctx.loops]
    return not any(name == node.value and stored for loop in loops for name, stored, _ in occurrences(loop))


def fixes(hint, edit):
    """A key as an argument, or one folded with the turn."""
    call = hint.node
    if hint.variant == "loop":
        module, edits = edit.import_needed("jax.random")
        text = f"{module}.fold_in({edit.text(call)}, {turn(edit, call, in_function=True)})"
        yield Fix("Fold the turn into the key", [edit.replace(call, text), *edits], safe=False)
        return
    path = edit.path(call)
    function = next((node for node in path if isinstance(node, cst.FunctionDef)), None)
    inside = path[path.index(function) + 1:] if function is not None else ()
    plain = len(call.args) == 1 and isinstance(call.args[0].value, cst.Integer)
    if not plain or any(isinstance(node, (cst.For, cst.While, cst.FunctionDef, cst.Lambda, cst.BaseComp)) for node in inside):
        return
    if edit.text(function.body).count(edit.text(call.func)) > 1:
        return
    assign = path[-2]
    if isinstance(assign, cst.Assign) and len(inside) == 4 and len(assign.targets) == 1 and isinstance(
            assign.targets[0].target, cst.Name) and len(function.body.body) > 1:
        name, edits = assign.targets[0].target.value, [edit.delete(assign)]
    elif "key" in {name for name, _, _ in occurrences(function)}:
        return
    else:
        name, edits = "key", [edit.replace(call, "key")]
    yield Fix("Make the key an argument", [*edits, *with_key(edit, function, name, int(call.args[0].value.value))], safe=False)

