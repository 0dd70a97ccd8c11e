"""Every call of a function that the notebook makes, so that its signature can change; refused where it is more than called."""
from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from . import scopes
from .edits import Site
from .statements import parse_piece
from .textedits import EditRefused


def calls(edit: Any, function: Any) -> list[tuple[Any, Any]]:
    """The calls of a jitted function of the module, or of `fast = jax.jit(function)`: (edits there, call), in order.

    Refuses a nested function, other transforms around it, and whatever else is done with its name.
    """
    if not isinstance(function, cst.FunctionDef) or not any(line is function for line in edit.statement.body):
        raise EditRefused("not a function of the module")
    decorated = {edit.text(made.decorator) for made in function.decorators}
    if decorated - _jit(edit):
        raise EditRefused("the function is wrapped in more than jit")
    found = list(_calls(edit, function.name.value, function, not decorated))
    if not found:
        raise EditRefused("nobody calls the function")
    return found


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
