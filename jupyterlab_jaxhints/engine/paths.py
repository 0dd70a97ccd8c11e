"""The way from a tree's root down to one of its nodes."""
from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst

from . import scopes


def vars_of(node: cst.CSTNode) -> Iterator[object]:
    """The values of a node's fields."""
    return (getattr(node, name) for name in node.__dataclass_fields__)


def _all_children(node: cst.CSTNode) -> list[cst.CSTNode]:
    listed = (value if isinstance(value, (list, tuple)) else (value,) for value in vars_of(node))
    return [child for children in listed for child in children if isinstance(child, cst.CSTNode)]


_parents = scopes.Known()


def path(root: cst.CSTNode, node: cst.CSTNode) -> list[cst.CSTNode] | None:
    """From the root down to the node; what holds no code (whitespace, brackets) is looked for only where need be."""
    parents = _parents.get(root, lambda root: _parents_below(root, scopes.children))
    if id(node) not in parents and node is not root:
        parents = _parents_below(root, _all_children)
    path = [node]
    while path[-1] is not root:
        if id(path[-1]) not in parents:
            return None
        path.append(parents[id(path[-1])])
    return path[::-1]


def _parents_below(root: cst.CSTNode, children: Callable[[cst.CSTNode], list[cst.CSTNode]]) -> dict[int, cst.CSTNode]:
    out: dict[int, cst.CSTNode] = {}
    stack = [root]
    while stack:
        node = stack.pop()
        for child in children(node):
            out.setdefault(id(child), node)
            stack.append(child)
    return out
