"""The short text of a value's type: `f32[128,64]`, `(f32[3], i32[])`, `{w: f32[3,4]}`, `3`."""
from __future__ import annotations

import itertools

from .base import is_jaxs, kernel_jax

SHORT = (("bfloat", "bf"), ("float", "f"), ("uint", "u"), ("int", "i"), ("complex", "c"))
PLAIN = (bool, int, float, complex, str, bytes, type(None))
NUMBERS = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}
SHOWN = 4  # elements of a container


_shortened: dict = {}


def short_dtype(dtype) -> str:
    found = _shortened.get(dtype)
    if found is None:
        found = str(dtype)
        for long, short in SHORT:
            if found.startswith(long) and found[len(long):].isdigit():
                found = short + found[len(long):]
                break
        _shortened[dtype] = found
    return found


def describe_aval(aval) -> str:
    text = short_dtype(aval.dtype) + "[" + ",".join(map(str, aval.shape)) + "]"
    return text + ("*" if getattr(aval, "weak_type", False) else "")


def has_jax(value, depth: int = 0) -> bool:
    """Whether a value is worth ghost text: an array of JAX or a container of such."""
    aval = getattr(type(value), "aval", None)
    if aval is not None:
        return True
    if depth > 2:
        return False
    if isinstance(value, dict):
        return any(has_jax(x, depth + 1) for x in itertools.islice(value.values(), SHOWN))
    if isinstance(value, (tuple, list)):
        return any(has_jax(x, depth + 1) for x in value[:SHOWN])
    return False


def describe(value, depth: int = 0):
    """Text, or None where a value has no type worth showing. Calls no code of the user's classes."""
    kind = type(value)
    if kind in PLAIN:
        return _literal(value, kind)
    if is_jaxs(kind) and (hasattr(kind, "aval") or kind.__name__ == "ShapeDtypeStruct"):
        return _typed(value, kind)
    if kind.__module__ == "numpy" and hasattr(value, "shape") and hasattr(value, "dtype"):
        return "np " + short_dtype(value.dtype) + "[" + ",".join(map(str, value.shape)) + "]"
    if depth > 2:
        return "…"
    if kind is list or issubclass(kind, tuple):
        return _sequence(value, kind, depth)
    if kind is dict:
        parts = ["%.16s: %s" % (key if type(key) is str else _literal(key, type(key)), describe(x, depth + 1) or "…")
                 for key, x in itertools.islice(value.items(), SHOWN)]
        return "{" + ", ".join(parts + ["…"] * (len(value) > SHOWN)) + "}"
    return None


def _literal(value, kind):
    """A short literal; a number of a thousand digits is not written out."""
    if kind not in PLAIN or kind is int and value.bit_length() > 256:
        return "…"
    return repr(value[:24] if kind in (str, bytes) else value)[:24]


def _typed(value, kind):
    try:
        return describe_aval(value.aval if hasattr(kind, "aval") else value)
    except Exception:
        return None


def _sequence(value, kind, depth):
    names = getattr(kind, "_fields", None) if kind is not list else None
    size = list.__len__(value) if kind is list else tuple.__len__(value)
    parts = value[:SHOWN] if kind is list else tuple.__getitem__(value, slice(SHOWN))
    texts = [describe(x, depth + 1) or "…" for x in parts]
    if type(names) is tuple and all(type(name) is str for name in names):
        texts = ["%s: %s" % pair for pair in zip(names, texts)]
    body = ", ".join(texts + ["…"] * (size > SHOWN))
    if kind is list:
        return "[" + body + "]"
    return (kind.__name__ if names else "") + "(" + body + ("," if kind is tuple and size == 1 else "") + ")"


def signature(value):
    """What JAX keys its trace cache on, for one leaf of the arguments."""
    if type(value) in NUMBERS:  # the same program as for a weakly typed array
        dtype = kernel_jax().dtypes.canonicalize_dtype(NUMBERS[type(value)])
        return short_dtype(dtype) + ("[]" if type(value) is bool else "[]*")
    if hasattr(type(value), "aval"):
        return describe_aval(value.aval)
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return describe_aval(value)
    return "%s %.40r" % (type(value).__name__, value) if type(value) in PLAIN else type(value).__name__
