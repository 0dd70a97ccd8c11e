"""What the kernel knows about names, without running any code of the user: types, shapes, flags, versions."""
from __future__ import annotations

import platform
import sys

from .base import is_array, kernel_jax, tracers_in
from .describe import describe
from .shadow import jit_options

FLAGS = ("jax_debug_nans", "jax_debug_infs", "jax_disable_jit", "jax_check_tracer_leaks", "jax_enable_x64",
         "jax_numpy_rank_promotion", "jax_numpy_dtype_promotion", "jax_default_matmul_precision")


def versions(live) -> dict:
    """Python, JAX and the device; the device only where the user's arrays show that the backend is up."""
    jax = kernel_jax()
    device = None
    if jax is not None and any(is_array(value) for value in list(live.values())):
        device = jax.local_devices()[0].device_kind
    return {"python": platform.python_version(), "jax": getattr(jax, "__version__", None), "device": device}


def flags() -> dict:
    jax = kernel_jax()
    found = {}
    for name in FLAGS:
        value = getattr(jax.config, name, None)
        if value is not None:
            found[name] = value if isinstance(value, (bool, str)) else str(value)
    return found


def name_fact(value) -> dict:
    kind = type(value)
    fact = {"kind": kind.__module__ + "." + kind.__qualname__}
    text = describe(value)
    if text is not None:
        fact["type"] = text
    if is_array(value):
        fact.update(library="jax", shape=list(value.shape), dtype=str(value.dtype),
                    weak=bool(getattr(value.aval, "weak_type", False)), deleted=bool(value.is_deleted()))
        try:
            fact["sharding"] = type(value.sharding).__name__
            fact["devices"] = len(value.sharding.device_set)
        except Exception:
            fact["sharding"] = None
    elif kind.__module__ == "numpy" and hasattr(value, "dtype"):
        fact.update(library="numpy", shape=list(value.shape), dtype=str(value.dtype))
    elif kind.__name__ == "PjitFunction":
        fact["jitted"] = {key: list(part) if isinstance(part, (tuple, list)) else [part]
                          for key, part in (jit_options(value) or {}).items()}
        size = getattr(value, "_cache_size", None)
        fact["traces"] = int(size()) if size is not None else None
    if tracers_in(value) is not None:
        fact["tracer"] = True
    return fact


def facts_of(live: dict, names, attributes=()) -> dict:
    jax = kernel_jax()
    out = {"names": {}, "missing": {}}
    for name in names:
        if name in live and not name.startswith("_"):
            out["names"][name] = name_fact(live[name])
    if jax is None:
        return out
    out["flags"] = flags()
    for path in attributes:
        reason = _missing(path)
        if reason is not None:
            out["missing"][path] = reason
    held = any(is_array(value) for value in list(live.values()))
    out["devices"] = device_list() if held else []
    return out


def _missing(path):
    """JAX's own word on a name that it does not have; None where it has it or cannot say."""
    module, _, rest = path.partition(".")
    value = sys.modules.get(module)
    for part in rest.split(".") if value is not None and rest else ():
        try:
            value = getattr(value, part)
        except AttributeError as error:
            text = str(error)
            return text[:200] if "removed" in text or "deprecated" in text else None
        except Exception:
            return None
    return None


def device_list():
    """Only where the user's arrays show that the backend is up: asking would start it."""
    jax = kernel_jax()
    out = []
    for device in jax.local_devices():
        entry = {"kind": device.device_kind, "platform": device.platform}
        try:
            stats = device.memory_stats() or {}
        except Exception:
            stats = {}
        for ours, theirs in (("used", "bytes_in_use"), ("limit", "bytes_limit"), ("peak", "peak_bytes_in_use")):
            if theirs in stats:
                entry[ours] = int(stats[theirs])
        out.append(entry)
    return out
