"""Assigning an attribute of `self` in traced code.

## What JAX does
While JAX traces a method, values are tracers, and the code runs once. An attribute that gets a tracer keeps it after the
trace, and using it raises `UnexpectedTracerError`; a counter counts traces and not calls.

## Fix
None: return the value, and assign it where the method is called from.

## When it is fine
`__init__` of an object that is made in the trace; libraries whose transforms follow attributes, such as `flax.nnx`.

## References
- [Sharp bits: pure functions](guide#pure-functions)
- [Leaked tracers](https://docs.jax.dev/en/latest/errors.html#jax.errors.UnexpectedTracerError)
"""
from ...engine import programs
from ...engine.events import OuterWrite
from ...engine.values import TRACER, TREE
from ..base import Clean, Example, Hint, Rule, on
from ._traced import ABOUT_TRACING, is_plain

RULE = Rule(
    section="pure functions",
    kind="silent",
    says={"leak": "`{name}` gets a tracer that outlives its trace: using it later raises",
          "once": "`{name}` changes while JAX traces: once, not each time the program runs"},
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax\nclass Filter:\n    def __init__(self):\n        self.last = 0.0\n        self.step = jax.jit(self._step)\n    def _step(self, x):\n        «self.last» = 0.5 * x\n        return x",
             "f = Filter()\ny = f.step(1.0)"],
        sees="isinstance(f.last, jax.core.Tracer)",
    ),
    Example(
        bad=["import jax\nfrom functools import partial\nclass Sampler:\n    def __init__(self):\n        self.count = 0\n    @partial(jax.jit, static_argnums=0)\n    def draw(self, key):\n        «self.count» += 1\n        return jax.random.uniform(key)",
             "s = Sampler()\nfor i in range(3):\n    s.draw(jax.random.key(i))"],
        sees="s.count == 1",
    ),
]

CLEAN = [
    Clean(["import jax\nclass Box:\n    def __init__(self, v):\n        self.v = v\n@jax.jit\ndef f(x):\n    b = Box(x)\n    b.v = b.v * 2\n    return b.v\ny = f(1.0)"],
          because="the object is made in the trace"),
    Clean(["import jax\nclass Sampler:\n    def __init__(self):\n        self.count = 0\n        self._draw = jax.jit(jax.random.uniform)\n    def draw(self, key):\n        self.count += 1\n        return self._draw(key)\ns = Sampler()\ny = s.draw(jax.random.key(0))"],
          because="the method itself is not traced"),
    Clean(["from flax import nnx\nclass Count(nnx.Module):\n    def __init__(self):\n        self.n = nnx.Variable(0)\n    @nnx.jit\n    def __call__(self, x):\n        self.n = self.n + 1\n        return x\ny = Count()(1.0)"],
          because="`nnx` follows attributes through its transforms", runs=False),
    Clean(["import jax\nclass Net:\n    def __init__(self):\n        self.traces = 0\n    def run(self, x):\n        self.traces += 1\n        return x\nn = Net()\ny = jax.jit(n.run)(1.0)"],
          because="it counts traces on purpose"),
]


@on(OuterWrite)
def check(event):
    """An attribute of an object that is older than the trace."""
    if not event.is_self or not is_plain(event):
        return
    leaves = event.leaves(event.value)
    if any(leaf.must_be(TRACER | TREE) for leaf in leaves):
        yield Hint(event.node, variant="leak", name=event.name, evidence=[leaf.traced for leaf in leaves])
    elif programs.is_compiled(event.ctx) and not ABOUT_TRACING.search(event.name):
        yield Hint(event.node, variant="once", name=event.name)
