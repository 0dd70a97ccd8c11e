"""The short text of a value's type: `f32[128,64]`, `(f32[3], i32[])`, `{w: f32[3,4]}`, `3`."""
from __future__ import annotations

import itertools

SHORT = (("bfloat", "bf"), ("float", "f"), ("uint", "u"), ("int", "i"), ("complex", "c"))
PLAIN = (bool, int, float, complex, str, bytes, type(None))
SHOWN = 4  # elements of a container


def short_dtype(dtype) -> str:
    name = str(dtype)
    for long, short in SHORT:
        if name.startswith(long) and name[len(long):].isdigit():
            return short + name[len(long):]
    return name


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
        return repr(value)[:24]
    if hasattr(kind, "aval"):
        try:
            return describe_aval(value.aval)
        except Exception:
            return None
    if kind.__module__ == "numpy" and hasattr(value, "shape") and hasattr(value, "dtype"):
        return "np " + short_dtype(value.dtype) + "[" + ",".join(map(str, value.shape)) + "]"
    if kind.__name__ == "ShapeDtypeStruct":
        return describe_aval(value)
    if depth > 2:
        return "…"
    if kind in (tuple, list) or isinstance(value, tuple):
        return _sequence(value, kind, depth)
    if kind is dict:
        parts = ["%.16s: %s" % (key, describe(x, depth + 1) or "…")
                 for key, x in itertools.islice(value.items(), SHOWN)]
        return "{" + ", ".join(parts + ["…"] * (len(value) > SHOWN)) + "}"
    return None


def _sequence(value, kind, depth):
    names = getattr(kind, "_fields", None)
    texts = [describe(x, depth + 1) or "…" for x in value[:SHOWN]]
    if names:
        texts = ["%s: %s" % pair for pair in zip(names, texts)]
    body = ", ".join(texts + ["…"] * (len(value) > SHOWN))
    if kind is list:
        return "[" + body + "]"
    return (kind.__name__ if names else "") + "(" + body + ("," if kind is tuple and len(value) == 1 else "") + ")"


def signature(value):
    """What JAX keys its trace cache on, for one leaf of the arguments."""
    if type(value) in (bool, int, float, complex):
        return {bool: "bool[]", int: "int[]*", float: "float[]*", complex: "complex[]*"}[type(value)]
    if hasattr(type(value), "aval"):
        return describe_aval(value.aval)
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return describe_aval(value)
    return "%s %.40r" % (type(value).__name__, value) if type(value) in PLAIN else type(value).__name__
