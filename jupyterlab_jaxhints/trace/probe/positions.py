"""From an instruction to the text that it was compiled from, in every Python's own way."""
from __future__ import annotations

import ast
import dis
import types

COLUMNS = hasattr(types.CodeType, "co_positions")  # from Python 3.11 on instructions know their columns
_tables: dict = {}


def node_span(node):
    """(line, column, end line, end column) of a node in the cell, numbered or not."""
    span = getattr(node, "jh_span", None)
    return span or (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)


class Numbers:
    """Python before 3.11 keeps an instruction's line and no column. There every node is compiled as if it stood on a
    line of its own, below the last one of the cell: the line of an instruction then names the node."""

    def __init__(self, lines: int):
        self.lines = lines
        self.spans: list = []

    def give(self, tree):
        """Moves the nodes of a tree to lines of their own."""
        if COLUMNS:
            return tree
        for node in ast.walk(tree):
            if hasattr(node, "lineno"):
                node.jh_span = node_span(node)
                self.spans.append(node.jh_span)
                node.lineno = node.end_lineno = self.lines + len(self.spans)
        for node in ast.walk(tree):  # Python 3.10 gives a method's call the last line of the method's name
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                node.func.end_lineno = node.lineno
        return tree

    def span(self, found):
        """The true position for one that `position` gave."""
        index = found[0] - self.lines - 1
        return self.spans[index] if 0 <= index < len(self.spans) else found

    def line(self, number: int) -> int:
        return self.span((number,))[0]


def position(code, lasti):
    """(line, column, end line, end column) of an instruction; columns are None before Python 3.11."""
    known = _tables.get(id(code))  # the hash of a code object goes through all of it
    table = None if known is None else known[1]
    if table is None:
        if COLUMNS:
            table = [(line, start, last, end) for line, last, start, end in code.co_positions()]
        else:
            table = _line_table(code)
        _tables[id(code)] = code, table
    index = lasti // 2
    found = table[index] if 0 <= index < len(table) else None
    return None if found is None or found[0] is None else found


def _line_table(code):
    table, line = [], code.co_firstlineno
    starts = dict(dis.findlinestarts(code))
    for offset in range(0, len(code.co_code), 2):
        line = starts.get(offset, line)
        table.append((line, None, line, None))
    return table


def forget_positions() -> None:
    _tables.clear()
