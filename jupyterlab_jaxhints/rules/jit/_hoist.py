"""What the fixes of this folder share: code that a loop makes anew on every turn, moved above it."""
from __future__ import annotations

import re
from typing import Any

import libcst as cst

from ...engine import scopes
from ...engine.textedits import EditRefused

_COMPREHENSIONS = (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)
_FUNCTIONS = (cst.FunctionDef, cst.Lambda)


def place_above(edit: Any, node: Any, loop: Any) -> Any:
    """What the code has to come out of: the loop where it stands in one, else the outermost function around it."""
    for each in edit.path(node)[:-1]:
        if each is loop or isinstance(each, _FUNCTIONS):
            if each is loop or loop not in edit.path(node):
                return each
        elif isinstance(each, cst.ClassDef) and loop not in edit.path(node):
            raise EditRefused("a method's class is no place for it")
    raise EditRefused("the loop is not around this code")


def nested_functions(edit: Any, code: Any, above: Any) -> list[Any]:
    """The functions defined inside of `above` that the code needs; refuses other names that are bound there."""
    local, found, todo = bound(above), [], [code]
    while todo:
        each = todo.pop()
        for name in sorted(free(each) & local):
            made = [n for n in _defined(above, name)]
            if len(made) != 1 or _stores(above, name) != 1:
                raise EditRefused(f"`{name}` is made on each turn")
            if made[0] is not each and made[0] not in found:
                found.append(made[0])
                todo.append(made[0])
    return sorted(found, key=lambda n: edit.statement.span(n)[0])


def move_functions(edit: Any, functions: list[Any], above: Any) -> tuple[list[str], list]:
    """The definitions as text for above the loop, and the edits that take them out of it."""
    texts, edits = [], []
    for function in functions:
        name = function.name.value
        if _uses(edit, name) != len(re.findall(rf"\b{name}\b", edit.text(above))):
            raise EditRefused(f"`{name}` is also the name of something else")
        lines = [edit.text(decorator) for decorator in function.decorators] + [edit.text(function)]
        texts.append(_dedented("\n".join(lines), edit.indent(function)))
        edits.append(_taken_out(edit, function))
    return texts, edits


def move_expression(edit: Any, node: Any, above: Any, *names: str) -> tuple[str, list]:
    """The assignment for above the loop, and the edits that read its name instead; the statement as it is where
    it already binds a name of its own."""
    statement = edit.path(node)[-2]
    target = statement.targets[0].target if isinstance(statement, cst.Assign) and len(statement.targets) == 1 else None
    if isinstance(target, cst.Name) and statement.value is node and _stores(above, target.value) == 1 and (
            _uses(edit, target.value) == len(re.findall(rf"\b{target.value}\b", edit.text(above)))):
        return edit.text(statement), [edit.delete(statement)]
    name = unused_name(edit, *names)
    return f"{name} = {edit.value(node)}", [edit.replace(node, name)]


def definition(edit: Any, node: Any, name: str, above: Any) -> str:
    """A lambda as a `def`."""
    whole, value = edit.text(node), edit.text(node.body, parens=True)
    if "\n" in whole or not whole.endswith(value):
        raise EditRefused("the lambda spans lines")
    parameters = whole[len("lambda"):-len(value)].rstrip().removesuffix(":").strip()
    return f"def {name}({parameters}):\n{_unit(edit, above)}return {value}"


def inserted(edit: Any, above: Any, texts: list[str]) -> Any:
    """The code on lines above the loop or function; a blank line behind definitions that stand before one."""
    blank = "\n" if isinstance(above, cst.FunctionDef) else ""
    return edit.insert_before_statement(above, f"\n{blank}".join(texts) + blank)


def unused_name(edit: Any, *candidates: str) -> str:
    """The first of the names that no cell uses yet."""
    for name in candidates:
        if name.isidentifier() and not _uses(edit, name):
            return name
    raise EditRefused("the names at hand are taken")


def known_above(edit: Any, code: Any, above: Any) -> bool:
    """What the code reads at once, not only when it is called, is bound before the place it goes to."""
    if not isinstance(above, cst.FunctionDef):
        return True
    start = edit.piece.source_offset(edit.statement.span(above)[0])
    texts = []
    for cell in edit.cells:
        if cell.id == edit.site.cell:
            texts.append(cell.masked.source[:start])
            break
        texts.append(cell.masked.source)
    before = "\n".join(texts)
    return all(_binds(before, name) for name in _read_at_once(code))


def _taken_out(edit: Any, function: Any) -> Any:
    """The definition's removal, with the blank lines that set it off from what follows."""
    body = list(edit.path(function)[-2].body)
    place = next(index for index, each in enumerate(body) if each is function)
    behind = body[place + 1] if place + 1 < len(body) else None
    if behind is None or any(line.comment is not None for line in behind.leading_lines):
        return edit.delete(function)
    return edit.delete_up_to(function, behind)


def _unit(edit: Any, above: Any) -> str:
    """One step of indentation, as the loop's or function's own body has it."""
    body = getattr(above, "body", None)
    if isinstance(body, cst.IndentedBlock):
        return edit.indent(body.body[0]).removeprefix(edit.indent(above))
    return "    "


def _binds(text: str, name: str) -> bool:
    forms = rf"(?:def|class)[ \t]+{name}\b|{name}[ \t]*=[^=]|(?:import|from)\b.*\b{name}\b"
    return bool(re.search(rf"^[ \t]*(?:{forms})", text, re.MULTILINE))


def _read_at_once(code: Any) -> set[str]:
    if isinstance(code, cst.Lambda):
        return set()
    if isinstance(code, cst.FunctionDef):
        return {name for decorator in code.decorators for name in _read_at_once(decorator.decorator)}
    if isinstance(code, cst.Name):
        return {code.value}
    if isinstance(code, cst.Attribute):
        return _read_at_once(code.value)
    if isinstance(code, cst.Arg):
        return _read_at_once(code.value)
    return {name for child in scopes.children(code) for name in _read_at_once(child)}


def free(code: Any) -> set[str]:
    """Names that the code reads and does not bind itself."""
    names = set(scopes.names_in(code))
    if isinstance(code, _FUNCTIONS):
        params = code.params
        own = [*params.posonly_params, *params.params, *params.kwonly_params]
        own += [p for p in (params.star_arg, params.star_kwarg) if isinstance(p, cst.Param)]
        bound = {p.name.value for p in own} | set(scopes.bound_names(code))
        if isinstance(code, cst.FunctionDef):
            bound.add(code.name.value)
        return names - bound
    lambdas = [n for n in _inside(code) if isinstance(n, cst.Lambda)]
    inner = {p.name.value for n in lambdas for p in (*n.params.posonly_params, *n.params.params, *n.params.kwonly_params)}
    return names - (inner - {name for n in lambdas for name in free(n)})


def _inside(code: Any) -> list[Any]:
    found, todo = [], [code]
    while todo:
        node = todo.pop()
        found.append(node)
        todo += scopes.children(node)
    return found


def bound(above: Any) -> set[str]:
    """Names that a loop or function binds on each turn."""
    names = {name for name, stored, _ in scopes.occurrences(above) if stored}
    if isinstance(above, _FUNCTIONS):
        params = above.params
        own = [*params.posonly_params, *params.params, *params.kwonly_params]
        own += [p for p in (params.star_arg, params.star_kwarg) if isinstance(p, cst.Param)]
        names |= {p.name.value for p in own} | set(scopes.bound_names(above))
        return names
    if isinstance(above, _COMPREHENSIONS):
        return names
    for each in _inside(above):
        if isinstance(each, (cst.FunctionDef, cst.ClassDef)):
            names.add(each.name.value)
        elif isinstance(each, cst.NamedExpr):
            names.add(each.target.value)
        elif isinstance(each, cst.AsName):
            names |= set(scopes.target_names(each.name))
    return names


def _defined(above: Any, name: str) -> list[Any]:
    body = getattr(above, "body", None)
    lines = body.body if isinstance(body, cst.IndentedBlock) else ()
    return [line for line in lines if isinstance(line, cst.FunctionDef) and line.name.value == name]


def _stores(above: Any, name: str) -> int:
    """How often the name is bound in there, definitions included."""
    nodes = _inside(above)
    defined = sum(isinstance(n, (cst.FunctionDef, cst.ClassDef)) and n.name.value == name for n in nodes if n is not above)
    params = sum(isinstance(n, cst.Param) and n.name.value == name for n in nodes)
    assigned = [n for n in nodes if isinstance(n, (cst.Assign, cst.AugAssign, cst.AnnAssign, cst.For, cst.CompFor))]
    return defined + params + sum(name in _assigned(n) for n in assigned)


def _assigned(node: Any) -> set[str]:
    targets = [t.target for t in node.targets] if isinstance(node, cst.Assign) else [node.target]
    return {name for target in targets for name in scopes.target_names(target)}


def _uses(edit: Any, name: str) -> int:
    return sum(len(re.findall(rf"\b{name}\b", cell.masked.text)) for cell in edit.cells)


def _dedented(text: str, indent: str) -> str:
    if '"""' in text or "'''" in text or "\\\n" in text:
        raise EditRefused("a string or a line goes on over several lines")
    first, *rest = text.split("\n")
    return "\n".join([first, *(line.removeprefix(indent) for line in rest)])
