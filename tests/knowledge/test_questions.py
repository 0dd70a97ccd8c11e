"""What the engine asks the tables, answered as JAX's documentation and its errors say."""

from __future__ import annotations

import subprocess
import sys

import pytest

from jupyterlab_jaxhints.knowledge import api, at, tracers, transforms


@pytest.mark.parametrize(
    "alias, name",
    [
        ("jax.experimental.pjit.pjit", "jax.jit"),
        ("jax.experimental.shard_map.shard_map", "jax.shard_map"),
        ("jax.numpy.ndarray", "jax.Array"),
        ("jax.tree_util.tree_map", "jax.tree.map"),
        ("jax.remat", "jax.checkpoint"),
        ("jax.numpy.double", "jax.numpy.float64"),
        ("jax.numpy.int_", "jax.numpy.int_"),
        ("jax.example_libraries.stax.jnp.sum", "jax.example_libraries.stax.jnp.sum"),
        ("somebody.elses.name", "somebody.elses.name"),
    ],
)
def test_aliases(alias: str, name: str) -> None:
    assert api.canonical(alias) == name


@pytest.mark.parametrize(
    "name, result",
    [
        ("jax.numpy.zeros", "array"),
        ("jax.numpy.shape", "static"),
        ("jax.numpy.result_type", "dtype"),
        ("jax.lax.axis_size", "static"),
        ("jax.random.key", "key"),
        ("jax.random.PRNGKey", "key"),
        ("jax.random.split", "keys"),
        ("jax.random.normal", "array"),
        ("jax.numpy.split", "list"),
        ("jax.device_get", "numpy"),
        ("jax.grad", "function"),
        ("jax.lax.scan", "unknown"),
        ("jax.tree.map", "unknown"),
    ],
)
def test_what_a_call_gives(name: str, result: str) -> None:
    assert api.lookup(name).result == result


def test_unlisted_is_unknown() -> None:
    assert api.lookup("jax.numpy.no_such_name") is None
    assert api.lookup("jax.tree_map", "0.10.2").name == "jax.tree.map"
    assert api.lookup("jax.set_mesh", "0.4.30") is None and api.lookup("jax.set_mesh") is not None


def test_named_results_and_flags() -> None:
    eigh = api.lookup("jax.numpy.linalg.eigh")
    assert eigh.items == ("array", "array") and eigh.fields == ("eigenvalues", "eigenvectors")
    assert api.lookup("jax.numpy.linalg.svd").when["compute_uv=False"].result == "array"
    assert api.lookup("jax.numpy.where").when["arguments=1"].result == "tuple"
    assert api.lookup("jax.lax.stop_gradient").like == "x"


@pytest.mark.parametrize("name, parameter", [("sum", "a"), ("dot", "a"), ("where", "x"), ("sin", "x")])
def test_lists_are_refused(name: str, parameter: str) -> None:
    assert parameter in api.lookup(f"jax.numpy.{name}").refuses


@pytest.mark.parametrize("name, parameter", [("stack", "arrays"), ("concatenate", "arrays"), ("array", "object"), ("asarray", "a")])
def test_lists_are_taken(name: str, parameter: str) -> None:
    entry = api.lookup(f"jax.numpy.{name}")
    assert parameter in entry.sequences and parameter not in entry.refuses


@pytest.mark.parametrize(
    "name, parameter",
    [
        ("jax.numpy.zeros", "shape"),
        ("jax.numpy.arange", "start"),
        ("jax.numpy.linspace", "num"),
        ("jax.numpy.sum", "axis"),
        ("jax.nn.one_hot", "num_classes"),
        ("jax.random.normal", "shape"),
        ("jax.lax.dynamic_slice_in_dim", "slice_size"),
    ],
)
def test_static_parameters(name: str, parameter: str) -> None:
    assert parameter in api.lookup(name).static


def test_parameters_that_may_be_traced() -> None:
    assert "start_index" not in api.lookup("jax.lax.dynamic_slice_in_dim").static
    assert api.lookup("jax.numpy.linspace").static == ("num", "endpoint", "retstep", "axis")
    assert api.lookup("jax.numpy.full").static == ("shape",)


def test_shapes_that_depend_on_values() -> None:
    assert api.lookup("jax.numpy.nonzero").dynamic == ("a",)
    assert api.lookup("jax.numpy.nonzero").fixed_by == ("size",)
    assert api.lookup("jax.numpy.bincount").fixed_by == ("length",)
    assert api.lookup("jax.numpy.repeat").fixed_by == ("total_repeat_length",)
    assert api.lookup("jax.numpy.sum").dynamic == ()


def test_places_of_parameters() -> None:
    entry = api.lookup("jax.numpy.clip")
    assert entry.index("min") == 1
    assert entry.parameter_at(2).name == "max"
    assert entry.parameter("arr") is None  # by position only
    assert api.lookup("jax.numpy.nonzero").index("size") is None  # by keyword only


def test_star_imports_and_modules() -> None:
    assert {"sum", "ndarray", "pi"} <= set(api.star("jax.numpy"))
    assert api.star("somewhere") == ()
    assert api.is_module("jax.numpy.linalg") and not api.is_module("jax.numpy.sum")


@pytest.mark.parametrize(
    "name, argument, abstract, linear",
    [
        ("numpy.sin", 0, "raises", "raises"),
        ("numpy.sum", 0, "tracer", "tracer"),
        ("numpy.shape", 0, "static", "static"),
        ("numpy.asarray", 0, "raises", "raises"),
        ("numpy.array_equal", 1, "wrong", "wrong"),
        ("numpy.where", "x", "raises", "raises"),
        ("numpy.concatenate", 0, "raises", "raises"),
        ("numpy.einsum", 2, "raises", "raises"),
        ("numpy.nonzero", 0, "raises", "static"),
        ("numpy.prod", "no_such_parameter", None, None),
        ("math.sqrt", 0, "raises", "raises"),
        ("ufunc.at", 2, "raises", "raises"),
    ],
)
def test_numpy_on_a_tracer(name: str, argument: int | str, abstract: str | None, linear: str | None) -> None:
    function = tracers.numpy_function(name)
    assert (function.answer("abstract", argument), function.answer("linear", argument)) == (abstract, linear)


def test_numpy_twins() -> None:
    assert tracers.numpy_function("numpy.linalg.norm").twin == "jax.numpy.linalg.norm"
    assert tracers.numpy_function("math.sqrt").twin == "jax.numpy.sqrt"
    assert tracers.numpy_function("numpy.random.normal").twin is None


@pytest.mark.parametrize(
    "name, abstract, linear",
    [
        ("float", "raises", "raises"),
        ("int", "raises", "static"),
        ("if", "raises", "static"),
        ("len", "static", "static"),
        ("is None", "static", "static"),
        ("abs", "tracer", "tracer"),
        ("format", "static", "static"),
        ("format spec", "raises", "raises"),
        ("numpy array + x", "tracer", "tracer"),
    ],
)
def test_builtins_on_a_tracer(name: str, abstract: str, linear: str) -> None:
    assert tracers.builtin(name, "abstract") == abstract
    assert tracers.builtin(name, "linear", "vector" if name == "len" else "scalar") == linear


def test_methods_of_arrays() -> None:
    assert tracers.method("fill").kind == "missing"
    assert tracers.method("sort").numpy_in_place and tracers.method("sort").abstract == "array"
    assert tracers.method("item").abstract == "raises" and tracers.method("item").linear == "static"
    assert tracers.method("shape").abstract == "static"
    assert tracers.method("no_such_method") is None


def test_at_methods() -> None:
    assert [at.for_operator(sign) for sign in ("+=", "-=", "*=", "/=", "**=", "%=")] == [
        "add", "subtract", "multiply", "divide", "power", None,
    ]  # fmt: skip
    assert at.for_operator("-=", "0.4.30") is None
    assert (at.for_function("minimum"), at.for_function("maximum"), at.for_function("fmin")) == ("min", "max", None)
    assert not at.method("get").writes and "fill_value" in at.method("get").keywords


@pytest.mark.parametrize(
    "name, tracer, staged",
    [
        ("jax.jit", "abstract", True),
        ("jax.vmap", "abstract", False),
        ("jax.grad", "linear", False),
        ("jax.lax.scan", "abstract", True),
        ("jax.lax.associative_scan", "", False),
        ("jax.custom_vjp", "", False),
        ("jax.shard_map", "abstract", False),
        ("jax.pure_callback", "", False),
        ("jax.experimental.pallas.pallas_call", "ref", True),
        ("equinox.filter_grad", "linear", False),
        ("haiku.transform", "", False),
    ],
)
def test_what_a_transform_does(name: str, tracer: str, staged: bool) -> None:
    row = transforms.transform(name)
    assert (row.tracer, row.staged) == (tracer, staged)


def test_which_arguments_a_transform_traces() -> None:
    assert transforms.transform("jax.grad").selected[""] == ("linear", "array")
    assert transforms.transform("jax.grad").selected["argnums=1"] == ("array", "linear")
    assert transforms.transform("jax.vmap").selected["in_axes=(0, None)"] == ("abstract", "array")
    assert transforms.transform("jax.lax.scan").functions == {"f": ("init", "xs[]")}
    assert transforms.transform("jax.jit").options == ()  # by keyword only
    assert transforms.transform("jax.vmap").options[:2] == ("in_axes", "out_axes")


def test_nothing_heavy_is_imported() -> None:
    code = (
        "import sys; from jupyterlab_jaxhints.knowledge import api, at, keys, removed, tracers, transforms\n"
        "api.lookup('jax.jit'); print({'jax', 'numpy', 'libcst', 'pydantic'} & set(sys.modules))"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert printed.stdout.strip() == "set()"
