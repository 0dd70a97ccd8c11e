"""A handler that swallows the error of a traced value.

## What JAX does
While JAX traces, the line in the `try` raises: it asks a tracer for its value. The handler takes that for an ordinary
failure, so the fallback is compiled in and is always taken, whatever the values are. Nothing says so.

## Fix
None: write the choice with `jnp.where` or `lax.cond`, and let the error reach you.

## Fix safety
No fix is offered.

## When it is fine
In eager code, and where the handler raises again or catches a class that JAX's errors do not have.

## References
- [Sharp bits: control flow](guide#control-flow)
"""
from ...engine.events import CaughtHint
from ...engine.scopes import names_in, only_tells
from ..base import Clean, Example, Hint, Rule, on, short

RULE = Rule(
    section="control flow",
    kind="silent",
    says="`{line}` raises while JAX traces: this fallback is always taken",
    lanes="S",
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\n@jax.jit\ndef f(x):\n    try:\n        return x / float(x.max())\n    «except Exception:\n        return x»",
             "y = f(jnp.array([1.0, 2.0]))"],
        sees="y.tolist() == [1.0, 2.0]",
    ),
]

CLEAN = [
    Clean(["import jax.numpy as jnp\ndef f(x):\n    try:\n        return x / float(x.max())\n    except Exception:\n        return x\ny = f(jnp.array([1.0, 2.0]))"],
          because="in eager code the value is there"),
    Clean(["import jax, jax.numpy as jnp\n@jax.jit\ndef f(x):\n    try:\n        return x.reshape(2, -1)\n    except KeyError:\n        return x\ny = f(jnp.ones(4))"],
          because="nothing in the `try` asks for a value"),
    Clean(["import jax\n@jax.jit\ndef f(x):\n    return x if x > 0 else -x\ntry:\n    f(1.0)\nexcept Exception as e:\n    print(type(e).__name__)\ntry:\n    f(1.0)\nexcept Exception:\n    print('it raises')"],
          because="the error is shown, not hidden"),
]

TRACED = ("if-on-tracer", "while-on-tracer", "bool-op-on-tracer", "assert-on-tracer", "cast-on-tracer",
          "numpy-on-tracer", "for-over-traced-range", "boolean-mask", "data-dependent-shape", "traced-shape",
          "traced-slice-size", "nan-check-under-trace", "missing-static-arg", "dict-key-on-tracer")


@on(CaughtHint)
def check(event):
    """An error of a traced value is caught by a handler that goes on."""
    if event.rule not in TRACED or not event.ctx.traced:
        return
    handler = next(iter(getattr(event.statement, "handlers", ())), None)
    if handler is not None and not _by_name(event, handler) and not _shows(event, handler):
        yield Hint(handler, line=short(event.text(event.inner.node), 30), place=event.place)


def _shows(event, handler):
    """Eager code that calls a traced function to see it fail: the handler tells of the exception, or does nothing else."""
    depth = next((depth for depth, block in event.ctx.tries if block.node is event.statement), 0)
    if any(frame.transform for frame in event.ctx.frames[:depth]):
        return False
    told = handler.name is not None and event.text(handler.name.name) in names_in(handler.body)
    return told or only_tells(handler.body)


def _by_name(event, handler):
    """The handler names one of JAX's own errors: it is there for this."""
    text = event.text(handler.type) if handler.type is not None else ""
    return "Tracer" in text or "Concret" in text or "jax" in text
