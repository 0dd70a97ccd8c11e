"""Whether a run went through lines of a cell: what was not traced is not called traced."""
from __future__ import annotations

import ast

MOST_LINES = 60


def covered(run, edited) -> bool:
    """`edited` holds by cell the first and last lines of its edits, from 0."""
    hits, entered = places_hit(run)
    for cell, spans in edited.items():
        opened = run.book.open(cell)
        if opened is None:
            return False
        for first, last in spans:
            for line in range(first + 1, min(last, first + MOST_LINES) + 2):
                if not line_ran(run, cell, opened[1], line, hits, entered):
                    return False
    return True


def places_hit(run):
    """(cell, first line, last line) of what ran, and (cell, line, column) of the functions that were entered."""
    records = run.records
    numbers = {*records.clean, *(number for number, _ in records.hints), *records.through}
    hits = set()
    for place in map(records.place_of, numbers):
        if place is not None and not isinstance(place[1].node_at(place[2]), (ast.FunctionDef, ast.Lambda)):
            hits.add((place[0], place[2][0], place[2][2]))
    hits.update((cell, span[0], span[2]) for (cell, span), state in records.statements.items() if state[2] == "traced")
    entered = {(place[0],) + tuple(place[2][:2]) for place in map(records.place_of, run.hooks.entries) if place is not None}
    return hits, entered


def line_ran(run, cell, source, line, hits, entered) -> bool:
    function, block, statement = around(source.tree, line)
    if function is not None and (cell, function.lineno, function.col_offset) not in entered:
        return False
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.Lambda) and node.lineno <= line <= node.end_lineno:
            if (cell, node.lineno, node.col_offset) not in entered:
                return False
    if block is not None:
        first, last = top(block[0]), block[-1].end_lineno
        return any(c == cell and first <= start and end <= last and end >= line for c, start, end in hits)
    if statement is None or function is not None:
        return True
    state = run.records.statements.get((cell, (statement.lineno, statement.col_offset, statement.end_lineno,
                                               statement.end_col_offset)))
    return state is not None and state[2] == "traced"


def around(tree, line):
    """The innermost function around a line, the innermost block of statements in it, and the statement there.

    Without a block the line belongs to the head of the function, or stands at the top level of the cell."""
    function, block, body = None, None, tree.body
    while True:
        node = next((n for n in body if top(n) <= line <= n.end_lineno), None)
        if node is None:
            return function, block, None
        inner = next((b for b in blocks(node) if top(b[0]) <= line <= b[-1].end_lineno), None)
        if isinstance(node, ast.FunctionDef):
            function, block = node, inner
        elif inner is None:
            return function, block, node
        elif not isinstance(node, ast.ClassDef):
            block = inner
        if inner is None:
            return function, block, None
        body = inner


def blocks(node):
    """The lists of statements in a compound statement."""
    for owner in (node, *getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        for field in ("body", "orelse", "finalbody"):
            part = getattr(owner, field, None)
            if isinstance(part, list) and part and isinstance(part[0], ast.stmt):
                yield part


def top(node):
    """The first line of a statement, its decorators included."""
    return min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", ())])
