"""Assignment: to names, items, attributes, and by unpacking."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import libcst as cst

from . import config_flags as config
from . import asking, items, operators, scopes
from . import values as v
from .events import AttributeStore, ItemStore, Iterate, NameAugment, NameBind, OuterWrite
from .interpreter import Machine
from .state import join_names
from .values import MISSING, Value

OPERATORS = {
    cst.AddAssign: "+", cst.SubtractAssign: "-", cst.MultiplyAssign: "*", cst.MatrixMultiplyAssign: "@",
    cst.DivideAssign: "/", cst.FloorDivideAssign: "//", cst.ModuloAssign: "%", cst.PowerAssign: "**",
    cst.LeftShiftAssign: "<<", cst.RightShiftAssign: ">>", cst.BitAndAssign: "&", cst.BitOrAssign: "|",
    cst.BitXorAssign: "^",
}


def scope_kind(m: Machine, name: str) -> str:
    """Which scope an assignment to the name goes to: module, global, nonlocal, function, class."""
    if m.scope is None:
        return "module"
    if name in m.scope.globals:
        return "global"
    if name in m.scope.nonlocals:
        return "nonlocal"
    return m.scope.kind


def assign_target(m: Machine, target: Any, value: Value, value_node: Any, statement: Any, how: str = "assign") -> None:
    """Store a value in any assignment target."""
    if isinstance(target, cst.Name):
        assign_name(m, target, value, value_node, how)
    elif isinstance(target, (cst.Tuple, cst.List)):
        unpack(m, target, value, value_node, statement, how)
    elif isinstance(target, cst.Subscript):
        store_item(m, target, value, value_node, statement, None)
    elif isinstance(target, cst.Attribute):
        store_attribute(m, target, value, value_node, None)
    elif isinstance(target, cst.StarredElement):
        assign_target(m, target.value, value, value_node, statement, how)


def assign_name(m: Machine, target: cst.Name, value: Value, value_node: Any, how: str) -> None:
    name = target.value
    kind = scope_kind(m, name)
    frame = m.ctx.tracing_frame
    if kind in ("global", "nonlocal") and frame is not None and _is_outer(m, name, kind, frame.number):
        m.emit(OuterWrite, target, how=kind, name=name, value=value)
    if value.ident is not None and value.must_be(v.JAX):
        note_alias(m, name, value, value_node, how)
    if how == "assign":
        value = asking.kept(m, value, value_node)
    m.assign(name, value)
    m.emit(NameBind, target, name=name, value=value, scope=kind, how=how, value_node=value_node)


def _is_outer(m: Machine, name: str, kind: str, number: int) -> bool:
    if kind == "global":
        return True
    owner = m.scope.parent
    while owner is not None and name not in owner.names:
        owner = owner.parent
    return owner is not None and owner.number < number


def note_alias(m: Machine, name: str, value: Value, value_node: Any, how: str) -> None:
    """Remember under the array's identity which names and containers lead to it."""
    key = ("alias", value.ident)
    known: tuple[str, ...] = m.state.used.get(key) or ()
    if how == "for" and value_node is not None:
        known += tuple(f"container:{n}" for n in sorted(scopes.names_in(value_node)) if n not in ("zip", "enumerate"))
    elif isinstance(value_node, cst.Name):
        known += (value_node.value,)
    m.state.used.set(key, tuple(dict.fromkeys((*known, name))))


def unpack(m: Machine, target: Any, value: Value, value_node: Any, statement: Any, how: str) -> None:
    elements = target.elements
    m.emit(Iterate, value_node or target, value=value, form="unpack", body=statement, target=target)
    star = next((i for i, e in enumerate(elements) if isinstance(e, cst.StarredElement)), None)
    values = items.unpacked(m, value, len(elements), star)
    for element, part in zip(elements, values):
        assign_target(m, element.value, part, value_node, statement, how)


def store_item(m: Machine, target: cst.Subscript, value: Value, value_node: Any, statement: Any,
               operator: str | None) -> None:
    base = m.eval(target.value)
    index, index_node = items.index_of(m, target)
    event = m.emit(ItemStore, statement, target=target, base_node=target.value, index_node=index_node,
                   value_node=value_node, base=base, index=index, value=value, operator=operator)
    if event is not None and m.item_events:
        m.item_events[-1].append(event)
    frame = m.ctx.tracing_frame
    if frame is not None and m.is_older(base, frame):
        m.emit(OuterWrite, target, how="item", name=m.text(target.value), value=value, owner=base)
    write_item(m, base, index, value)
    if base.name == "os.environ":
        config.environment(m, index, value, statement)
    if base.must_be(v.TREE):
        pass
    elif base.must_be(v.NUMPY) and base.known:
        m.refine(target.value, base.but(const=MISSING))


def write_item(m: Machine, base: Value, index: Value, value: Value) -> None:
    """Change the heap object behind `base`."""
    record = m.record(base)
    if record is None:
        return
    if record.kind in ("dict", "object"):
        if index.known and items.hashable(index.const):
            m.store(base, replace(record, entries={**record.entries, index.const: value}))
        else:
            rest = join_names(record.rest, value) if not record.open or record.rest is not None else None
            entries = {key: v.join(old, value) for key, old in record.entries.items()}
            m.store(base, replace(record, entries=entries, open=True, rest=rest))
    elif record.kind == "list" and record.items is not None and index.known and isinstance(index.const, int) and (
            -len(record.items) <= index.const < len(record.items)):
        changed = list(record.items)
        changed[index.const] = value
        m.store(base, replace(record, items=tuple(changed)))
    elif record.kind == "list":
        if record.items is not None:
            m.store(base, replace(record, items=tuple(v.join(item, value) for item in record.items)))
        elif record.rest is not None:
            m.store(base, replace(record, rest=v.join(record.rest, value)))


def store_attribute(m: Machine, target: cst.Attribute, value: Value, value_node: Any, operator: str | None) -> None:
    base = m.eval(target.value)
    attr = target.attr.value
    m.emit(AttributeStore, target, base_node=target.value, base=base, attr=attr, value=value, value_node=value_node,
           operator=operator)
    frame = m.ctx.tracing_frame
    of_self = isinstance(target.value, cst.Name) and is_self(m, target.value.value)
    if frame is not None and (m.is_older(base, frame) or (of_self and m.record(base) is None)):
        m.emit(OuterWrite, target, how="attribute", name=m.text(target), value=value, owner=base, is_self=of_self)
    record = m.record(base)
    asking.attribute(m, attr, value_node)
    if base.name and base.may_be(v.MODULE):
        patched = m.state.used.get(("flag", "patched")) or ()
        m.state.used.set(("flag", "patched"), (*patched, f"{base.name}.{attr}"))
    if record is not None:
        m.store(base, replace(record, entries={**record.entries, attr: value}))
    elif base.ident is not None:
        key = ("version", base.ident)
        m.state.used.set(key, (m.state.used.get(key) or 0) + 1)
    config.attribute(m, target, base, attr, value)


def is_self(m: Machine, name: str) -> bool:
    """The name is the first parameter of the method being evaluated."""
    function = m.ctx.function
    return function is not None and function.cls is not None and function.positional[:1] == [name]


def augment(m: Machine, node: cst.AugAssign) -> None:
    operator = OPERATORS.get(type(node.operator), "?")
    target = node.target
    if isinstance(target, cst.Name):
        before = m.lookup(target.value, target)
        value = m.eval(node.value)
        result = augmented_value(m, operator, before, value, node)
        known = m.state.used.get(("alias", before.ident)) if before.ident is not None and before.must_be(v.JAX) else None
        aliases = tuple(a for a in known or () if a != target.value)
        function = m.ctx.function
        given = m.ctx.frames[-1].given.get(target.value) if function is not None else None
        m.emit(NameAugment, node, name=target.value, operator=operator, before=before, value=value, result=result,
               aliases=aliases, aliases_read_later=tuple(a for a in aliases if reads_later(m, a, node)),
               read_later=reads_later(m, target.value, node) or _read_in_loop(m, target.value, node),
               is_copy=bool(known) and known[0] != target.value, is_parameter=given is not None and given is before)
        assign_name(m, target, result, None, "augment")
    elif isinstance(target, cst.Subscript):
        base = m.eval(target.value)
        index, _ = items.index_of(m, target)
        old = items.item(m, base, index)
        value = m.eval(node.value)
        if not base.may_be(v.JAX | v.TREE):
            value_after = augmented_value(m, operator, old, value, node)
            store_item(m, target, value_after, node.value, node, operator)
        else:
            store_item(m, target, value, node.value, node, operator)
    elif isinstance(target, cst.Attribute):
        old = m.eval(target)
        value = m.eval(node.value)
        store_attribute(m, target, augmented_value(m, operator, old, value, node), node.value, operator)


def augmented_value(m: Machine, operator: str, before: Value, value: Value, node: Any) -> Value:
    """`before op= value`: lists grow in place, everything else is a new value."""
    record = m.record(before)
    if record is not None and record.kind == "list" and operator == "+" and before.must_be(v.SEQUENCE):
        frame = m.ctx.tracing_frame
        if m.is_older(before, frame):
            m.emit(OuterWrite, node, how="append", name=m.text(node.target), value=value, owner=before)
        added = m.parts(value)
        if record.items is not None and added:
            m.store(before, replace(record, items=(*record.items, *added)))
        else:
            m.store(before, replace(record, items=None, rest=v.join(record.element(), m.element(value))
                                    if record.items != () else m.element(value)))
        return before
    if before.must_be(v.NUMPY):
        out = operators.binary_values(m, operator, before, value)
        return out.but(ident=before.ident) if out.must_be(v.NUMPY) else out
    return operators.binary(m, node, operator, before, value, node.target, node.value)


def _read_in_loop(m: Machine, name: str, node: Any) -> bool:
    """An enclosing loop reads the name on its next turn."""
    loop = m.ctx.own_loop
    if loop is None or not isinstance(loop.node, (cst.For, cst.While)):
        return False
    if isinstance(loop.node, cst.For) and name in set(scopes.target_names(loop.node.target)):
        return False
    inside = {id(n) for _, _, n in scopes.occurrences(node)}
    return any(found == name and not stored and id(n) not in inside for found, stored, n in scopes.occurrences(loop.node))


def reads_later(m: Machine, name: str, node: Any) -> bool:
    """The name (of an alias) is read again before it is bound anew."""
    name = name.removeprefix("container:")
    function = m.ctx.function
    code = function.node if function is not None else m.place.statement and m.place.statement.module
    if code is not None:
        found = scopes.reads_next(code, node, name)
        if found is not None:
            return found
    return function is None and m.reader is not None and bool(m.reader.reads_next(m.place, name))


def delete(m: Machine, target: Any) -> None:
    if isinstance(target, cst.Name):
        if m.scope is None:
            m.state.names.set(target.value, None)
        else:
            m.scope.names.pop(target.value, None)
    elif isinstance(target, (cst.Tuple, cst.List)):
        for element in target.elements:
            delete(m, element.value)
    elif isinstance(target, cst.Subscript):
        base = m.eval(target.value)
        record = m.record(base)
        if record is not None:
            m.store(base, record.unknown())
