"""What `engine.shapes` says about arrays, compared with what JAX and NumPy compute."""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from support.lockstep import Lockstep, is_key

from jupyterlab_jaxhints.engine import shapes
from jupyterlab_jaxhints.engine.callables import Argument
from jupyterlab_jaxhints.engine.values import (
    ALL,
    ARRAY,
    KEY,
    MISSING,
    NUMBER,
    NUMPY,
    SEQUENCE,
    UNKNOWN,
    Value,
    constant,
    tuple_of,
)

SAMPLES = (Path(__file__).parent / "samples" / "shapes.txt").read_text().splitlines()
EXPECTED = {
    "jnp.zeros((3, 4))": {"shape": (3, 4), "dtype": "float32", "weak": False, "const": ((0.0,) * 4,) * 3},
    "jnp.zeros(x.shape[0])": {"shape": (3,), "dtype": "float32"},
    "jnp.array([1, 2, 3])": {"shape": (3,), "dtype": "int32", "weak": False, "const": (1, 2, 3)},
    "jnp.asarray(2.5)": {"shape": (), "dtype": "float32", "weak": True, "const": 2.5},
    "jnp.arange(2, 10, 3)": {"shape": (3,), "dtype": "int32", "const": (2, 5, 8)},
    "jnp.arange(6).reshape(2, -1)[:, 1]": {"shape": (2,), "dtype": "int32", "const": (1, 4)},
    "jnp.array([300.0, -1.0])": {"const": (300.0, -1.0)},
    "i + 1.5": {"shape": (3,), "dtype": "float32", "weak": True},
    "i + jnp.ones(3, 'float16')": {"dtype": "float16", "weak": False},
    "ni + 1.5": {"dtype": "float64"},
    "x[:, None, 1:]": {"shape": (3, 1, 3)},
    "x[i, 0]": {"shape": (3,)},
    "x[x > 0]": {"shape": (None,), "dtype": "float32"},
    "t[0, :, i]": {"shape": (3, 3)},
    "x @ y": {"shape": (3, 5), "dtype": "float32"},
    "jnp.einsum('bij,jk->bik', t, y)": {"shape": (2, 3, 5)},
    "x.sum(axis=0, keepdims=True)": {"shape": (1, 4)},
    "x.astype('float64')": {"shape": (3, 4), "dtype": "float32", "weak": False},
    "jnp.concatenate([x, x], axis=1)": {"shape": (3, 8)},
    "jnp.where(m, i, 1.5)": {"shape": (3,), "dtype": "float32", "weak": True},
    "jax.random.normal(key, (3, 4))": {"shape": (3, 4), "dtype": "float32", "weak": False},
    "jax.random.split(raw, 4)": {"shape": (4, 2)},
    "jax.nn.one_hot(i, 5)": {"shape": (3, 5), "dtype": "float32"},
    "lax.dynamic_slice_in_dim(x, 0, 2, axis=1)": {"shape": (3, 2)},
    "x.at[0].set(1)": {"shape": (3, 4), "dtype": "float32"},
    "jnp.linspace(0, 1, 5)": {"shape": (5,), "dtype": "float32"},
    "nx.reshape(-1).mean()": {"shape": (), "dtype": "float64"},
    "jnp.asarray(nx)": {"shape": (3, 4), "dtype": "float32", "weak": False},
}


@pytest.fixture(params=[False, True], ids=["x32", "x64"])
def x64(request):
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", request.param)
    yield request.param
    jax.config.update("jax_enable_x64", before)


def names() -> dict:
    """The names that the samples speak of."""
    return {
        "jax": jax,
        "jnp": jnp,
        "np": np,
        "lax": lax,
        "n": 3,
        "f": 2.5,
        "x": jnp.ones((3, 4)),
        "y": jnp.ones((4, 5)),
        "t": jnp.ones((2, 3, 4)),
        "v": jnp.ones(3),
        "i": jnp.arange(3),
        "j": jnp.arange(12).reshape(3, 4),
        "h": jnp.ones((3, 4), "float16"),
        "b8": jnp.ones((3, 4), "bfloat16"),
        "u": jnp.ones(3, "uint8"),
        "k8": jnp.ones((3, 4), "int8"),
        "c": jnp.ones(3, "complex64"),
        "m": jnp.array([True, False, True]),
        "w": jnp.asarray(1.0),
        "wi": jnp.asarray(2),
        "s": jnp.ones((3, 3)) + 3 * jnp.eye(3),
        "nx": np.ones((3, 4)),
        "nf": np.ones((3, 4), "float32"),
        "ni": np.arange(3),
        "nb": np.array([True, False, True]),
        "n8": np.ones(3, "int8"),
        "ns": np.float32(2),
        "nd": np.float64(2),
        "key": jax.random.key(0),
        "raw": jax.random.PRNGKey(0),
    }


def is_array(real) -> bool:
    return isinstance(real, (jax.Array, np.ndarray, np.generic)) and not is_key(real)


@pytest.mark.parametrize("chunk", range(20))
def test_never_contradicts_jax_or_numpy(x64, chunk):
    told = {"shape": 0, "dtype": 0}
    asked, problems = 0, []
    bound = names()
    for text in SAMPLES[chunk :: 60 if x64 else 20]:
        lockstep = Lockstep(bound, x64)
        real, value = lockstep.run(text)
        problems += lockstep.problems
        if is_array(real):
            asked += 1
            told["shape"] += value.shape is not None and None not in value.shape
            told["dtype"] += value.dtype is not None
    assert problems == []
    assert told["shape"] > 0.7 * asked
    assert told["dtype"] > 0.7 * asked


def test_says_less_where_64_bits_are_not_known():
    bound, problems = names(), []
    for text in SAMPLES[::7]:
        lockstep = Lockstep(bound, False, told_x64=None)
        lockstep.run(text)
        problems += lockstep.problems
    assert problems == []
    _, value = Lockstep(bound, False, told_x64=None).run("jnp.zeros(3)")
    assert value.shape == (3,) and value.dtype is None


@pytest.mark.parametrize("text", EXPECTED)
def test_says_what_is_known(text):
    raw_key = Value(KEY, shape=(2,), dtype="uint32")
    _, value = Lockstep(names(), False, {"raw": raw_key}).run(text)
    assert {key: getattr(value, key) for key in EXPECTED[text]} == EXPECTED[text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("jnp.split(x, 2, axis=1)", [(3, 2), (3, 2)]),
        ("jnp.array_split(jnp.arange(7), 3)", [(3,), (2,), (2,)]),
        ("jnp.meshgrid(jnp.arange(2), jnp.arange(5))", [(5, 2), (5, 2)]),
        ("jnp.linalg.svd(x, full_matrices=False)", [(3, 3), (3,), (3, 4)]),
        ("jnp.linalg.qr(x)", [(3, 3), (3, 4)]),
        ("jnp.nonzero(x)", [(None,), (None,)]),
        ("jnp.unstack(x)", [(4,), (4,), (4,)]),
        ("lax.top_k(x, 2)", [(3, 2), (3, 2)]),
        ("jnp.divmod(x, 2)", [(3, 4), (3, 4)]),
    ],
)
def test_functions_with_several_results(text, expected):
    _, value = Lockstep(names(), False).run(text)
    assert [element.shape for element in value.elements] == expected


# --- what is not known ------------------------------------------------------------------------------------------------

X = Value(ARRAY, shape=(None, 4), dtype="float32", weak=False)
SOME_INT = Value(NUMBER, dtype="int")


def arguments(*values: Value, **keywords: Value) -> tuple[Argument, ...]:
    return (
        *(Argument(value, None) for value in values),
        *(Argument(value, None, keyword=name) for name, value in keywords.items()),
    )


def no_parts(value: Value) -> list[Value]:
    return list(value.elements or ())


def test_unknown_dimensions_stay_unknown():
    assert shapes.index(X, constant(0))["shape"] == (4,)
    assert shapes.binary("+", X, Value(ARRAY, shape=(1, 4), dtype="float32"), False)["shape"] == (None, 4)
    assert shapes.method("reshape", X, arguments(constant(-1)), no_parts, False)["shape"] == (None,)
    made = shapes.call("jax.numpy.zeros", arguments(tuple_of([SOME_INT, constant(2)])), no_parts, False)
    assert made["shape"] == (None, 2)
    assert "const" not in made
    shape = shapes.attribute("shape", X)
    assert [element.const for element in shape.elements] == [MISSING, 4]


@pytest.mark.parametrize(
    "value", [UNKNOWN, Value(ARRAY), Value(ARRAY | NUMPY | NUMBER), Value(SEQUENCE), Value(0)]
)
def test_unknown_values_give_no_shape(value):
    for name in ("sin", "sum", "zeros", "reshape", "concatenate", "matmul", "take", "full", "one_hot"):
        told = shapes.call(f"jax.numpy.{name}", arguments(value, value), no_parts, False)
        assert None in told.get("shape", (None,)) or name == "sum" or told["shape"] == ()
    assert "shape" not in shapes.binary("+", value, X, False)
    assert "shape" not in shapes.index(value, constant(0))


def test_a_star_hides_which_argument_is_which():
    star = (Argument(Value(SEQUENCE), None, star="*"),)
    assert shapes.call("jax.numpy.zeros", star, no_parts, False) == {}


def test_unknown_axis_leaves_the_dtype():
    told = shapes.call("jax.numpy.sum", arguments(X, axis=SOME_INT), no_parts, False)
    assert told == {"dtype": "float32", "weak": False}


def test_a_number_without_type_is_not_taken_for_an_int():
    assert "dtype" not in shapes.binary("*", X.but(dtype="int32"), Value(NUMBER), False)


def test_either_numpy_or_jax_gives_what_both_give():
    either = Value(ARRAY | NUMPY, shape=(3,), dtype="int32", weak=False)
    told = shapes.binary("/", either, constant(2), False)
    assert told == {"shape": (3,)}


# --- facts for rules --------------------------------------------------------------------------------------------------


def test_broadcastable():
    assert shapes.broadcastable((3, 4), (4,)) is True
    assert shapes.broadcastable((3, 4), (3,)) is False
    assert shapes.broadcastable((3, None), (4,)) is None
    assert shapes.broadcastable(None, (4,)) is None


def test_promotion_differs_between_jax_and_numpy():
    i32, f16 = (Value(ARRAY, shape=(3,), dtype=dtype, weak=False) for dtype in ("int32", "float16"))
    assert shapes.promotion(i32, f16) == ("float16", "float64")
    assert shapes.promotion(i32, constant(1.5), x64=False) == ("float32", "float64")
    assert shapes.promotion(i32, i32) == ("int32", "int32")


def test_overflow_names_the_number():
    assert shapes.overflow((1.0, 300.0), "uint8") == 300.0
    assert shapes.overflow(-1.0, "uint32") == -1.0
    assert shapes.overflow((1, 2), "int8") is None
    assert shapes.overflow(1e30, "float32") is None


def test_subnormal():
    assert shapes.is_subnormal(1e-40, "float32")
    assert not shapes.is_subnormal(1e-40, "float64")
    assert not shapes.is_subnormal((0.0, 1e-30), "float32")
    assert not shapes.is_subnormal(1e-60, "float32")


def test_dtype_spellings():
    asked = {"f8": "float64", "float64": "float64", "<f4": "float32", "bfloat16": "bfloat16", "int": "int64"}
    assert {text: shapes.dtype_of(constant(text)) for text in asked} == asked
    assert shapes.dtype_of(Value(ALL, target="jax.numpy.float64")) is None
    assert shapes.dtype_of(Value(1 << 19, target="jax.numpy.float64")) == "float64"
    assert shapes.dtype_of(Value(1 << 13, target="builtins.float")) == "float64"
