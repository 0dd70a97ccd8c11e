"""The notebook's cells as instrumented code, and the way back from a position in code to a place in a cell."""
from __future__ import annotations

import ast
import contextlib
import hashlib
import itertools
import linecache
import types

from .instrument import Instrument, Site
from .positions import Numbers, forget_positions, node_span, position

PREFIX = "<jaxhints:"
KEPT = 400  # compiled cells, by text
_sites: dict = {}
_site_numbers = itertools.count()
_sources: dict = {}
_runs = itertools.count()


class Unit:
    """One top-level statement, cut so that the probe can run loops and branches turn by turn."""

    __slots__ = ("kind", "node", "codes", "parts", "names", "loads", "span")

    def __init__(self, kind, node, codes, parts=()):
        self.kind, self.node, self.codes, self.parts = kind, node, codes, parts
        self.names, self.loads, self.span = (), (), None


class Source:
    """A cell's text, parsed and compiled once. File names are given for each run: JAX keeps the positions of
    earlier runs in its caches, and they must not be taken for this run's."""

    def __init__(self, text: str):
        self.text = text
        self.lines = text.split("\n")
        self.digest = digest_of(text)
        self.sites: list = []
        self.tree = ast.parse(text)
        self.numbers = Numbers(len(self.lines))
        self.nodes = None
        self.exact = None
        self._index = None
        self._units = None
        self._module = None

    def new_site(self, kind, span, names=(), data=None) -> int:
        number = next(_site_numbers)
        _sites[number] = Site(self, kind, span, names, data)
        self.sites.append(number)
        return number

    def _transformed(self):
        if self._module is None:
            tree = ast.parse(self.text)
            transformer = Instrument(self.new_site)
            self._module = []
            for statement in tree.body:
                result = transformer.visit(statement)
                self._module.append(result if isinstance(result, list) else [result])
            for statement in itertools.chain(*self._module):
                self.numbers.give(ast.fix_missing_locations(statement))
        return self._module

    @property
    def units(self):
        if self._units is None:
            self._units = []
            for original, new in zip(self.tree.body, self._transformed()):
                built = [build_unit(statement) for statement in new]
                built[0].names, built[0].loads = stored_names(original), loaded_names(original)
                built[0].span = node_span(original)
                self._units.append((original, built))
        return self._units

    def functions(self):
        """(plain code, instrumented code) of every function in the cell, by name."""
        if self._index is None:
            module = ast.Module(list(itertools.chain(*self._transformed())), [])
            changed = list(all_codes(compile(module, "<cell>", "exec", dont_inherit=True)))
            self._index = {}
            plain, numbered = self.tree, self.numbers.give(ast.parse(self.text))
            # IPython compiles statement by statement, `%%time` the cell as a whole: calls of imported names differ
            for split in (True, False):
                for old, exact, new in zip(tree_codes(plain, split), tree_codes(numbered, split), changed):
                    if old.co_name == new.co_name:
                        same = old.co_code == exact.co_code  # else a line of its own cost an instruction
                        self._index.setdefault(old.co_name, []).append((code_key(old), new, exact if same else old))
        return self._index

    def node_at(self, span):
        """The syntax node at a span: the exact one, or the smallest around it."""
        if self.exact is None:
            self.exact = {}
            for node in ast.walk(self.tree):
                if isinstance(node, (ast.expr, ast.stmt)) and not isinstance(node, ast.Expr):
                    self.exact.setdefault(node_span(node), node)
        if tuple(span) in self.exact:
            return self.exact[tuple(span)]
        best = None
        for node in ast.walk(self.tree):
            if not isinstance(node, (ast.expr, ast.stmt)) or isinstance(node, ast.Expr):
                continue
            at = node_span(node)
            if at[:2] <= tuple(span[:2]) and at[2:] >= tuple(span[2:]):
                best = node
        return best

    def parents(self):
        if self.nodes is None:
            self.nodes = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        return self.nodes

    def text_at(self, span, limit=60) -> str:
        line, column, end_line, end_column = span
        if line == end_line:
            part = self.lines[line - 1].encode()[column:end_column].decode("utf-8", "replace")
        else:
            part = self.lines[line - 1].encode()[column:].decode("utf-8", "replace") + " …"
        return part if len(part) <= limit else part[: limit - 1] + "…"

    def wire(self, span):
        """Zero-based line and UTF-16 column of start and end, as in LSP."""
        line, column, end_line, end_column = span
        return [line - 1, self._utf16(line, column), end_line - 1, self._utf16(end_line, end_column)]

    def _utf16(self, line, column):
        if line > len(self.lines):
            return 0
        part = self.lines[line - 1].encode()[:column].decode("utf-8", "replace")
        return len(part.encode("utf-16-le", "surrogatepass")) // 2


def digest_of(text: str) -> str:
    return hashlib.sha1(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def source_for(text: str) -> Source:
    """The compiled cell, from the cache where its text was seen before. Raises SyntaxError."""
    key = digest_of(text)
    found = _sources.pop(key, None)
    if found is None:
        found = Source(text)
        while len(_sources) >= KEPT:
            old = _sources.pop(next(iter(_sources)))
            for number in old.sites:
                _sites.pop(number, None)
    _sources[key] = found
    return found


def site_of(number: int) -> Site:
    return _sites[number]


def all_codes(code):
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield const
            yield from all_codes(const)


def tree_codes(tree, split):
    """The functions' codes of a cell that is compiled as a whole or statement by statement."""
    for module in [ast.Module([statement], []) for statement in tree.body] if split else [tree]:
        yield from all_codes(compile(module, "<cell>", "exec", dont_inherit=True))


def code_key(code):
    """What makes two functions the same text, wherever it stands: everything but file name and line numbers."""
    consts = tuple(
        ("code", const.co_name, code_key(const)) if isinstance(const, types.CodeType) else (type(const), repr(const))
        for const in code.co_consts
    )
    return hash((code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, consts))


def renamed(code: types.CodeType, filename: str) -> types.CodeType:
    consts = tuple(renamed(c, filename) if isinstance(c, types.CodeType) else c for c in code.co_consts)
    return code.replace(co_filename=filename, co_consts=consts)


def stored_names(statement):
    names = set()
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            names.add(node.id)
        if isinstance(node, ast.alias):
            names.add((node.asname or node.name).split(".")[0])
        if not isinstance(node, ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))
    return tuple(sorted(names))


ABOUT = frozenset("shape dtype ndim size nbytes itemsize aval weak_type is_deleted sharding".split())  # no value is read


def loaded_names(statement):
    """Names that the statement reads when it runs: not those that only the bodies of its functions read."""
    found, waiting = [], [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            waiting.extend(getattr(node, "decorator_list", []))
            waiting.extend(d for d in node.args.defaults + node.args.kw_defaults if d is not None)
            continue
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in ABOUT:
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and not node.id.startswith("__jh_"):
            found.append((node.id, node_span(node)))
        waiting.extend(ast.iter_child_nodes(node))
    return tuple(sorted(found, key=lambda item: item[1]))


def build_unit(statement) -> Unit:
    if isinstance(statement, ast.For):
        value = ast.copy_location(ast.Name("__jh_value__", ast.Load()), statement.target)
        bind = ast.copy_location(ast.Assign([statement.target], value), statement.target)
        return Unit("for", statement, (_expression(statement.iter), _module([bind])),
                    (_units(statement.body), _units(statement.orelse)))
    if isinstance(statement, ast.While):
        return Unit("while", statement, (_expression(statement.test),), (_units(statement.body),))
    if isinstance(statement, ast.If):
        return Unit("if", statement, (_expression(statement.test),), (_units(statement.body), _units(statement.orelse)))
    if isinstance(statement, ast.With):
        codes = []
        for item in statement.items:
            bind = None
            if item.optional_vars is not None:
                value = ast.copy_location(ast.Name("__jh_value__", ast.Load()), item.optional_vars)
                bind = _module([ast.copy_location(ast.Assign([item.optional_vars], value), item.optional_vars)])
            codes.append((_expression(item.context_expr), bind))
        return Unit("with", statement, tuple(codes), (_units(statement.body),))
    if isinstance(statement, ast.Try):
        return Unit("try", statement, (), (_units(statement.body), _units(statement.orelse), _units(statement.finalbody)))
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return Unit("import", statement, (_module([statement]),))
    if isinstance(statement, (ast.AsyncFor, ast.AsyncWith)):
        return Unit("await", statement, ())
    if isinstance(statement, ast.Expr) and not _is_hook(statement.value):
        return Unit("expr", statement, (_expression(statement.value),))
    return Unit("leaf", statement, (_module([statement]),))


def _is_hook(node) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "").startswith("__jh_") and node.func.id not in (
        "__jh_call__",)


def _units(body):
    built = [build_unit(statement) for statement in body]
    for unit in built:
        unit.names, unit.loads, unit.span = stored_names(unit.node), loaded_names(unit.node), node_span(unit.node)
    return built


def _module(body):
    module = ast.Module(body, [])
    ast.fix_missing_locations(module)
    return _compiled(module, "exec")


def _expression(node):
    return _compiled(ast.fix_missing_locations(ast.Expression(node)), "eval")


def _compiled(tree, mode):
    with contextlib.suppress(SyntaxError):  # `await` or `return` at the top level: not for us
        return compile(tree, "<cell>", mode, dont_inherit=True)
    return None


class Book:
    """The cells of one request: which file name belongs to which cell, and the functions that they define."""

    def __init__(self, cells):
        self.run = next(_runs)
        self.cells: dict = {}  # file name -> (cell id, source)
        self.by_id: dict = {}
        for cell_id, text in cells:
            filename = "%s%d:%s>" % (PREFIX, self.run, cell_id)
            self.by_id[cell_id] = (filename, text)
        self.codes: dict = {}
        self.owners: dict = {}  # id of a code object -> (it, its origin)

    def open(self, cell_id):
        """(file name, source) of a cell; None for a text that is not Python."""
        filename, text = self.by_id[cell_id]
        if filename not in self.cells:
            try:
                source = source_for(text)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return None
            self.cells[filename] = (cell_id, source)
            linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
        return (filename, self.cells[filename][1])

    def code_for(self, code):
        """The notebook's code instrumented, where one of the cells holds exactly this function."""
        found = self._found(code)
        return code if found is None else found[0]

    def origin(self, code):
        """(cell id, source, the cell's own plain code) of a function of the notebook, run by the kernel or by us."""
        return self.owner(code)[1]

    def owner(self, code):
        """(code, its origin or None), found once for each code object of a run: most frames are a library's."""
        known = self.owners.get(id(code))
        if known is None:
            entry = self.cells.get(code.co_filename)
            if entry is not None:
                found = entry[0], entry[1], code
            else:
                same = self._found(code) if kernels_own(code.co_filename) else None
                found = None if same is None else same[1:]
            known = self.owners[id(code)] = code, found
        return known

    def _found(self, code):
        if code not in self.codes:
            self.codes[code] = self._search(code)
        return self.codes[code]

    def _search(self, code):
        name = code.co_name
        word = "lambda" if name == "<lambda>" else "def " + name
        key = None
        for cell_id, (filename, text) in reversed(list(self.by_id.items())):
            if word not in text or self.open(cell_id) is None:
                continue
            key = code_key(code) if key is None else key
            source = self.cells[filename][1]
            for candidate, new, old in source.functions().get(name, ()):
                if candidate == key and new.co_freevars == code.co_freevars:
                    return renamed(new, filename), cell_id, source, old
        return None

    def place(self, code, lasti):
        """(cell id, source, span) of an instruction, or None where it is no cell's code. Functions that the kernel
        itself compiled have the same instructions as the cell's plain text."""
        found = self.owner(code)[1]
        if found is None:
            return None
        cell_id, source, own = found
        span = position(own, lasti)
        return None if span is None else (cell_id, source, self._complete(source, source.numbers.span(span)))

    @staticmethod
    def _complete(source, span):
        """Where only the line is known, the statement on it stands for the expression."""
        line, column, end_line, end_column = span
        if column is not None:
            return span
        nodes = [n for n in ast.walk(source.tree) if isinstance(n, ast.stmt) and n.lineno <= line <= n.end_lineno]
        if nodes:
            at = node_span(nodes[-1])
            if at[0] == line:
                return at if at[2] == line else (line, at[1], line, len(source.lines[line - 1].encode()))
        text = source.lines[line - 1] if line <= len(source.lines) else ""
        return (line, len(text) - len(text.lstrip()), line, len(text.encode()))

    def close(self):
        for filename in self.cells:
            linecache.cache.pop(filename, None)
        self.codes.clear()
        self.owners.clear()
        forget_positions()


def kernels_own(filename: str) -> bool:
    """File names under which IPython compiles cells, here or in an older kernel."""
    return "ipykernel" in filename or filename.startswith(("<ipython", "<timed", "<cell", "<string"))
