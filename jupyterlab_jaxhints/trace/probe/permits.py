"""Which calls may run in a trace: JAX and its libraries, pure built-ins, the notebook's own functions."""
from __future__ import annotations

import types

from .base import is_array, kernel_jax
from .clone import root

PURE = frozenset(
    """jax jaxlib numpy scipy math cmath operator functools itertools collections optax flax equinox einops chex
    jaxtyping haiku distrax rlax jraph diffrax lineax optimistix blackjax numpyro dataclasses typing
    typing_extensions string copy re fractions decimal statistics enum types abc ml_dtypes opt_einsum contextlib
    textwrap bisect heapq random time datetime warnings inspect pprint numbers queue""".split()
)
BUILTINS = frozenset(
    """abs all any ascii bin bool bytes callable chr classmethod complex dict divmod enumerate filter float format
    frozenset getattr hasattr hash hex id int isinstance issubclass iter len list map max min next object oct ord pow
    property range repr reversed round set setattr delattr slice sorted staticmethod str sum super tuple type zip
    print BaseException Exception ValueError TypeError RuntimeError KeyError IndexError AssertionError AttributeError
    NotImplementedError StopIteration ArithmeticError ZeroDivisionError OverflowError LookupError memoryview
    bytearray""".split()
)
BANNED = frozenset(
    """numpy.save numpy.savez numpy.savez_compressed numpy.savetxt numpy.load numpy.loadtxt numpy.genfromtxt
    numpy.fromfile numpy.memmap jax.clear_caches jax.live_arrays jax.print_environment_info jax.save jax.load
    time.sleep inspect.currentframe""".split()
)
BANNED_MODULES = ("jax.distributed", "jax._src.distributed", "jax.profiler", "jax._src.profiler", "jax.monitoring",
                  "jax._src.monitoring", "jax._src.compilation_cache", "jax.experimental.multihost_utils")
BANNED_METHODS = frozenset("tofile dump save savefig delete on_device_size_in_bytes lower compile clear_cache".split())
DEVICE_QUERIES = frozenset("devices local_devices device_count local_device_count default_backend process_index".split())


def origin(function) -> str:
    return getattr(function, "__module__", None) or ""


class Permits:
    """Asked for every call of the user's code. What is not known to be harmless makes its statement unknown."""

    def __init__(self, shadow):
        self.shadow = shadow

    def allowed(self, function) -> bool:
        shadow = self.shadow
        if isinstance(function, types.FunctionType):
            if origin(function) == "os":
                return function.__name__ == "getenv"
            if function.__code__.co_filename == "<jaxhints-probe>":
                return True
            return function.__globals__ is shadow or self._pure(function, origin(function))
        if isinstance(function, types.MethodType):
            return self.allowed_method(function)
        if isinstance(function, type):
            if function.__module__ == "builtins":
                return function.__name__ in BUILTINS
            return self._pure(function, function.__module__)
        owner = getattr(function, "__self__", None)
        if type(function).__name__ == "cython_function_or_method" and owner is None:
            return self._pure(function, origin(function))
        if isinstance(function, types.BuiltinFunctionType) and (owner is None or isinstance(owner, types.ModuleType)):
            if getattr(owner, "__name__", "builtins") == "builtins":
                return function.__name__ in BUILTINS
            return self._pure(function, owner.__name__)
        if type(owner).__module__ == "os":
            return getattr(function, "__name__", "") == "get"
        if owner is not None:
            return self._pure_owner(owner) and getattr(function, "__name__", "") not in BANNED_METHODS
        return self._pure(function, root(type(function))) or root(type(function)) == "__main__" or self._speaks_jax(function)

    def allowed_method(self, method) -> bool:
        if type(method.__self__).__module__ == "os":
            return method.__name__ == "get"
        if method.__name__ in BANNED_METHODS and not isinstance(method.__self__, dict):
            return False
        return self._pure_owner(method.__self__) or self._speaks_jax(method.__func__)

    def _pure_owner(self, owner) -> bool:
        kind = owner if isinstance(owner, type) else type(owner)
        return root(kind) in PURE or root(kind) in ("builtins", "__main__") or self._speaks_jax(
            next((f for f in vars(kind).values() if isinstance(f, types.FunctionType)), None))

    def _pure(self, function, module) -> bool:
        name = module.split(".", 1)[0] + "." + getattr(function, "__name__", "")
        if name in BANNED or module.startswith(BANNED_MODULES):
            return False
        if module.split(".", 1)[0] in ("jax", "jaxlib") and getattr(function, "__name__", "") in DEVICE_QUERIES:
            return any(is_array(value) for value in list(self.shadow.live.values()))
        return module.split(".", 1)[0] in PURE or module == "__main__" or self._speaks_jax(function)

    @staticmethod
    def _speaks_jax(function) -> bool:
        """A function of the user's own module that works with JAX."""
        jax = kernel_jax()
        if isinstance(function, type):
            function = next((f for f in vars(function).values() if isinstance(f, types.FunctionType)), None)
        names = getattr(function, "__globals__", None)
        return names is not None and any(
            value is jax or value is jax.numpy or value is jax.lax for value in list(names.values()))
