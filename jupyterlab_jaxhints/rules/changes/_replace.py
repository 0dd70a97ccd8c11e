"""How a removed name is written anew: names, imports, calls by template, keywords."""
from __future__ import annotations

import re
from typing import Any

import libcst as cst

from ...engine.edits import Site
from ...engine.imports import dotted
from ...engine.scopes import children, occurrences
from ...engine.statements import parse_piece
from ...engine.textedits import EditRefused, combine
from ...knowledge import removed

ALIASES = {"jax.numpy": "jnp", "numpy": "np"}
# `import jax` alone does not bring these
BEHIND_AN_IMPORT = ("extend", "experimental", "example_libraries", "scipy")
MODULES = ("jax.extend.backend", "jax.extend.linear_util", "jax.extend.random", "jax.example_libraries.stax",
           "jax.example_libraries.optimizers", "jax.experimental.array_serialization", "jax.interpreters.xla")

# what takes their place is called in another way, so that the new name alone would raise or give another result
CALLED_OTHERWISE = frozenset({
    "jax.experimental.host_callback.id_print", "jax.experimental.host_callback.call", "jax.lax.infeed", "jax.lax.outfeed",
    "jax.experimental.maps.xmap", "jax.scipy.special.sph_harm", "jax.dlpack.SUPPORTED_DTYPES", "jax.curry",
    "jax.sharding.PmapSharding", "jax.sharding.OpShardingSharding", "jax.interpreters.xla.translations",
    "jax.interpreters.xla.backend_specific_translations", "jax.interpreters.pxla.thread_resources",
})


def removed_prefix(name: str, jax: str | None) -> removed.Removed | None:
    """The row of a removed module that the name lies in."""
    parts = name.split(".")
    for length in range(len(parts) - 1, 1, -1):
        row = removed.name(".".join(parts[:length]))
        if row is not None and row.kind == "module" and row.status(jax) == "removed":
            return row
    return None


def spelled(edit: Any, qualified: str) -> tuple[str, list]:
    """A qualified name as the notebook spells it, and the import it may need."""
    parts = qualified.split(".")
    module = ".".join(parts[:2]) if ".".join(parts[:2]) in ALIASES else parts[0]
    if parts[0] == "jax" and len(parts) > 2 and parts[1] in BEHIND_AN_IMPORT:
        module = qualified if qualified in MODULES else qualified.rpartition(".")[0]
    local, edits = edit.import_needed(module, alias=ALIASES.get(module))
    rest = qualified[len(module):]
    return local + rest, edits


def name_edits(edit: Any, node: Any, name: str, row: removed.Removed) -> list:
    """Another dotted name in place of one, or of its removed beginning."""
    new = row.replacement.name
    if new is None or new.startswith("optax") or row.name in CALLED_OTHERWISE:
        return []
    if isinstance(node, cst.Name):
        raise EditRefused("a bare name: where it came from has to change")
    for _ in range(name.count(".") - row.name.count(".")):
        node = node.value
    text, edits = spelled(edit, new)
    if any(isinstance(n, cst.Call) and "index_" in edit.text(n.func) for n in edit.path(node)[:-1]):
        raise EditRefused("inside of a call that is written anew")
    return [edit.replace(node, text), *edits]


# --- imports ---------------------------------------------------------------------------------------------------------


def import_edits(edit: Any, alias: Any, jax: str | None) -> list:
    """The whole import statement anew, with every removed name of it in its new place."""
    path = edit.path(alias)
    statement = next(n for n in reversed(path) if isinstance(n, (cst.Import, cst.ImportFrom)))
    lines = _import_lines(statement, jax) if isinstance(statement, cst.ImportFrom) else _plain_lines(statement, jax)
    if lines is None:
        return []
    line = path[path.index(statement) - 1]
    glue = "; " if isinstance(line, cst.SimpleStatementLine) and len(line.body) > 1 else "\n" + edit.indent(statement)
    return [edit.replace(statement, glue.join(lines))]


def _alias_text(alias: Any, name: str) -> str:
    asname = alias.asname.name.value if alias.asname is not None else None
    old = alias.name.value if isinstance(alias.name, cst.Name) else dotted(alias.name)
    bound = asname or old
    last = name.rpartition(".")[2]
    return last if last == bound else f"{last} as {bound}"


def _import_lines(statement: cst.ImportFrom, jax: str | None) -> list[str] | None:
    module = dotted(statement.module)
    kept: list[str] = []
    moved: dict[str, list[str]] = {}
    for alias in statement.names:
        qualified = f"{module}.{alias.name.value}"
        row = removed.name(qualified)
        if row is None or row.status(jax) != "removed":
            row = removed_prefix(qualified, jax)
        if row is None:
            text = alias.name.value + (f" as {alias.asname.name.value}" if alias.asname is not None else "")
            kept.append(text)
            continue
        new = row.replacement
        if new is None or row.name in CALLED_OTHERWISE or new.name is None or "." not in new.name and not new.name == "jax":
            return None
        name = new.name + qualified[len(row.name):]
        parent = name.rpartition(".")[0]
        moved.setdefault(parent, []).append(_alias_text(alias, name))
    lines = [f"from {module} import {', '.join(kept)}"] if kept else []
    return [*lines, *(f"from {parent} import {', '.join(names)}" for parent, names in moved.items())]


def _plain_lines(statement: cst.Import, jax: str | None) -> list[str] | None:
    out = []
    for alias in statement.names:
        qualified = dotted(alias.name)
        row = removed.importing(qualified)
        asname = f" as {alias.asname.name.value}" if alias.asname is not None else ""
        if row is None or row.status(jax) != "removed":
            row = removed_prefix(qualified, jax)
        if row is None:
            out.append(f"import {qualified}{asname}")
        elif row.kind == "import":
            out.append("import jax" if not asname else f"from jax import config{asname}")
        elif row.replacement is not None and row.replacement.name is not None and asname:
            out.append(f"import {row.replacement.name}{qualified[len(row.name):]}{asname}")
        else:
            return None
    return list(dict.fromkeys(out))


def imported_call_edits(edit: Any, alias: Any, new: removed.Replacement) -> list:
    """The import taken away, and each call of the name in the notebook by the template."""
    bound = alias.asname.name.value if alias.asname is not None else alias.name.value
    path = edit.path(alias)
    statement = next(n for n in reversed(path) if isinstance(n, cst.ImportFrom))
    if isinstance(statement.names, (list, tuple)) and len(statement.names) > 1:
        edits = [edit.delete(alias)]
    else:
        edits = [edit.delete(statement)]
    for code in edit.cells:
        for piece in code.pieces:
            parsed = parse_piece(piece)
            if parsed is None or bound not in piece.text:
                continue
            there = edit.at(Site(code.id, piece, parsed))
            edits += _uses(there, parsed.module, bound, statement, new)
    return combine(*[[e] for e in edits])


def _uses(there: Any, tree: Any, bound: str, statement: Any, new: removed.Replacement) -> list:
    edits: list = []
    calls = [n for n in _walk(tree) if isinstance(n, cst.Call) and isinstance(n.func, cst.Name) and n.func.value == bound]
    named = [n for n, _, node in occurrences(tree) if n == bound]
    imports = sum(n is statement for n in _walk(tree))
    if len(named) - imports > len(calls):
        raise EditRefused("the name is used other than by calling it")
    for call in calls:
        edits += call_edits(there, call, new)
    return edits


def _walk(node: Any) -> Any:
    yield node
    for child in children(node):
        yield from _walk(child)


# --- calls -------------------------------------------------------------------------------------------------------------


def call_edits(edit: Any, node: Any, new: removed.Replacement) -> list:
    """The call (or, without parameters, the name) by its template."""
    call = node
    if not isinstance(node, cst.Call) and new.parameters is not None:
        parent = edit.path(node)[-2]
        if not (isinstance(parent, cst.Call) and parent.func is node):
            return []
        call = parent
    if new.template is None:
        if new.name is None or not isinstance(node, cst.Call):
            return []
        text, edits = spelled(edit, new.name)
        return [edit.replace(node.func, text), *edits]
    values = _arguments(edit, call, new.parameters) if isinstance(call, cst.Call) and new.parameters is not None else {}
    owner = call.func if isinstance(call, cst.Call) else call
    if isinstance(owner, cst.Attribute):
        values["self"] = edit.operand(owner.value)
    extra: list = []
    target = call

    def fill(match: re.Match) -> str:
        key = match[1]
        name, _, default = key.partition("=")
        if name in values:
            return values[name]
        if default:
            return default
        if "." in name:
            text, edits = spelled(edit, name)
            extra.extend(edits)
            return text
        raise EditRefused(f"no argument for {name}")

    return [edit.replace(target, re.sub(r"\{([^{}]+)\}", fill, new.template)), *extra]


def _arguments(edit: Any, call: cst.Call, parameters: tuple[str, ...]) -> dict[str, str]:
    values: dict[str, str] = {}
    names = [name for name in parameters if not name.startswith("*")]
    rest: list[str] = []
    for place, argument in enumerate(call.args):
        text = _index_text(edit, argument.value)
        if argument.star:
            raise EditRefused("a star argument")
        if argument.keyword is not None:
            values[argument.keyword.value] = text
        elif place < len(names):
            values[names[place]] = text if names[place] not in ("x", "self") else edit.operand(argument.value)
        else:
            rest.append(text)
    values["*args"] = ", ".join(rest)
    if set(values) - {"*args"} - set(names):
        raise EditRefused("an argument that the new form does not take")
    return values


def _index_text(edit: Any, node: Any) -> str:
    """`jax.ops.index[1, :]` as the index it stands for, any other argument as it is written."""
    if isinstance(node, cst.Subscript) and edit.text(node.value).endswith(("ops.index", "index_exp")):
        whole = edit.text(node)
        return whole[len(edit.text(node.value)):].strip()[1:-1].strip()
    return edit.argument(node)


def keyword_edits(edit: Any, argument: Any, call: cst.Call, new: removed.Replacement) -> list:
    """A keyword by its new name, by position, or left out."""
    if new.positional:
        place = list(call.args).index(argument)
        if any(a.keyword is not None for a in call.args[:place]):
            return []
        return [edit.replace(argument, edit.argument(argument.value))]
    if new.keyword is None:
        return [edit.delete(argument)]
    value = edit.argument(argument.value)
    if new.values is not None:
        if value.replace('"', "'") not in new.values:
            return []
        value = new.values[value.replace('"', "'")]
    return [edit.replace(argument, f"{new.keyword}={value}")]
