"""Changing an object that a compiled function holds as a constant.

## What JAX does
A static argument (`static_argnums=0` for `self`) and the object of a jitted bound method are constants of the compiled
program. The cache knows the object by its hash, which by default does not look at attributes: after `obj.rate = 2.0` the
next call finds the old program, and gives the old result without a word. With `__hash__` and `__eq__` by value the entry
of the cache is keyed by an object that has changed since.

## Fix
Makes a new object, for which JAX compiles once more. Or registers the class as a pytree and lets the object be traced, so
that its attributes are arguments.

## Fix safety
Unsafe: other names go on holding the old object; as a pytree, attributes are traced.

## When it is fine
Attributes that the compiled code does not read; objects that never change after the first call; pytrees.

## References
- [Sharp bits: jit methods](guide#jit-methods)
- [FAQ: jit and methods](https://docs.jax.dev/en/latest/faq.html#how-to-use-jit-with-methods)
"""
from ...engine import programs, stale
from ...engine.callables import Bound, Class
from ...engine.events import AttributeStore, NotebookEnd
from ...engine.values import Step
from ..base import Clean, Example, Fix, Hint, Rule, on, short
from . import _register, _renew

RULE = Rule(
    section="jit methods",
    kind="silent",
    says="`{part}` is a constant of the compiled `{function}`, which keeps the old value",
)

EXAMPLES = [
    Example(
        bad=["import jax\nfrom functools import partial\nclass Gain:\n    def __init__(self, k):\n        self.k = k\n    @partial(jax.jit, static_argnums=0)\n    def on(self, x):\n        return self.k * x",
             "g = Gain(2.0)\na = g.on(1.0)\n«g.k» = 5.0\nb = g.on(1.0)"],
        sees="float(a) == 2.0 and float(b) == 2.0",
        fixed=["import jax\nfrom functools import partial\nclass Gain:\n    def __init__(self, k):\n        self.k = k\n    @partial(jax.jit, static_argnums=0)\n    def on(self, x):\n        return self.k * x",
               "g = Gain(2.0)\na = g.on(1.0)\ng = Gain(5.0)\nb = g.on(1.0)"],
        gives="float(a) == 2.0 and float(b) == 5.0",
    ),
    Example(
        bad=["import jax\nclass Gain:\n    def __init__(self, k):\n        self.k = k\n    def on(self, x):\n        return self.k * x\n    def tune(self, k):\n        «self.k» = k",
             "g = Gain(2.0)\nfast = jax.jit(g.on)\na = fast(1.0)", "g.tune(5.0)\nb = fast(1.0)"],
        sees="float(a) == 2.0 and float(b) == 2.0",
    ),
    Example(
        bad=["import jax\nfrom functools import partial\nclass Gain:\n    def __init__(self, k):\n        self.k = k\n    @partial(jax.jit, static_argnums=0)\n    def on(self, x):\n        return self.k * x\n    def tune(self, k):\n        «self.k» = k",
             "g = Gain(2.0)\na = g.on(1.0)\ng.tune(5.0)\nb = g.on(1.0)"],
        sees="float(a) == 2.0 and float(b) == 2.0",
        fixed=["import jax\nfrom functools import partial\n@jax.tree_util.register_pytree_node_class\nclass Gain:\n    def __init__(self, k):\n        self.k = k\n    @jax.jit\n    def on(self, x):\n        return self.k * x\n    def tune(self, k):\n        self.k = k\n"
               "\n    def tree_flatten(self):\n        return (self.k,), None\n\n    @classmethod\n    def tree_unflatten(cls, aux, children):\n        new = object.__new__(cls)\n        new.k, = children\n        return new",
               "g = Gain(2.0)\na = g.on(1.0)\ng.tune(5.0)\nb = g.on(1.0)"],
        gives="float(a) == 2.0 and float(b) == 5.0",
    ),
]

CLEAN = [
    Clean(["import jax\nfrom functools import partial\nclass Gain:\n    def __init__(self, k):\n        self.k, self.calls = k, 0\n    @partial(jax.jit, static_argnums=0)\n    def on(self, x):\n        return self.k * x",
           "g = Gain(2.0)\na = g.on(1.0)\ng.calls = 1\nb = g.on(1.0)"],
          because="the compiled code does not read `calls`"),
    Clean(["import jax\nfrom functools import partial\nclass Gain:\n    def __init__(self, k):\n        self.k = k\n    @partial(jax.jit, static_argnums=0)\n    def on(self, x):\n        return self.k * x",
           "g = Gain(2.0)\na = g.on(1.0)\ng = Gain(5.0)\nb = g.on(1.0)"],
          because="it is another object"),
    Clean(["import jax\n@jax.tree_util.register_pytree_node_class\nclass Gain:\n    def __init__(self, k):\n        self.k = k\n    @jax.jit\n    def on(self, x):\n        return self.k * x\n    def tree_flatten(self):\n        return (self.k,), None\n    @classmethod\n    def tree_unflatten(cls, aux, children):\n        return cls(*children)",
           "g = Gain(2.0)\na = g.on(1.0)\ng.k = 5.0\nb = g.on(1.0)"],
          because="the attributes of a pytree are arguments"),
    Clean(["import jax\nfrom functools import partial\nclass Gain:\n    def __init__(self, k):\n        self.k = k\n    @partial(jax.jit, static_argnums=0)\n    def on(self, x):\n        return self.k * x",
           "g = Gain(2.0)\ng.k = 5.0\nb = g.on(1.0)"],
          because="it changes before the first call"),
]


@on(NotebookEnd)
def check(event):
    """An attribute that a program read from its static object is assigned before the program runs again."""
    for found in stale.reads(event):
        read, change = found.read, found.change
        if read.outer or read.value.ref not in programs.objects(read.ctx):
            continue
        name = read.ctx.function.name if read.ctx.function is not None else "function"
        part = event.machine.text(change.node) if isinstance(change, AttributeStore) else read.path
        record = event.machine.record(change.base) if isinstance(change, AttributeStore) else None
        cls = record.cls if record is not None and isinstance(record.cls, Class) else None
        data = (change, read, cls, _register.static_attributes(event, cls)) if cls is not None else None
        yield Hint(change.node, data=data, place=change.place, part=short(part, 20), function=short(name, 20), evidence=[
            *read.ctx.chain(), Step(f"`{short(read.path, 20)}` is read here", read.node, read.place)])


def fixes(hint, edit):
    """A new object; or its class a pytree and the object traced."""
    if hint.data is None:
        return
    change, read, cls, static = hint.data
    frame = read.ctx.staging_frame
    wrapped = frame.wrapped
    if wrapped is None:
        return
    bound = isinstance(wrapped.function.target, Bound)
    if not change.ctx.frames:
        yield Fix(f"Make a new {cls.name}", _renew.edits(edit, change, cls, wrapped if bound else None), safe=False)
    elif not bound:
        yield Fix(f"Register {cls.name} as a pytree", [
            *_register.edits(edit, cls, static), *_renew.traced(edit, wrapped, read)], safe=False)
