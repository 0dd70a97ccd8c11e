"""What the kernel knows about names, without running any code of the user: types, shapes, flags, versions."""
from __future__ import annotations

import platform
import sys
import types

from .base import is_array, is_jaxs, kernel_jax, tracers_in
from .describe import describe
from .shadow import JIT_FIELDS, jit_options

FLAGS = ("jax_debug_nans", "jax_debug_infs", "jax_disable_jit", "jax_check_tracer_leaks", "jax_enable_x64",
         "jax_numpy_rank_promotion", "jax_numpy_dtype_promotion", "jax_default_matmul_precision")
TEXT = 120  # characters of one text


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
    """What is told of one name. Calls no code of the user's classes, no `repr` of theirs."""
    kind = type(value)
    fact: dict = {}
    text = describe(value)
    if text is not None:
        fact["type"] = text[:TEXT]
    if is_array(value):
        fact.update(library="jax", shape=list(value.shape), dtype=str(value.dtype),
                    weak=bool(getattr(value.aval, "weak_type", False)), deleted=bool(value.is_deleted()))
        try:
            fact["sharding"] = sharding_text(value.sharding)
            fact["devices"] = len(value.sharding.device_set)
        except Exception:
            fact["sharding"] = None
    elif kind.__module__ == "numpy" and hasattr(value, "dtype") and hasattr(value, "shape"):
        fact.update(library="numpy", shape=list(value.shape), dtype=str(value.dtype)[:TEXT])
    elif is_jaxs(kind) and kind.__name__ == "PjitFunction":
        fact["jitted"] = jitted_arguments(value)
        size = getattr(value, "_cache_size", None)
        fact["traces"] = int(size()) if size is not None else None
    if tracers_in(value) is not None:
        fact["tracer"] = True
    return fact


def sharding_text(sharding) -> str:
    """The class of a sharding, with the axes of a named one."""
    spec = getattr(sharding, "spec", None)
    name = type(sharding).__name__
    return (name if spec is None else "%s %s" % (name, spec))[:TEXT]


def jitted_arguments(jitted) -> dict:
    """The static and the donated arguments of a jitted function, by name where its code tells the names."""
    options = jit_options(jitted) or {}
    inner = getattr(jitted, "__wrapped__", None)
    names = ()
    if type(inner) is types.FunctionType:
        names = inner.__code__.co_varnames[:inner.__code__.co_argcount]
    found = {}
    for what, fields in (("static", JIT_FIELDS[:2]), ("donated", JIT_FIELDS[2:])):
        numbers, words = (_listed(options.get(field)) for field in fields)
        words = [str(word) for word in words]
        for number in numbers:
            word = names[number] if -len(names) <= number < len(names) else "argument %d" % number
            if word not in words:
                words.append(word)
        found[what] = words
    return found


def _listed(part):
    if part is None:
        return []
    return list(part) if isinstance(part, (tuple, list)) else [part]


def facts_of(live: dict, names, attributes=()) -> dict:
    jax = kernel_jax()
    out = {"names": {}, "missing": {}}
    for name in names:
        if name in live and not name.startswith("_"):
            try:
                fact = name_fact(live[name])
            except Exception:  # changed by a thread while it is looked at
                continue
            if fact:
                out["names"][name] = fact
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
