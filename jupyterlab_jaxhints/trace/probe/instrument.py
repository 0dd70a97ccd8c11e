"""Puts calls of our hooks into the user's code. Every new node stands exactly where the old one stood, so the
positions in tracebacks and in JAX's equations stay those of the cell.

    h = f(x)          h = __jh_call__(1, f, x); __jh_set__(2, h)
    if test:          if __jh_test__(3, test):
    for a in it:      for a in __jh_iter__(4, it):          (in functions and comprehensions)
    def g(x):         __jh_in__(5, x) as the first statement
"""
from __future__ import annotations

import ast


class Site:
    """One place in a cell's text that a hook speaks of."""

    __slots__ = ("source", "kind", "span", "names", "data")

    def __init__(self, source, kind, span, names=(), data=None):
        self.source, self.kind, self.span, self.names, self.data = source, kind, span, names, data


def span_of(node):
    return (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)


UNHOOKED = frozenset(("super", "locals", "vars", "dir", "__import__"))


def target_names(target):
    """Names that an assignment target binds, and the attribute or item targets in it."""
    if isinstance(target, ast.Name):
        yield target.id, target
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from target_names(element)
    elif isinstance(target, ast.Starred):
        yield from target_names(target.value)
    elif isinstance(target, (ast.Attribute, ast.Subscript)):
        yield None, target


class Instrument(ast.NodeTransformer):
    """`new_site` gives a number for a place; the hooks look it up again."""

    def __init__(self, new_site):
        self.new_site = new_site
        self.scopes: list = []  # for each function around: (site of its entry, names it declares global or nonlocal)
        self.depth = 0

    # -- building
    def _name(self, name, at):
        return ast.copy_location(ast.Name(name, ast.Load()), at)

    def _hook(self, hook, site, args, at, keywords=()):
        call = ast.Call(self._name(hook, at), [ast.copy_location(ast.Constant(site), at)] + list(args), list(keywords))
        return ast.copy_location(call, at)

    def _statement(self, hook, site, args, at):
        return ast.fix_missing_locations(ast.copy_location(ast.Expr(self._hook(hook, site, args, at)), at))

    def _wrap(self, hook, kind, node, data=None):
        return self._hook(hook, self.new_site(kind, span_of(node), (), data), [node], node)

    # -- functions
    def visit_FunctionDef(self, node):
        node.decorator_list = [self._decorator(d) for d in node.decorator_list]
        node.args = self.visit(node.args)
        arguments = node.args
        names = [a.arg for a in arguments.posonlyargs + arguments.args + arguments.kwonlyargs]
        names += [a.arg for a in (arguments.vararg, arguments.kwarg) if a]
        declared = {name: kind for kind, name in _declarations(node.body)}
        site = self.new_site("function", span_of(node), names, tuple(n for n in declared if declared[n] == "global"))
        bound = set(names) | {n.id for n in _own_nodes(node.body) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        self.scopes.append((site, declared, bound - set(declared)))
        self.depth += 1
        node.body = self._body(node.body)
        self.depth -= 1
        self.scopes.pop()
        entry = self._statement("__jh_in__", site, [self._name(n, node) for n in names], node)
        first = 1 if ast.get_docstring(node, clean=False) is not None else 0
        node.body.insert(first, entry)
        return node

    def visit_AsyncFunctionDef(self, node):
        return node

    def visit_Lambda(self, node):
        arguments = node.args
        names = [a.arg for a in arguments.posonlyargs + arguments.args + arguments.kwonlyargs]
        names += [a.arg for a in (arguments.vararg, arguments.kwarg) if a]
        site = self.new_site("lambda", span_of(node), names)
        node.args = self.visit(node.args)
        self.scopes.append((site, {}, set(names)))
        self.depth += 1
        body = self.visit(node.body)
        self.depth -= 1
        self.scopes.pop()
        entry = self._hook("__jh_in__", site, [self._name(n, node) for n in names], node.body)
        node.body = ast.copy_location(ast.BoolOp(ast.Or(), [entry, body]), body)
        return node

    def visit_ClassDef(self, node):
        node.decorator_list = [self._decorator(d) for d in node.decorator_list]
        node.bases = [self.visit(base) for base in node.bases]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        depth, self.depth = self.depth, 0
        node.body = self._body(node.body, hints=False)
        self.depth = depth
        return node

    def _decorator(self, node):
        span = span_of(node)
        return self._hook("__jh_deco__", self.new_site("decorator", span), [self.visit(node)], node)

    def _body(self, body, hints=True):
        self.hints, before = hints, getattr(self, "hints", True)
        new = []
        for statement in body:
            result = self.visit(statement)
            new.extend(result if isinstance(result, list) else [] if result is None else [result])
        self.hints = before
        return new

    # -- assignments
    def _assign(self, node, targets):
        span = span_of(node)
        names, out = [], [node]
        for target in targets:
            for name, at in target_names(target):
                if name is None:
                    base = at.value
                    site = self.new_site("store", span, (), (type(at).__name__, span_of(at)))
                    if _plain(base):
                        out.append(self._statement("__jh_store__", site, [_load(base)], at))
                elif self.scopes and name in self.scopes[-1][1]:
                    kind = self.scopes[-1][1][name]
                    owner = self._owner(name) if kind == "nonlocal" else None
                    site = self.new_site("outer", span, (name,), (kind, owner, span_of(at)))
                    out.append(self._statement("__jh_outer__", site, [self._name(name, at)], at))
                else:
                    names.append(name)
        if names and getattr(self, "hints", True):
            site = self.new_site("set", span, tuple(names))
            out.append(self._statement("__jh_set__", site, [self._name(n, node) for n in names], node))
        return out

    def _owner(self, name):
        for site, declared, bound in reversed(self.scopes[:-1]):
            if name in bound:
                return site
        return None

    def visit_Assign(self, node):
        self.generic_visit(node)
        return self._assign(node, node.targets)

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        return self._assign(node, [node.target])

    def visit_AnnAssign(self, node):
        if node.value is not None:
            node.value = self.visit(node.value)
            return self._assign(node, [node.target])
        return node

    # -- control flow
    def visit_Return(self, node):
        if node.value is not None:
            value = node.value
            span = span_of(value)
            node.value = self._hook("__jh_ret__", self.new_site("return", span, ("return",)), [self.visit(value)], value)
        return node

    def visit_If(self, node):
        return self._tested(node, "if")

    def visit_While(self, node):
        node = self._tested(node, "while")
        if self.depth:
            site = self.new_site("turns", span_of(node), (), "while")
            node.body.insert(0, self._statement("__jh_turn__", site, [], node))
        return node

    def _tested(self, node, kind):
        at = node.test
        span = span_of(at)
        node.test = self._hook("__jh_test__", self.new_site("test", span, (), kind), [self.visit(at)], at)
        node.body, node.orelse = self._body(node.body), self._body(node.orelse)
        return node

    def visit_IfExp(self, node):
        at = node.test
        span = span_of(at)
        node.test = self._hook("__jh_test__", self.new_site("test", span, (), "if"), [self.visit(at)], at)
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        return node

    def visit_Assert(self, node):
        at = node.test
        span = span_of(at)
        node.test = self._hook("__jh_test__", self.new_site("test", span, (), "assert"), [self.visit(at)], at)
        return node

    def visit_For(self, node):
        at, span = node.iter, span_of(node.iter)
        header = (node.lineno, node.col_offset, span[2], span[3])
        node.iter = self.visit(at)
        if self.depth:
            node.iter = self._hook("__jh_iter__", self.new_site("loop", span, (), ("for", header)), [node.iter], at)
        node.body, node.orelse = self._body(node.body), self._body(node.orelse)
        return node

    def visit_With(self, node):
        node.items = [self.visit(item) for item in node.items]
        node.body = self._body(node.body)
        return node

    def visit_Try(self, node):
        node.body, node.orelse = self._body(node.body), self._body(node.orelse)
        node.finalbody = self._body(node.finalbody)
        node.handlers = [self.visit(handler) for handler in node.handlers]
        return node

    def visit_ExceptHandler(self, node):
        node.body = self._body(node.body)
        if node.type is None or any(isinstance(n, ast.Name) and n.id == "BaseException" for n in ast.walk(node.type)):
            call = ast.Call(self._name("__jh_again__", node), [], [])
            node.body.insert(0, ast.fix_missing_locations(ast.copy_location(ast.Expr(call), node.body[0])))
        return node

    def visit_comprehension(self, node):
        at, span = node.iter, span_of(node.iter)
        site = self.new_site("loop", span, (), ("comprehension", span))
        node.iter = self._hook("__jh_iter__", site, [self.visit(at)], at)
        node.ifs = [self._wrap_test(test) for test in node.ifs]
        return node

    def _wrap_test(self, test):
        span = span_of(test)
        return self._hook("__jh_test__", self.new_site("test", span, (), "if"), [self.visit(test)], test)

    # -- calls
    def visit_Call(self, node):
        function = node.func
        span = span_of(node)
        if isinstance(function, ast.Name) and function.id in UNHOOKED:
            self.generic_visit(node)
            return node
        if isinstance(function, ast.Attribute) and function.attr == "block_until_ready" and not node.args:
            return self.visit(function.value)  # a tracer has nothing to wait for
        site = self.new_site("call", span, (), span_of(function))
        self.generic_visit(node)
        return self._hook("__jh_call__", site, [node.func] + node.args, node, node.keywords)


def _plain(node) -> bool:
    """A name, or attributes of a name: reading it once more has no effect."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _load(node):
    new = ast.parse(ast.unparse(node), mode="eval").body
    return ast.fix_missing_locations(ast.copy_location(new, node)) if isinstance(new, ast.Name) else _relocate(new, node)


def _relocate(tree, at):
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            ast.copy_location(node, at)
    return tree


def _own_nodes(body):
    """Nodes of a function's body without those of the functions and classes in it."""
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            waiting.extend(ast.iter_child_nodes(node))


def _declarations(body):
    for node in _own_nodes(body):
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            for name in node.names:
                yield type(node).__name__.lower(), name
