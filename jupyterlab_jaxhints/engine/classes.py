"""Classes of the notebook: definition, instances, registration as pytrees."""
from __future__ import annotations

from typing import Any

import libcst as cst

from . import scopes
from . import values as v
from .callables import Argument, Bound, Class, Function
from .events import NameBind, PytreeRegistered
from .interpreter import Machine
from .state import Record
from .values import Value

TREES = frozenset({
    "equinox.Module", "flax.struct.PyTreeNode", "typing.NamedTuple", "flax.struct.dataclass", "chex.dataclass",
    "jax.tree_util.register_dataclass", "jax.tree_util.register_pytree_node_class", "jax_dataclasses.pytree_dataclass",
    "jax.tree_util.register_static", "simple_pytree.Pytree", "flax.nnx.Module", "flax.nnx.Object",
})
DATACLASSES = frozenset({"dataclasses.dataclass", "flax.struct.dataclass", "chex.dataclass",
                         "jax_dataclasses.pytree_dataclass", "attr.s", "attrs.define", "attr.dataclass"})


def define(m: Machine, node: cst.ClassDef) -> None:
    """Evaluate a class statement."""
    from .execute import body_scope

    bases = tuple(m.eval(arg.value) for arg in node.bases if not arg.star)
    cls = Class(node, node.name.value, m.place, m.alloc(), bases, {})
    decorators = [m.eval(d.decorator) for d in node.decorators]
    cls.decorators = tuple(decorators)
    cls.pytree = any(_is_tree(base) for base in bases)
    outer_scope, outer_class = m.scope, m.class_body
    number = m.ctx.frames[-1].number if m.ctx.frames else 0
    m.scope = body_scope(m, outer_scope, node, None, number, "class")
    m.class_body = cls
    m.exec(node.body)
    cls.members = dict(m.scope.names)
    m.scope, m.class_body = outer_scope, outer_class
    if any(_decorator_name(d) in DATACLASSES for d in decorators) or any(b.name == "typing.NamedTuple" for b in bases):
        cls.members.setdefault("__dataclass__", v.A_STRING)
    value = Value(v.CLASS, target=cls, made=m.step(f"`{cls.name}` is defined here", node.name))
    for decorator, written in zip(reversed(decorators), reversed(node.decorators)):
        value = _decorate(m, decorator, value, written)
    m.assign(cls.name, value)
    m.emit(NameBind, node.name, name=cls.name, value=value, scope="module" if m.scope is None else "function", how="def")


def _is_tree(base: Value) -> bool:
    return base.name in TREES or (isinstance(base.target, Class) and base.target.pytree)


def _decorator_name(decorator: Value) -> str:
    target = decorator.target
    if isinstance(target, str):
        return target.removesuffix(".decorator")
    return getattr(getattr(target, "function", None), "name", "") or ""


def _decorate(m: Machine, decorator: Value, value: Value, written: cst.Decorator) -> Value:
    name = _decorator_name(decorator)
    cls = value.target
    if not isinstance(cls, Class):
        return value
    if name in TREES:
        cls.pytree = True
        listed = getattr(decorator.target, "keywords", {}).get("data_fields")
        if listed is not None:
            cls.children = _listed(m, [Argument(listed, written, "", "data_fields")], "data_fields")
        m.emit(PytreeRegistered, written.decorator, how=name.rsplit(".", 1)[-1], cls=cls,
               flatten=method(cls, "tree_flatten"), unflatten=method(cls, "tree_unflatten"))
        return value
    if name in DATACLASSES or name in ("functools.total_ordering", "typing.final"):
        return value
    from . import calls

    calls.call_value(m, decorator, [calls.given(value, written.decorator)], written)
    cls.members["__unknown_decorator__"] = v.UNKNOWN
    return value


def children_of(cls: Class) -> frozenset | None:
    """Attributes that JAX traces in an object of a registered class; the others are static. None: not known which."""
    if cls.children is not None:
        return cls.children
    if any(_decorator_name(d) in DATACLASSES | TREES for d in cls.decorators) or any(_is_tree(b) for b in cls.bases):
        flatten = method(cls, "tree_flatten")
        if flatten is not None:
            return flattened_attributes(flatten)
        if any(base.name.startswith("flax.nnx") for base in cls.bases):
            return None
        return frozenset(name for name, default in fields(cls) if not _is_static_field(default)) or None
    return None


def _is_static_field(default: Any) -> bool:
    """`field(static=True)`, `field(pytree_node=False)`, `field(metadata={"static": True})`."""
    if not isinstance(default, cst.Call):
        return False
    text = cst.Module([]).code_for_node(default).replace(" ", "")
    return "static=True" in text or "pytree_node=False" in text or ("static" in text and "metadata" in text)


def flattened_attributes(flatten: Function) -> frozenset | None:
    """Attributes of the object that a flatten function puts among the children."""
    returned, bound = _returned_and_bound(flatten)
    if not flatten.positional or not isinstance(returned, cst.Tuple) or len(returned.elements) != 2:
        return None
    first = returned.elements[0].value
    if isinstance(first, cst.Name):
        first = bound.get(first.value)
    if not isinstance(first, (cst.Tuple, cst.List)):
        return None
    out = {element.value.attr.value for element in first.elements
           if isinstance(element.value, cst.Attribute) and isinstance(element.value.value, cst.Name)
           and element.value.value.value == flatten.positional[0]}
    return frozenset(out) if len(out) == len(first.elements) else None


def _returned_and_bound(function: Function) -> tuple[Any, dict[str, Any]]:
    """The expression a plain function returns, and the names it binds on the way."""
    if isinstance(function.node, cst.Lambda):
        return function.node.body, {}
    returned, bound = None, {}
    for line in function.node.body.body:
        for part in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            if isinstance(part, cst.Return):
                returned = part.value
            elif isinstance(part, cst.Assign) and isinstance(part.targets[0].target, cst.Name):
                bound[part.targets[0].target.value] = part.value
    return returned, bound


def method(cls: Class, name: str) -> Function | None:
    """The function behind a method of the class."""
    member = cls.lookup(name)
    return member.target if member is not None and isinstance(member.target, Function) else None


def register(m: Machine, how: str, args: list[Argument], node: Any) -> Value:
    """`register_pytree_node(C, flatten, unflatten)` and its relatives, called as functions."""
    cls = args[0].value.target if args else None

    def function(place: int, *names: str) -> Function | None:
        found = next((a.value for a in args if a.keyword in names), None)
        positional = [a.value for a in args if not a.keyword]
        if found is None and place < len(positional):
            found = positional[place]
        target = found.target if found is not None else None
        if isinstance(target, Bound) and isinstance(target.method, Value):
            target = target.method.target
        return target if isinstance(target, Function) else None

    if isinstance(cls, Class):
        cls.pytree = True
        cls.children = _listed(m, args, "data_fields")
        flatten = function(1, "flatten_func", "flatten_with_keys") or method(cls, "tree_flatten")
        unflatten = function(2, "unflatten_func") or method(cls, "tree_unflatten")
        if cls.children is None and flatten is not None and how != "register_dataclass":
            cls.children = flattened_attributes(flatten)
        m.emit(PytreeRegistered, node, how=how, cls=cls, flatten=flatten, unflatten=unflatten, args=tuple(args),
               declared=tuple((part.target.value, m.callee_name(part.annotation.annotation)) for part in annotated(cls)))
    return args[0].value if args else v.UNKNOWN


def _listed(m: Machine, args: list[Argument], name: str) -> frozenset | None:
    """The constant names that a keyword argument lists."""
    found = next((arg.value for arg in args if arg.keyword == name), None)
    parts = m.parts(found) if found is not None else []
    return frozenset(p.const for p in parts) if parts and all(p.known for p in parts) else None


# --- instances ---------------------------------------------------------------------------------------------------------


def instantiate(m: Machine, callee: Value, args: list[Argument], node: Any) -> Value:
    """`C(…)`: a new object whose attributes `__init__` or the dataclass's fields set."""
    from . import calls

    cls = callee.target
    if "__unknown_decorator__" in cls.members:
        return calls.unknown_call(m, callee, "", args, node)
    value = m.new(Record("object", cls=cls), v.OBJECT, made=m.code_step("`{}`", node, 60))
    init = cls.lookup("__init__")
    if init is not None and init.must_be(v.FUNCTION):
        calls.call_value(m, init, [calls.given(value, node), *args], node)
    else:
        _set_fields(m, value, cls, args)
        after = cls.lookup("__post_init__")
        if after is not None and after.must_be(v.FUNCTION):
            calls.call_value(m, after, [calls.given(value, node)], node)
    return value


def fields(cls: Class) -> list[tuple[str, Any]]:
    """Annotated names of a class body, those of its bases first, with the default's node or None."""
    out: dict[str, Any] = {}
    for base in cls.bases:
        if isinstance(base.target, Class):
            out.update(dict(fields(base.target)))
    out.update((part.target.value, part.value) for part in annotated(cls))
    return list(out.items())


def annotated(cls: Class) -> list[cst.AnnAssign]:
    """The annotated names of the class body itself."""
    lines = [line for line in cls.node.body.body if isinstance(line, cst.SimpleStatementLine)]
    return [part for line in lines for part in line.body
            if isinstance(part, cst.AnnAssign) and isinstance(part.target, cst.Name)]


def _set_fields(m: Machine, value: Value, cls: Class, args: list[Argument]) -> None:
    names = [name for name, _ in fields(cls)]
    entries: dict[str, Value] = {}
    place = 0
    for arg in args:
        if arg.star:
            m.store(value, Record("object", cls=cls, open=True, number=m.record(value).number))
            return
        if arg.keyword:
            entries[arg.keyword] = arg.value
        elif place < len(names):
            entries[names[place]] = arg.value
            place += 1
    record = m.record(value)
    for name, default in fields(cls):
        if name not in entries and default is not None:
            entries[name] = cls.members.get(name, v.UNKNOWN) if not isinstance(default, cst.Call) else v.UNKNOWN
    m.store(value, Record("object", entries=entries, cls=cls, number=record.number, made=record.made))


def some_instance(m: Machine, cls: Class) -> Value:
    """An object of the class of which only the class is known: attributes that `__init__` alone sets, and it always."""
    from . import calls, generic

    init = cls.lookup("__init__")
    value = m.new(Record("object", cls=cls), v.OBJECT)
    if init is None or not isinstance(init.target, Function) or not calls.may_follow(m, init.target):
        return _loose(m, cls, {})
    args = [calls.given(value, cls.node), *generic.unknown_arguments(m, init.target)[1:]]
    followed = id(init.target.node) in m.followed
    before = m.state.fork(m.scope)
    listened, m.listened, kept = m.listened, frozenset(), len(m.kept)
    calls.call_value(m, init, args, cls.node)
    record = m.record(value)
    m.state.restore(before)
    m.listened = listened
    del m.kept[kept:]
    if not followed:
        m.followed.discard(id(init.target.node))
    elsewhere = _written_elsewhere(m, cls, init.target)
    return _loose(m, cls, {name: part for name, part in record.entries.items() if name not in elsewhere})


def _loose(m: Machine, cls: Class, entries: dict[str, Value]) -> Value:
    rest = Value(v.ALL, ident=(m.alloc(), "self"))
    return m.new(Record("object", entries=entries, open=True, rest=rest, cls=cls), v.OBJECT, flags=frozenset({"some"}))


def _written_elsewhere(m: Machine, cls: Class, init: Function) -> frozenset[str]:
    """Attributes that something other than `__init__` assigns, anywhere in the notebook."""
    written = set(scopes.attributes_stored(cls.node, init.node))
    if m.reader is not None:
        written |= m.reader.attributes_stored(m.place, cls.place)
    return frozenset(written)
