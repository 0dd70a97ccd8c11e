"""What the fixes of jitted methods share: registering a class of the notebook as a pytree."""
from __future__ import annotations

from typing import Any

from ...engine import classes, scopes
from ...engine.callables import Class, Function
from ...engine.events import AttributeStore
from ...engine.textedits import EditRefused
from ...engine.values import FUNCTION, NONE, STRING

STATIC_TYPES = ("str", "bool", "Callable", "type", "Literal")
METHODS = """
def tree_flatten(self):
    return ({children}), {aux}

@classmethod
def tree_unflatten(cls, aux, children):
    new = object.__new__(cls)
    {unpack}
    return new"""


def is_dataclass(cls: Class) -> bool:
    """`@dataclass` of the standard library, with options or without."""
    return any("dataclasses.dataclass" in (d.name, getattr(getattr(d.target, "function", None), "name", ""))
               for d in cls.decorators)


def static_attributes(event: Any, cls: Class) -> frozenset[str]:
    """Attributes that hold what is no array."""
    stored = [e for e in event.of(AttributeStore) if getattr(event.machine.record(e.base), "cls", None) is cls]
    found = {e.attr for e in stored if e.value.must_be(STRING | FUNCTION | NONE) or e.value.dtype == "bool"}
    text = {part.target.value: event.machine.text(part.annotation.annotation) for part in classes.annotated(cls)}
    return frozenset(found | {n for n, _ in classes.fields(cls) if text.get(n, "").startswith(STATIC_TYPES)})


def edits(edit: Any, cls: Class, static: frozenset[str]) -> list[Any]:
    """The decorator above the class and, for a plain class, flatten and unflatten. `static`: attributes that are no arrays."""
    there = edit.elsewhere(cls.place)
    jax, needed = there.import_needed("jax")
    if is_dataclass(cls):
        partial, more = there.import_needed("functools", "partial")
        names = [name for name, _ in classes.fields(cls)]
        data = ", ".join(f'"{name}"' for name in names if name not in static)
        meta = ", ".join(f'"{name}"' for name in names if name in static)
        line = f"@{partial}({jax}.tree_util.register_dataclass, data_fields=[{data}], meta_fields=[{meta}])"
        return [there.insert_before_statement(cls.node, line), *needed, *more]
    init = cls.members.get("__init__")
    if init is None or not isinstance(init.target, Function):
        raise EditRefused("nothing says which attributes the objects have")
    names = sorted(scopes.attributes_stored(init.target.node))
    children, aux = [n for n in names if n not in static], [n for n in names if n in static]
    if not children:
        raise EditRefused("no attribute is an array")
    code = METHODS.format(children="".join(f"self.{n}, " for n in children).rstrip(" ") if len(children) == 1
                          else ", ".join(f"self.{n}" for n in children),
                          aux="".join(f"self.{n}, " for n in aux).rstrip(" ") if len(aux) == 1
                          else ", ".join(f"self.{n}" for n in aux) if aux else "None",
                          unpack=_unpack(children, aux))
    if len(aux) > 1:
        code = code.replace(f"), {', '.join(f'self.{n}' for n in aux)}", f"), ({', '.join(f'self.{n}' for n in aux)})")
    unit = there.indent(cls.node.body.body[0]).replace(there.indent(cls.node), "", 1)
    code = code.replace("    ", unit)
    last = there.insert_after_statement(cls.node.body.body[-1], code)
    return [there.insert_before_statement(cls.node, f"@{jax}.tree_util.register_pytree_node_class"), last, *needed]


def _unpack(children: list[str], aux: list[str]) -> str:
    first = ", ".join(f"new.{n}" for n in children) + ("," if len(children) == 1 else "") + " = children"
    if not aux:
        return first
    return first + "\n    " + ", ".join(f"new.{n}" for n in aux) + ("," if len(aux) == 1 else "") + " = aux"
