"""Turns one public object of JAX into an entry of the API table, by calling it."""

from __future__ import annotations

import inspect
import types
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import samples
from probe_api import Call, attempt, calls_for, is_key, items_of, kind_of, run_eager, run_traced, signature_of

#: Parameters that make a data-dependent result a fixed one.
SIZE_PARAMETERS = ("size", "length", "total_repeat_length", "num_segments")

#: These change the process or wait for something: listed with their parameters, never called.
HANDS_OFF = tuple(
    f"jax.{name}"
    for name in (
        "profiler. monitoring. distributed. extend. experimental.compilation_cache."
        " experimental.multihost_utils. test_util."
        " clear_ free_ref core.eval_context core.set_ numpy.load numpy.save numpy.fromfile"
        " numpy.set_printoptions"
        " experimental.key_reuse. export.register experimental.custom_partitioning. numpy.savez"
        " effects_barrier"
        " debug.breakpoint print_environment_info tree_util.register config. array_garbage_collection_guard"
        " thread_guard set_mesh sharding.set_mesh sharding.use_ experimental.mesh_utils. dlpack. errors."
        " ffi. lib."
        " experimental.pallas.tpu. experimental.jet.def debug.inspect experimental.pallas.lower"
        " experimental.pallas.delay"
    ).split()
)

#: What calling these gives depends on the functions they are handed: said in the table of transforms, not
#: here.
RESULT_DEPENDS = frozenset(
    "jax.lax.scan jax.lax.while_loop jax.lax.fori_loop jax.lax.cond jax.lax.switch jax.lax.map"
    " jax.lax.associative_scan"
    " jax.lax.custom_root jax.lax.custom_linear_solve jax.lax.platform_dependent jax.tree.map jax.tree.reduce"
    " jax.tree.map_with_path jax.pure_callback jax.experimental.io_callback jax.jvp jax.linearize jax.vjp"
    " jax.eval_shape"
    " jax.linear_transpose jax.tree.reduce_associative jax.fwd_and_bwd jax.experimental.jet.jet"
    " jax.experimental.pallas.run_scoped jax.experimental.pallas.run_state jax.experimental.pallas.loop"
    " jax.numpy.piecewise"
    " jax.tree_util.tree_reduce jax.scipy.optimize.minimize jax.experimental.pallas.with_scoped"
    " jax.tree.broadcast"
    " jax.lax.reduce jax.lax.reduce_window jax.numpy.apply_along_axis jax.numpy.apply_over_axes"
    " jax.numpy.fromfunction"
    " jax.tree.transpose jax.tree.unflatten jax.tree_util.tree_broadcast".split()
) - {"jax.lax.reduce", "jax.lax.reduce_window", "jax.numpy.apply_along_axis", "jax.numpy.apply_over_axes"}

#: Tuples whose length follows from the arguments.
OPEN_LENGTH = frozenset(
    f"jax.{name}"
    for name in (
        "numpy.nonzero numpy.where numpy.broadcast_arrays numpy.meshgrid numpy.gradient numpy.unstack"
        " numpy.ix_"
        " numpy.unravel_index numpy.atleast_1d numpy.atleast_2d numpy.atleast_3d numpy.mask_indices"
        " numpy.diag_indices"
        " numpy.diag_indices_from numpy.indices lax.sort lax.reduce lax.reduce_window lax.broadcast_shapes"
        " numpy.broadcast_shapes lax.split lax.infeed"
    ).split()
)


#: What no call from outside can show: a raw key is an array to JAX, and `device_get` is for values that are
#: there.
SAID: dict[str, dict[str, Any]] = {
    "jax.random.PRNGKey": {"result": "key"},
    "jax.numpy.where": {"when": {"arguments=1": {"result": "tuple"}}},
    "jax.device_get": {"result": "numpy", "like": "x"},
    "jax.numpy.histogramdd": {"result": "tuple", "items": ["array", "list"]},
}


def measure(qualified: str, value: Any) -> dict[str, Any]:
    """The entry of one public name, without what follows from defaults."""
    if isinstance(value, types.ModuleType):
        return {"kind": "module"}
    if isinstance(value, type(jnp.float32)) and not isinstance(value.dtype, property):
        return {"kind": "scalar_type", "result": "array", "dtype": np.dtype(value.dtype).name}
    if isinstance(value, type):
        return {"kind": "type"}
    if not callable(value):
        return _constant(value)
    return _function(qualified, value)


def _constant(value: Any) -> dict[str, Any]:
    if isinstance(value, (bool, int, str, type(None))):
        return {"kind": "constant", "value": value}
    if isinstance(value, float):
        return {"kind": "constant", "value": value if np.isfinite(value) else repr(value)}
    return {"kind": "object"}


def _function(qualified: str, function: Any) -> dict[str, Any]:
    entry: dict[str, Any] = {"kind": "function"}
    signature = signature_of(function)
    if signature is None:
        return entry
    entry["parameters"] = [_parameter(p) for p in signature.parameters.values()]
    if qualified.endswith("_p") or qualified.startswith(HANDS_OFF):
        return entry
    base = _working_call(qualified, function, signature)
    if base is None:
        return entry
    call, result, traced = base
    entry.update(_result(qualified, function, signature, call, result))
    if entry["result"] not in ("function", "type"):
        entry.update(_arguments(function, signature, call, traced))
        entry.update(_consumed(function, signature, call))
    flags = _flags(function, signature, call, traced, entry["result"])
    if flags:
        entry["when"] = flags
    return {**entry, **SAID.get(qualified, {})}


def _consumed(function: Any, signature: inspect.Signature, call: Call) -> dict[str, str]:
    """Which parameter is a key that the call consumes, as JAX's own checker of key reuse sees it."""
    for name, place in _places(signature, call):
        if is_key(call[place]):
            again = call.replaced(place, jax.random.key(7))
            with jax.debug_key_reuse(True):
                attempt(lambda: run_eager(function, again))
                good, error = attempt(lambda: run_eager(function, again))
            if not good and type(error).__name__ == "KeyReuseError":
                return {"consumes_key": name}
    return {}


def _parameter(parameter: inspect.Parameter) -> dict[str, Any]:
    described: dict[str, Any] = {"name": parameter.name}
    kind = {
        parameter.POSITIONAL_ONLY: "positional",
        parameter.KEYWORD_ONLY: "keyword",
        parameter.VAR_POSITIONAL: "*",
        parameter.VAR_KEYWORD: "**",
    }.get(parameter.kind)
    if kind:
        described["kind"] = kind
    if parameter.default is not parameter.empty:
        default = parameter.default
        plain = isinstance(default, (bool, int, float, str, type(None), tuple)) and default == default
        described["default"] = default if plain and _is_json(default) else "?"
    return described


def _is_json(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_json, value))
    return isinstance(value, (bool, int, str, type(None))) or (
        isinstance(value, float) and abs(value) < 1e300
    )


def _working_call(
    qualified: str, function: Any, signature: inspect.Signature
) -> tuple[Call, Any, bool] | None:
    eager = None
    for call in calls_for(qualified, function, signature):
        good, result = attempt(lambda: traced_result(function, call))
        if good:
            return call, result, True
        if eager is None and _is_about_tracers(result):
            good, result = attempt(lambda: run_eager(function, call))
            if good:
                eager = call, result, False
                break
    return eager


def _is_about_tracers(error: Exception) -> bool:
    text = f"{type(error).__name__} {error}".lower()
    return "tracer" in text or "trace" in text or "concret" in text


def traced_result(function: Any, call: Call) -> Any:
    """The result on tracers, with an axis of name `i` where the call names one."""
    return run_traced(
        function,
        call,
        named_axis="i" in [a for a in (*call.args, *call.kwargs.values()) if isinstance(a, str)],
    )


def _result(
    qualified: str, function: Any, signature: inspect.Signature, call: Call, result: Any
) -> dict[str, Any]:
    if qualified in RESULT_DEPENDS:
        return {"result": "unknown"}
    found: dict[str, Any] = {"result": kind_of(result)}
    if found["result"] in ("tuple", "list"):
        items = items_of(result) or []
        if found["result"] == "tuple" and qualified not in OPEN_LENGTH:
            found["items"] = items
        elif len(set(items)) == 1:
            found["each"] = items[0]
        if hasattr(result, "_fields"):
            found["fields"] = list(result._fields)
    like = _like(function, call)
    if like is not None:
        found["like"] = dict((place, name) for name, place in _places(signature, call))[like]
    return found


def _like(function: Any, call: Call) -> int | None:
    """The argument whose tree the result has: found by handing in a dict."""
    for place, argument in enumerate(call.args):
        if isinstance(argument, np.ndarray):
            tree = {"left": argument, "right": (argument,)}
            good, result = attempt(lambda: traced_result(function, call.replaced(place, tree)))
            if (
                good
                and isinstance(result, dict)
                and set(result) == {"left", "right"}
                and isinstance(result["right"], tuple)
            ):
                return place
    return None


def _arguments(function: Any, signature: inspect.Signature, call: Call, traced: bool) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {
        "arrays": [],
        "refuses": [],
        "sequences": [],
        "static": [],
        "dynamic": [],
        "fixed_by": [],
    }
    for name, key in _places(signature, call):
        value = call[key]
        if isinstance(value, (np.ndarray, np.generic)):
            found["arrays"].append(name)
            _try_list(function, call, key, value, traced, name, found)
            if not traced and _raises_on_tracer(function, call, key):
                found["dynamic"].append(name)
        elif isinstance(value, (list, tuple)) and any(isinstance(item, np.ndarray) for item in value):
            found["sequences"].append(name)
    if found["dynamic"]:
        found["fixed_by"] = [
            p for p in SIZE_PARAMETERS if p in signature.parameters and _fixes(function, call, p)
        ]
        if found["fixed_by"]:
            call, traced = call.replaced(found["fixed_by"][0], 2), True
    found["static"] = _static(function, signature, call, traced)
    return {key: names for key, names in found.items() if names}


def _static(function: Any, signature: inspect.Signature, call: Call, traced: bool) -> list[str]:
    static = [
        n
        for n, k in _places(signature, call)
        if _may_be_static(call[k]) and _refuses_tracer(function, call, k, traced)
    ]
    for name, value in _optional(signature, call):
        trial = call.replaced(name, value)
        if attempt(lambda: _run(function, trial, traced))[0] and _refuses_tracer(
            function, trial, name, traced
        ):
            static.append(name)
    return static


def _places(signature: inspect.Signature, call: Call) -> list[tuple[str, int | str]]:
    """Parameter name and place in the call, for every argument of the call."""
    places: list[tuple[str, int | str]] = []
    names = [p for p in signature.parameters.values() if p.kind not in (p.KEYWORD_ONLY, p.VAR_KEYWORD)]
    for place in range(len(call.args)):
        parameter = names[min(place, len(names) - 1)]
        if places and places[-1][0] == parameter.name:
            if isinstance(call[place], np.ndarray) and not isinstance(call[places[-1][1]], np.ndarray):
                places[-1] = (parameter.name, place)
        else:
            places.append((parameter.name, place))
    places += [(name, name) for name in call.kwargs]
    return places


def _run(function: Any, call: Call, traced: bool) -> Any:
    return traced_result(function, call) if traced else run_eager(function, call)


def _vector(function: Any, call: Call, key: Any, value: np.ndarray, traced: bool) -> np.ndarray | None:
    """The value as something that can be written as a list: a scalar becomes a vector where the function
    takes that too."""
    if value.ndim:
        return value
    value = np.asarray([value, value])
    return value if attempt(lambda: _run(function, call.replaced(key, value), traced))[0] else None


def _try_list(
    function: Any,
    call: Call,
    key: Any,
    value: np.ndarray,
    traced: bool,
    name: str,
    found: dict[str, list[str]],
) -> None:
    array = _vector(function, call, key, np.asarray(value), traced)
    if array is None:
        return
    good, _ = attempt(lambda: _run(function, call.replaced(key, array.tolist()), traced))
    if good:
        found["sequences"].append(name)
    else:
        found["refuses"].append(name)


def _raises_on_tracer(function: Any, call: Call, key: Any) -> bool:
    """Whether a tracer in this place alone raises, the other arrays being concrete."""
    value = call[key]
    others = Call(tuple(map(_concrete, call.args)), {k: _concrete(v) for k, v in call.kwargs.items()})
    good, error = attempt(lambda: traced_result(function, others.replaced(key, value)))
    return not good and _is_about_tracers(error)


def _concrete(value: Any) -> Any:
    return jnp.asarray(value) if isinstance(value, np.ndarray) else value


def _fixes(function: Any, call: Call, parameter: str) -> bool:
    return attempt(lambda: traced_result(function, call.replaced(parameter, 2)))[0]


def _may_be_static(value: Any) -> bool:
    if isinstance(value, tuple):
        return bool(value) and all(type(item) is int for item in value)
    return type(value) in (bool, int, float)


def _refuses_tracer(function: Any, call: Call, key: Any, traced: bool) -> bool:
    """Whether the call, which works with a Python value there, raises with a tracer there."""
    if not traced:
        call = Call(tuple(map(_concrete, call.args)), {k: _concrete(v) for k, v in call.kwargs.items()})
        if not attempt(lambda: traced_result(function, call))[0]:
            return False
    value = call[key]
    tracer: Any
    if isinstance(value, tuple):
        tracer = tuple(np.asarray(item, np.int32) for item in value)
    else:
        tracer = np.asarray(value, {bool: np.bool_, int: np.int32, float: np.float32}[type(value)])
    return not attempt(lambda: traced_result(function, call.replaced(key, tracer)))[0]


def _optional(signature: inspect.Signature, call: Call) -> list[tuple[str, Any]]:
    """Parameters that the call leaves out, with a value to try."""
    given = {name for name, _ in _places(signature, call)}
    known = samples.by_name()
    found = []
    for parameter in signature.parameters.values():
        if (
            parameter.name in given
            or parameter.default is parameter.empty
            or parameter.kind is parameter.POSITIONAL_ONLY
        ):
            continue
        if _may_be_static(parameter.default):
            found.append((parameter.name, parameter.default))
        elif parameter.default is None or (isinstance(parameter.default, tuple) and not parameter.default):
            found += [(parameter.name, v) for v in known.get(parameter.name, ())[:3] if _may_be_static(v)][:1]
    return found


def _flags(
    function: Any, signature: inspect.Signature, call: Call, traced: bool, result: str
) -> dict[str, Any]:
    """`flag=value` → result, for the flags that change what comes back."""
    changed: dict[str, Any] = {}
    for parameter in signature.parameters.values():
        if type(parameter.default) is not bool or parameter.kind is parameter.POSITIONAL_ONLY:
            continue
        value = not parameter.default
        for way in (traced, False):
            good, other = attempt(lambda: _run(function, call.replaced(parameter.name, value), way))
            if good:
                break
        if good and kind_of(other) != result:
            kind = kind_of(other)
            changed[f"{parameter.name}={value}"] = (
                {"result": kind, "items": items_of(other)} if kind == "tuple" else {"result": kind}
            )
    return changed
