"""JAX's configuration as the notebook sets it, in order: flags, environment, import, first use."""
from __future__ import annotations

from typing import Any

from . import values as v
from .events import ConfigSet, FirstUse
from .interpreter import Machine
from .values import Value, constant

IMPORTED, USED = ("flag", "imported"), ("flag", "used")
TRUE = {"1", "true", "t", "yes", "y", "on"}
PACKAGES = frozenset({"jax", "flax", "optax", "equinox", "numpyro", "haiku", "blackjax", "diffrax", "distrax", "brax",
                      "chex", "jraph", "jaxopt", "jaxlib", "evosax"})
# calls that make arrays or start the backend, although their result is none of JAX's arrays
BACKEND = frozenset({"jax.devices", "jax.local_devices", "jax.device_count", "jax.local_device_count",
                     "jax.default_backend", "jax.process_count", "jax.process_index"})
ENVIRONMENT = {"JAX_ENABLE_X64": "jax_enable_x64", "JAX_DEBUG_NANS": "jax_debug_nans",
               "JAX_DEBUG_INFS": "jax_debug_infs", "JAX_DISABLE_JIT": "jax_disable_jit",
               "JAX_CHECK_TRACER_LEAKS": "jax_check_tracer_leaks", "JAX_PLATFORMS": "jax_platforms",
               "JAX_PLATFORM_NAME": "jax_platform_name"}


def imported(m: Machine, module: str, node: Any) -> None:
    """A module is imported; note when JAX comes with it."""
    if module.split(".")[0] in PACKAGES and m.state.used.get(IMPORTED) is None:
        m.state.used.set(IMPORTED, m.step(f"`{module}` is imported here", node))


def used(m: Machine, node: Any) -> None:
    """JAX makes an array or asks for its devices here; only the first time matters."""
    if m.state.used.get(USED) is None and not m.ctx.generic:
        event = FirstUse(m, node, m.place, m.ctx)
        m.kept.append(event)
        m.state.used.set(USED, event)


def set_flag(m: Machine, flag: str, value: Value, node: Any, how: str) -> None:
    """A flag gets a value. Environment variables work before the import alone."""
    first = m.state.used.get(USED)
    imported_before = m.state.used.get(IMPORTED) is not None
    m.emit(ConfigSet, node, flag=flag, value=value, how=how, imported=imported_before, used=first is not None,
           first_use=first)
    if how != "environment" or not imported_before:
        m.state.used.set(("flag", flag), value)


def switch_of(value: Value) -> Value:
    """The value of a flag given as text in the environment."""
    if value.known and isinstance(value.const, str):
        return constant(value.const.strip().lower() in TRUE)
    return value


def environment(m: Machine, name: Value, value: Value, node: Any) -> None:
    """`os.environ[name] = value` and its other spellings."""
    if not name.known or not isinstance(name.const, str):
        return
    flag = ENVIRONMENT.get(name.const)
    if flag is None:
        if name.const == "XLA_FLAGS" or name.const.startswith(("XLA_PYTHON_CLIENT", "CUDA_VISIBLE", "JAX_")):
            set_flag(m, name.const, value, node, "environment")
        return
    set_flag(m, flag, switch_of(value) if not flag.startswith("jax_platform") else value, node, "environment")


def attribute(m: Machine, target: Any, base: Value, attr: str, value: Value) -> None:
    """`jax.config.NAME = value`."""
    if base.name in ("jax.config", "jax.config.config") and attr.startswith("jax_"):
        set_flag(m, attr, value, target, "attribute")


def forget(m: Machine) -> None:
    """Flags may be anything from here on (they are set from a value that is not known)."""
    m.state.used.set(("flag", "jax_enable_x64"), Value(v.NUMBER, dtype="bool"))
