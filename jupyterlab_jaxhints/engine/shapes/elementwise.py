"""Functions element by element, and the operators."""

from __future__ import annotations

from typing import Any

from ..values import MISSING
from . import dtypes
from .broadcast import broadcast
from .operands import Ask, Operand, details
from .operators import combined, truth
from .registry import answers, inexact, like, promote, settled

INEXACT = (
    "sin cos tan arcsin arccos arctan asin acos atan sinh cosh tanh arcsinh arccosh arctanh asinh acosh atanh exp exp2 "
    "expm1 log log1p log2 log10 sqrt cbrt rad2deg deg2rad degrees radians"
)
SAME = "negative positive square conj conjugate"
BOOLEAN = "isnan isinf isfinite logical_not signbit isneginf isposinf iscomplex isreal"
NN_INEXACT = (
    "sigmoid softplus silu swish log_sigmoid soft_sign gelu elu selu celu mish hard_sigmoid hard_silu hard_swish "
    "squareplus leaky_relu hard_tanh"
)
LAX_SAME = (
    "abs sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 expm1 log log1p sqrt rsqrt cbrt logistic "
    "neg sign floor ceil round erf erfc erf_inv lgamma digamma square reciprocal bitwise_not stop_gradient "
    "integer_pow conj nextafter cumsum cumprod cummax cummin cumlogsumexp sort rev reduce_precision"
)


@answers(INEXACT, "x")
@answers(
    "erf erfc erfinv expit logit gammaln digamma ndtr ndtri log_ndtr i0 i0e i1 i1e gamma entr",
    "x",
    "jax.scipy.special",
)
def unary_inexact(ask: Ask) -> dict[str, Any]:
    found = ask.array("x")
    return details(found.shape, *inexact(ask, found.typed))


@answers(NN_INEXACT, "x", "jax.nn")
@answers("sinc i0", "x")
def unary_inexact_plain(ask: Ask) -> dict[str, Any]:
    found = ask.array("x")
    known = not ask.numpy or dtypes.category(found.dtype) == "float"
    return details(found.shape, inexact(ask, found.typed)[0] if known else None, strongly(found))


def strongly(found: Operand) -> bool | None:
    """Strong operands give strong results, whatever the function does with weak ones."""
    return (
        False
        if found.weak is False and dtypes.category(found.dtype) not in ("", "bool", "int", "uint")
        else None
    )


@answers(SAME, "x")
def unary_same(ask: Ask) -> dict[str, Any]:
    found = ask.array("x")
    return like(ask, found if dtypes.category(found.dtype) != "bool" else Operand(), found.shape)


@answers("nan_to_num copy", "x")
@answers("relu relu6", "x", "jax.nn")
def unary_same_plain(ask: Ask) -> dict[str, Any]:
    found = ask.array("x")
    dtype, weak = settled(ask, found.typed)
    if (
        ".nn." in ask.name
        and dtypes.category(dtype) != "float"
        and (ask.name.endswith("6") or dtype == "bool")
    ):
        return details(found.shape)
    return details(
        found.shape, dtype, weak if weak is False and not ask.name.endswith("6") else strongly(found)
    )


@answers("device_put block_until_ready", "x", "jax")
def handed_on(ask: Ask) -> dict[str, Any]:
    """These take trees as well; only of an array there is something to say."""
    found = ask.array("x")
    return like(ask, found, found.shape, found.const) if found.side in ("jax", "numpy") else {}


@answers("floor ceil trunc rint round around fix", "x")
def rounding(ask: Ask) -> dict[str, Any]:
    """Integers stay integers or become floats by version; floats stay what they are."""
    found = ask.array("x")
    dtype, weak = settled(ask, found.typed)
    return details(
        found.shape,
        dtype if dtypes.category(dtype) in ("float", "complex") else None,
        weak if dtypes.category(dtype) == "float" else None,
    )


@answers("abs absolute fabs sign reciprocal bitwise_not bitwise_invert invert", "x")
def unary_varied(ask: Ask) -> dict[str, Any]:
    found = ask.array("x")
    dtype, weak = settled(ask, found.typed)
    short = ask.name.rpartition(".")[2]
    if short in ("abs", "absolute", "fabs") and dtype in dtypes.REAL_PART:
        dtype, weak = dtypes.REAL_PART[dtype], None
    if short in ("fabs", "reciprocal") and (dtypes.category(dtype) != "float"):
        dtype, weak = None, None
    return details(found.shape, dtype, weak)


@answers("real imag angle", "x")
def part(ask: Ask) -> dict[str, Any]:
    found = ask.array("x")
    dtype, weak = settled(ask, found.typed)
    if dtype in dtypes.REAL_PART:
        return details(found.shape, dtypes.REAL_PART[dtype])
    if ask.numpy and found.side == "python":
        return details(found.shape)
    return details(found.shape, dtype if dtypes.category(dtype) == "float" else None)


@answers(BOOLEAN, "x")
@answers("is_finite", "x", "jax.lax")
def unary_boolean(ask: Ask) -> dict[str, Any]:
    found = ask.array("x")
    keeps = ask.name.endswith(("isnan", "logical_not"))
    return truth(ask, found.shape, found.weak if keeps or found.weak is False else None)


@answers(LAX_SAME, "x", "jax.lax")
def lax_unary(ask: Ask) -> dict[str, Any]:
    found = ask.array("x")
    dtype, weak = settled(ask, found.typed)
    if dtype in dtypes.REAL_PART and ask.name.endswith(".abs"):
        return details(found.shape, dtypes.REAL_PART[dtype])
    return details(found.shape, dtype, weak, found.const if ask.name.endswith("stop_gradient") else MISSING)


# --- two operands -----------------------------------------------------------------------------------------------------

PROMOTING = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "remainder": "%",
    "mod": "%",
    "floor_divide": "//",
    "power": "**",
    "pow": "**",
    "bitwise_and": "&",
    "bitwise_or": "|",
    "bitwise_xor": "^",
    "left_shift": "<<",
    "right_shift": ">>",
    "bitwise_left_shift": "<<",
    "bitwise_right_shift": ">>",
    "true_divide": "/",
    "divide": "/",
    "equal": "==",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
}
LAX_BINARY = "add sub mul div rem max min pow atan2 bitwise_and bitwise_or bitwise_xor shift_left"


@answers(" ".join(PROMOTING), "x y")
def by_operator(ask: Ask) -> dict[str, Any]:
    short = ask.name.rpartition(".")[2]
    return combined(ask, PROMOTING[short], ask.array("x"), ask.array("y"), exponent=None)


@answers("maximum minimum fmax fmin fmod gcd lcm", "x y")
def promoting(ask: Ask) -> dict[str, Any]:
    a, b = ask.array("x"), ask.array("y")
    dtype, weak = promote(ask, [a, b])
    if not ask.name.endswith("imum") and (weak or "bool" in (a.dtype, b.dtype)):
        return details(broadcast(a.shape, b.shape), None if dtype == "bool" else dtype)
    return details(broadcast(a.shape, b.shape), dtype, weak)


@answers("arctan2 atan2 hypot logaddexp logaddexp2 copysign heaviside nextafter float_power", "x y")
@answers("xlogy xlog1py", "x y", "jax.scipy.special")
@answers("logaddexp", "x y", "jax.nn")
def promoting_inexact(ask: Ask) -> dict[str, Any]:
    a, b = ask.array("x"), ask.array("y")
    dtype, weak = inexact(ask, promote(ask, [a, b]))
    floats = all(dtypes.category(o.dtype) == "float" for o in (a, b)) and not ask.name.endswith("float_power")
    return details(
        broadcast(a.shape, b.shape),
        dtype if floats or not ask.numpy and not ask.name.endswith(("float_power", "heaviside")) else None,
        False if weak is False and floats else None,
    )


@answers("logical_and logical_or logical_xor isclose", "x y")
@answers("eq ne lt le gt ge", "x y", "jax.lax")
def boolean(ask: Ask) -> dict[str, Any]:
    a, b = ask.array("x"), ask.array("y")
    return truth(ask, broadcast(a.shape, b.shape), False if a.weak is False and b.weak is False else None)


@answers("allclose array_equal array_equiv", "x y")
def boolean_scalar(ask: Ask) -> dict[str, Any]:
    return truth(ask, (), None)


@answers(LAX_BINARY, "x y", "jax.lax")
def lax_binary(ask: Ask) -> dict[str, Any]:
    """`lax` does not promote: the array's dtype stands, Python numbers follow it."""
    return unpromoted(ask, [ask.array("x"), ask.array("y")])


@answers("clamp", "min x max", "jax.lax")
def clamp(ask: Ask) -> dict[str, Any]:
    found = ask.array("x")
    return details(found.shape, found.dtype if found.side != "python" else None)


@answers("select", "pred x y", "jax.lax")
def lax_select(ask: Ask) -> dict[str, Any]:
    return unpromoted(ask, [ask.array("x"), ask.array("y")])


def unpromoted(ask: Ask, operands: list[Operand]) -> dict[str, Any]:
    arrays = [o for o in operands if o.side != "python"]
    agreed = {o.dtype for o in arrays if o.dtype}
    weak = False if any(o.weak is False for o in arrays) else True if all(o.weak for o in operands) else None
    if not arrays:
        return details(())
    return details(broadcast(*(o.shape for o in operands)), agreed.pop() if len(agreed) == 1 else None, weak)


@answers("where", "condition x y size fill_value")
def where(ask: Ask) -> dict[str, Any]:
    condition, a, b = ask.array("condition"), ask.array("x"), ask.array("y")
    if not (ask.has("x") and ask.has("y")):
        return {}
    return details(broadcast(condition.shape, a.shape, b.shape), *promote(ask, [a, b]))


@answers("select", "condlist choicelist default")
def select(ask: Ask) -> dict[str, Any]:
    conditions, choices = ask.arrays("condlist"), ask.arrays("choicelist")
    if not conditions or not choices:
        return {}
    default = ask.array("default") if ask.value("default") else Operand((), "int", True, side="python")
    found = [*choices, default]
    return details(
        broadcast(*(o.shape for o in (*conditions, *found))),
        promote(ask, found)[0] if not ask.numpy else None,
    )


@answers("clip", "x min max")
def clip(ask: Ask) -> dict[str, Any]:
    given = [ask.array("x")]
    bounds = [("min", "a_min"), ("max", "a_max")]
    for name, old in bounds:
        has = ask.has(name), ask.has(old)
        if None in has:
            return {}
        if True in has:
            given.append(ask.array(name if has[0] else old))
    return details(broadcast(*(o.shape for o in given)), *promote(ask, given))
