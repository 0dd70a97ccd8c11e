"""A `where` that guards a value, but not its gradient.

## What JAX does
`jnp.where(x > 0, jnp.sqrt(x), 0.0)` computes both sides and chooses. Under `grad` the slope of the side that is not taken
is multiplied by zero, and infinity times zero is `nan`: the value is right, the gradient is not.

## Fix
Makes the argument safe before the function as well: `jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1.0)), 0.0)`.

## Fix safety
Unsafe: the condition is computed twice, and 1 has to be a point at which the function is smooth.

## When it is fine
Without a gradient; with an argument that a second `where`, `maximum`, `clip` or an added constant keeps away from the bad
point; with `jax.lax.cond`, which runs one side only.

## References
- [FAQ: gradients contain NaN where using where](https://docs.jax.dev/en/latest/faq.html#gradients-contain-nan-where-using-where)
"""
from ...engine import unsafe
from ...engine.events import Call, TransformedCall
from ..base import Clean, Example, Fix, Hint, Rule, on, short

RULE = Rule(
    section="debugging NaNs",
    kind="silent",
    says={"": "`{unsafe}` is differentiated on both sides of `where`: its gradient may be NaN",
          "norm": "The gradient of `{unsafe}` is NaN where both are equal, as in this call"},
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\ndef root(x):\n    return «jnp.where(x > 0.0, jnp.sqrt(x), 0.0)»\ng = jax.grad(root)(0.0)"],
        sees="bool(jnp.isnan(g))",
        fixed=["import jax, jax.numpy as jnp\ndef root(x):\n    return jnp.where(x > 0.0, jnp.sqrt(jnp.where(x > 0.0, x, 1.0)), 0.0)\ng = jax.grad(root)(0.0)"],
        gives="float(g) == 0.0",
    ),
]

CLEAN = [
    Clean(["import jax, jax.numpy as jnp\ndef root(x):\n    safe = jnp.where(x > 0.0, x, 1.0)\n    return jnp.where(x > 0.0, jnp.sqrt(safe), 0.0)\ng = jax.grad(root)(0.0)"],
          because="the argument is safe"),
    Clean(["import jax, jax.numpy as jnp\ny = jax.jit(lambda x: jnp.where(x > 0, jnp.log(x), 0.0))(0.0)"], because="nothing is differentiated"),
    Clean(["import jax, jax.numpy as jnp\ndef f(x):\n    return jnp.where(x > 0, x, 0.01 * x)\ng = jax.grad(f)(0.0)"], because="both sides are smooth"),
    Clean(["import jax, jax.numpy as jnp\nn = jnp.array([2.0, 0.0])\ndef f(w):\n    return (w * jnp.where(n > 0, 1.0 / n, 0.0)).sum()\ng = jax.grad(f)(jnp.ones(2))"],
          because="the division does not depend on what is differentiated"),
]


@on(Call)
def check(event):
    """A three-argument `where` under a gradient, one side of which has no finite slope where it is not taken."""
    if event.name != "jax.numpy.where" or len(event.args) != 3 or not event.ctx.differentiated:
        return
    found = unsafe.in_where(event)
    if found is not None:
        yield Hint(event.node, unsafe=short(event.text(found.operation)), evidence=[event.result.traced],
                   data=(event, found))


@on(TransformedCall)
def check_norm(event):
    """The gradient of a norm of a difference, at twice the same point."""
    found = unsafe.norm_of_equals(event)
    if found is not None:
        yield Hint(found, place=event.function.place, variant="norm", unsafe=event.text(found)[:30])


def fixes(hint, edit):
    """The double `where`."""
    if hint.variant == "norm":
        return
    event, found = hint.data
    condition, operand = edit.argument(event.args[0].node), edit.argument(found.operand)
    where = edit.text(event.func_node)
    sides = f"{operand}, 1.0" if found.side == 1 else f"1.0, {operand}"
    yield Fix("Make the argument safe", [edit.replace(found.operand, f"{where}({condition}, {sides})", parens=True)], safe=False)
