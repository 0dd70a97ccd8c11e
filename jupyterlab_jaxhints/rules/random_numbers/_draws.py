"""Draws of NumPy's and Python's generators as draws of `jax.random`."""
from __future__ import annotations

from typing import Any

import libcst as cst

from ...engine import scopes
from ...engine.textedits import EditRefused

# the host's function → what `jax.random` calls it, and the parameters in order; '*' takes the dimensions one by one
DRAWS = {
    "numpy.random.rand": ("uniform", ("*",)),
    "numpy.random.randn": ("normal", ("*",)),
    "numpy.random.random": ("uniform", ("size",)),
    "numpy.random.random_sample": ("uniform", ("size",)),
    "numpy.random.standard_normal": ("normal", ("size",)),
    "numpy.random.uniform": ("uniform", ("low", "high", "size")),
    "numpy.random.normal": ("normal", ("loc", "scale", "size")),
    "random.random": ("uniform", ()),
    "random.uniform": ("uniform", ("low", "high")),
    "random.gauss": ("normal", ("loc", "scale")),
    "random.normalvariate": ("normal", ("loc", "scale")),
}
# methods of `numpy.random.default_rng(…)` and `RandomState`
METHODS = {name.rpartition(".")[2]: draw for name, draw in DRAWS.items() if name.startswith("numpy.")}
_ASKING = (cst.If, cst.IfExp, cst.While, cst.For, cst.Assert, cst.BooleanOperation, cst.FormattedString, cst.Match, cst.Lambda,
           cst.FunctionDef, cst.BaseComp)
METHOD_NAMES = frozenset(METHODS) | {name.rpartition(".")[2] for name in DRAWS}


def as_jax(edit: Any, call: Any, name: str, module: str) -> str:
    """The draw with the key `key`; refuses parameters that are not known one by one. No name: a generator's method."""
    draw = DRAWS.get(name) if name else METHODS.get(call.func.attr.value)
    if draw is None:
        raise EditRefused("jax.random has no such draw")
    function, parameters = draw
    given = _given(edit, call, parameters)
    shape = given.get("size", "")
    if function == "uniform":
        low, high = given.get("low", ""), given.get("high", "")
        parts = ["key", shape, f"minval={low}" if low else "", f"maxval={high}" if high else ""]
        return f"{module}.uniform({', '.join(part for part in parts if part)})"
    text = f"{module}.normal({', '.join(part for part in ('key', shape) if part)})"
    text = f"{given['scale']} * {text}" if "scale" in given else text
    text = f"{given['loc']} + {text}" if "loc" in given else text
    return f"({text})" if "scale" in given or "loc" in given else text


def _given(edit: Any, call: Any, parameters: tuple[str, ...]) -> dict[str, str]:
    if parameters == ("*",) and len(call.args) == 1 and call.args[0].star == "*":
        return {"size": _shape(edit, call.args[0].value)}
    if parameters == ("*",):
        if any(arg.keyword or arg.star for arg in call.args):
            raise EditRefused("the dimensions are not given one by one")
        return {"size": f"({', '.join(edit.argument(arg.value) for arg in call.args)}{',' if len(call.args) == 1 else ''})"} if call.args else {}
    out = {}
    for place, arg in enumerate(call.args):
        name = arg.keyword.value if arg.keyword is not None else parameters[place] if place < len(parameters) else ""
        if arg.star or name not in parameters:
            raise EditRefused("a parameter has no counterpart")
        if name != "size" and not isinstance(getattr(arg.value, "expression", arg.value), (cst.Integer, cst.Float)):
            raise EditRefused("an array here would be drawn for by element")
        out[name] = _shape(edit, arg.value) if name == "size" else edit.text(arg.value)
    return out


def _shape(edit: Any, node: Any) -> str:
    if isinstance(node, cst.Integer):
        return f"({edit.text(node)},)"
    if isinstance(node, cst.Tuple) or isinstance(node, cst.Attribute) and node.attr.value == "shape":
        return edit.argument(node)
    raise EditRefused("the shape is not plain")


def takes_tracer(machine: Any, function: Any, draw: Any) -> bool:
    """The function draws once, and does nothing that a traced number would make raise: no branches, only JAX's calls."""
    draws, todo = 0, [function.body]
    while todo:
        node = todo.pop()
        todo += scopes.children(node)
        if isinstance(node, _ASKING):
            return False
        if not isinstance(node, cst.Call):
            continue
        name = machine.callee_name(node.func)
        draws += getattr(getattr(node.func, "attr", node.func), "value", "") in METHOD_NAMES
        if node is not draw and not name.startswith("jax.") and (name or not isinstance(node.func, cst.Attribute)):
            return False
    return draws == 1
