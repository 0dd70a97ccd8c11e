"""NumPy and math: their results are NumPy arrays and numbers, a tracer that goes through comes out."""
from __future__ import annotations

from typing import Any

from ..knowledge import api, tracers
from . import library, shapes
from . import values as v
from .callables import Argument
from .interpreter import Machine
from .library import PREFIXES, gives, operands_of
from .values import MISSING, Value, constant

RANDOM = ("numpy.random.",)


def _math(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    import math

    values = [arg.value for arg in args]
    function = getattr(math, name.rpartition(".")[2], None)
    if callable(function) and values and all(value.known for value in values):
        try:
            return constant(function(*(value.const for value in values)))
        except Exception:
            return v.A_NUMBER
    parts = m.parts(values[0]) if values else []
    if name == "math.prod" and parts and all(part.known for part in parts):
        return constant(math.prod(part.const for part in parts))
    return v.A_NUMBER


PREFIXES.append(("math.", _math))


@gives("numpy.asarray", "numpy.array", "numpy.ascontiguousarray", "numpy.copy")
def _asarray(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    source = args[0].value if args else v.UNKNOWN
    details = shapes.call(name, tuple(args), m.parts, m.x64)
    if source.must_be(v.TRACER | v.TREE):
        return v.UNKNOWN
    view = name in ("numpy.asarray", "numpy.ascontiguousarray") and source.must_be(v.ARRAY) and len(args) == 1
    flags = frozenset({"readonly"}) if view else frozenset()
    if name == "numpy.asarray" and source.must_be(v.NUMPY):
        return source
    return Value(v.NUMPY, ident=m.alloc(), flags=flags, made=m.code_step("made by `{}`", node), **details)


STATIC = frozenset({"shape", "ndim", "size", "result_type", "promote_types", "issubdtype", "can_cast", "isscalar",
                    "iterable", "iscomplexobj", "isrealobj", "common_type", "dtype", "broadcast_shapes", "finfo", "iinfo"})
NOT_ARRAYS = frozenset({"load", "save", "savez", "savetxt", "testing", "set_printoptions", "printoptions", "seterr",
                        "errstate", "vectorize", "frompyfunc", "nditer", "ndenumerate", "ndindex", "apply_along_axis",
                        "apply_over_axes", "array_split", "split", "hsplit", "vsplit", "dsplit", "meshgrid", "nonzero",
                        "unique", "where", "broadcast_arrays", "histogram", "histogram2d", "histogramdd", "polyfit",
                        "gradient", "unravel_index", "divmod", "modf", "frexp", "ix_", "lib", "linalg", "fft", "random",
                        "array_equal", "allclose", "array_equiv", "average", "typing", "add", "minimum", "maximum"})


def _numpy(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    short = name.removeprefix("numpy.")
    operands = operands_of(m, args)
    if any(o.may_be(v.TRACER | v.TREE) and not o.is_unknown for o in operands):
        return _on_tracer(m, name, args, operands)
    details = shapes.call(name, tuple(args), m.parts, m.x64)
    if short in STATIC:
        if details.get("const", MISSING) is not MISSING:
            return constant(details["const"])
        if short == "shape" and operands and operands[0].shape is not None:
            return library.array_attribute(m, operands[0], "shape", node) if operands[0].must_be(v.ARRAYLIKE) else v.UNKNOWN
        return Value(v.NUMBER | v.SEQUENCE | v.OTHER | v.NUMPY) if short != "dtype" else Value(v.DTYPE)
    if short in ("prod", "sqrt") and operands and all(o.known for o in operands):
        found = _fold(short, operands)
        if found is not None:
            return found
    if short.startswith("random."):
        return _random(m, short, args, details)
    details_all = shapes.calls(name, tuple(args), m.parts, m.x64)
    if details_all is not None:
        parts = [Value(v.NUMPY, ident=m.alloc(), **one) for one in details_all]
        return v.tuple_of(parts)
    if "." in short or short in NOT_ARRAYS and not details:
        return v.UNKNOWN
    if name in library.NUMPY_TYPES:
        return Value(v.NUMPY, shape=(), dtype=library.NUMPY_NAMES.get(short, short), flags=frozenset({"scalar"}),
                     const=args[0].value.const if len(args) == 1 and args[0].value.known else MISSING)
    if not _is_numpy_function(short):
        return v.UNKNOWN
    kinds = v.NUMPY if not operands or all(o.must_be(v.NUMPY | v.NUMBER | v.ARRAY | v.SEQUENCE) for o in operands) else (
        v.NUMPY | v.NUMBER)
    if any(o.is_unknown for o in operands):
        return v.UNKNOWN
    return Value(kinds, ident=m.alloc(), made=m.step(f"made by `np.{short}`", node), **details)


def _is_numpy_function(short: str) -> bool:
    """Functions that the measured table or JAX's twin knows: they give arrays."""
    return tracers.numpy_function(f"numpy.{short}") is not None or api.lookup(f"jax.numpy.{short}") is not None


def _fold(short: str, operands: list[Value]) -> Value | None:
    import math

    try:
        if short == "sqrt" and len(operands) == 1 and isinstance(operands[0].const, (int, float)):
            return Value(v.NUMPY, shape=(), dtype="float64", const=math.sqrt(operands[0].const), flags=frozenset({"scalar"}))
        if short == "prod":
            parts = [o.const for o in operands]
            flat = parts[0] if len(parts) == 1 and isinstance(parts[0], tuple) else tuple(parts)
            return Value(v.NUMPY, shape=(), const=math.prod(flat), dtype="int64" if all(
                isinstance(p, int) for p in flat) else "float64", flags=frozenset({"scalar"}))
    except Exception:
        return None
    return None


def _on_tracer(m: Machine, name: str, args: list[Argument], operands: list[Value]) -> Value:
    """What the measured table says of the function on a tracer: a tracer, a static answer, or an error."""
    row = tracers.numpy_function(name)
    kinds = v.ABSTRACT if any(o.may_be(v.ABSTRACT | v.TREE) for o in operands) else v.LINEAR
    tracer = "abstract" if kinds == v.ABSTRACT else "linear"
    answers = {row.answer(tracer, arg.keyword or place) for place, arg in enumerate(args)
               if arg.value.may_be(v.TRACER | v.TREE) and not arg.value.is_unknown} if row is not None else {None}
    if answers == {"tracer"}:
        details = shapes.call(name.replace("numpy.", "jax.numpy.", 1), tuple(args), m.parts, m.x64)
        details.pop("const", None)
        return Value(kinds, ident=m.alloc(), traced=next((o.traced for o in operands if o.traced), None), **details)
    if answers == {"static"} or name.removeprefix("numpy.") in STATIC:
        return Value(v.NUMBER | v.SEQUENCE | v.OTHER | v.NUMPY)
    return v.UNKNOWN


SINGLE_DRAWS = frozenset({"rand", "randn", "normal", "uniform", "randint", "random", "standard_normal", "permutation",
                          "choice", "beta", "gamma", "poisson", "exponential", "binomial", "random_sample"})


def _random(m: Machine, short: str, args: list[Argument], details: dict) -> Value:
    draw = short.removeprefix("random.")
    if draw in SINGLE_DRAWS:
        return Value(v.NUMPY | v.NUMBER if not details.get("shape") else v.NUMPY, ident=m.alloc(), **details)
    if draw == "seed":
        return v.NOTHING
    from . import keys

    return Value(v.ALL, ident=m.alloc(), flags=keys.instance_of(m, f"numpy.{short}"))


PREFIXES.append(("numpy.", _numpy))
