"""Makes `keys.json`, where the libraries are installed: calls each function with two keys and looks whether
it matters."""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from pathlib import Path
from typing import Any

import halves
import jax
import jax.numpy as jnp
import numpy as np
from key_calls import GIVES, KEYS, Row
from probe_api import attempt, quiet


def space() -> dict[str, Any]:
    """The names that calls in `key_calls` may use; of libraries those that are installed."""
    names = {
        "jax": jax,
        "jnp": jnp,
        "X": jnp.ones(64),
        "S": jnp.ones((8, 4)),
        "TYPED": jax.random.wrap_key_data,
        "Q": jnp.arange(128.0).reshape(1, 8, 2, 8) / 128,
        "K": jax.random.PRNGKey(5),
        "LOGP": lambda x: -(x**2).sum(),
        "DRAW": _draw,
    }
    modules = {
        "eqx": "equinox",
        "hk": "haiku",
        "optax": "optax",
        "linen": "flax.linen",
        "nnx": "flax.nnx",
        "diffrax": "diffrax",
        "numpyro": "numpyro",
        "dist": "numpyro.distributions",
        "blackjax": "blackjax",
        "distrax": "distrax",
        "brax": "brax",
    }
    for short, module in modules.items():
        good, found = attempt(lambda: importlib.import_module(module))
        if good:
            names[short] = found
    for module in ("numpyro.infer.util", "brax.envs", "brax.training.networks", "blackjax.util"):
        attempt(lambda: importlib.import_module(module))
    if "numpyro" in names:
        names.update(_numpyro(names["numpyro"], names["dist"]))
    return names


def _draw(optimizer: Any) -> Any:
    weights = jnp.ones(3)
    return optimizer.update(weights, optimizer.init(weights), weights)[0]


def _numpyro(numpyro: Any, dist: Any) -> dict[str, Any]:
    def model() -> Any:
        return numpyro.sample("z", dist.Normal(0, 1))

    def mcmc(phase: str) -> Any:
        def run(key: Any) -> Any:
            sampler = numpyro.infer.MCMC(
                numpyro.infer.NUTS(model), num_warmup=2, num_samples=2, progress_bar=False
            )
            getattr(sampler, phase)(key)
            return sampler.last_state.z

        return run

    def svi() -> Any:
        guide = numpyro.infer.autoguide.AutoNormal(model)
        return numpyro.infer.SVI(model, guide, numpyro.optim.Adam(0.1), numpyro.infer.Trace_ELBO())

    return {"MODEL": model, "RUN_MCMC": mcmc("run"), "WARMUP": mcmc("warmup"), "SVI": svi}


def leaves(value: Any) -> list[np.ndarray]:
    """The arrays in a result, typed keys as their numbers."""
    found = []
    for leaf in jax.tree.leaves(value):
        if isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            leaf = jax.random.key_data(leaf)
        if isinstance(leaf, (jax.Array, np.ndarray, float, int)):
            found.append(np.asarray(leaf))
    return found


def decides(row: Row, names: dict[str, Any]) -> bool:
    """Whether the same key gives the same result and another key another one."""
    with quiet():
        one, again, other = (
            leaves(eval(row.call, {**names, "k": jax.random.PRNGKey(number)})) for number in (1, 1, 2)
        )
    same = all(np.array_equal(a, b) for a, b in zip(one, again))
    return bool(one) and same and not all(np.array_equal(a, b) for a, b in zip(one, other))


def find(qualified: str) -> Any:
    """The function of a row; raises where this environment has it not."""
    parts = qualified.removesuffix("()").split(".")
    for length in range(len(parts), 0, -1):
        good, found = attempt(lambda: importlib.import_module(".".join(parts[:length])))
        if good:
            for part in parts[length:]:
                if part in getattr(found, "__dataclass_fields__", ()) or part in getattr(
                    found, "_fields", ()
                ):
                    return None  # a field that holds a function
                found = getattr(found, part)
            return found
    raise ImportError(qualified)


def place_of(qualified: str, row: Row) -> bool:
    """Whether the signature has the parameter where the row says."""
    if qualified.endswith("()"):
        return True
    good, signature = attempt(lambda: inspect.signature(find(qualified)))
    if not good:  # a field, or a builtin
        return True
    names = [name for name in signature.parameters if name != "self"]
    if row.parameter not in names:
        return any(p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL) for p in signature.parameters.values())
    return row.place is None or names.index(row.parameter) == row.place


def rows(names: dict[str, Any]) -> dict[str, Any]:
    """The rows that hold here, by qualified name."""
    made = {}
    for qualified, row in KEYS.items():
        with quiet():
            if not attempt(lambda: find(qualified))[0]:
                continue
        good, result = attempt(lambda: decides(row, names))
        if good and result and place_of(qualified, row):
            made[qualified] = {"parameter": row.parameter, "place": row.place, "effect": row.effect}
    return made


def main() -> None:
    """Writes the table, to the package or to the folder that is named."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else halves.DATA
    parts = {"keys": rows(space()), "gives": GIVES}
    text = ",\n".join(
        f'"{part}": {{\n'
        + ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(table.items()))
        + "\n}"
        for part, table in parts.items()
    )
    (folder / "keys.json").write_text("{\n" + text + "\n}\n")


if __name__ == "__main__":
    main()
