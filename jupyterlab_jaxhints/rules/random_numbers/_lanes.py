"""One key for each lane of `vmap`, in place of one for all: as an argument that is mapped."""
from __future__ import annotations

from typing import Any

import libcst as cst

from ...engine.textedits import EditRefused
from ...engine.values import JAX, NUMPY


def mapped_names(event: Any) -> tuple[Any, list[Any]]:
    """The call of the `vmap` that repeats the key, and the names that it gives which must be arrays."""
    if not event.repeated_by.endswith(".vmap"):
        return None, []
    frames = event.ctx.frames
    around = [f for f in frames if f.transform == event.repeated_by]
    inner = next((f for f in frames if around and f.call is around[0].call and f.function is not None), None)
    if len(around) != 1 or inner is None:
        return None, []
    nodes = [inner.nodes.get(name) for name, value in inner.given.items() if value.must_be(JAX | NUMPY)]
    return around[0].call, [node for node in nodes if isinstance(node, cst.Name)]


def keys_for_lanes(edit: Any, node: Any, call: Any, arrays: list[Any], split: str) -> list:
    """`vmap(f, in_axes=(None, 0))(key, xs)` with `split(key, len(xs))`, or a lambda that gets such a key."""
    if not isinstance(call, cst.Call) or not isinstance(node, cst.Name) or any(a.star or a.keyword for a in call.args):
        raise EditRefused("the call does not give its arguments one by one")
    place = next((i for i, arg in enumerate(call.args) if arg.value is node), None)
    return _mapped(edit, node, call, arrays, split, place) if place is not None else _parameter(edit, node, call, arrays, split)


def _mapped(edit: Any, node: Any, call: Any, arrays: list[Any], split: str, place: int) -> list:
    """The key is an argument with the axis None."""
    made = call.func
    given = next((arg.value for arg in getattr(made, "args", ()) if getattr(arg.keyword, "value", "") == "in_axes"), None)
    if not isinstance(given, cst.Tuple) or len(given.elements) != len(call.args):
        raise EditRefused("the axes are not written out at the call")
    axes = [getattr(element.value, "value", None) for element in given.elements]
    over = next((arg.value for arg, axis in zip(call.args, axes) if axis == "0" and any(arg.value is a for a in arrays)), None)
    if axes[place] != "None" or over is None:
        raise EditRefused("no array tells how many lanes there are")
    return [edit.replace(given.elements[place].value, "0"), edit.replace(node, f"{split}({node.value}, len({over.value}))")]


def _parameter(edit: Any, node: Any, call: Any, arrays: list[Any], split: str) -> list:
    """The key comes from around a lambda that is mapped where it stands."""
    function = next((n for n in edit.path(node) if isinstance(n, cst.Lambda)), None)
    made = call.func
    if function is None or not isinstance(made, cst.Call) or len(made.args) != 1 or made.args[0].value is not function:
        raise EditRefused("the mapped function has other callers")
    params = function.params
    plain = params.params and not params.kwonly_params and not isinstance(params.star_arg, cst.Param) and not params.star_kwarg
    if not plain or any(p.default is not None for p in params.params) or len(params.params) != len(call.args):
        raise EditRefused("the lambda's parameters are not plain")
    over = next((arg.value for arg in call.args if any(arg.value is a for a in arrays)), None)
    if over is None or node.value in {p.name.value for p in params.params}:
        raise EditRefused("no array tells how many lanes there are")
    return [edit.insert_after(params.params[-1].name, f", {node.value}"),
            edit.insert_after(call.args[-1].value, f", {split}({node.value}, len({over.value}))")]
