"""Registering a class as a pytree so that something is lost.

## What JAX does
JAX takes an object apart with `flatten` and puts it together with `unflatten` each time it goes into or comes out of a
transform. An attribute that `flatten` leaves out is lost. The static part is compared and hashed: an array there raises.
`unflatten` is also called with leaves that are no arrays (`None`, `object()`): checks in `__init__` then raise.

## Fix
None: put the attribute among the children; rebuild with `object.__new__` where `__init__` checks.

## When it is fine
Attributes that `__init__` computes from others; strings and numbers in the static part; checks of static parts.

## References
- [Sharp bits: jit methods](guide#jit-methods)
- [Pytrees: custom nodes and initialization](https://docs.jax.dev/en/latest/custom_pytrees.html)
"""
import libcst as cst

from ...engine import classes, pytrees
from ...engine.callables import Function
from ...engine.events import AttributeStore, NotebookEnd, PytreeRegistered
from ...engine.values import JAX, NUMPY
from ..base import Clean, Example, Hint, Rule, on

RULE = Rule(
    section="jit methods",
    kind="silent",
    says={"": "`{attribute}` of `{cls}` is in no part of the pytree: transforms lose it",
          "static": "`{attribute}` holds an array in the static part of `{cls}`, which is hashed: it raises",
          "check": "`{cls}` checks its arrays in `__init__`, but JAX also rebuilds it from other leaves"},
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax\nclass Line:\n    def __init__(self, a, b=0.0):\n        self.a = a\n        self.b = b\njax.tree_util.register_pytree_node(Line, lambda l: («(l.a,), None»), lambda aux, c: Line(*c))",
             "y = jax.jit(lambda l, x: l.a * x + l.b)(Line(2.0, 100.0), 3.0)"],
        sees="float(y) == 6.0",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\n@jax.tree_util.register_pytree_node_class\nclass Grid:\n    def __init__(self, u, xs):\n        self.u, self.xs = u, xs\n    def tree_flatten(self):\n        return (self.u,), «self.xs»\n    @classmethod\n    def tree_unflatten(cls, aux, children):\n        return cls(children[0], aux)",
             "f = jax.jit(lambda g: g.u)\na = f(Grid(1.0, jnp.ones(2)))\nb = f(Grid(2.0, jnp.ones(2)))"],
        raises="ValueError",
    ),
]

CLEAN = [
    Clean(["import jax\nclass Line:\n    def __init__(self, a, b):\n        self.a = a\n        self.b = b\n        self.cache = None\njax.tree_util.register_pytree_node(Line, lambda l: ((l.a,), l.b), lambda aux, c: Line(c[0], aux))\ny = jax.jit(lambda l: l.a)(Line(2.0, 'up'))"],
          because="every given attribute is in one of the parts"),
    Clean(["import jax\nclass Flags:\n    def __init__(self, ready):\n        self._ready = ready\n    @property\n    def ready(self):\n        return self._ready\njax.tree_util.register_pytree_node(Flags, lambda s: ((), (s.ready,)), lambda aux, _: Flags(*aux))\ny = jax.jit(lambda s: s.ready * 1)(Flags(True))"],
          because="a property gives the attribute"),
    Clean(["import jax, jax.numpy as jnp\n@jax.tree_util.register_pytree_node_class\nclass Pair:\n    def __init__(self, a):\n        if a.shape[-1] != 2:\n            raise ValueError('pairs')\n        self.a = a\n    def tree_flatten(self):\n        return (self.a,), None\n    @classmethod\n    def tree_unflatten(cls, aux, children):\n        new = object.__new__(cls)\n        new.a, = children\n        return new\ny = jax.jit(lambda p: p.a)(Pair(jnp.ones(2)))"],
          because="the object is rebuilt without `__init__`"),
    Clean(["import jax\n@jax.tree_util.register_pytree_node_class\nclass Box:\n    def __init__(self, **parts):\n        self.parts = parts\n    def tree_flatten(self):\n        keys = sorted(self.parts)\n        return [self.parts[k] for k in keys], keys\n    @classmethod\n    def tree_unflatten(cls, keys, values):\n        return cls(**dict(zip(keys, values)))\ny = jax.jit(lambda b: b.parts['a'])(Box(a=1.0))"],
          because="the attribute is taken apart by hand", runs=False),
]

ARRAYS = ("jax.Array", "jax.numpy.ndarray", "numpy.ndarray")


@on(NotebookEnd)
def check(event):
    """Each registration of a class of the notebook."""
    for made in event.of(PytreeRegistered):
        if made.cls is None:
            continue
        if made.flatten is None:
            yield from _fields(event, made)
            continue
        plan = pytrees.layout(made.cls, made.flatten, made.unflatten)
        if plan is not None:
            yield from _parts(event, made, plan)


def _parts(event, made, plan):
    cls, place = made.cls, made.flatten.place
    for attribute, node in plan.aux.items():
        if attribute not in plan.children and _holds_array(event, cls, attribute):
            yield Hint(node, place=place, variant="static", attribute=attribute, cls=cls.name)
    init = cls.lookup("__init__")
    if init is None or not isinstance(init.target, Function) or not init.target.positional:
        return
    given = pytrees.given_attributes(init.target)
    lost = sorted(name for name in given if name not in plan.mentioned)
    if lost:
        yield Hint(plan.whole, place=place, attribute=lost[0], cls=cls.name)
    checked = frozenset(parameter for name, parameter in given.items() if name in plan.children)
    if plan.rebuilt is not None and pytrees.check_of(init.target, checked) is not None:
        yield Hint(plan.rebuilt, place=made.unflatten.place, variant="check", cls=cls.name)


def _holds_array(event, cls, attribute):
    """What `__init__` was seen to store there must be an array."""
    values = [e.value for e in event.of(AttributeStore) if e.attr == attribute and not e.ctx.generic
              and getattr(event.machine.record(e.base), "cls", None) is cls]
    return bool(values) and any(value.must_be(JAX | NUMPY) for value in values)


def _fields(event, made):
    """`register_dataclass` with a field that is declared an array among the static ones."""
    written = next((arg.node for arg in made.args if arg.keyword == "meta_fields"), None)
    if not isinstance(written, (cst.List, cst.Tuple)):
        return
    declared = dict(made.declared)
    for element in written.elements:
        name = element.value.evaluated_value if isinstance(element.value, cst.SimpleString) else None
        if declared.get(name) in ARRAYS and name in dict(classes.fields(made.cls)):
            yield Hint(element.value, place=made.place, variant="static", attribute=name, cls=made.cls.name)
