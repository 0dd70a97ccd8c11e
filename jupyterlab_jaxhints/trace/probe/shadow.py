"""The namespace that everything traced runs in: reads fall through to copies of the user's values, writes stay."""
from __future__ import annotations

import builtins
import types

from .base import ProbeRefused, Unknown, kernel_jax, tracers_in
from .clone import Cloner


def _refusing(what: str):
    def refuse(*args, **kwargs):
        raise ProbeRefused("`%s`" % what)

    return refuse


def _quiet_print(*args, **kwargs):
    return None


HIDDEN = frozenset(("get_ipython", "In", "Out", "_ih", "_oh", "exit", "quit"))


class Shadow(dict):
    """Globals of the traced code. `LOAD_GLOBAL` asks `__missing__` of a dict subclass, `STORE_GLOBAL` stays in it."""

    def __init__(self, live: dict, code_for, hooks: dict):
        super().__init__()
        self.live = live
        self.code_for = code_for  # code of the notebook's function -> the same code, instrumented
        self.read: dict = {}  # name -> the copy of the live value
        self.unknown: dict = {}  # name -> why it has no value
        self.classes: dict = {}  # (module, qualname) -> a class the cell defines anew
        self.clone = Cloner(self)
        names = dict(vars(builtins))
        names.update(print=_quiet_print)
        names.update((name, _refusing(name)) for name in ("input", "breakpoint", "exit", "quit", "help"))
        names.update(hooks)
        self.builtins = names
        dict.__setitem__(self, "__builtins__", names)
        dict.__setitem__(self, "__name__", "__main__")

    def __missing__(self, name):
        if name in self.unknown:
            raise Unknown("`%s` is unknown: %s" % (name, self.unknown[name]))
        if name in HIDDEN or name.startswith("__"):
            if name in self.live and name not in ("__name__", "__doc__"):
                raise Unknown("`%s` belongs to the kernel" % name)
        value = self.clone(self.live[name], name)  # a KeyError becomes the usual NameError, after the builtins
        self.read[name] = value
        dict.__setitem__(self, name, value)
        return value

    def forget(self, name: str, why: str) -> None:
        self.unknown[name] = why
        dict.pop(self, name, None)

    def define(self, name: str) -> None:
        self.unknown.pop(name, None)

    def preload(self, code: types.CodeType) -> None:
        """Class bodies read globals past `__missing__`: put what they name into the dict first."""
        for const in code.co_consts:
            if isinstance(const, types.CodeType) and not const.co_flags & 0x2:
                for name in const.co_names:
                    if name in self.live and name not in self and name not in self.unknown:
                        try:
                            self[name]
                        except Unknown:
                            continue
                self.preload(const)

    def rejit(self, jitted):
        """A jitted function of the notebook made anew around the rebuilt function."""
        inner = getattr(jitted, "__wrapped__", None)
        if inner is None:
            return jitted
        rebuilt = self.clone(inner)
        if rebuilt is inner:
            return jitted
        options = jit_options(jitted)
        if options is None:
            raise Unknown("`%s` is jitted in a way that the probe cannot repeat" % getattr(inner, "__name__", "it"))
        return kernel_jax().jit(rebuilt, **options)

    def holds_tracer(self, name: str) -> bool:
        """Whether the live value of a name holds a tracer: one that outlived its trace."""
        return name in self.live and tracers_in(self.live[name]) is not None

    def clear(self) -> None:
        self.clone.clear()
        self.read.clear()
        self.classes.clear()
        self.builtins.clear()
        dict.clear(self)


JIT_FIELDS = ("static_argnums", "static_argnames", "donate_argnums", "donate_argnames")


def jit_options(jitted):
    """The static and donated arguments of a jitted function; the attribute exists from JAX 0.6, before that the
    pickling state holds them, in JAX 0.5 some of them in its cache key."""
    info = getattr(jitted, "_jit_info", None)
    if info is not None and hasattr(info, "static_argnums"):
        found = {field: getattr(info, field, ()) for field in JIT_FIELDS}
    else:
        try:
            state = jitted.__getstate__()
            key = state.get("global_cache_key")
            found = {field: tuple(state.get(field) or getattr(key, field, None) or ()) for field in JIT_FIELDS}
        except Exception:
            return None
    return {field: value for field, value in found.items() if value}
