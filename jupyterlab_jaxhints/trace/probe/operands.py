"""The types of the operands where a cell's code failed, read from the frame: nothing is evaluated."""
from __future__ import annotations

import ast

from .describe import describe

MOST = 3  # operands that a sentence can name


def operand_types(frame):
    """The operands' types in the order of the code; empty where one of them is no plain name."""
    _, source, span = frame.place
    node = source.node_at(span)
    if isinstance(node, ast.BinOp):
        operands = [node.left, node.right]
    elif isinstance(node, ast.Call) and not node.keywords:
        operands = node.args
    else:
        return []
    types = [_type_of(operand, frame.frame) for operand in operands[:MOST + 1]]
    return types if 0 < len(types) <= MOST and None not in types else []


def _type_of(node, frame):
    if not isinstance(node, ast.Name):
        return None
    value = frame.f_locals.get(node.id)
    if value is None:
        value = dict.get(frame.f_globals, node.id)
    return describe(value) if hasattr(value, "shape") and hasattr(value, "dtype") else None
