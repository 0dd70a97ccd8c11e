"""Copies of the notebook's values for the trace: containers and plain objects anew, arrays and modules shared."""
from __future__ import annotations

import copy
import enum
import functools
import io
import operator
import random
import sys
import types
import warnings

from .base import Unknown, kernel_jax, kernel_numpy

ATOMS = (int, float, complex, bool, str, bytes, type(None), type(Ellipsis), type(NotImplemented), slice, range)
ITERATORS = tuple(type(iter(x)) for x in ([], (), {}, {}.values(), {}.items(), set(), range(0), "", b"")) + (
    enumerate, zip, map, filter, reversed)
LIBRARIES = frozenset("jax jaxlib builtins types typing numpy ml_dtypes operator abc re datetime decimal fractions".split())
SHARED = frozenset("pandas torch PIL matplotlib tensorflow polars IPython ipykernel ipywidgets logging tqdm".split())
PRIMITIVES = ("jax.lax", "jax.extend.core.primitives", "jax._src.lax.lax", "jax.interpreters.ad")
CACHED = functools._lru_cache_wrapper
LIMIT = 200_000  # values
CONTAINERS = 1000  # of classes, that are put back as they were


def _of_jax(primitive) -> bool:
    modules = (sys.modules.get(name) for name in PRIMITIVES)
    return any(value is primitive for module in modules if module is not None for value in list(vars(module).values()))


def _trace_state(value):
    """What was made where nothing is traced is, in the copy, of the outer trace: flax lets it change only there."""
    try:
        return sys.modules["jax._src.core"].get_opaque_trace_state(convention="nnx")
    except Exception:
        return value


def root(kind) -> str:
    module = getattr(kind, "__module__", None)  # no text where compiled code describes it otherwise
    return module.split(".", 1)[0] if isinstance(module, str) else ""


class Cloner:
    """Makes and remembers the copies. What it cannot copy safely is unknown to the trace."""

    def __init__(self, shadow):
        self.shadow = shadow
        self.memo: dict = {}
        self.kept: list = []  # originals, so that no id in the memo is used again
        self.copies: dict = {}  # id of a mutable copy -> the name under which it was read
        self.jitted: list = []  # copies of the notebook's jitted functions
        self.count = 0
        self.name = None
        self.fresh = None  # copies an array, where the copy may be donated; else arrays are shared

    def __call__(self, value, name=None):
        if name is not None:
            self.name = name
        kind = type(value)
        if kind in ATOMS or isinstance(value, (type, types.ModuleType)):
            return self._class(value) if isinstance(value, type) else value
        if isinstance(value, types.BuiltinFunctionType):
            return self._bound(value)
        if isinstance(value, kernel_jax().Array):
            return value if self.fresh is None else self._array(value)
        if id(value) in self.memo:
            return self.memo[id(value)]
        self.count += 1
        if self.count > LIMIT:
            raise Unknown("`%s` is too large to copy" % self.name)
        return self._copy(value, kind)

    def _array(self, value):
        found = self.memo.get(id(value))
        return self._keep(value, self.fresh(value)) if found is None else found

    def _bound(self, method):
        """`keep = history.append` holds the list: the copy's method takes its place."""
        owner = method.__self__
        if owner is None or isinstance(owner, (type, types.ModuleType)):
            return method
        copied = self(owner)
        return method if copied is owner else getattr(copied, method.__name__)

    def _class(self, value):
        return self.shadow.classes.get((value.__module__, value.__qualname__), value)

    def _keep(self, value, new):
        self.memo[id(value)] = new
        self.kept.append(value)
        if not isinstance(new, (tuple, types.FunctionType)):
            self.copies[id(new)] = self.name
        return new

    def _copy(self, value, kind):
        numpy = kernel_numpy()
        if numpy is not None and isinstance(value, numpy.ndarray):
            view = value.view()
            view.flags.writeable = False
            return self._keep(value, view)
        if isinstance(value, enum.Enum) or numpy is not None and isinstance(value, numpy.generic):
            return value
        if kind is types.FunctionType:
            return self._function(value)
        if kind is types.MethodType:
            return types.MethodType(self(value.__func__), self(value.__self__))
        if isinstance(value, (staticmethod, classmethod, property)):
            return value
        copied = self._container(value, kind)
        if copied is not None:
            return copied
        if kind is types.GeneratorType or isinstance(value, io.IOBase):
            raise Unknown("`%s` is a %s: it cannot be copied" % (self.name, kind.__name__))
        if str(kind.__module__).startswith("numpy.random") or isinstance(value, random.Random):
            return self._keep(value, copy.deepcopy(value))
        if kind.__name__ == "OpaqueTraceState":
            return self._keep(value, _trace_state(value))
        # The class is asked: an object may answer to every name, as flax's `Rngs` do.
        if kind.__name__ == "PjitFunction" or issubclass(kind, kernel_jax().stages.Wrapped):
            new = self._keep(value, self.shadow.rejit(value))
            if new is not value:
                self.jitted.append(new)
            return new
        if kind.__name__ == "partial" and root(kind) == "functools":
            new = kind(self(value.func), *map(self, value.args), **{k: self(x) for k, x in value.keywords.items()})
            return self._keep(value, new)
        if kind is CACHED:
            return self._keep(value, self._cached(value))
        if kind.__name__ in ("custom_jvp", "custom_vjp") and root(kind) == "jax":
            new = copy.copy(value)
            for key, part in vars(value).items():
                if callable(part):
                    object.__setattr__(new, key, self(part))
            return self._keep(value, new)
        if kind.__module__ in ("queue", "_queue"):
            return self._keep(value, kind())
        if kind.__name__ == "Primitive" and root(kind) == "jax" and not _of_jax(value):
            # What its rules answered is remembered by the primitive alone: the user's next call would not ask them.
            raise Unknown("`%s` is a primitive of the notebook" % self.name)
        if root(kind) in LIBRARIES or root(kind) in SHARED or callable(value) and root(kind) == "functools":
            return value
        return self._object(value, kind)

    def _cached(self, value):
        """A function with a cache of its own: what the trace puts there would come back in the user's next call."""
        if value.cache_info().currsize:
            raise Unknown("`%s` keeps the results of earlier calls" % getattr(value, "__name__", self.name))
        return functools.lru_cache(**value.cache_parameters())(self(value.__wrapped__))

    def _container(self, value, kind):
        if kind is list:
            new = self._keep(value, [])
            new.extend(map(self, value))
        elif kind is dict:
            new = self._keep(value, {})
            new.update((key, self(x)) for key, x in value.items())
        elif kind is set:
            new = self._keep(value, set(value))
        elif kind is frozenset:
            new = value
        elif kind is tuple:
            new = self._keep(value, tuple(map(self, value)))
        elif isinstance(value, tuple) and hasattr(kind, "_fields"):
            new = self._keep(value, kind._make(map(self, value)))
        elif kind in ITERATORS or kind.__module__ == "itertools":
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    new = self._keep(value, copy.copy(value))
            except Exception:
                raise Unknown("`%s` is an iterator that cannot be copied" % self.name) from None
        else:
            return None
        return new

    def _function(self, function):
        """A function of the notebook runs on the shadow namespace; a library's wrapper gets its parts exchanged."""
        live = self.shadow.live
        mine = function.__globals__ is live
        if not mine and not function.__closure__:
            return function
        cells = function.__closure__ and tuple(types.CellType() for _ in function.__closure__)
        code = self.shadow.code_for(function.__code__) if mine else function.__code__
        new = types.FunctionType(code, self.shadow if mine else function.__globals__, function.__name__, None, cells)
        self._keep(function, new)
        changed = mine
        for old_cell, new_cell in zip(function.__closure__ or (), cells or ()):
            try:
                content = old_cell.cell_contents
            except ValueError:
                continue
            if not mine and not _may_hold_user_code(content):
                new_cell.cell_contents = content
                continue
            new_cell.cell_contents = self(content)
            changed = changed or new_cell.cell_contents is not content
        if not changed:
            self.memo[id(function)] = function
            return function
        defaults, keywords = function.__defaults__, function.__kwdefaults__
        new.__defaults__ = tuple(map(self, defaults)) if mine and defaults else defaults
        new.__kwdefaults__ = {k: self(x) for k, x in keywords.items()} if mine and keywords else keywords
        new.__qualname__, new.__module__, new.__doc__ = function.__qualname__, function.__module__, function.__doc__
        new.__dict__.update((key, self(x)) for key, x in function.__dict__.items())
        return new

    def _object(self, value, kind):
        """Any other object through its own `__reduce_ex__`, with our copies for the parts: `copy.deepcopy` would
        copy the arrays on the device."""
        try:
            parts = value.__reduce_ex__(4)
        except Exception:
            raise Unknown("`%s` holds a %s, which cannot be copied" % (self.name, kind.__qualname__)) from None
        if isinstance(parts, str):
            return value
        make, args, state, items, pairs = (tuple(parts) + (None,) * 5)[:5]
        new = self._keep(value, make(*map(self, args)))
        if state is not None:
            state = self(state)
            if hasattr(new, "__setstate__"):
                new.__setstate__(state)
            else:
                attributes, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
                if attributes:
                    new.__dict__.update(attributes)
                for key, part in (slots or {}).items():
                    object.__setattr__(new, key, part)
        for item in items or ():
            new.append(self(item))
        for key, item in pairs or ():
            new[self(key)] = self(item)
        return new

    def clear(self) -> None:
        self.memo.clear()
        self.kept.clear()
        self.copies.clear()
        self.jitted.clear()


def _may_hold_user_code(value) -> bool:
    """Only functions are looked for in the closures of library code: its other state is not ours to copy."""
    return isinstance(value, (types.FunctionType, types.MethodType)) or type(value).__name__ in (
        "PjitFunction", "partial", "custom_jvp", "custom_vjp") or callable(value) and root(type(value)) == "__main__"


class RandomState:
    """The global random generators' states, as they were before the trace."""

    def __init__(self):
        self.python = random.getstate()
        generators = sys.modules.get("numpy.random")
        self.numpy = generators.get_state() if generators is not None else None

    def restore(self) -> None:
        random.setstate(self.python)
        if self.numpy is not None:
            sys.modules["numpy.random"].set_state(self.numpy)


class ClassState:
    """The attributes of the notebook's classes, with the containers in them, as they were before the trace: classes
    are shared with the notebook."""

    def __init__(self, live):
        self.attributes, self.contents, self.seen = [], [], set()
        for value in list(live.values()):
            for kind in value.__mro__ if isinstance(value, type) and root(value) == "__main__" else ():
                if root(kind) == "__main__" and id(kind) not in self.seen:
                    self.seen.add(id(kind))
                    self.attributes.append((kind, dict(vars(kind))))
                    for part in list(vars(kind).values()):
                        self._keep(part)

    def _keep(self, value) -> None:
        if type(value) not in (list, dict, set) or id(value) in self.seen or len(self.contents) >= CONTAINERS:
            return
        self.seen.add(id(value))
        self.contents.append((value, value.copy()))
        for part in list(value.values() if type(value) is dict else value)[:CONTAINERS]:
            self._keep(part)

    def restore(self) -> None:
        for kind, before in self.attributes:
            now = dict(vars(kind))
            for name in now.keys() - before.keys():
                type.__delattr__(kind, name)
            for name, value in before.items():
                if now.get(name) is not value:
                    type.__setattr__(kind, name, value)
        for value, before in self.contents:
            if type(value) is list:
                if len(value) != len(before) or any(map(operator.is_not, value, before)):
                    value[:] = before
            elif len(value) != len(before) or list(value) != list(before) or type(value) is dict and any(
                    value[key] is not before[key] for key in before):
                value.clear()
                value.update(before)
