"""Makes `library_transforms.json`, where flax, equinox, dm-haiku, optax and chex are installed beside the
newest JAX."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import halves
import jax
import make_transforms
from library_transforms import DECLARED
from names import load


def _eqx_vjp(f: Any) -> Any:
    f.def_fwd(lambda perturbed, x: (x, x))
    f.def_bwd(lambda residuals, g, perturbed, x: g)
    return f


def _eqx_jvp(f: Any) -> Any:
    f.def_jvp(lambda primals, tangents: (primals[0], tangents[0]))
    return f


def libraries() -> dict[str, Any]:
    """The names that calls in `library_transforms.DECLARED` may use."""
    import chex
    import equinox
    import haiku
    import numpy as np
    import optax
    from flax import linen, nnx

    def net(probe: Callable[..., Any]) -> Any:
        class Net(linen.Module):
            @linen.compact
            def __call__(self, *args: Any) -> Any:
                return probe(*args)

        return Net

    def inside(body: Callable[..., Any]) -> Any:
        class Net(linen.Module):
            @linen.compact
            def __call__(self) -> Any:
                return body(self)

        return Net().apply({})

    def hk_inside(body: Callable[..., Any]) -> Any:
        return haiku.transform(body).apply({}, jax.random.key(0))

    return {
        "eqx": equinox,
        "hk": haiku,
        "optax": optax,
        "chex": chex,
        "linen": linen,
        "nnx": nnx,
        "NET": net,
        "NET2": net,
        "inside": inside,
        "hk_inside": hk_inside,
        "key": jax.random.key(0),
        "NUMPY": np.asarray,
        "with_eqx_vjp": _eqx_vjp,
        "with_eqx_jvp": _eqx_jvp,
    }


def rows() -> dict[str, Any]:
    """Qualified name → row, for the libraries that are installed."""
    space = libraries()
    found = {}
    for name, declared in DECLARED.items():
        row = make_transforms.measure(name, declared, space)
        if row is not None:
            found[name] = row
    return found


def main() -> None:
    """Writes the table, to the package or to the folder that is named."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else halves.DATA
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(rows().items()))
    (folder / "library_transforms.json").write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    assert load("flax") is not None, "the libraries have to be installed"
    main()
