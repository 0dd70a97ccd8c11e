"""Expressions other than operators, containers and calls."""
from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import libcst as cst

from . import items, library, operators, stores, timing
from . import values as v
from .callables import At, Bound, Class
from .context import Context, Loop
from .events import AttributeLoad, Format, Iterate, QualifiedUse
from .interpreter import Machine, evaluates
from .state import Record, Scope, join_all
from .values import Value, constant

EXACT_ELEMENTS = 6  # comprehensions over at most this many known elements are evaluated one by one


@evaluates(cst.Name)
def name(m: Machine, node: cst.Name) -> Value:
    value = m.lookup(node.value, node)
    if value.name and value.flags & IMPORTED:
        m.emit(QualifiedUse, node, name=value.name, form="name", guarded=m.is_guarded())
    elif value is v.UNKNOWN and QualifiedUse in m.listened:
        for module in m.state.used.get(("flag", "stars")) or ():
            m.emit(QualifiedUse, node, name=f"{module}.{node.value}", form="star", guarded=m.is_guarded())
    return value


IMPORTED = frozenset({"imported-name"})


# --- literals ----------------------------------------------------------------------------------------------------------


@evaluates(cst.Integer, cst.Float, cst.Imaginary)
def number(m: Machine, node: Any) -> Value:
    try:
        if node.value.isdecimal():
            return constant(int(node.value))
        return constant(float(node.value) if type(node) is cst.Float else ast.literal_eval(node.value))
    except (ValueError, SyntaxError):
        return v.A_NUMBER


@evaluates(cst.SimpleString)
def string(m: Machine, node: cst.SimpleString) -> Value:
    try:
        return constant(node.evaluated_value)
    except Exception:
        return v.A_STRING


@evaluates(cst.ConcatenatedString)
def concatenated(m: Machine, node: cst.ConcatenatedString) -> Value:
    left, right = m.eval(node.left), m.eval(node.right)
    if left.known and right.known and type(left.const) is type(right.const):
        return constant(left.const + right.const)
    return v.A_STRING


@evaluates(cst.FormattedString)
def formatted(m: Machine, node: cst.FormattedString) -> Value:
    parts = []
    for part in node.parts:
        if isinstance(part, cst.FormattedStringExpression):
            value = m.eval(part.expression)
            parts.append(value)
            spec = "".join(m.text(p) for p in part.format_spec or ())
            if value.may_be(v.ARRAY) and not value.is_unknown:
                timing.note(m, "wait", part.expression)
            m.emit(Format, part.expression, value=value, spec=spec, string=node)
    return Value(v.STRING, elements=tuple(parts), traced=next((p.traced for p in parts if p.traced), None))


@evaluates(cst.Ellipsis)
def ellipsis(m: Machine, node: Any) -> Value:
    return Value(v.OTHER, const=Ellipsis)


# --- small things ---------------------------------------------------------------------------------------------------------


@evaluates(cst.NamedExpr)
def named(m: Machine, node: cst.NamedExpr) -> Value:
    value = m.eval(node.value)
    stores.assign_target(m, node.target, value, node.value, node)
    return value


@evaluates(cst.Await)
def awaited(m: Machine, node: cst.Await) -> Value:
    m.eval(node.expression)
    return v.UNKNOWN


@evaluates(cst.Yield)
def yielded(m: Machine, node: cst.Yield) -> Value:
    value = node.value
    result = v.NOTHING if value is None else m.eval(value.item if isinstance(value, cst.From) else value)
    if m.ctx.frames:
        if isinstance(value, cst.From):
            result = items.iterated(m, result)
        m.ctx.frames[-1].yields.append(result)
    return v.UNKNOWN


@evaluates(cst.Lambda)
def lambda_(m: Machine, node: cst.Lambda) -> Value:
    from .execute import make_function

    function = make_function(m, node, "lambda")
    return Value(v.FUNCTION, target=function)


@evaluates(cst.Index)
def index(m: Machine, node: cst.Index) -> Value:
    return m.eval(node.value)


# --- comprehensions --------------------------------------------------------------------------------------------------------


@evaluates(cst.ListComp)
def list_comprehension(m: Machine, node: cst.ListComp) -> Value:
    values, exact = comprehend(m, node, lambda: m.eval(node.elt))
    return m.new_list(values) if exact else m.new_list(None, rest=join_all(values) if values else v.UNKNOWN)


@evaluates(cst.GeneratorExp)
def generator(m: Machine, node: cst.GeneratorExp) -> Value:
    values, exact = comprehend(m, node, lambda: m.eval(node.elt))
    record = Record("iterator", tuple(values) if exact else None, rest=None if exact else (
        join_all(values) if values else v.UNKNOWN))
    return m.new(record, v.ITERATOR, target="generator")


@evaluates(cst.SetComp)
def set_comprehension(m: Machine, node: cst.SetComp) -> Value:
    values, _ = comprehend(m, node, lambda: m.eval(node.elt))
    return m.new(Record("set", rest=join_all(values) if values else v.UNKNOWN), v.SET)


@evaluates(cst.DictComp)
def dict_comprehension(m: Machine, node: cst.DictComp) -> Value:
    pairs: list[tuple[Value, Value]] = []

    def turn() -> Value:
        pairs.append((m.eval(node.key), m.eval(node.value)))
        return pairs[-1][1]

    values, exact = comprehend(m, node, turn)
    entries = {key.const: value for key, value in pairs if key.known and items.hashable(key.const)}
    whole = exact and all(key.known and items.hashable(key.const) for key, _ in pairs)
    rest = join_all(values) if values and not whole else None
    return m.new(Record("dict", entries=entries if whole else {}, open=not whole, rest=rest), v.MAPPING)


def comprehend(m: Machine, node: Any, element: Any) -> tuple[list[Value], bool]:
    """Evaluate a comprehension; its values, and whether these are all of them, in order."""
    outer_scope, outer_ctx = m.scope, m.ctx
    number = m.ctx.frames[-1].number if m.ctx.frames else 0
    first = m.eval(node.for_in.iter)
    scope = Scope(outer_scope, m.ctx.function, frozenset(), number, "comprehension")
    scope.nonlocals = set(outer_scope.nonlocals) if outer_scope else set()
    m.scope = scope
    try:
        values, exact = _turns(m, node.for_in, first, element, node)
    finally:
        m.scope, m.ctx = outer_scope, outer_ctx
    return values, exact


def _turns(m: Machine, clause: cst.CompFor, iterable: Value, element: Any, node: Any) -> tuple[list[Value], bool]:
    m.emit(Iterate, clause.iter, value=iterable, form="comprehension", body=node, target=clause.target)
    elements, count = items.turns(m, iterable)
    if count == 0:
        return [], True
    outer = m.ctx
    loop = Loop(node, m.place, "comprehension", count, over=iterable)
    m.ctx = Context(outer.frames, (*outer.loops, (len(outer.frames), loop)), outer.tries)
    exact = elements is not None and len(elements) <= EXACT_ELEMENTS
    values: list[Value] = []
    whole = exact
    for number in range(len(elements) if exact else 2):
        loop.turn = number
        value = elements[number] if exact else items.turn_element(m, iterable, elements, number)
        stores.assign_target(m, clause.target, value, clause.iter, node, how="for")
        taken: bool | None = True
        for test in clause.ifs:
            answer = operators.truth(m, test.test, "filter", node)
            taken = None if answer is None else (answer and taken)
            if answer is False:
                break
            operators.narrow(m, test.test, True)
        whole = whole and taken is not None
        if taken is False:
            continue
        if clause.inner_for_in is not None:
            inner = clause.inner_for_in
            more, fully = _turns(m, inner, m.eval(inner.iter), element, node)
            values += more
            whole = whole and fully
        else:
            values.append(element())
    m.ctx = outer
    return values, whole


# --- attributes --------------------------------------------------------------------------------------------------------------


@evaluates(cst.Attribute)
def attribute(m: Machine, node: cst.Attribute, inner: bool = False) -> Value:
    """`base.attr`. Of a dotted path through modules the rules hear once, of the whole (`inner` is its beginning)."""
    base = attribute(m, node.value, inner=True) if isinstance(node.value, cst.Attribute) else m.eval(node.value)
    attr = node.attr.value
    if base.name and not base.ref and base.may_be(v.MODULE | v.CLASS):
        qualified = f"{base.name}.{attr}"
        value = library.qualified(m, qualified)
        if not (inner and value.name and value.may_be(v.MODULE)):
            m.emit(QualifiedUse, node, name=qualified, form="attribute", guarded=m.is_guarded(qualified),
                   through=_imported_root(m, node))
        return value
    result = attribute_value(m, base, attr, node)
    if base.may_be(v.JAX | v.TREE | v.OBJECT | v.KEY) and not base.is_unknown:
        m.emit(AttributeLoad, node, base_node=node.value, base=base, attr=attr, result=result)
    m.outer_path(node, result)
    return result


def _imported_root(m: Machine, node: Any) -> str:
    """What an import bound the first name of a dotted path to, where it names something inside of a package."""
    while isinstance(node, cst.Attribute):
        node = node.value
    value = m.lookup(node.value) if isinstance(node, cst.Name) else v.UNKNOWN
    return value.name if value.flags & IMPORTED else ""


def attribute_value(m: Machine, base: Value, attr: str, node: Any) -> Value:
    """`base.attr`."""
    record = m.record(base)
    if base.must_be(v.OBJECT) and record is not None:
        return object_attribute(m, base, record, attr, node)
    if isinstance(base.target, Class) and base.must_be(v.CLASS):
        return base.target.lookup(attr) or v.UNKNOWN
    if attr == "at" and (base.must_be(v.JAX | v.TREE) or base.may_be(v.JAX) and base.must_be(v.JAX | v.TREE | v.NUMPY)):
        if base.must_be(v.TREE):
            base = base.but(kinds=operators.tree_kind(base))
            m.refine(node.value, base)
        return Value(v.AT, target=At(base, node.value))
    if base.must_be(v.JAX | v.TREE):
        return library.array_attribute(m, base, attr, node)
    if base.must_be(v.NUMPY):
        return library.numpy_attribute(m, base, attr, node)
    if base.must_be(v.KEY) and attr in ("shape", "ndim", "size", "dtype"):
        return v.UNKNOWN if attr != "ndim" else v.A_NUMBER
    if base.is_unknown and base.ident is not None and not base.name:
        version = m.state.used.get(("version", base.ident)) or 0
        return Value(v.ALL, ident=("attribute", base.ident, attr, version), target=Bound(base, attr, node))
    return Value(v.ALL, target=Bound(base, attr, node))


def object_attribute(m: Machine, base: Value, record: Record, attr: str, node: Any) -> Value:
    """An attribute of an instance of a notebook's class: its own, else its class's; methods come bound."""
    found = record.entries.get(attr)
    if found is not None:
        return found
    cls = record.cls
    member = cls.lookup(attr) if isinstance(cls, Class) else None
    if member is None:
        if record.rest is not None and record.rest.ident is not None:
            return v.UNKNOWN.but(ident=("attribute", record.rest.ident, attr, 0))
        return Value(v.ALL, target=Bound(base, attr, node))
    if "property" in member.flags:
        from . import calls

        value = calls.call_value(m, member.but(flags=member.flags - {"property"}), [calls.given(base, node.value)], node)
        if "cached" in member.flags and not any(leaf.may_be(v.TRACER) for leaf in m.leaves(value)):
            m.store(base, replace(m.record(base), entries={**m.record(base).entries, attr: value}))
        return value
    if "static" in member.flags:
        return member
    if "class" in member.flags:
        return Value(v.FUNCTION, target=Bound(Value(v.CLASS, target=cls), member, node))
    if member.must_be(v.FUNCTION):
        return Value(v.FUNCTION, target=Bound(base, member, node, m.ctx.loops), made=member.made)
    return member
