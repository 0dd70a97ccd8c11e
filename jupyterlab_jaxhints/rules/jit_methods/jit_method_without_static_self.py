"""A jitted method whose class JAX does not know.

## What JAX does
To `jit`, `self` is an argument like any other. An object of an ordinary class, a plain dataclass included, is no array and
no pytree, and the call raises `TypeError`.

## Fix
Registers the class as a pytree: its attributes become arguments, and changes to them are seen. Or makes `self` static: the
object becomes a constant of the compiled program, known by its hash.

## Fix safety
Unsafe: as a pytree, attributes are traced; as a constant, later changes to the object are not seen.

## When it is fine
Classes registered as pytrees, NamedTuples, Equinox and Flax modules; static methods; a jitted bound method.

## References
- [Sharp bits: jit methods](guide#jit-methods)
- [FAQ: jit and methods](https://docs.jax.dev/en/latest/faq.html#how-to-use-jit-with-methods)
"""
import libcst as cst

from ...engine import tracing
from ...engine.callables import Function
from ...engine.events import NotebookEnd, Transform
from ...engine.values import Step
from ..base import Clean, Example, Fix, Hint, Rule, on
from . import _register

RULE = Rule(
    section="jit methods",
    kind="error",
    says="`self` of `{method}` is a `{cls}`, which is no pytree: the jitted call raises",
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax\nclass Spring:\n    def __init__(self, k):\n        self.k = k\n\n    @«jax.jit»\n    def energy(self, x):\n        return 0.5 * self.k * x ** 2",
             "e = Spring(4.0).energy(3.0)"],
        raises="TypeError",
        fixed=["import jax\n@jax.tree_util.register_pytree_node_class\nclass Spring:\n    def __init__(self, k):\n        self.k = k\n\n    @jax.jit\n    def energy(self, x):\n        return 0.5 * self.k * x ** 2\n"
               "\n    def tree_flatten(self):\n        return (self.k,), None\n\n    @classmethod\n    def tree_unflatten(cls, aux, children):\n        new = object.__new__(cls)\n        new.k, = children\n        return new",
               "e = Spring(4.0).energy(3.0)"],
        gives="float(e) == 18.0",
    ),
    Example(
        bad=["import jax\nfrom functools import partial\nfrom dataclasses import dataclass\n@dataclass\nclass Line:\n    a: float\n    mode: str = 'up'\n    @«partial(jax.jit, static_argnames='n')»\n    def at(self, x, n):\n        return self.a * x * n",
             "y = Line(2.0).at(3.0, n=1)"],
        raises="TypeError",
        fixed=["import jax\nfrom functools import partial\nfrom dataclasses import dataclass\n@partial(jax.tree_util.register_dataclass, data_fields=[\"a\"], meta_fields=[\"mode\"])\n@dataclass\nclass Line:\n    a: float\n    mode: str = 'up'\n    @partial(jax.jit, static_argnames='n')\n    def at(self, x, n):\n        return self.a * x * n",
               "y = Line(2.0).at(3.0, n=1)"],
        gives="float(y) == 6.0",
    ),
]

CLEAN = [
    Clean(["import jax\nfrom functools import partial\nclass Spring:\n    k = 2.0\n    @partial(jax.jit, static_argnums=0)\n    def energy(self, x):\n        return self.k * x\ne = Spring().energy(1.0)"],
          because="`self` is static"),
    Clean(["import jax\nclass Ops:\n    @staticmethod\n    @jax.jit\n    def double(x):\n        return 2 * x\ny = Ops.double(1.0)"],
          because="a static method has no `self`"),
    Clean(["import jax\nclass Point:\n    def __init__(self, x):\n        self.x = x\n    @jax.jit\n    def norm(self):\n        return abs(self.x)", "jax.tree_util.register_pytree_node(Point, lambda p: ((p.x,), None), lambda _, c: Point(*c))\ny = Point(-1.0).norm()"],
          because="the class is registered in a later cell"),
    Clean(["from typing import NamedTuple\nimport jax\nclass Pair(NamedTuple):\n    a: float\n    b: float\n    @jax.jit\n    def total(self):\n        return self.a + self.b\ny = Pair(1.0, 2.0).total()"],
          because="a NamedTuple is a pytree"),
    Clean(["import jax\nclass Net:\n    def __init__(self):\n        self.run = jax.jit(self._run)\n    def _run(self, x):\n        return 2 * x\ny = Net().run(1.0)"],
          because="the bound method holds its object"),
]


@on(NotebookEnd)
def check(event):
    """A jitted method whose first parameter is traced, of a class that nothing makes a pytree."""
    for made in event.of(Transform):
        function = made.function.target
        if not made.wrapped.transform.endswith(("jit", "pmap")) or not isinstance(function, Function) or function.cls is None:
            continue
        if function.positional[:1] != ["self"] or made.function.flags & {"static", "class", "property"}:
            continue
        static = tracing.static_parameters(event.machine, made.wrapped)
        if static is None or 0 in static[0] or not _is_ordinary(function.cls):
            continue
        defined = Step(f"`{function.cls.name}` is defined here", function.cls.node.name, function.cls.place)
        yield Hint(made.node, place=made.place, method=function.name, cls=function.cls.name, evidence=[defined],
                   data=(made, function.cls, _register.static_attributes(event, function.cls)))


def _is_ordinary(cls):
    """Nothing known or unknown can make its objects pytrees."""
    hooks = ("__unknown_decorator__", "__init_subclass__", "tree_flatten")
    return cls.closed and not cls.pytree and not cls.node.keywords and not any(cls.lookup(n) is not None for n in hooks) and (
        not any(base.name == "typing.NamedTuple" or base.target is not None and getattr(base.target, "pytree", False)
                for base in cls.bases))


def fixes(hint, edit):
    """A pytree, then a static `self`."""
    made, cls, static = hint.data
    yield Fix(f"Register {cls.name} as a pytree", _register.edits(edit, cls, static), safe=False)
    node = made.node
    if isinstance(node, cst.Call) and node.args and not any(a.keyword and a.keyword.value.startswith("static_argnums") for a in node.args):
        yield Fix("Make self static", [edit.insert_after(node.args[-1].value, ", static_argnums=0")], safe=False)
    elif isinstance(node, (cst.Name, cst.Attribute)):
        partial, needed = edit.import_needed("functools", "partial")
        yield Fix("Make self static", [edit.replace(node, f"{partial}({edit.text(node)}, static_argnums=0)"), *needed],
                  safe=False)
