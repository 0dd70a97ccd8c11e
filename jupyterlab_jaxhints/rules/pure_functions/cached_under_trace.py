"""Caching what is computed while JAX traces.

## What JAX does
Under `jit`, `scan` and the like every array that JAX makes is a tracer, also one made of constants. `functools.cache`,
`lru_cache` and `cached_property` keep it, and hand it out after its trace has ended: using it raises
`UnexpectedTracerError`. A traced argument has no hash: the cached call raises `TypeError` at once.

## Fix
None: cache NumPy arrays, or fill the cache before tracing.

## When it is fine
A cache of NumPy arrays, numbers or shapes; a first call outside of traced code with the same arguments; `grad` or `vmap`
alone, where constants are no tracers.

## References
- [Leaked tracers](https://docs.jax.dev/en/latest/errors.html#jax.errors.UnexpectedTracerError)
- [Sharp bits: pure functions](guide#pure-functions)
"""
from ...engine.events import FunctionCall, NotebookEnd, TransformedCall
from ...engine.values import TRACER, TREE, Step
from ..base import Clean, Example, Hint, Rule, on

RULE = Rule(
    section="pure functions",
    kind="error",
    says={"": "`{function}` is first called while JAX traces: the cache keeps a tracer, which raises later",
          "hash": "`{function}` is cached, and a tracer has no hash: the call raises"},
)

EXAMPLES = [
    Example(
        bad=["import functools, jax, jax.numpy as jnp\n@«functools.cache»\ndef grid(n):\n    return jnp.arange(n)\n@jax.jit\ndef f(x):\n    return x * grid(3).sum()",
             "a = f(1.0)\nb = grid(3) + 1"],
        raises="UnexpectedTracerError",
    ),
    Example(
        bad=["import jax\nfrom functools import lru_cache\n@«lru_cache(maxsize=8)»\ndef square(x):\n    return x * x\ny = jax.jit(lambda x: square(x))(2.0)"],
        raises="TypeError",
    ),
]

CLEAN = [
    Clean(["import functools, jax, numpy as np\n@functools.cache\ndef grid(n):\n    return np.arange(n)\n@jax.jit\ndef f(x):\n    return x * grid(3).sum()\na = f(1.0)\nb = grid(3) + 1"],
          because="NumPy arrays are no tracers"),
    Clean(["import functools, jax, jax.numpy as jnp\n@functools.cache\ndef grid(n):\n    return jnp.arange(n)\ng = grid(3)\n@jax.jit\ndef f(x):\n    return x * grid(3).sum()\na = f(1.0)"],
          because="the first call is outside, with the same argument"),
    Clean(["import functools, jax\n@functools.cache\ndef compiled(n):\n    return jax.jit(lambda x: n * x)\ny = compiled(2)(1.0)"],
          because="a compiled function is cached, and called outside"),
    Clean(["import jax, jax.numpy as jnp\nfrom functools import cached_property\nclass Grid:\n    @cached_property\n    def xs(self):\n        return jnp.arange(3.0)\ng = Grid()\nn = g.xs.size\ny = jax.jit(lambda x: x * g.xs)(2.0)"],
          because="the property is read outside first"),
]

CACHES = ("functools.cache", "functools.lru_cache")


@on(NotebookEnd)
def check_cache(event):
    """The first call of a cached function with these arguments gives a tracer."""
    first = {}
    for call in event.of(TransformedCall):
        if call.wrapped.transform not in CACHES or call.ctx.generic:
            continue
        node = getattr(call.wrapped.node, "decorator", call.wrapped.node)
        name = call.function.name if call.function is not None else "function"
        words = {"place": call.wrapped.place, "function": name}
        called = Step(f"`{name}` is called while JAX traces", call.node, call.place)
        if any(arg.value.must_be(TRACER | TREE) for arg in call.args):
            yield Hint(node, variant="hash", evidence=[*call.ctx.chain(), called], **words)
            continue
        key = (call.wrapped.ident, tuple((arg.keyword, arg.value.fingerprint()) for arg in call.args))
        before = first.setdefault(key, call)
        if before is call and call.ctx.staged and _holds_tracer(call):
            yield Hint(node, evidence=[*call.ctx.chain(), called], **words)


@on(FunctionCall)
def check_property(event):
    """A cached property of an older object is computed while JAX traces."""
    function = event.function
    cached = next((written for written, value in zip(function.node.decorators, function.decorators)
                   if value.name == "functools.cached_property"), None) if function.decorators else None
    if cached is None or event.ctx.generic or not event.ctx.staged or not event.args or not _holds_tracer(event):
        return
    if event.machine.is_older(event.args[0].value, event.ctx.staging_frame):
        read = Step(f"`{function.name}` is read while JAX traces", event.node, event.place)
        yield Hint(cached.decorator, place=function.place, function=function.name, certain=False, evidence=[read])


def _holds_tracer(event):
    return any(leaf.must_be(TRACER) for leaf in event.leaves(event.result))
