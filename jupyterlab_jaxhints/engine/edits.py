"""Builds text edits from nodes. Edits are spans of the user's own text; a cell is never generated anew.

Whatever is masked (magics), repaired or not exactly placed is never touched: such an edit raises
`EditRefused`, and the fix is not offered.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import libcst as cst

from ..protocol import Position, Range, TextEdit
from . import import_lines
from .paths import path, vars_of
from .scanner import logical_line
from .statements import CellCode, Piece, Statement
from .textedits import EditRefused, Edits, apply, combine

__all__ = ["Edit", "EditRefused", "Edits", "Site", "apply", "combine"]

_ATOMS = (cst.Name, cst.Attribute, cst.Subscript, cst.Call, cst.List, cst.Dict, cst.Set, cst.ListComp,
          cst.SetComp, cst.DictComp, cst.SimpleString, cst.FormattedString, cst.Ellipsis, cst.Imaginary,
          cst.Float)
_BRACKETED = (cst.Tuple, cst.GeneratorExp)  # atoms where parentheses of their own enclose them
_COMMA_LEVEL = (cst.Tuple, cst.NamedExpr, cst.Yield, cst.GeneratorExp)
_LISTED = (cst.Arg, cst.BaseElement, cst.BaseDictElement, cst.Param, cst.ImportAlias, cst.SubscriptElement,
           cst.WithItem)


@dataclass(frozen=True)
class Site:
    """A parsed statement where it stands."""

    cell: str
    piece: Piece
    statement: Statement


class Edit:
    """Makes edits in one statement. `cells` are the notebook's in order; imports need them."""

    def __init__(self, site: Site, cells: Sequence[CellCode] = (),
                 locate: Callable[[Any], Site] | None = None) -> None:
        self.site, self.cells, self.locate = site, cells, locate
        self.piece, self.statement, self.masked = site.piece, site.statement, site.piece.masked

    def at(self, site: Site) -> Edit:
        """The same for another statement, to edit several at once."""
        return Edit(site, self.cells, self.locate)

    def elsewhere(self, place: Any) -> Edit:
        """The same for the statement at another place of the notebook (an `engine.values.Place`)."""
        if self.locate is None:
            raise EditRefused("the other statement's place is not known")
        return self.at(self.locate(place))

    # --- reading -------------------------------------------------------------------------------------------

    def text(self, node: cst.CSTNode, parens: bool = False) -> str:
        """The node's text as the user wrote it."""
        start, end = self.statement.span(node, parens)
        return self.masked.source[self.piece.source_offset(start):self.piece.source_offset(end)]

    def operand(self, node: cst.CSTNode) -> str:
        """Its text where an attribute, a call or an operator may follow: in parentheses where needed."""
        if isinstance(node, _BRACKETED) and node.lpar:
            return self.text(node, parens=True)
        text = self.text(node)
        return text if isinstance(node, _ATOMS) and not _breaks_line(text) else f"({text})"

    def argument(self, node: cst.CSTNode) -> str:
        """Its text as one argument of a call."""
        if not isinstance(node, _COMMA_LEVEL):
            return self.text(node)
        return self.text(node, parens=True) if node.lpar else f"({self.text(node)})"

    def value(self, node: cst.CSTNode) -> str:
        """Its text as the right side of an assignment: in parentheses where only those let it span lines."""
        text = self.text(node)
        return f"({text})" if _breaks_line(text) or isinstance(node, cst.NamedExpr) else text

    def range(self, node: cst.CSTNode, parens: bool = False) -> Range:
        """The node's place in its cell."""
        return self.piece.range(*self.statement.span(node, parens))

    def indent(self, node: cst.CSTNode) -> str:
        """The white space that begins the node's line."""
        line, _ = self.piece.line_column(self.statement.span(node)[0])
        return _indent(self.masked.line_text(line))

    def path(self, node: cst.CSTNode) -> list[cst.CSTNode]:
        """The nodes from the module down to this one."""
        found = path(self.statement.module, node)
        if found is None:
            raise EditRefused("the node belongs to another statement")
        return found

    # --- inside a line -------------------------------------------------------------------------------------

    def replace(self, node: cst.CSTNode, new_text: str, parens: bool = False) -> TextEdit:
        """Other text for a node; parentheses around it stay unless wanted."""
        return self._edit(*self.statement.span(node, parens), new_text)

    def replace_between(self, first: cst.CSTNode, last: cst.CSTNode, new_text: str) -> TextEdit:
        """Other text from the start of one node to the end of another."""
        return self._edit(self.statement.span(first, True)[0], self.statement.span(last, True)[1], new_text)

    def insert_before(self, node: cst.CSTNode, text: str) -> TextEdit:
        """Text directly in front of a node and its parentheses."""
        start, _ = self.statement.span(node, True)
        return self._edit(start, start, text)

    def insert_after(self, node: cst.CSTNode, text: str) -> TextEdit:
        """Text directly behind a node and its parentheses."""
        _, end = self.statement.span(node, True)
        return self._edit(end, end, text)

    def wrap(self, node: cst.CSTNode, before: str, after: str) -> list[TextEdit]:
        """Text on both sides of a node: `wrap(x, "jnp.asarray(", ")")`."""
        return [self.insert_before(node, before), self.insert_after(node, after)]

    # --- lines ---------------------------------------------------------------------------------------------

    def insert_before_statement(self, node: cst.CSTNode, code: str) -> TextEdit:
        """Code on lines of its own above the statement that holds the node, indented like it."""
        holder, small, inline = self._holder(node, first=True)
        if inline:
            start, _ = self.statement.span(small)
            return self._edit(start, start, _one_line(code) + "; ")
        line, _ = self.piece.line_column(self._first_offset(holder))
        place = Position(line=line, character=0)
        indent = _indent(self.masked.line_text(line))
        return self._placed(Range(start=place, end=place), _indented(code, indent) + "\n")

    def insert_after_statement(self, node: cst.CSTNode, code: str) -> TextEdit:
        """Code on lines of its own below the statement that holds the node, indented like it."""
        holder, small, inline = self._holder(node, first=False)
        if inline:
            _, end = self.statement.span(small)
            return self._edit(end, end, "; " + _one_line(code))
        first, _ = self.piece.line_column(self._first_offset(holder))
        last, _ = self.piece.line_column(self._last_offset(holder))
        place = self.masked.line_end(last)
        indent = _indent(self.masked.line_text(first))
        return self._placed(Range(start=place, end=place), "\n" + _indented(code, indent))

    def line_above(self, cell: str, piece: Piece, code: str) -> TextEdit:
        """Code on lines of its own above a top-level statement of any cell."""
        place = Position(line=piece.start_line, character=0)
        return TextEdit(cell=cell, range=Range(start=place, end=place), new_text=f"{code}\n")

    def line_below(self, cell: CellCode, piece: Piece, code: str) -> TextEdit:
        """Code on lines of its own below a top-level statement of any cell."""
        last, _ = piece.line_column(len(piece.text.rstrip()))
        place = cell.masked.line_end(last)
        return TextEdit(cell=cell.id, range=Range(start=place, end=place), new_text=f"\n{code}")

    def delete(self, node: cst.CSTNode) -> TextEdit:
        """Removes a statement, a decorator, or an argument, element or parameter with its comma."""
        path = self.path(node)
        if isinstance(node, _LISTED):
            return self._delete_listed(path[-2], node)
        if isinstance(node, cst.Decorator):
            return self._delete_lines(*self.statement.span(node))
        for index in range(len(path) - 1, 0, -1):
            if isinstance(path[index], cst.BaseSmallStatement):
                return self._delete_small(path[:index + 1])
            if isinstance(path[index], cst.BaseCompoundStatement):
                return self._delete_block(path[:index + 1])
        raise EditRefused("only statements and listed nodes can be deleted")

    def delete_up_to(self, first: cst.CSTNode, behind: cst.CSTNode) -> TextEdit:
        """Removes a statement and the blank lines behind it, up to the start of the one that follows."""
        return self._edit(self._first_offset(first), self._first_offset(behind), "")

    # --- imports -------------------------------------------------------------------------------------------

    def import_needed(self, module: str, name: str | None = None,
                      alias: str | None = None) -> tuple[str, list[TextEdit]]:
        """What this statement calls a module or a name from it, and the import to add where there is none.

        It goes behind the last import of the cell, else behind the last one above, else to the cell's top.
        """
        cells = self._cells_before()
        known = [found for cell in cells for piece in cell.pieces for found in import_lines.of_piece(piece)]
        local = import_lines.existing(known, module, name)
        if local is not None and not import_lines.rebound(local.split(".")[0], self.cells):
            return local, []
        local = alias or name or module
        head = local.split(".")[0]
        if import_lines.taken(head, known, module) or import_lines.rebound(head, self.cells):
            raise EditRefused(f"`{head}` is the name of something else")
        return local, [self._import_line(cells, import_lines.line(module, name, alias))]

    def _cells_before(self) -> list[CellCode]:
        """The cells up to this statement; of its own cell only what stands above it."""
        found: list[CellCode] = []
        for cell in self.cells:
            if cell.id == self.site.cell:
                above = tuple(p for p in cell.pieces if p.start_line < self.piece.start_line)
                return [*found, CellCode(cell.cell, cell.masked, above)]
            found.append(cell)
        return found

    def _import_line(self, cells: Sequence[CellCode], code: str) -> TextEdit:
        for cell in reversed(cells):
            for piece in reversed(cell.pieces):
                if import_lines.of_piece(piece):
                    last, _ = piece.line_column(len(piece.text.rstrip()))
                    indent = _indent(cell.masked.line_text(piece.start_line))
                    place = cell.masked.line_end(last)
                    text = f"\n{indent}{code}"
                    return TextEdit(cell=cell.id, range=Range(start=place, end=place), new_text=text)
        own = next((cell for cell in self.cells if cell.id == self.site.cell), None)
        pieces = own.pieces if own else (self.piece,)
        if import_lines.is_docstring(pieces[0]):
            last, _ = pieces[0].line_column(len(pieces[0].text.rstrip()))
            place, text = self.masked.line_end(last), "\n{}"
        else:
            place, text = Position(line=pieces[0].start_line, character=0), "{}\n"
        code = _indent(self.masked.line_text(pieces[0].start_line)) + code
        return TextEdit(cell=self.site.cell, range=Range(start=place, end=place), new_text=text.format(code))

    # --- where things stand --------------------------------------------------------------------------------

    def _holder(self, node: cst.CSTNode, first: bool) -> tuple[cst.CSTNode, cst.CSTNode, bool]:
        """The statement that lines go before or after, the small statement in it, and whether only `;` can
        separate them because other code stands between."""
        path = self.path(node)
        small: cst.CSTNode | None = None
        for index in range(len(path) - 1, 0, -1):
            each = path[index]
            if isinstance(each, cst.BaseSmallStatement):
                small = each
            elif isinstance(each, cst.SimpleStatementLine):
                small = small or each.body[0 if first else -1]
                edge = each.body[0 if first else -1]
                return each, small, small is not edge
            elif isinstance(each, cst.SimpleStatementSuite) and small and not self._is_mask(path[index - 1]):
                return each, small, True
            elif isinstance(each, cst.BaseCompoundStatement) and not _is_elif(path[index - 1], each):
                return each, each, False
        raise EditRefused("no statement holds the node")

    def _is_mask(self, node: cst.CSTNode) -> bool:
        """The `if` that stands for a line magic."""
        if not isinstance(node, cst.If):
            return False
        start = self.piece.source_offset(self.statement.span(node)[0])
        return self.masked.touches_mask(start, start + 1) or self.masked.source[start:start + 1] != "i"

    def _first_offset(self, holder: cst.CSTNode) -> int:
        decorators = getattr(holder, "decorators", ())
        return self.statement.span(decorators[0] if decorators else holder)[0]

    def _last_offset(self, holder: cst.CSTNode) -> int:
        return len(self.piece.text[:self.statement.span(holder)[1]].rstrip())

    # --- deleting ------------------------------------------------------------------------------------------

    def _delete_small(self, path: list[cst.CSTNode]) -> TextEdit:
        small, line = path[-1], path[-2]
        body = list(line.body)  # type: ignore[attr-defined]
        place = next(index for index, each in enumerate(body) if each is small)
        start, end = self.statement.span(small)
        if len(body) > 1:
            if place + 1 < len(body):
                return self._edit(start, self.statement.span(body[place + 1])[0], "")
            return self._edit(self.statement.span(body[place - 1])[1], end, "")
        if isinstance(line, cst.SimpleStatementSuite) or _is_alone(path[-3], line):
            return self._edit(start, end, "pass")
        return self._delete_lines(start, end)

    def _delete_block(self, path: list[cst.CSTNode]) -> TextEdit:
        block = path[-1]
        if _is_elif(path[-2], block):
            raise EditRefused("an `elif` is part of another statement")
        start, end = self._first_offset(block), self._last_offset(block)
        if _is_alone(path[-2], block):
            return self._edit(start, end, "pass")
        return self._delete_lines(start, end)

    def _delete_listed(self, parent: cst.CSTNode, node: cst.CSTNode) -> TextEdit:
        siblings = next((value for value in vars_of(parent) if isinstance(value, (list, tuple))
                         and any(each is node for each in value)), None)
        if siblings is None:
            raise EditRefused("the node is not in a list")
        place = next(index for index, each in enumerate(siblings) if each is node)
        start, end = self.statement.span(node)
        if place + 1 < len(siblings):
            return self._edit(start, self.statement.span(siblings[place + 1])[0], "")
        if place:
            return self._edit(self.statement.span(siblings[place - 1])[1], end, "")
        comma = getattr(node, "comma", None)
        return self._edit(start, self.statement.span(comma)[1] if isinstance(comma, cst.Comma) else end, "")

    def _delete_lines(self, start: int, end: int) -> TextEdit:
        first, _ = self.piece.line_column(start)
        last, _ = self.piece.line_column(end)
        starts = self.piece.line_starts
        behind = starts[last - self.piece.start_line + 1] - 1
        self._check(starts[first - self.piece.start_line], behind)
        if last + 1 < len(self.masked.line_starts):
            place = Range(start=Position(line=first, character=0), end=Position(line=last + 1, character=0))
        elif first:
            place = Range(start=self.masked.line_end(first - 1), end=self.masked.line_end(last))
        else:
            place = Range(start=Position(line=0, character=0), end=self.masked.line_end(last))
        return self._placed(place, "")

    # --- checks --------------------------------------------------------------------------------------------

    def _edit(self, start: int, end: int, new_text: str) -> TextEdit:
        self._check(start, end)
        return self._placed(self.piece.range(start, end), new_text)

    def _placed(self, place: Range, new_text: str) -> TextEdit:
        if not self.statement.exact:
            raise EditRefused("the statement does not come back from its tree as it is")
        return TextEdit(cell=self.site.cell, range=place, new_text=new_text)

    def _check(self, start: int, end: int) -> None:
        """What is replaced has to be what the user sees."""
        piece, source = self.piece, self.masked.source
        at = piece.source_offset(start)
        if start == end and self.masked.touches_mask(at, at):
            raise EditRefused("the edit lies in a magic")
        for index, begin in enumerate(piece.line_starts[:-1]):
            stop = piece.line_starts[index + 1] - 1
            a, b = max(start, begin), min(end, stop)
            if a > b:
                continue
            at = piece.source_offset(a)
            if index in piece.repaired_lines or source[at:at + b - a] != piece.text[a:b]:
                raise EditRefused("the edit touches a magic or a broken line")


# --- nodes and lines --------------------------------------------------------------------------------------


def _is_elif(parent: cst.CSTNode, node: cst.CSTNode) -> bool:
    return isinstance(parent, cst.If) and parent.orelse is node


def _is_alone(block: cst.CSTNode, node: cst.CSTNode) -> bool:
    return isinstance(block, cst.IndentedBlock) and len(block.body) == 1 and block.body[0] is node


def _indent(line: str) -> str:
    return line[:len(line) - len(line.lstrip(" \t"))]


def _indented(code: str, indent: str) -> str:
    return "\n".join(indent + line if line else line for line in code.split("\n"))


def _one_line(code: str) -> str:
    if "\n" in code:
        raise EditRefused("several lines do not fit between `;`")
    return code


def _breaks_line(text: str) -> bool:
    """The text spans lines outside brackets, which only parentheses around it allow."""
    return "\n" in text and logical_line(text, 0).end < len(text)
