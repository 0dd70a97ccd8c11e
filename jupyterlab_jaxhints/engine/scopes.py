"""Which names a function binds, found once a node by a walk that skips nested functions."""
from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import libcst as cst

# Types that the walks below look at. Node classes have a metaclass that makes `isinstance` slow, so each node is looked
# up here first; LibCST's concrete nodes have no subclasses.
_BINDING = frozenset({
    cst.FunctionDef, cst.ClassDef, cst.Assign, cst.AnnAssign, cst.AugAssign, cst.NamedExpr, cst.For, cst.AsName,
    cst.ImportAlias, cst.MatchAs, cst.MatchStar,
})
_TELLING = frozenset({cst.Yield, cst.Global, cst.Nonlocal})
_NESTED = frozenset({
    cst.FunctionDef, cst.ClassDef, cst.Lambda, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp,
})
def _walk_called(node: Any) -> Iterator[str]:
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name):
        yield node.func.value
    for child in children(node):
        yield from _walk_called(child)


def _walk_methods(node: Any) -> Iterator[tuple[str, str]]:
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and isinstance(node.func.value, cst.Name):
        yield node.func.value.value, node.func.attr.value
    for child in children(node):
        yield from _walk_methods(child)


def methods_called(node: Any) -> frozenset[tuple[str, str]]:
    """Methods that a piece of code calls, with the plain names that it calls them of."""
    return _methods.get(node, lambda node: frozenset(_walk_methods(node)))


def called_in(node: Any) -> frozenset[str]:
    """Plain names that a piece of code calls."""
    return _called.get(node, lambda node: frozenset(_walk_called(node)))


_LEAVES = frozenset({cst.Name, cst.Integer, cst.Float, cst.SimpleString})
_STORING = frozenset({cst.Assign, cst.AugAssign, cst.AnnAssign, cst.For})
_NAMING = frozenset({
    cst.Name, cst.Assign, cst.AugAssign, cst.For, cst.CompFor, cst.ListComp, cst.SetComp, cst.GeneratorExp, cst.Attribute,
    cst.Arg, cst.Subscript, cst.Tuple, cst.List, cst.StarredElement, cst.Element,
})


class Known:
    """Keeps the answer beside the node, which is kept alive with it (CSTNode hashing is slow Python code)."""

    def __init__(self) -> None:
        self.answers: dict[int, tuple[Any, Any]] = {}

    def get(self, node: Any, make: Any) -> Any:
        found = self.answers.get(id(node))
        if found is not None and found[0] is node:
            return found[1]
        if len(self.answers) > 20_000:
            self.answers.clear()
        answer = make(node)
        self.answers[id(node)] = (node, answer)
        return answer


_scanned, _reads, _worded, _called, _methods = Known(), Known(), Known(), Known(), Known()


@lru_cache(maxsize=None)
def _fields(kind: type) -> tuple[str, ...]:
    """Fields of a node type that can hold code; whitespace and punctuation are skipped."""
    return tuple(
        name for name in kind.__dataclass_fields__  # type: ignore[attr-defined]
        if "whitespace" not in name and name not in ("lpar", "rpar", "comma", "semicolon", "leading_lines", "header",
                                                     "footer", "lbracket", "rbracket", "lbrace", "rbrace", "colon",
                                                     "equal", "dot", "trailing_comma", "lines_after_decorators")
    )


@lru_cache(maxsize=None)
def _is_node(kind: type) -> bool:
    return issubclass(kind, cst.CSTNode)


def children(node: Any) -> list[Any]:
    """Child nodes that hold code."""
    found = []
    for name in _fields(type(node)):
        child = getattr(node, name)
        kind = type(child)
        if kind is tuple or kind is list:
            found += [item for item in child if _is_node(type(item))]
        elif _is_node(kind):
            found.append(child)
    return found


def target_names(target: Any) -> Iterator[str]:
    """Names that an assignment target binds."""
    if isinstance(target, cst.Name):
        yield target.value
    elif isinstance(target, (cst.Tuple, cst.List)):
        for element in target.elements:
            yield from target_names(element.value)
    elif isinstance(target, cst.StarredElement):
        yield from target_names(target.value)


def _binds(node: Any) -> Iterator[str]:
    """The names that a statement or expression binds itself."""
    if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
        yield node.name.value
    elif isinstance(node, cst.Assign):
        for target in node.targets:
            yield from target_names(target.target)
    elif isinstance(node, (cst.AnnAssign, cst.AugAssign, cst.NamedExpr, cst.For)):
        yield from target_names(node.target)
    elif isinstance(node, cst.AsName):
        yield from target_names(node.name)
    elif isinstance(node, cst.ImportAlias) and node.asname is None:
        name = node.name
        while isinstance(name, cst.Attribute):
            name = name.value
        yield name.value  # type: ignore[union-attr]
    elif isinstance(node, (cst.MatchAs, cst.MatchStar)) and node.name is not None:
        yield node.name.value


def _tells(node: Any) -> Iterator[str]:
    """'yield', 'global x', 'nonlocal x'."""
    if isinstance(node, cst.Yield):
        yield "yield"
    elif isinstance(node, (cst.Global, cst.Nonlocal)):
        form = "global" if isinstance(node, cst.Global) else "nonlocal"
        yield from (f"{form} {item.name.value}" for item in node.names)


def _scan(function: Any) -> tuple[frozenset[str], frozenset[str]]:
    """The names that a function's body binds, and its facts; nested functions are left out."""
    names: set[str] = set()
    told: set[str] = set()
    todo = [] if isinstance(function, cst.Lambda) else list(function.body.body)
    while todo:
        node = todo.pop()
        kind = type(node)
        if kind in _BINDING:
            names.update(_binds(node))
        elif kind in _TELLING:
            told.update(_tells(node))
        if kind not in _NESTED:
            todo += [child for child in children(node) if type(child) not in _LEAVES]
    return frozenset(names), frozenset(told)


def bound_names(function: Any) -> frozenset[str]:
    """Names that the body of a function binds, parameters not included."""
    return _scanned.get(function, _scan)[0]


def facts(function: Any) -> frozenset[str]:
    """'yield' when the function is a generator; 'global x', 'nonlocal x'."""
    return _scanned.get(function, _scan)[1]


def _words(code: Any) -> frozenset[str]:
    found: set[str] = set()
    todo = [code]
    while todo:
        node = todo.pop()
        kind = type(node)
        if kind is cst.Name or kind is cst.SimpleString:
            found.add(node.value)
        elif kind is cst.Attribute:
            found.add(node.attr.value)
            todo.append(node.value)
        else:
            todo += children(node)
    return frozenset(found)


def words(code: Any) -> frozenset[str]:
    """Names, attributes and strings that occur in a piece of code."""
    return _worded.get(code, _words)


def _walk_reads(node: Any) -> Iterator[str]:
    kind = type(node)
    if kind is cst.Name:
        yield node.value
    elif kind is cst.Attribute or kind is cst.Arg:
        yield from _walk_reads(node.value)
    else:
        for child in children(node):
            yield from _walk_reads(child)


def names_in(node: Any) -> frozenset[str]:
    """Every plain name that occurs in a piece of code, nested functions included."""
    return _reads.get(node, lambda node: frozenset(_walk_reads(node)))


def _walk_occurrences(node: Any, store: bool = False) -> Iterator[tuple[str, bool, Any]]:
    """Names in the order in which they are evaluated: (name, is bound, node)."""
    if type(node) not in _NAMING:
        for child in children(node):
            yield from _walk_occurrences(child)
    elif isinstance(node, cst.Name):
        yield node.value, store, node
    elif isinstance(node, cst.Assign):
        yield from _walk_occurrences(node.value)
        for target in node.targets:
            yield from _walk_occurrences(target.target, True)
    elif isinstance(node, cst.AugAssign):
        yield from _walk_occurrences(node.target)
        yield from _walk_occurrences(node.value)
        yield from _walk_occurrences(node.target, True)
    elif isinstance(node, (cst.For, cst.CompFor)):
        yield from _walk_occurrences(node.iter)
        yield from _walk_occurrences(node.target, True)
        for name in ("body", "orelse", "ifs", "inner_for_in"):
            child = getattr(node, name, None)
            for part in child if isinstance(child, (list, tuple)) else [child]:
                if part is not None:
                    yield from _walk_occurrences(part)
    elif isinstance(node, (cst.ListComp, cst.SetComp, cst.GeneratorExp)):
        yield from _walk_occurrences(node.for_in)
        yield from _walk_occurrences(node.elt)
    elif isinstance(node, cst.Attribute):
        yield from _walk_occurrences(node.value)
    elif isinstance(node, cst.Arg):
        yield from _walk_occurrences(node.value)
    elif isinstance(node, cst.Subscript):
        yield from _walk_occurrences(node.value)
        for element in node.slice:
            yield from _walk_occurrences(element)
    else:
        for child in children(node):
            yield from _walk_occurrences(child, store)


_occurrences = Known()


def occurrences(node: Any) -> tuple[tuple[str, bool, Any], ...]:
    """Every name of a piece of code in order of evaluation: (name, is bound, node)."""
    return _occurrences.get(node, lambda node: tuple(_walk_occurrences(node)))


def reads_next(code: Any, after: Any, name: str) -> bool | None:
    """Whether the next occurrence of `name` behind the statement `after` reads it; None when there is none."""
    inside = {id(node) for _, _, node in occurrences(after)}
    seen = False
    for found, stored, node in occurrences(code):
        if id(node) in inside:
            seen = True
        elif seen and found == name:
            return not stored
    return None


def attributes_stored(code: Any, besides: Any = None) -> frozenset[str]:
    """Attributes that code assigns (`x.name = …`), leaving out one function in it."""
    return frozenset(_walk_attributes(code, besides))


def _walk_attributes(node: Any, besides: Any) -> Iterator[str]:
    if node is besides:
        return
    targets: list[Any] = []
    if type(node) not in _STORING:
        pass
    elif isinstance(node, cst.Assign):
        targets = [target.target for target in node.targets]
    elif isinstance(node, (cst.AugAssign, cst.AnnAssign, cst.For)):
        targets = [node.target]
    for target in targets:
        for part in target.elements if isinstance(target, (cst.Tuple, cst.List)) else [target]:
            part = getattr(part, "value", part) if isinstance(part, cst.Element) else part
            if isinstance(part, cst.Attribute):
                yield part.attr.value
    for child in children(node):
        yield from _walk_attributes(child, besides)


_TELLERS = frozenset({"print", "print_exc", "pprint", "display", "warn", "debug", "info", "warning", "error", "exception"})


def only_tells(body: Any) -> bool:
    """A block that does nothing but print, log or pass."""
    for line in getattr(body, "body", ()):
        if not isinstance(line, (cst.SimpleStatementLine, cst.BaseSmallStatement)):
            return False
        for part in line.body if isinstance(line, cst.SimpleStatementLine) else (line,):
            func = part.value.func if isinstance(part, cst.Expr) and isinstance(part.value, cst.Call) else None
            name = func.attr.value if isinstance(func, cst.Attribute) else getattr(func, "value", "")
            if not isinstance(part, cst.Pass) and name not in _TELLERS:
                return False
    return True
