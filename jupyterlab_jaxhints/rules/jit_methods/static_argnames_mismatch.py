"""Naming a parameter that the function does not have.

## What JAX does
`static_argnums`, `static_argnames`, `donate_argnums` and `donate_argnames` are checked against the function's signature
when it is jitted: a name or a number that fits no parameter raises `ValueError`. Numbers count from 0; of a bound method
`self` is not counted.

## Fix
The nearest name, or the number one below.

## Fix safety
Unsafe: which parameter is meant is a guess.

## When it is fine
Functions with `**kwargs` take any name, functions with `*args` any number.

## References
- [jax.jit](https://docs.jax.dev/en/latest/_autosummary/jax.jit.html)
"""
import difflib

import libcst as cst

from ...engine import tracing
from ...engine.events import Transform
from ..base import Clean, Example, Fix, Hint, Rule, on

RULE = Rule(
    section="jit methods",
    kind="error",
    says={"name": "`{function}` has no parameter `{given}`: `{option}` raises",
          "number": "`{function}` has {count}: number {given} in `{option}` raises"},
)

EXAMPLES = [
    Example(
        bad=["import jax\nfrom functools import partial\n@partial(jax.jit, static_argnames=(«\"bin\"»,))\ndef hist(x, bins):\n    return x * bins",
             "y = hist(2.0, bins=3)"],
        raises="ValueError",
        fixed=["import jax\nfrom functools import partial\n@partial(jax.jit, static_argnames=(\"bins\",))\ndef hist(x, bins):\n    return x * bins",
               "y = hist(2.0, bins=3)"],
        gives="float(y) == 6.0",
    ),
    Example(
        bad=["import jax\ndef tile(x, times):\n    return [x] * times\nf = jax.jit(tile, static_argnums=«2»)", "y = f(1.0, 2)"],
        raises="ValueError",
        fixed=["import jax\ndef tile(x, times):\n    return [x] * times\nf = jax.jit(tile, static_argnums=1)", "y = f(1.0, 2)"],
        gives="len(y) == 2",
    ),
]

CLEAN = [
    Clean(["import jax\nf = jax.jit(lambda x, n: x * n, static_argnums=-1)\ny = f(2.0, 3)"], because="negative numbers count from the end"),
    Clean(["import jax\ndef g(x, **opts):\n    return x * opts['n']\nf = jax.jit(g, static_argnames='n')\ny = f(2.0, n=3)"],
          because="`**opts` takes any name"),
    Clean(["import jax\ndef g(*xs):\n    return xs[0] * xs[2]\nf = jax.jit(g, static_argnums=2)\ny = f(2.0, 1, 3)"],
          because="`*xs` takes any number"),
    Clean(["import jax\ndef g(x, *, n):\n    return x * n\nf = jax.jit(g, static_argnames=['n'])\ny = f(2.0, n=3)"],
          because="keyword-only parameters can be static"),
]

NAMES = ("static_argnames", "donate_argnames")
NUMBERS = ("static_argnums", "donate_argnums", "static_broadcasted_argnums", "nondiff_argnums")


@on(Transform)
def check(event):
    """The options of a transform against the signature of a function of the notebook."""
    function, given = tracing.underlying(event.function), tracing.parameter_names(event.function)
    if function is None or given is None or event.cls is not None and "static" in event.function.flags:
        return
    params = function.node.params
    for option, value in event.wrapped.options.items():
        node = _option_node(event, option)
        if option in NAMES and params.star_kwarg is None:
            bound = set(function.positional) - set(given)
            known = [p.name.value for p in function.parameters if p.name.value not in bound]
            for name in sorted((tracing.words(event.machine, value) or set()) - set(known)):
                yield Hint(_element(node, name) or node or event.node, variant="name", function=function.name,
                           given=name, option=option, data=(_element(node, name), difflib.get_close_matches(name, known, 1)))
        elif option in NUMBERS and not isinstance(params.star_arg, cst.Param):
            count = len(given)
            for number in sorted(n for n in tracing.numbers_of(event.machine, value) or () if not -count <= n < count):
                yield Hint(_element(node, number) or node or event.node, variant="number", function=function.name,
                           count=f"{count} parameter{'s' * (count != 1)}", given=str(number), option=option,
                           data=(_element(node, number), [number - 1] if 0 <= number - 1 < count else []))


def _option_node(event, option):
    """The option's expression, where it is written in the transform's own call."""
    if option in event.option_nodes and isinstance(event.option_nodes[option], cst.BaseExpression):
        if event.option_nodes[option] is not event.node:
            return event.option_nodes[option]
    args = event.node.args if isinstance(event.node, cst.Call) else ()
    return next((arg.value for arg in args if arg.keyword is not None and arg.keyword.value == option), None)


def _element(node, wanted):
    """The literal in an option that spells this name or number."""
    elements = [e.value for e in node.elements] if isinstance(node, (cst.Tuple, cst.List)) else [node]
    for each in elements:
        if isinstance(each, (cst.SimpleString, cst.Integer)) and str(each.evaluated_value) == str(wanted):
            return each
    return None


def fixes(hint, edit):
    """The parameter that is likely meant."""
    node, likely = hint.data
    if node is None or not likely:
        return
    text = str(likely[0])
    if isinstance(node, cst.SimpleString):
        text = f"{node.quote}{text}{node.quote}"
    yield Fix(f"Use {likely[0]}", [edit.replace(node, text)], safe=False)
