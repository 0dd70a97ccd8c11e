"""Where code compares what two names hold: then one seed for both is meant."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from . import scopes

COMPARING = ("array_equal", "allclose", "isclose", "array_equiv", "assert_array_equal", "assert_allclose",
             "assert_array_almost_equal", "assert_trees_all_close", "assert_trees_all_equal", "assert_equal")


def is_comparing(node: Any) -> bool:
    """A comparison, an assertion, a call that compares, or that maps such a function over trees."""
    if isinstance(node, (cst.Comparison, cst.Assert)):
        return True
    return isinstance(node, cst.Call) and (_called(node.func) in COMPARING or any(
        _called(arg.value) in COMPARING for arg in node.args))


def _called(node: Any) -> str:
    return node.attr.value if isinstance(node, cst.Attribute) else getattr(node, "value", "")


def compares(tree: Any, first: str, second: str) -> bool:
    """One comparison names both."""
    if is_comparing(tree):
        return {first, second} <= scopes.names_in(tree)
    return any(compares(child, first, second) for child in scopes.children(tree))


def meet(tree: Any, first: str, second: str) -> bool:
    """What comes of one name is compared with what comes of the other, each on a side of its own."""
    mine, theirs = {first}, {second}
    for node in _in_order(tree):
        if isinstance(node, (cst.Assign, cst.AnnAssign)):
            read = scopes.names_in(node.value) if node.value is not None else frozenset()
            targets = [t.target for t in node.targets] if isinstance(node, cst.Assign) else [node.target]
            names = {name for target in targets if isinstance(target, (cst.Name, cst.Tuple, cst.List))
                     for name in scopes.target_names(target)}
            for side in (mine, theirs):
                if read & side:
                    side |= names
        else:
            sides = [scopes.names_in(part) for part in _operands(node)]
            if any(one & mine and not one & theirs for one in sides) and any(
                    one & theirs and not one & mine for one in sides):
                return True
    return False


def _in_order(tree: Any) -> Iterator[Any]:
    """Bindings and comparisons, those inside of others first."""
    for child in scopes.children(tree):
        yield from _in_order(child)
    if isinstance(tree, (cst.Assign, cst.AnnAssign)) or is_comparing(tree) and not isinstance(tree, cst.Assert):
        yield tree


def _operands(node: Any) -> list[Any]:
    if isinstance(node, cst.Comparison):
        return [node.left, *(part.comparator for part in node.comparisons)]
    return [arg.value for arg in node.args]


def is_bound_between(block: Any, name: str, first: Any, second: Any) -> bool:
    """A statement of a block binds the name after the one that holds `first` and before the one that holds `second`."""
    inside = False
    for statement in getattr(block, "body", ()):
        if _holds(statement, second):
            return False
        if inside and any(found == name and stored for found, stored, _ in scopes.occurrences(statement)):
            return True
        inside = inside or _holds(statement, first)
    return False


def _holds(tree: Any, node: Any) -> bool:
    return tree is node or any(_holds(child, node) for child in scopes.children(tree))
