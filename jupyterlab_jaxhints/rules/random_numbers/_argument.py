"""A key as an argument of a compiled function: the parameter, and a key of its own in each call that the notebook makes."""
from __future__ import annotations

from typing import Any

import libcst as cst

from ...engine import call_sites, scopes
from ...engine.textedits import EditRefused

_REPEATING = (cst.While, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp, cst.Lambda, cst.FunctionDef, cst.ClassDef)


def turn(edit: Any, node: Any, in_function: bool = False) -> str:
    """The name that counts the turns of the one loop around a node, '' outside of loops; refuses other repetitions."""
    path = edit.path(node)
    loops = [n for n, below in zip(path, path[1:]) if isinstance(n, cst.For) and below is n.body]
    inside = path[path.index(loops[0]):] if in_function and loops else path
    if any(isinstance(n, _REPEATING) for n in inside) or any(isinstance(n, cst.While) for n in path) or len(loops) > 1:
        raise EditRefused("how often this runs is not plain")
    return turn_of(loops[0]) if loops else ""


def turn_of(loop: Any) -> str:
    """`i` of `for i in range(…)` or `for i, x in enumerate(…)`, where nothing else binds it; refuses other loops."""
    over, target = loop.iter, loop.target
    called = over.func.value if isinstance(over, cst.Call) and isinstance(over.func, cst.Name) else ""
    args = over.args if called in ("range", "enumerate") else ()
    if called == "enumerate" and isinstance(target, cst.Tuple):
        target, whole = target.elements[0].value, len(args) == 1
    else:
        whole = called == "range" and (len(args) == 1 or all(isinstance(arg.value, cst.Integer) for arg in (*args[:1], *args[2:])))
    if not args or not whole or not isinstance(target, cst.Name) or any(arg.keyword or arg.star for arg in args):
        raise EditRefused("the turns are not counted")
    if any(name == target.value and stored for name, stored, _ in scopes.occurrences(loop.body)):
        raise EditRefused("the count is bound again")
    return target.value


def with_key(edit: Any, function: Any, name: str, seed: int) -> list:
    """The parameter `name` of a jitted function of the module, and `jax.random.key(seed)`, `key(seed + 1)` … in its calls."""
    calls = call_sites.calls(edit, function)
    params = function.params
    required = [p for p in (*params.posonly_params, *params.params) if p.default is None]
    plain = not params.kwonly_params and params.star_kwarg is None and not isinstance(params.star_arg, cst.Param)
    if not required or not plain or name in {p.name.value for p in (*params.posonly_params, *params.params)}:
        raise EditRefused("the parameters are not plain")
    edits = [edit.insert_after(required[-1], f", {name}")]
    for number, (there, call) in enumerate(calls):
        given = [arg for arg in call.args if arg.keyword is None]
        known = {p.name.value for p in required}
        if len(given) != len(required) or any(arg.star or arg.keyword and arg.keyword.value in known for arg in call.args):
            raise EditRefused("a call does not give its arguments one by one")
        module, imports = there.import_needed("jax.random")
        key, count = f"{module}.key({seed + number})", turn(there, call)
        key = f"{module}.fold_in({key}, {count})" if count else key
        edits += [there.insert_after(given[-1].value, f", {key}"), *imports]
    return edits
