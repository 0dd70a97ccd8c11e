"""Boolean operators, `in` and Python's `max` or `any` on traced values.

## What JAX does
Python's boolean operators ask for a truth value; a tracer has none, and JAX raises `TracerBoolConversionError`. So do
`a < x < b`, `x in (1, 2)` and the builtins `any`, `all`, `max`, `min` and `sorted` on tracers.

## Fix
The functions of `jax.numpy` that work by element: `logical_and`, `logical_or`, `logical_not`, `isin`, `maximum`,
`minimum`, `any`, `all`, `max`, `min`, `sort`. `x or default` becomes `jnp.where(x, x, default)`.

## Fix safety
Safe: on single values they give the same answer. The right side is computed even where Python would have skipped it.

## When it is fine
On static values, on `None` tests and shapes, under `grad` alone. The builtin `sum` works.

## References
- [Sharp bits: control flow](guide#control-flow)
"""
import libcst as cst

from ...engine.events import Call, Truth
from ...engine.values import ABSTRACT, ITERATOR, MAPPING, OBJECT, SEQUENCE
from ..base import Clean, Example, Fix, Hint, Rule, on, short

RULE = Rule(
    section="control flow",
    kind="error",
    says={"": "`{value}` has no value while JAX traces: `{operator}` raises",
          "builtin": "`{function}` compares tracers, which have no value: it raises"},
    lanes="S+T",
    yields_to=("nan-check-under-trace",),
)

EXAMPLES = [
    Example(
        bad=["import jax, jax.numpy as jnp\n@jax.jit\ndef inside(x, y):\n    return «x > 0 and y > 0»", "r = inside(1.0, -1.0)"],
        raises="TracerBoolConversionError",
        fixed=["import jax, jax.numpy as jnp\n@jax.jit\ndef inside(x, y):\n    return jnp.logical_and(x > 0, y > 0)", "r = inside(1.0, -1.0)"],
        gives="bool(r) is False",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\nf = jax.vmap(lambda a, b: «max(a, b)»)", "r = f(jnp.array([1, 5]), jnp.array([3, 2]))"],
        raises="TracerBoolConversionError",
        fixed=["import jax, jax.numpy as jnp\nf = jax.vmap(lambda a, b: jnp.maximum(a, b))", "r = f(jnp.array([1, 5]), jnp.array([3, 2]))"],
        gives="r.tolist() == [3, 5]",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\n@jax.jit\ndef unit(x):\n    return jnp.where(«0.0 < x < 1.0», x, 0.0)", "r = unit(2.0)"],
        raises="TracerBoolConversionError",
        fixed=["import jax, jax.numpy as jnp\n@jax.jit\ndef unit(x):\n    return jnp.where(jnp.logical_and(0.0 < x, x < 1.0), x, 0.0)", "r = unit(2.0)"],
        gives="float(r) == 0.0",
    ),
    Example(
        bad=["import jax, jax.numpy as jnp\n@jax.jit\ndef f(p):\n    return «any(v.max() > 1 for v in jax.tree.leaves(p))»", "y = f({'a': jnp.ones(2), 'b': jnp.zeros(3)})"],
        raises="TracerBoolConversionError",
        fixed=["import jax, jax.numpy as jnp\n@jax.jit\ndef f(p):\n    return jnp.any(jnp.array([v.max() > 1 for v in jax.tree.leaves(p)]))", "y = f({'a': jnp.ones(2), 'b': jnp.zeros(3)})"],
        gives="not bool(y)",
    ),
]

CLEAN = [
    Clean(["import jax\n@jax.jit\ndef f(xs):\n    return sum(xs)\ny = f([1.0, 2.0])"], because="`sum` only adds"),
    Clean(["import jax, jax.numpy as jnp\n@jax.jit\ndef f(x):\n    return x.T if x.ndim == 2 and x.shape[0] > 1 else x\ny = f(jnp.ones((2, 3)))"],
          because="shapes are known while tracing"),
    Clean(["import jax, jax.numpy as jnp\n@jax.jit\ndef f(x, y=None):\n    y = y or 2.0\n    return x * y\ny = f(1.0)"],
          because="a default that nobody overrides is a plain value"),
    Clean(["import jax\n@jax.jit\ndef f(p):\n    return max(p['w'].shape) * p['w']\n"], because="`max` of a shape"),
]

OPERATORS = {"and": "logical_and", "or": "logical_or", "not": "logical_not"}
PAIRS = {"builtins.max": "maximum", "builtins.min": "minimum"}
WHOLE = {"builtins.max": "max", "builtins.min": "min", "builtins.any": "any", "builtins.all": "all",
         "builtins.sorted": "sort"}
_TESTS = (cst.Comparison, cst.BooleanOperation, cst.UnaryOperation)
STATEMENTS = ("if", "elif", "while", "assert", "ifexp", "filter")


@on(Truth)
def check_operator(event):
    """An operator asks for the truth of what must be a tracer; `if not x` is the `if`'s to tell."""
    if event.form not in ("and", "or", "not", "chain", "in") or not event.value.must_be(ABSTRACT):
        return
    if event.form == "not" and event.asked_in in STATEMENTS:
        return
    node = event.statement
    operator = event.form if event.form != "chain" else "a chain"
    value = event.node.left if event.form == "in" else event.node
    yield Hint(node, value=short(event.text(value), 40), operator=operator,
               evidence=[event.value.traced], data=event)


@on(Call)
def check_builtin(event):
    """`max`, `min`, `any`, `all`, `sorted` of tracers."""
    if event.name not in WHOLE or not event.args or any(arg.star or arg.keyword for arg in event.args):
        return
    certain = True
    if len(event.args) == 1:
        value = event.args[0].value
        elements = [] if value.may_be(MAPPING | OBJECT) else event.parts(value)
        traced = value.must_be(ABSTRACT) and value.shape != () or (
            len(elements) > 1 and all(part.must_be(ABSTRACT) for part in elements))
        if event.name in ("builtins.any", "builtins.all"):
            traced = value.must_be(ABSTRACT) and value.rank == 1 or any(part.must_be(ABSTRACT) for part in elements)
        if not elements and value.must_be(SEQUENCE | ITERATOR) and event.machine.element(value).must_be(ABSTRACT):
            traced, certain = True, False  # of how many is not known: one alone, or none, is compared with nothing
    else:
        values = [arg.value for arg in event.args]
        traced = any(value.must_be(ABSTRACT) for value in values) and not any(v.must_be(SEQUENCE) for v in values)
    if traced:
        yield Hint(event.node, variant="builtin", function=event.name.removeprefix("builtins."), certain=certain,
                   data=event)


def fixes(hint, edit):
    """The function of `jax.numpy` that does the same."""
    event = hint.data
    module, edits = edit.import_needed("jax.numpy", alias="jnp")
    text = _builtin(event, edit, module) if hint.variant else _operator(event, edit, module)
    if text is not None:
        yield Fix(f"Use {text.split('(')[0]}", [edit.replace(event.statement if not hint.variant else event.node, text), *edits])


def _builtin(event, edit, module):
    if len(event.args) == 1:
        argument, given = edit.argument(event.args[0].node), event.args[0].value
        if given.must_be(ITERATOR):
            argument = f"{module}.array({_as_list(edit, event.args[0].node)})"
        elif event.parts(given):
            argument = f"{module}.array({argument})"
        return f"{module}.{WHOLE[event.name]}({argument})"
    texts = [edit.argument(arg.node) for arg in event.args]
    if event.name not in PAIRS:
        return None
    out = texts[0]
    for text in texts[1:]:
        out = f"{module}.{PAIRS[event.name]}({out}, {text})"
    return out


def _as_list(edit, node):
    """A generator as a list, which `jax.numpy` can make an array of."""
    if not isinstance(node, cst.GeneratorExp):
        return f"list({edit.argument(node)})"
    text = edit.text(node).strip()
    return f"[{text[1:-1] if text.startswith('(') and text.endswith(')') and node.lpar else text}]"


def _chosen(edit, node, form, module):
    """`a or b` that gives one of two values, not whether they are true."""
    if not isinstance(node.left, (cst.Name, cst.Attribute)):
        return None
    left, right = edit.text(node.left), edit.argument(node.right)
    return f"{module}.where({left}, {left}, {right})" if form == "or" else f"{module}.where({left}, {right}, {left})"


def _operator(event, edit, module):
    node = event.statement
    if event.form == "not":
        return f"{module}.logical_not({edit.argument(node.expression)})"
    if event.form in ("and", "or"):
        if not (event.asked_in in STATEMENTS or event.value.dtype == "bool" or isinstance(node.left, _TESTS)):
            return _chosen(edit, node, event.form, module)
        return f"{module}.{OPERATORS[event.form]}({edit.argument(node.left)}, {edit.argument(node.right)})"
    if event.form == "chain":
        sides, out = [node.left, *(part.comparator for part in node.comparisons)], []
        for left, part, right in zip(sides, node.comparisons, sides[1:]):
            out.append(f"{edit.text(left)} {edit.text(part.operator).strip()} {edit.text(right)}")
        whole = out[0]
        for text in out[1:]:
            whole = f"{module}.logical_and({whole}, {text})"
        return whole
    part = node.comparisons[0]
    text = f"{module}.isin({edit.argument(node.left)}, {module}.array({edit.argument(part.comparator)}))"
    return text if isinstance(part.operator, cst.In) else f"{module}.logical_not({text})"
