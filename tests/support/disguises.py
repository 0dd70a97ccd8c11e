"""The same notebook written otherwise: what it does stays, and every place of the old text has one in the new.

A disguise gives the insertions and replacements that make the new text, or None where it would change the meaning.
"""
from __future__ import annotations

import ast
import builtins
import io
import re
import tokenize
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from .marks import Cells, Span

Place = tuple[int, int]  # zero-based line, code-point column
INDENT = "    "


@dataclass(frozen=True)
class Change:
    """Replace the text of one cell between two places."""

    cell: int
    start: Place
    end: Place
    text: str


@dataclass
class Disguise:
    """The new cells, the names that changed, and where an old place is now."""

    cells: Cells
    changes: list[Change] = field(default_factory=list)
    cuts: dict[int, int] = field(default_factory=dict)  # cell → line where it was cut in two
    names: dict[str, str] = field(default_factory=dict)
    joined: list[int] | None = None  # where each cell begins in the one cell that holds all

    def span(self, span: Span) -> Span:
        cell, line, column, last, end = span
        (line, column), (last, end) = self._moved(cell, (line, column), True), self._moved(cell, (last, end), False)
        if self.joined is not None:
            return 0, line + self.joined[cell], column, last + self.joined[cell], end
        before = sum(other < cell for other in self.cuts)
        cut = self.cuts.get(cell)
        if cut is not None and span[1] >= cut:
            return cell + before + 1, line - cut, column, last - cut, end
        return cell + before, line, column, last, end

    def renamed(self, code: str) -> str:
        """Names as they are called now, attributes as they were."""
        return re.sub(r"(?<![\w.])[A-Za-z_]\w*", lambda word: self.names.get(word[0], word[0]), code)

    def _moved(self, cell: int, place: Place, is_start: bool) -> Place:
        """What is inserted just here stands before what starts here, and behind what ends here."""
        line, column = place
        for change in self.changes:
            behind = change.end < place or (change.end == place and (is_start or change.start < change.end))
            if change.cell != cell or not behind:
                continue
            new = change.text.split("\n")
            if change.end[0] == place[0]:
                grown = len(new[-1]) if len(new) > 1 else change.start[1] + len(new[0])
                column += grown - change.end[1]
            line += len(new) - 1 - (change.end[0] - change.start[0])
        return line, column


def changed(cells: Sequence[str], changes: Sequence[Change], **more) -> Disguise:
    """The cells after the changes, which do not overlap."""
    texts = [cell.split("\n") for cell in cells]
    for change in sorted(changes, key=lambda c: (c.cell, c.start), reverse=True):
        lines = texts[change.cell]
        (line, column), (last, end) = change.start, change.end
        lines[line:last + 1] = [lines[line][:column] + change.text + lines[last][end:]]
    return Disguise(tuple("\n".join(lines) for lines in texts), list(changes), **more)


# --- reading ---------------------------------------------------------------------------------------------------------


def parsed(cells: Sequence[str]) -> list[ast.Module] | None:
    """The trees of the cells; None where there are magics or broken code, or comments that speak to us."""
    try:
        trees = [ast.parse(cell) for cell in cells]
    except (SyntaxError, ValueError):
        return None
    plain = all(cell.isascii() and "jaxhints" not in cell and "\r" not in cell and "\t" not in cell for cell in cells)
    return trees if plain else None


def tokens(cell: str) -> list[tokenize.TokenInfo]:
    return list(tokenize.generate_tokens(io.StringIO(cell).readline))


def name_tokens(cell: str) -> Iterator[tokenize.TokenInfo]:
    """Names that are not attributes."""
    last = ""
    for token in tokens(cell):
        if token.type == tokenize.NAME and last != ".":
            yield token
        last = token.string


def renamed(cells: Sequence[str], names: dict[str, str], imports: Sequence[ast.stmt] = ()) -> list[Change]:
    """Every use of the names as another; the lines of the imports are left."""
    left = {(id_, line) for id_, statement in imports for line in range(statement.lineno - 1, statement.end_lineno)}
    return [Change(number, (token.start[0] - 1, token.start[1]), (token.end[0] - 1, token.end[1]), names[token.string])
            for number, cell in enumerate(cells) for token in name_tokens(cell)
            if token.string in names and (number, token.start[0] - 1) not in left]


def spoken(cells: Sequence[str], trees: Sequence[ast.Module]) -> set[str]:
    """Words that are more than names: keywords of calls, parts of strings, attributes."""
    words: set[str] = set()
    for cell, tree in zip(cells, trees):
        for node in ast.walk(tree):
            if isinstance(node, ast.keyword) and node.arg:
                words.add(node.arg)
            elif isinstance(node, ast.Attribute):
                words.add(node.attr)
            elif isinstance(node, ast.JoinedStr):
                words |= set(re.findall(r"\w+", ast.get_source_segment(cell, node) or ""))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                words |= set(re.findall(r"\w+", node.value))
            elif isinstance(node, ast.ClassDef):
                words |= members(node)
    return words


def members(node: ast.ClassDef) -> set[str]:
    """Names that the body of a class binds: attributes, and parameters of what is made of them."""
    found = set()
    for each in node.body:
        if isinstance(each, (ast.FunctionDef, ast.ClassDef)):
            found.add(each.name)
        else:
            found |= {part.id for part in ast.walk(each) if isinstance(part, ast.Name)}
    return found


def imports_of(trees: Sequence[ast.Module]) -> list[tuple[int, ast.Import | ast.ImportFrom]]:
    return [(number, node) for number, tree in enumerate(trees) for node in ast.walk(tree)
            if isinstance(node, (ast.Import, ast.ImportFrom))]


def bound_by(alias: ast.alias) -> str:
    return alias.asname or alias.name.split(".")[0]


# --- disguises -------------------------------------------------------------------------------------------------------


# a list that is named for the tracing itself is filled on purpose: such a name says something
SAYING = re.compile(r"trac|compil|jit", re.IGNORECASE)


def with_other_names(cells: Cells) -> Disguise | None:
    """Variables, parameters, functions and classes have other names."""
    trees = parsed(cells)
    if trees is None:
        return None
    own: dict[str, None] = {}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                own[node.id] = None
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                own[node.name] = None
            elif isinstance(node, ast.arg):
                own[node.arg] = None
    kept = spoken(cells, trees) | set(dir(builtins)) | {"self", "cls"}
    kept |= {bound_by(alias) for _, node in imports_of(trees) for alias in node.names}
    names = [name for name in own if name not in kept and not name.startswith("_") and not SAYING.search(name)]
    to = {name: f"other{number}" for number, name in enumerate(names)}
    return changed(cells, renamed(cells, to), names=to) if to else None


def with_other_imports(cells: Cells) -> Disguise | None:
    """Modules and functions are imported by names of the user's own."""
    trees = parsed(cells)
    if trees is None:
        return None
    imports = imports_of(trees)
    aliases = [alias for _, node in imports for alias in node.names]
    strings = {word for cell, tree in zip(cells, trees) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)
               for word in re.findall(r"\w+", ast.get_source_segment(cell, node) or "")}
    keywords = {node.arg for tree in trees for node in ast.walk(tree) if isinstance(node, ast.keyword)}
    stored = {node.id for tree in trees for node in ast.walk(tree)
              if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    stored |= {node.arg for tree in trees for node in ast.walk(tree) if isinstance(node, ast.arg)}
    inside = any("." in alias.name and alias.asname is None for alias in aliases)
    names = {bound_by(alias) for alias in aliases} - strings - keywords - stored - {"*"}
    if inside or not names or any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for _, node in imports):
        return None
    to = {name: f"{name}_too" for name in names}
    changes = renamed(cells, to, imports)
    for number, node in imports:
        for alias in node.names:
            if bound_by(alias) in to:
                start, end = (alias.lineno - 1, alias.col_offset), (alias.end_lineno - 1, alias.end_col_offset)
                changes.append(Change(number, start, end, f"{alias.name} as {to[bound_by(alias)]}"))
    return changed(cells, changes, names=to)


def cut_in_two(cells: Cells) -> Disguise | None:
    """Each cell that can be is cut between two statements; not behind one whose value it would then show."""
    trees = parsed(cells)
    if trees is None:
        return None
    made: list[str] = []
    cuts: dict[int, int] = {}
    for number, (cell, tree) in enumerate(zip(cells, trees)):
        places = [first_line(after) for before, after in zip(tree.body, tree.body[1:])
                  if not isinstance(before, ast.Expr) and first_line(after) > before.end_lineno - 1]
        if not places:
            made.append(cell)
            continue
        cuts[number] = cut = places[len(places) // 2]
        lines = cell.split("\n")
        made += ["\n".join(lines[:cut]), "\n".join(lines[cut:])]
    return Disguise(tuple(made), cuts=cuts) if cuts else None


def first_line(node: ast.stmt) -> int:
    return min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))]) - 1


def with_notes(cells: Cells) -> Disguise | None:
    """A blank line and a comment above each statement, and a comment behind each line that has none."""
    trees = parsed(cells)
    if trees is None:
        return None
    changes: dict[tuple, Change] = {}
    for number, (cell, tree) in enumerate(zip(cells, trees)):
        lines = cell.split("\n")
        for node in ast.walk(tree):
            if isinstance(node, ast.stmt):
                line = first_line(node)
                indent = re.match(r" *(?=@?)", lines[line])[0]
                if len(indent) == node.col_offset:
                    changes[number, line] = Change(number, (line, 0), (line, 0), f"\n{indent}# a note\n")
        last = None
        for token in tokens(cell):
            if token.type == tokenize.NEWLINE and token.string and last is not None and last.type != tokenize.COMMENT:
                place = (token.start[0] - 1, token.start[1])
                changes[number, "end", place] = Change(number, place, place, "  # so it is")
            last = token
    return changed(cells, list(changes.values()))


def with_magic_lines(cells: Cells) -> Disguise | None:
    """Magics and shell commands before, between and behind the statements of each cell; its end stays its end."""
    trees = parsed(cells)
    if trees is None:
        return None
    changes = []
    for number, tree in enumerate(trees):
        for turn, node in enumerate(tree.body):
            line = first_line(node)
            if turn == 0 or line > tree.body[turn - 1].end_lineno - 1:
                text = ("%matplotlib inline\n", "!pip list\n", "%config InlineBackend.rc = {}\n")[turn % 3]
                changes.append(Change(number, (line, 0), (line, 0), text))
    return changed(cells, changes)


def in_function(cells: Cells) -> Disguise | None:
    """All of it in the body of a function that is called; a value that a cell shows is bound to a name."""
    return _inside(cells, "def everything():\n", "\n\neverything()", INDENT)


def in_method(cells: Cells) -> Disguise | None:
    """The same in a method of a class."""
    head = f"class Everything:\n{INDENT}def run(self):\n"
    return _inside(cells, head, "\n\nEverything().run()", 2 * INDENT)


def _inside(cells: Cells, head: str, tail: str, indent: str) -> Disguise | None:
    trees = parsed(cells)
    if trees is None or not _fits_in_function(cells, trees):
        return None
    changes, starts, line = [], [], head.count("\n")
    for number, (cell, tree) in enumerate(zip(cells, trees)):
        lines = cell.split("\n")
        changes += [Change(number, (row, 0), (row, 0), indent) for row, text in enumerate(lines) if text.strip()]
        last = tree.body[-1] if tree.body else None
        if isinstance(last, ast.Expr):
            place, name = (last.lineno - 1, last.col_offset), f"shown{number} = "
            if last.col_offset == 0:
                changes = [each for each in changes if (each.cell, each.start) != (number, place)]
                name = indent + name
            changes.append(Change(number, place, place, name))
        starts.append(line)
        line += len(lines)
    made = changed(cells, changes)
    made.cells = (head + "\n".join(made.cells) + tail,)
    made.joined = starts
    return made


def _fits_in_function(cells: Cells, trees: Sequence[ast.Module]) -> bool:
    """Nothing in it asks whether a name is global, and no line is part of a text."""
    nodes = [node for tree in trees for node in ast.walk(tree)]
    texts = [token for cell in cells for token in tokens(cell) if token.start[0] != token.end[0]
             and token.type in (tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1))]
    star = any(isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in nodes)
    future = any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in nodes)
    return not (texts or star or future or any(isinstance(node, (ast.Global, ast.AsyncFunctionDef, ast.Await))
                                              for node in nodes))


DISGUISES: dict[str, Callable[[Cells], Disguise | None]] = {
    "other names": with_other_names, "other imports": with_other_imports, "cut in two": cut_in_two,
    "notes": with_notes, "magic lines": with_magic_lines, "in a function": in_function, "in a method": in_method,
}
