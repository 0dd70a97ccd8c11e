"""Random programs: whatever `engine.shapes` says of a value, step after step, is what JAX and NumPy make of it."""

from __future__ import annotations

import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jax import lax
from support.lockstep import Lockstep, value_of

from jupyterlab_jaxhints.engine import shapes
from jupyterlab_jaxhints.engine.callables import Argument
from jupyterlab_jaxhints.engine.shapes.dtypes import names as dtype_names
from jupyterlab_jaxhints.engine.shapes.registry import ONE, SEVERAL
from jupyterlab_jaxhints.engine.values import (
    ABSTRACT,
    ARRAY,
    DTYPE,
    KEY,
    MISSING,
    NONE,
    NUMBER,
    NUMPY,
    SEQUENCE,
    SLICE,
    STRING,
    UNKNOWN,
    Value,
    constant,
    tuple_of,
)

# what a user does with arrays; {} is a name, [dim] a small number, [axis] an axis, [dtype] a dtype
STEPS = (
    """
{} + {}|{} - {}|{} * {}|{} / {}|{} // {}|{} % {}|{} ** 2|{} @ {}|{} < {}|{} == {}|-{}|{} + [dim]|2.5 * {}|{} & {}
{}[0]|{}[-1]|{}[1:]|{}[::-1]|{}[..., 0]|{}[:, None]|{}[None]|{}[:[dim]]|{}[jnp.arange([dim])]|{}[{} > 0]|{}[0, ..., 1:]
{}.T|{}.reshape(-1)|{}.reshape([dim], -1)|{}.sum()|{}.sum([axis])|{}.mean(axis=[axis])|{}.max([axis], keepdims=True)
{}.astype([dtype])|{}.ravel()|{}.argmax()|{}.std()|{}.any()|{}.cumsum([axis])|{}.shape[0] + {}|{}.at[0].set([dim])
jnp.sin({})|jnp.exp({})|jnp.abs({})|jnp.where({} > 0, {}, {})|jnp.where({} > 0, {}, 0)|jnp.maximum({}, {})
jnp.clip({}, 0, [dim])|jnp.concatenate([{}, {}], axis=[axis])|jnp.stack([{}, {}], axis=[axis])|jnp.vstack([{}, {}])
jnp.hstack([{}, {}])|jnp.tile({}, [dim])|jnp.repeat({}, [dim], axis=[axis])|jnp.squeeze({})|jnp.expand_dims({}, [axis])
jnp.swapaxes({}, 0, [axis])|jnp.moveaxis({}, 0, [axis])|jnp.broadcast_to({}, {}.shape)|jnp.zeros({}.shape)
jnp.zeros(([dim], [dim]), [dtype])|jnp.full(([dim],), {})|jnp.full([dim], 2.5, [dtype])|jnp.ones_like({})|jnp.arange([dim])
jnp.full_like({}, 1.5)|jnp.array([1, [dim]])|jnp.array([[1.5, [dim]], [True, 0]])|jnp.asarray({}, [dtype])|jnp.array({})
jnp.dot({}, {})|jnp.outer({}, {})|jnp.tensordot({}, {}, 1)|jnp.take({}, [dim])|jnp.take({}, jnp.arange([dim]), axis=[axis])
jnp.pad({}, [dim])|jnp.sort({})|jnp.argsort({})|jnp.cumprod({})|jnp.var({}, axis=[axis])|jnp.prod({}, axis=[axis])
jnp.split({}, [dim], axis=[axis])|jnp.array_split({}, 2)|jnp.meshgrid({}, {})|jnp.unstack({})|jnp.nonzero({})
jax.nn.relu({})|jax.nn.softmax({}, [axis])|lax.stop_gradient({})|lax.dynamic_slice_in_dim({}, 0, [dim], [axis])
np.sin({})|np.concatenate([{}, {}])|np.sum({}, axis=[axis])|np.mean({})|np.zeros([dim])|np.ones(([dim], 2), [dtype])
np.where({} > 0, {}, 1)|np.asarray({})|np.arange([dim])|np.float32([dim])|np.dot({}, {})|np.stack([{}, {}])|np.maximum({}, 1)
""".strip()
    .replace("\n", "|")
    .split("|")
)
DTYPES = [
    "'float32'",
    "'float16'",
    "jnp.int32",
    "'int8'",
    "bool",
    "float",
    "int",
    "jnp.bfloat16",
    "np.float64",
    "'uint8'",
]
STARTS = ["float32", "int32", "bool", "float16", "uint8"]


@st.composite
def programs(draw: Any) -> tuple[list[tuple[str, tuple, str]], list[str]]:
    """A few arrays to start with, and statements over them."""
    sides = st.sampled_from(["jax", "jax", "numpy", "weak", "number"])
    starts = draw(
        st.lists(
            st.tuples(sides, st.lists(st.integers(1, 3), max_size=3).map(tuple), st.sampled_from(STARTS)),
            min_size=2,
            max_size=3,
        )
    )
    steps = draw(st.lists(st.sampled_from(STEPS), min_size=1, max_size=5))
    return starts, [fill(draw, step, len(starts) + i) for i, step in enumerate(steps)]


def fill(draw: Any, step: str, known: int) -> str:
    while "{}" in step:
        step = step.replace("{}", f"a{draw(st.integers(0, known - 1))}", 1)
    for hole, choices in (
        ("[dim]", st.sampled_from(["1", "2", "3"])),
        ("[axis]", st.sampled_from(["0", "1", "-1"])),
        ("[dtype]", st.sampled_from(DTYPES)),
    ):
        while hole in step:
            step = step.replace(hole, draw(choices), 1)
    return step


def start(side: str, shape: tuple, dtype: str) -> Any:
    if side == "number":
        return {"float32": 1.5, "int32": 2, "bool": True}.get(dtype, 3)
    if side == "weak":
        return jnp.asarray(2.0 if dtype == "float32" else 2)
    made = np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)
    return jnp.asarray(made) if side == "jax" else made


def forget(value: Value, which: int) -> Value:
    """The same value, a part of what is known of it left out."""
    if which == 1 and value.shape:
        return value.but(shape=(None, *value.shape[1:]))
    return {
        2: lambda: value.but(shape=None),
        3: lambda: value.but(dtype=None, weak=None, const=MISSING),
        4: lambda: value.but(weak=None),
    }.get(which, lambda: value)()


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    program=programs(),
    gaps=st.lists(st.integers(0, 9), min_size=8, max_size=8),
    x64=st.booleans(),
    told=st.booleans(),
)
def test_never_contradicts(program, gaps, x64, told):
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", x64)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            run(program, gaps, x64 if told else None, x64)
    finally:
        jax.config.update("jax_enable_x64", before)


def run(program: tuple, gaps: list[int], told: bool | None, x64: bool) -> None:
    starts, steps = program
    reals = {f"a{i}": start(*s) for i, s in enumerate(starts)}
    values = {name: forget(value_of(real), gap) for (name, real), gap in zip(reals.items(), gaps)}
    bound = {"jax": jax, "jnp": jnp, "np": np, "lax": lax, **reals}
    for number, step in enumerate(steps, len(starts)):
        lockstep = Lockstep(bound, x64, values, told_x64=told)
        try:
            real, value = lockstep.run(step)
        except (TypeError, ValueError, IndexError, AttributeError, OverflowError, ZeroDivisionError):
            real, value = 1.5, constant(1.5)  # a program that raises has no result to speak of
        assert lockstep.problems == [], (starts, steps)
        if isinstance(real, tuple):
            pairs = list(zip(real, value.elements or ()))
            real, value = pairs[-1] if pairs else (1.5, constant(1.5))
        bound[f"a{number}"], values[f"a{number}"] = real, forget(value, gaps[number])


# --- anything at all ----------------------------------------------------------------------------------------------------

DIMENSIONS = st.one_of(st.none(), st.integers(0, 4))
LEAVES = st.one_of(
    st.sampled_from(
        [
            UNKNOWN,
            Value(0),
            constant(None),
            constant("f4"),
            constant("ij,jk"),
            constant(Ellipsis),
            Value(SEQUENCE),
            Value(SLICE),
            Value(KEY),
            Value(DTYPE, target="jax.numpy.int8"),
            Value(STRING),
            Value(ARRAY | NONE),
            Value(NUMBER),
            constant(float("nan")),
            constant(10**40),
        ]
    ),
    st.one_of(st.integers(-5, 5), st.floats(), st.booleans()).map(constant),
    st.builds(
        Value,
        st.sampled_from([ARRAY, NUMPY, ABSTRACT, ARRAY | NUMPY, KEY]),
        shape=st.one_of(st.none(), st.lists(DIMENSIONS, max_size=4).map(tuple)),
        dtype=st.sampled_from([None, "float32", "int32", "bool", "complex64", "bfloat16", "float64"]),
        weak=st.sampled_from([None, True, False]),
    ),
)
VALUES = st.one_of(LEAVES, st.lists(LEAVES, max_size=3).map(tuple_of))
KEYWORDS = st.sampled_from(["", "", "axis", "dtype", "shape", "keepdims", "size", "num", "n"])


def parts(value: Value) -> list[Value]:
    return list(value.elements or ())


def well_formed(details: dict[str, Any]) -> bool:
    shape, dtype = details.get("shape", ()), details.get("dtype")
    known = (
        dtype is None
        or dtype in dtype_names()
        or dtype in ("int", "float", "complex")
        or dtype.startswith("key")
    )
    return (
        set(details) <= {"shape", "dtype", "weak", "const"}
        and known
        and all(dim is None or type(dim) is int for dim in shape)
        and details.get("weak") in (None, True, False)
    )


@settings(max_examples=400, deadline=None)
@given(
    name=st.sampled_from(sorted({*ONE, *SEVERAL})),
    numpy=st.booleans(),
    args=st.lists(
        st.builds(lambda value, keyword: Argument(value, None, keyword=keyword), VALUES, KEYWORDS), max_size=4
    ),
    base=VALUES,
    index=VALUES,
    x64=st.sampled_from([None, True, False]),
    sign=st.sampled_from(["+", "/", "@", "**", "<", "<<", "?"]),
)
def test_answers_whatever_is_asked(name, numpy, args, base, index, x64, sign):
    name = name.replace("jax.numpy", "numpy") if numpy else name
    args = tuple(args)
    answers = [
        shapes.call(name, args, parts, x64),
        *(shapes.calls(name, args, parts, x64) or []),
        shapes.method(name.rpartition(".")[2], base, args, parts, x64),
        shapes.index(base, index, parts),
        shapes.binary(sign, base, index, x64, parts),
        shapes.literal(base, parts, x64),
    ]
    assert all(well_formed(answer) for answer in answers), answers
