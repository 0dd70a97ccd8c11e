"""JAX's configuration as the notebook sets it, in order: flags, environment, import, first use."""
from __future__ import annotations

from typing import Any

import libcst as cst

from . import values as v
from .events import ConfigSet, FirstUse
from .interpreter import Machine
from .values import Value, constant

IMPORTED, USED, STARTED = ("flag", "imported"), ("flag", "used"), ("flag", "started")
# contexts that set a flag for their block: name → flag, and what they set it to when called without arguments
CONTEXTS = {
    "jax.enable_x64": ("jax_enable_x64", True), "jax.experimental.enable_x64": ("jax_enable_x64", True),
    "jax.experimental.disable_x64": ("jax_enable_x64", False), "jax.experimental.x64_context.enable_x64": ("jax_enable_x64", True),
    "jax.debug_nans": ("jax_debug_nans", True), "jax.debug_infs": ("jax_debug_infs", True),
    "jax.disable_jit": ("jax_disable_jit", True), "jax.check_tracer_leaks": ("jax_check_tracer_leaks", True),
    "jax.checking_leaks": ("jax_check_tracer_leaks", True),
}
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
        started(m, node, "JAX makes its first array here")


def started(m: Machine, node: Any, message: str = "this starts JAX's backend") -> None:
    """JAX's backend is running from here on: what it reads at its start is read."""
    if m.state.used.get(STARTED) is None and not m.ctx.generic:
        m.state.used.set(STARTED, m.step(message, node))


def set_flag(m: Machine, flag: str, value: Value, node: Any, how: str) -> None:
    """A flag gets a value. Environment variables work before the import alone."""
    first = m.state.used.get(USED)
    imported_before = m.state.used.get(IMPORTED) is not None
    m.emit(ConfigSet, node, flag=flag, value=value, how=how, imported=imported_before, used=first is not None,
           first_use=first, started=m.state.used.get(STARTED), before=m.state.used.get(("flag", flag)))
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


def magic(m: Machine, text: str, node: Any) -> None:
    """`%env NAME=value`, `%env NAME value`, `%set_env`."""
    m.state.used.get(("magic", m.place.key))
    name, _, value = text.strip().partition("=") if "=" in text.split(" ")[0] else text.strip().partition(" ")
    if value.strip():
        environment(m, constant(name.strip()), constant(value.strip()), node)


def entered(m: Machine, node: Any) -> list[tuple]:
    """A `with` block sets flags; what they were, for `left`."""
    before = []
    for item in node.items:
        name = m.callee_name(item.item.func) if isinstance(item.item, cst.Call) else ""
        if name in CONTEXTS:
            flag, default = CONTEXTS[name]
            args = item.item.args
            value = m.eval(args[0].value) if args else constant(default)
            before.append((flag, m.state.used.get(("flag", flag))))
            set_flag(m, flag, value, item.item, "context")
    return before


def left(m: Machine, before: list[tuple]) -> None:
    """The block's end: flags are what they were."""
    for flag, value in reversed(before):
        m.state.used.set(("flag", flag), value if value is not None else constant(False))


def attribute(m: Machine, target: Any, base: Value, attr: str, value: Value) -> None:
    """`jax.config.NAME = value`."""
    if base.name in ("jax.config", "jax.config.config") and attr.startswith("jax_"):
        set_flag(m, attr, value, target, "attribute")


def forget(m: Machine) -> None:
    """Flags may be anything from here on (they are set from a value that is not known)."""
    m.state.used.set(("flag", "jax_enable_x64"), Value(v.NUMBER, dtype="bool"))
