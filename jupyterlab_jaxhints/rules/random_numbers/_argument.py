"""A key as an argument of a compiled function: the parameter, and a key of its own in each call that the notebook makes."""
from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from ...engine import scopes
from ...engine.edits import Site
from ...engine.statements import parse_piece
from ...engine.textedits import EditRefused

_REPEATING = (cst.While, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp, cst.Lambda, cst.FunctionDef, cst.ClassDef)


def _jit(edit: Any) -> set[str]:
    """How the code names `jax.jit`."""
    found = set()
    for wanted in (("jax",), ("jax", "jit")):
        try:
            name, missing = edit.import_needed(*wanted)
        except EditRefused:
            continue
        if not missing:
            found.add(name if len(wanted) > 1 else f"{name}.jit")
    return found


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


def mentions(edit: Any, name: str) -> Iterator[tuple[Any, Any]]:
    """Every place of the notebook that names `name`: (edits there, node); refuses those that are no plain code."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    for cell in edit.cells:
        seen = 0
        for piece in cell.pieces:
            count = len(word.findall(piece.text))
            seen += count
            statement = parse_piece(piece) if count else None
            if not count:
                continue
            if statement is None or piece.skipped or piece.repaired:
                raise EditRefused("a statement that names the function is not understood")
            own = piece is edit.piece
            there = edit if own else edit.at(Site(cell.id, piece, statement))
            yield from ((there, node) for node in _names(there.statement.module, name))
        if seen != len(word.findall(cell.masked.source)):
            raise EditRefused("a magic names the function")


def _names(node: Any, name: str) -> Iterator[Any]:
    if isinstance(node, (cst.FunctionDef, cst.ClassDef)) and node.name.value == name:
        yield node
    for child in scopes.children(node):
        if isinstance(child, cst.Name) and child.value == name and not (
                isinstance(node, cst.Attribute) and child is node.attr or isinstance(node, cst.Arg) and child is node.keyword
                or isinstance(node, (cst.FunctionDef, cst.ClassDef)) and child is node.name):
            yield child
        yield from _names(child, name)


def with_key(edit: Any, function: Any, name: str, seed: int) -> list:
    """The parameter `name` of a jitted function of the module, and `jax.random.key(seed)`, `key(seed + 1)` … in its calls."""
    if not isinstance(function, cst.FunctionDef) or not any(line is function for line in edit.statement.body):
        raise EditRefused("not a function of the module")
    params = function.params
    required = [p for p in (*params.posonly_params, *params.params) if p.default is None]
    plain = not params.kwonly_params and params.star_kwarg is None and not isinstance(params.star_arg, cst.Param)
    jitted = [edit.text(made.decorator) for made in function.decorators]
    if not required or not plain or name in {p.name.value for p in (*params.posonly_params, *params.params)} or set(jitted) - _jit(edit):
        raise EditRefused("the parameters are not plain")
    calls = list(_calls(edit, function.name.value, function, not jitted))
    if not calls:
        raise EditRefused("nobody calls the function")
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


def _calls(edit: Any, name: str, function: Any, aliases: bool) -> Iterator[tuple[Any, Any]]:
    """All calls of a name; refuses whatever else is done with it. `aliases`: `fast = jax.jit(name)` gives another one."""
    for there, node in mentions(edit, name):
        if node is function:
            continue
        above = there.path(node)[-2] if not isinstance(node, (cst.FunctionDef, cst.ClassDef)) else None
        if isinstance(above, cst.Call) and above.func is node:
            yield there, above
        elif aliases and isinstance(above, cst.Arg):
            assign, target = _alias(there, node)
            yield from _calls_of_alias(edit, target, assign)
        else:
            raise EditRefused("the function is more than called")


def _alias(there: Any, node: Any) -> tuple[Any, str]:
    path = there.path(node)
    jit, assign = path[-3], path[-4]
    if not isinstance(jit, cst.Call) or len(jit.args) != 1 or there.text(jit.func) not in _jit(there) or not isinstance(assign, cst.Assign) or len(
            assign.targets) != 1 or not isinstance(assign.targets[0].target, cst.Name) or len(path) > 6:
        raise EditRefused("the function is more than called")
    return assign.targets[0].target, assign.targets[0].target.value


def _calls_of_alias(edit: Any, name: str, bound: Any) -> Iterator[tuple[Any, Any]]:
    for there, node in mentions(edit, name):
        above = there.path(node)[-2]
        if node is not bound:
            if not isinstance(above, cst.Call) or above.func is not node:
                raise EditRefused("the function is more than called")
            yield there, above
