"""What the fixes of control flow share: branches and loop bodies as expressions."""
from __future__ import annotations

from typing import Any

import libcst as cst

from ...engine.scopes import names_in, occurrences, target_names
from ...engine.stores import OPERATORS
from ...engine.textedits import EditRefused


def simple_statements(body: Any) -> list[Any]:
    """The statements of a block without blocks in it; refuses others."""
    out: list[Any] = []
    for line in body.body:
        if isinstance(line, cst.SimpleStatementLine):
            out += line.body
        elif isinstance(line, cst.BaseSmallStatement):
            out.append(line)
        else:
            raise EditRefused("the block holds another block")
    return [statement for statement in out if not isinstance(statement, cst.Pass)]


def assigned(edit: Any, statement: Any) -> tuple[str, str]:
    """`name = expression` of a statement as (name, expression); refuses everything else."""
    if isinstance(statement, cst.Assign) and len(statement.targets) == 1:
        target = statement.targets[0].target
        if isinstance(target, cst.Name):
            return target.value, edit.argument(statement.value)
    elif isinstance(statement, cst.AugAssign) and isinstance(statement.target, cst.Name):
        operator = OPERATORS.get(type(statement.operator))
        if operator is not None:
            return statement.target.value, f"{statement.target.value} {operator} {edit.operand(statement.value)}"
    raise EditRefused("the block does more than bind names")


def unpacked(edit: Any, statement: Any) -> dict[str, str]:
    """`a, b = x, y` as name → expression; empty for other statements."""
    target = statement.targets[0].target if isinstance(statement, cst.Assign) and len(statement.targets) == 1 else None
    if not isinstance(target, cst.Tuple) or not isinstance(statement.value, cst.Tuple):
        return {}
    pairs = list(zip(target.elements, statement.value.elements))
    plain = all(isinstance(a, cst.Element) and isinstance(b, cst.Element) and isinstance(a.value, cst.Name) for a, b in pairs)
    if not plain or len(target.elements) != len(statement.value.elements):
        return {}
    return {a.value.value: edit.argument(b.value) for a, b in pairs}


def assignments(edit: Any, body: Any) -> dict[str, str]:
    """A block of assignments as name → expression; refuses one that reads what it has bound."""
    out: dict[str, str] = {}
    for statement in simple_statements(body):
        bound = unpacked(edit, statement) or dict([assigned(edit, statement)])
        if names_in(statement.value) & set(out) or set(bound) & set(out):
            raise EditRefused("an assignment reads one before it")
        out |= bound
    if not out:
        raise EditRefused("the block is empty")
    return out


def body_lines(edit: Any, body: Any) -> list[str]:
    """The lines of a block of simple statements, without indentation."""
    lines = []
    for statement in simple_statements(body):
        if not isinstance(statement, (cst.Assign, cst.AugAssign, cst.AnnAssign, cst.Expr)):
            raise EditRefused("the loop is left or returns from within")
        text = edit.text(statement)
        if "\n" in text:
            raise EditRefused("a statement spans lines")
        lines.append(text)
    if not lines:
        raise EditRefused("the loop is empty")
    return lines


def carried(edit: Any, loop: Any, besides: frozenset[str] = frozenset()) -> list[str]:
    """Names that the loop's turns hand on: bound in the body, and there before it. Refuses what is only known inside."""
    bound: list[str] = []
    for statement in simple_statements(loop.body):
        targets = [t.target for t in statement.targets] if isinstance(statement, cst.Assign) else (
            [statement.target] if isinstance(statement, (cst.AugAssign, cst.AnnAssign)) else [])
        for target in targets:
            if not isinstance(target, (cst.Name, cst.Tuple, cst.List)):
                raise EditRefused("an item or attribute is assigned in the loop")
            bound += [name for name in target_names(target) if name not in bound]
    known = names_before(edit, loop)
    out = [name for name in bound if name in known and name not in besides]
    fresh = set(bound) - set(out)
    if not out or fresh & names_behind(edit, loop):
        raise EditRefused("a name that the loop makes is used behind it")
    return out


def _function(edit: Any, node: Any) -> Any:
    return next((n for n in reversed(edit.path(node)[:-1]) if isinstance(n, (cst.FunctionDef, cst.Lambda))), None)


def names_before(edit: Any, node: Any) -> set[str]:
    """Names that the enclosing function has bound before a statement."""
    function = _function(edit, node)
    if not isinstance(function, cst.FunctionDef):
        raise EditRefused("not in a function")
    inside = {id(n) for _, _, n in occurrences(node)}
    params = function.params
    out = {p.name.value for p in (*params.posonly_params, *params.params, *params.kwonly_params)}
    for name, stored, found in occurrences(function.body):
        if id(found) in inside:
            break
        if stored:
            out.add(name)
    return out


def names_behind(edit: Any, node: Any) -> set[str]:
    """Names that the enclosing function reads behind a statement."""
    function = _function(edit, node)
    inside = {id(n) for _, _, n in occurrences(node)}
    seen, out = False, set()
    for name, stored, found in occurrences(function.body):
        if id(found) in inside:
            seen = True
        elif seen and not stored:
            out.add(name)
    return out


def is_tuple(node: Any) -> bool:
    """The expression is a tuple, list, dict or None: no array that `jnp.where` could choose."""
    return isinstance(node, (cst.Tuple, cst.List, cst.Dict, cst.SimpleString, cst.FormattedString)) or (
        isinstance(node, cst.Name) and node.value == "None")


def joined(lines: list[str], indent: str) -> str:
    """Lines as a block that begins at `indent`; deeper lines follow the user's tabs or spaces."""
    unit = "\t" if "\t" in indent else "    "
    out = []
    for line in lines:
        depth = (len(line) - len(line.lstrip(" "))) // 4
        out.append(unit * depth + line.lstrip(" "))
    return f"\n{indent}".join(out)


def fori_loop(edit: Any, loop: Any, bounds: list[str]) -> list:
    """`for i in range(…)` as `lax.fori_loop`; refuses bodies that do more than bind names."""
    lower, upper = bounds[:2] if len(bounds) > 1 else ("0", bounds[0])
    index = loop.target.value
    names, lines = carried(edit, loop, frozenset({index})), body_lines(edit, loop.body)
    module, edits = edit.import_needed("jax")
    first = loop.body.body[0].body[0] if isinstance(loop.body.body[0], cst.SimpleStatementLine) else None
    if len(bounds) == 3:  # JAX's loops count by one
        upper = f"len(range({', '.join(bounds)}))"
        step = bounds[2] if bounds[2].isalnum() else f"({bounds[2]})"
        counted = f"turn_number * {step}" if lower == "0" else f"{lower} + turn_number * {step}"
        lines, index, lower = [f"{index} = {counted}", *lines], "turn_number", "0"
    if len(names) == 1 and len(lines) == 1 and isinstance(first, cst.Assign):
        name = names[0]
        text = (f"{name} = {module}.lax.fori_loop({lower}, {upper}, lambda {index}, {name}: "
                f"{edit.argument(first.value)}, {name})")
    else:
        state, one = ", ".join(names), len(names) == 1
        code = [f"def turn({index}, {names[0] if one else 'state'}):", *([] if one else [f"    {state} = state"]),
                *(f"    {line}" for line in lines), f"    return {state}",
                f"{state} = {module}.lax.fori_loop({lower}, {upper}, turn, {state if one else f'({state})'})"]
        text = joined(code, edit.indent(loop))
    return [edit.replace(loop, text), *edits]
