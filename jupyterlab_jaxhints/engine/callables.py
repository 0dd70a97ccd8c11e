"""Things that can be called: functions and classes of the notebook, wrapped and bound functions."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from .values import NONE, Place, Value


@dataclass(eq=False)
class Function:
    """A `def` or `lambda` of the notebook, with the scope it closes over."""

    node: cst.FunctionDef | cst.Lambda
    name: str
    place: Place
    scope: Any  # interpreter scope in which it was defined
    ident: Any
    defaults: dict[str, Value] = field(default_factory=dict)
    cls: Class | None = None  # the class whose body defines it
    decorators: tuple[Value, ...] = ()
    fresh: bool = False  # a new object at every evaluation: lambda or nested def
    loops: tuple = ()  # the loops inside of which it was made

    def fingerprint(self) -> Any:
        return ("function", self.ident, tuple((n, v.fingerprint()) for n, v in self.defaults.items()))

    @property
    def parameters(self) -> list[cst.Param]:
        """Positional parameters, then keyword-only ones; without `*args` and `**kwargs`."""
        params = self.node.params
        return [*params.posonly_params, *params.params, *params.kwonly_params]

    @property
    def positional(self) -> list[str]:
        params = self.node.params
        return [p.name.value for p in (*params.posonly_params, *params.params)]


@dataclass(eq=False)
class Class:
    """A class of the notebook."""

    node: cst.ClassDef
    name: str
    place: Place
    ident: Any
    bases: tuple[Value, ...]
    members: dict[str, Value]
    decorators: tuple[Value, ...] = ()
    pytree: bool = False  # registered with JAX, or of a library whose classes are trees
    children: frozenset | None = None  # attributes that are traced; None: not known which

    def fingerprint(self) -> Any:
        return ("class", self.ident, self.pytree, tuple((n, v.fingerprint()) for n, v in self.members.items()))

    def lookup(self, name: str) -> Value | None:
        """A member of the class or of its bases in the notebook; None when it has none, or a base is unknown."""
        if name in self.members:
            return self.members[name]
        for base in self.bases:
            if isinstance(base.target, Class):
                found = base.target.lookup(name)
                if found is not None:
                    return found
        return None

    @property
    def closed(self) -> bool:
        """All bases are known, so that what is not found here is not there."""
        return all(
            (isinstance(b.target, Class) and b.target.closed) or b.name in ("builtins.object", "typing.NamedTuple")
            for b in self.bases
        )

    @property
    def unhashable(self) -> bool:
        """Its objects have no hash: Python takes it from classes that define `__eq__` alone, as plain dataclasses do."""
        if "__hash__" in self.members:
            return self.members["__hash__"].must_be(NONE)
        if "__eq__" in self.members:
            return True
        for decorator in self.decorators:
            target = decorator.target
            if decorator.name == "dataclasses.dataclass":
                return True
            if isinstance(target, Partial) and target.function.name == "dataclasses.dataclass":
                return not any(name in target.keywords for name in ("frozen", "eq", "unsafe_hash"))
        first = self.bases[0].target if self.bases else None
        return isinstance(first, Class) and first.unhashable


@dataclass(eq=False)
class Wrapped:
    """A function under a transform: `jit(f)`, `grad(f)`, `vmap(f)` …; `options` are the transform's other arguments."""

    transform: str
    function: Value
    options: dict[str, Value]
    node: Any
    place: Place
    ident: Any
    loops: tuple = ()

    def fingerprint(self) -> Any:
        options = tuple((name, value.fingerprint()) for name, value in sorted(self.options.items()))
        return ("wrapped", self.transform, self.function.fingerprint(), options)

    def option(self, name: str) -> Value | None:
        return self.options.get(name)


@dataclass(eq=False)
class Partial:
    """`functools.partial(f, …)`."""

    function: Value
    args: tuple[Value, ...]
    keywords: dict[str, Value]
    loops: tuple = ()

    def fingerprint(self) -> Any:
        keywords = tuple((name, value.fingerprint()) for name, value in sorted(self.keywords.items()))
        return ("partial", self.function.fingerprint(), tuple(a.fingerprint() for a in self.args), keywords)


@dataclass(eq=False)
class Bound:
    """A method with its object: a notebook's function, or a method of a library's value by name."""

    receiver: Value
    method: Value | str
    node: Any = None
    loops: tuple = ()

    def fingerprint(self) -> Any:
        method = self.method if isinstance(self.method, str) else self.method.fingerprint()
        return ("bound", self.receiver.fingerprint(), method)


@dataclass(eq=False)
class At:
    """`x.at` and, once indexed, `x.at[i]`."""

    base: Value
    base_node: Any
    index: Value | None = None
    index_node: Any = None

    def fingerprint(self) -> Any:
        return ("at", self.base.fingerprint(), self.index and self.index.fingerprint())


@dataclass(frozen=True)
class Argument:
    """One argument of a call: its value, its node, `*`/`**` or '', its keyword or ''."""

    value: Value
    node: Any
    star: str = ""
    keyword: str = ""


@dataclass(eq=False)
class Super:
    """`super()` in a method: members of the class's bases, bound to the object."""

    cls: Class
    receiver: Value

    def fingerprint(self) -> Any:
        return ("super", self.cls.ident, self.receiver.fingerprint())

    def lookup(self, name: str) -> Value | None:
        for base in self.cls.bases:
            if isinstance(base.target, Class):
                found = base.target.lookup(name)
                if found is not None:
                    return found
        return None
