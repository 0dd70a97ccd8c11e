"""Makes `transforms.json`: what the functions see that JAX's transforms are given. Run it with the newest
JAX, then the oldest."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import halves
import jax
import jax.numpy as jnp
import names
import numpy as np
from jax import lax
from jax.experimental import checkify, io_callback, ode, pallas, sparse
from jax.scipy import optimize
from jax.scipy.sparse import linalg as splinalg
from jax.sharding import Mesh, PartitionSpec
from probe_api import attempt, quiet
from transforms import DECLARED, SELECTING


class Probes:
    """Functions for a transform that note what they are called with."""

    def __init__(self) -> None:
        self.seen: dict[str, list[str]] = {}
        self.constants: set[str] = set()
        self.runs = 0
        self.again = False
        self._functions: dict[str, Callable[..., Any]] = {}

    def __call__(self, name: str = "fun", body: Callable[..., Any] = lambda x: x) -> Callable[..., Any]:
        """A function for the parameter of that name."""

        if name in self._functions:
            return self._functions[name]

        def function(*args: Any) -> Any:
            self.runs += 1
            now = [kind_seen(arg) for arg in args]
            before = self.seen.get(name, now)
            self.seen[name] = [_stronger(*kinds) for kinds in zip(before, now)]
            self.constants.add("tracer" if isinstance(jnp.zeros(()) >= 0, jax.core.Tracer) else "concrete")
            return body(*args)

        return self._functions.setdefault(name, function)


def _stronger(one: str, other: str) -> str:
    """Of what a function sees in several calls, that which is hardest to live with."""
    return next((kind for kind in ("ref", "abstract", "linear") if kind in (one, other)), one)


def kind_seen(value: Any) -> str:
    """abstract, linear, ref, array (concrete), numpy, function, static; of a tuple its first item's."""
    if isinstance(value, (tuple, list)) and value:
        return kind_seen(value[0])
    if isinstance(value, jax.core.Tracer):
        if "Ref" in str(getattr(value, "aval", "")):
            return "ref"
        return (
            "linear"
            if attempt(lambda: bool((value > 0).any() if value.ndim else value > 0))[0]
            else "abstract"
        )
    if isinstance(value, jax.Array):
        return "array"
    if isinstance(value, np.ndarray):
        return "numpy"
    return "function" if callable(value) else "static"


def _custom_jvp(x: Any, rule: Any) -> Any:
    f = jax.custom_jvp(lambda x: x)
    f.defjvp(rule)
    return jax.grad(lambda x: f(x).sum())(x)


def _custom_jvps(x: Any, rule: Any) -> Any:
    f = jax.custom_jvp(lambda x: x)
    f.defjvps(rule)
    return jax.grad(lambda x: f(x).sum())(x)


def _custom_vjp(x: Any, fwd: Any, bwd: Any) -> Any:
    f = jax.custom_vjp(lambda x: x)
    f.defvjp(fwd, bwd)
    return jax.grad(lambda x: f(x).sum())(x)


def _custom_vmap(x: Any, vmap_rule: Any) -> Any:
    f = jax.custom_batching.custom_vmap(lambda x: x)
    f.def_vmap(vmap_rule)
    return jax.vmap(f)(x)


def _with_jvp(f: Any) -> Any:
    f.defjvp(lambda primals, tangents: (primals[0], tangents[0]))
    return f


def _with_vjp(f: Any) -> Any:
    f.defvjp(lambda x: (x, x), lambda x, g: (g,))
    return f


def _with_vmap(f: Any) -> Any:
    f.def_vmap(lambda size, batched, x: (x, True))
    return f


def _copy(read: Any, write: Any) -> None:
    write[...] = read[...]


def environment() -> dict[str, Any]:
    """What the calls in `transforms.DECLARED` may name."""
    if hasattr(jax, "shard_map"):
        shard_map = jax.shard_map
    else:
        from jax.experimental.shard_map import shard_map
    return {
        "jax": jax,
        "jnp": jnp,
        "lax": lax,
        "np": np,
        "checkify": checkify,
        "io_callback": io_callback,
        "ode": ode,
        "pallas": pallas,
        "sparse": sparse,
        "optimize": optimize,
        "splinalg": splinalg,
        "shard_map": shard_map,
        "mesh": Mesh(np.asarray(jax.devices()[:1]), ("i",)),
        "P": PartitionSpec,
        "X": jnp.asarray([0.3, 0.2, 0.5]),
        "S": jnp.float32(0.5),
        "SUM": lambda x, *_: x.sum(),
        "COPY": _copy,
        "custom_jvp": _custom_jvp,
        "custom_jvps": _custom_jvps,
        "custom_vjp": _custom_vjp,
        "custom_vmap": _custom_vmap,
        "with_jvp": _with_jvp,
        "with_vjp": _with_vjp,
        "with_vmap": _with_vmap,
        "FIRST": lambda x, *_: x,
    }


def measure(
    name: str, declared: dict[str, Any], space: dict[str, Any] | None = None
) -> dict[str, Any] | None:
    """The row of one transform: as declared, with what was seen; None where this JAX has it not."""
    function = find(name)
    if function is None:
        return None
    probes = watch(declared["run"], space)
    row = {key: value for key, value in declared.items() if key != "run"}
    row["tracer"] = _overall(probes.seen)
    row["seen"] = probes.seen
    row["constants"] = "tracer" if probes.constants == {"tracer"} else "concrete"
    row["runs_again"] = probes.again
    row["staged"] = row["constants"] == "tracer" and not declared.get("eager", False)
    row["parameters"] = parameters(function)
    selecting = SELECTING.get(declared.get("selects", ""), {})
    if selecting and space is None:
        row["selected"] = {
            option: watch(code.format(name=name)).seen["fun"] for option, code in selecting.items()
        }
    return row


def watch(code: str, more: dict[str, Any] | None = None) -> Probes:
    """Runs a call with probes, twice, and gives what they saw."""
    probes = Probes()
    space = {**environment(), **(more or {}), "p": probes}
    with quiet():
        eval(code, space)
        jax.effects_barrier()
        first = probes.runs
        eval(code, space)
        jax.effects_barrier()
    probes.again = probes.runs > first
    return probes


def find(name: str) -> Any:
    """The object of a qualified name; for those that have moved, where it was."""
    for path in (name, *(old for old, new in names.ALIASES_BY_MEANING.items() if new == name)):
        owner, _, last = path.rpartition(".")
        module = names.load(owner)
        if module is None:
            above, _, cls = owner.rpartition(".")
            module = getattr(names.load(above), cls, None)
        with quiet():
            good, found = attempt(lambda: getattr(module, last))
        if good:
            return found
    return None


def _overall(seen: dict[str, list[str]]) -> str:
    kinds = {kind for row in seen.values() for kind in row}
    for kind in ("ref", "abstract", "linear"):
        if kind in kinds:
            return kind
    return ""


def parameters(function: Any) -> list[str]:
    """Parameter names in order, `self` left out, a bare `*` before those that only keywords reach."""
    star = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    good, signature = attempt(lambda: inspect.signature(function))
    if not good:
        return []
    found: list[str] = []
    for p in signature.parameters.values():
        if p.kind is p.KEYWORD_ONLY and not any(name.startswith("*") for name in found):
            found.append("*")
        if p.name != "self":
            found.append(star.get(p.kind, "") + p.name)
    return found


def main() -> None:
    """Writes this JAX's half of the table."""
    rows = {name: measure(name, declared) for name, declared in DECLARED.items()}
    halves.write("transforms.json", {name: row for name, row in rows.items() if row is not None})


if __name__ == "__main__":
    main()
