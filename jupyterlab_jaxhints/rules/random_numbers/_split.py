"""What the fixes of random numbers share: a split in front of a use, and names for new keys."""
from __future__ import annotations

import re
from typing import Any

import libcst as cst

from ...engine import scopes
from ...engine.textedits import EditRefused


_REPEATING = (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp, cst.Lambda)


def new_name(edit: Any, *candidates: str) -> str:
    """The first of the names that no cell uses yet."""
    text = "\n".join(cell.masked.text for cell in edit.cells)
    for name in candidates:
        if not re.search(rf"\b{name}\b", text):
            return name
    return candidates[0]


def splitter(edit: Any) -> tuple[str, list]:
    """How the code calls `jax.random.split`, and the import that this needs."""
    module, edits = edit.import_needed("jax.random")
    return f"{module}.split", edits


def is_statement(edit: Any, call: Any) -> bool:
    """The call is a statement: nothing gets what it gives."""
    return isinstance(edit.path(call)[-2], cst.Expr)


def is_own_name(edit: Any, node: Any) -> bool:
    """A plain name that may be bound again where it stands."""
    if not isinstance(node, cst.Name):
        return False
    function = next((n for n in reversed(edit.path(node)[:-1]) if isinstance(n, (cst.FunctionDef, cst.Lambda))), None)
    if isinstance(function, cst.Lambda):
        return False
    if function is None:
        return True
    params = function.params
    own = {p.name.value for p in (*params.posonly_params, *params.params, *params.kwonly_params)}
    return node.value in own | scopes.bound_names(function)


def split_before(edit: Any, node: Any, subkey: str, split: str, writable: bool = False) -> list:
    """`key, subkey = split(key)` above the statement, and the new key in place of the old one.

    `writable`: the key stands in an item or attribute that takes another one.
    """
    if not writable and not is_own_name(edit, node):
        raise EditRefused("the key has no name that can be bound again")
    key, path = edit.text(node), edit.path(node)
    if any(isinstance(n, _REPEATING) for n in path) or any(
            isinstance(n, cst.While) and below is n.test for n, below in zip(path, path[1:])):
        raise EditRefused("the statement draws more than once")
    return [edit.insert_before_statement(node, f"{key}, {subkey} = {split}({key})"), edit.replace(node, subkey)]


def zip_keys(edit: Any, node: Any, split: str) -> list:
    """A comprehension that goes through as many keys as it has turns."""
    found = [n for n in edit.path(node) if isinstance(n, (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp))]
    clause = found[-1].for_in if found else None
    if not isinstance(node, cst.Name) or clause is None or clause.inner_for_in is not None or clause.ifs:
        raise EditRefused("not a plain comprehension")
    target, many = clause.target, edit.argument(clause.iter)
    subkey = new_name(edit, "subkey", "draw_key", "subkey_")
    if isinstance(clause.iter, cst.Call) and isinstance(clause.iter.func, cst.Name) and clause.iter.func.value == "range" and len(
            clause.iter.args) == 1:
        count = edit.text(clause.iter.args[0].value)
        if not {edit.text(target)} & (scopes.names_in(found[-1].elt) if hasattr(found[-1], "elt") else {edit.text(target)}):
            return [edit.replace(node, subkey), edit.replace(target, subkey),
                    edit.replace(clause.iter, f"{split}({node.value}, {count})")]
    elif not isinstance(clause.iter, (cst.Name, cst.Attribute, cst.List, cst.Tuple)):
        raise EditRefused("how many turns there are is not plain")
    else:
        count = f"len({many})"
    inner = f"({edit.text(target)})" if isinstance(target, cst.Tuple) else edit.text(target)
    return [edit.replace(node, subkey), edit.replace(target, f"{subkey}, {inner}", parens=True),
            edit.replace(clause.iter, f"zip({split}({node.value}, {count}), {many})", parens=True)]


def one_more(edit: Any, call: Any, key: str) -> list:
    """`a, b = split(key)` → `a, b, key = split(key, 3)`: the key is a new one afterwards."""
    statement = next((n for n in edit.path(call) if isinstance(n, cst.Assign)), None)
    if statement is None or statement.value is not call or len(statement.targets) != 1:
        raise EditRefused("the split is not unpacked")
    target = statement.targets[0].target
    names = [e.value for e in target.elements if isinstance(e, cst.Element)] if isinstance(target, cst.Tuple) else []
    plain = [arg for arg in call.args if arg.keyword is None and not arg.star]
    if not names or len(names) != len(target.elements) or not all(isinstance(n, cst.Name) and n.value != key for n in names):
        raise EditRefused("the split is not unpacked into names")
    edits = [edit.insert_after(names[-1], f", {key}")]
    if len(plain) == 1 and len(call.args) == 1 and len(names) == 2:
        return [*edits, edit.insert_after(plain[0].value, ", 3")]
    number = plain[1].value if len(plain) == 2 == len(call.args) else None
    if isinstance(number, cst.Integer) and int(number.value) == len(names):
        return [*edits, edit.replace(number, str(len(names) + 1))]
    raise EditRefused("the number of keys is not plain")
