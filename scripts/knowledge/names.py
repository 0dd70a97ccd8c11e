"""Lists the public names of the JAX that runs here: which modules, which names, which name is another one's
alias."""

from __future__ import annotations

import importlib
import types
import warnings
from typing import Any

#: Modules whose public names go into the table, in order of preference for the canonical name.
MODULES = (
    "jax",
    "jax.numpy",
    "jax.lax",
    "jax.random",
    "jax.nn",
    "jax.numpy.linalg",
    "jax.numpy.fft",
    "jax.lax.linalg",
    "jax.nn.initializers",
    "jax.tree",
    "jax.tree_util",
    "jax.scipy",
    "jax.scipy.cluster",
    "jax.scipy.cluster.vq",
    "jax.scipy.fft",
    "jax.scipy.integrate",
    "jax.scipy.interpolate",
    "jax.scipy.linalg",
    "jax.scipy.ndimage",
    "jax.scipy.optimize",
    "jax.scipy.signal",
    "jax.scipy.sparse",
    "jax.scipy.sparse.linalg",
    "jax.scipy.spatial",
    "jax.scipy.spatial.transform",
    "jax.scipy.special",
    "jax.scipy.stats",
    *(
        f"jax.scipy.stats.{name}"
        for name in (
            "bernoulli beta betabinom binom cauchy chi2 dirichlet expon gamma gennorm geom gumbel_l"
            " gumbel_r laplace"
            " logistic multinomial multivariate_normal nbinom norm pareto poisson t truncnorm uniform"
            " vonmises wrapcauchy"
        ).split()
    ),
    "jax.image",
    "jax.ops",
    "jax.ref",
    "jax.debug",
    "jax.dtypes",
    "jax.errors",
    "jax.flatten_util",
    "jax.custom_derivatives",
    "jax.custom_batching",
    "jax.ad_checkpoint",
    "jax.sharding",
    "jax.dlpack",
    "jax.profiler",
    "jax.stages",
    "jax.typing",
    "jax.core",
    "jax.export",
    "jax.distributed",
    "jax.monitoring",
    "jax.extend",
    "jax.extend.core",
    "jax.extend.random",
    "jax.extend.backend",
    "jax.experimental",
    "jax.experimental.checkify",
    "jax.experimental.jet",
    "jax.experimental.key_reuse",
    "jax.experimental.mesh_utils",
    "jax.experimental.multihost_utils",
    "jax.experimental.ode",
    "jax.experimental.pallas",
    "jax.experimental.pallas.tpu",
    "jax.experimental.pjit",
    "jax.experimental.shard_map",
    "jax.experimental.sparse",
    "jax.experimental.sparse.linalg",
    "jax.experimental.compilation_cache",
    "jax.experimental.custom_partitioning",
    "jax.experimental.layout",
    "jax.example_libraries",
    "jax.example_libraries.optimizers",
    "jax.example_libraries.stax",
    "jax.test_util",
    "jax.version",
)

#: Names that exist and mean a canonical one although they are objects of their own, in some JAX we support.
ALIASES_BY_MEANING = {
    "jax.tree_util.tree_map": "jax.tree.map",
    "jax.tree_util.tree_flatten": "jax.tree.flatten",
    "jax.tree_util.tree_unflatten": "jax.tree.unflatten",
    "jax.tree_util.tree_leaves": "jax.tree.leaves",
    "jax.tree_util.tree_structure": "jax.tree.structure",
    "jax.tree_util.tree_transpose": "jax.tree.transpose",
    "jax.tree_util.tree_reduce": "jax.tree.reduce",
    "jax.tree_util.tree_all": "jax.tree.all",
    "jax.tree_util.tree_map_with_path": "jax.tree.map_with_path",
    "jax.tree_util.tree_flatten_with_path": "jax.tree.flatten_with_path",
    "jax.tree_util.tree_leaves_with_path": "jax.tree.leaves_with_path",
    "jax.tree_map": "jax.tree.map",
    "jax.tree_flatten": "jax.tree.flatten",
    "jax.tree_unflatten": "jax.tree.unflatten",
    "jax.tree_leaves": "jax.tree.leaves",
    "jax.tree_structure": "jax.tree.structure",
    "jax.tree_transpose": "jax.tree.transpose",
    "jax.experimental.pjit.pjit": "jax.jit",
    "jax.experimental.shard_map.shard_map": "jax.shard_map",
    "jax.experimental.enable_x64": "jax.enable_x64",
    "jax.ad_checkpoint.checkpoint": "jax.checkpoint",
    "jax.ad_checkpoint.remat": "jax.checkpoint",
    "jax.ad_checkpoint.checkpoint_policies": "jax.checkpoint_policies",
    "jax.interpreters.pxla.Mesh": "jax.sharding.Mesh",
    "jax.interpreters.pxla.PartitionSpec": "jax.sharding.PartitionSpec",
    "jax.experimental.PartitionSpec": "jax.sharding.PartitionSpec",
    "jax.experimental.maps.Mesh": "jax.sharding.Mesh",
    "jax.numpy.DeviceArray": "jax.Array",
    "jax.numpy.ndarray": "jax.Array",
    "jaxlib.xla_extension.ArrayImpl": "jax.Array",
    "jaxlib.xla_extension.DeviceArray": "jax.Array",
    "jax.random.KeyArray": "jax.Array",
    "jax.experimental.mutable_array": "jax.new_ref",
    "jax.array_ref": "jax.new_ref",
    "jax.experimental.MutableArray": "jax.Ref",
    "jax.ArrayRef": "jax.Ref",
    "jax.ref.new_ref": "jax.new_ref",
    "jax.ref.Ref": "jax.Ref",
    "jax.ref.freeze": "jax.freeze",
}

#: Where two public names of one object are equally good, the one that tutorials use.
PREFERRED = frozenset({"jax.sharding.PartitionSpec", "jax.sharding.NamedSharding"})

#: Modules that show what they import: only what they define themselves is theirs.
OWN_NAMES_ONLY = frozenset(
    f"jax.{name}"
    for name in (
        "example_libraries.optimizers example_libraries.stax experimental.jet experimental.ode"
        " experimental.multihost_utils experimental.custom_partitioning experimental.sparse.linalg"
        " extend.core"
        " flatten_util test_util"
    ).split()
)

#: One object under two names of which neither may stand for the other: the width of these depends on the
#: configuration.
KEEP_APART = frozenset(f"jax.numpy.{name}" for name in "int_ uint float_ complex_".split())


def load(module: str) -> types.ModuleType | None:
    """The module, or None where this JAX does not have it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


def public_names(module: types.ModuleType) -> list[str]:
    """What a user may read from the module: its names without underscore, foreign modules left out."""
    found = []
    for name in sorted(dir(module)):
        if name.startswith("_") or name in ("annotations", "abc"):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                value = getattr(module, name)
            except AttributeError:
                continue
        if isinstance(value, types.ModuleType) and not value.__name__.startswith("jax"):
            continue
        if type(value).__name__ == "TypeVar" or getattr(value, "__module__", None) in (
            "typing",
            "collections.abc",
        ):
            continue
        if not _belongs(module, value):
            continue
        found.append(name)
    return found


def _belongs(module: types.ModuleType, value: Any) -> bool:
    home = getattr(value, "__module__", None)
    if not isinstance(value, (types.FunctionType, type)):
        return not (module.__name__ in OWN_NAMES_ONLY and isinstance(value, types.ModuleType))
    if module.__name__ in OWN_NAMES_ONLY:
        return home == module.__name__ or module.__name__ == "jax.flatten_util"
    return home is None or home.startswith(("jax", "numpy", "ml_dtypes", "builtins"))


def star_names(module: types.ModuleType) -> list[str]:
    """What `from module import *` binds."""
    names = getattr(module, "__all__", None)
    return sorted(
        names if names is not None else (name for name in module.__dict__ if not name.startswith("_"))
    )


def public_objects() -> dict[str, Any]:
    """Qualified name → object, for every public name of `MODULES` and the modules themselves."""
    objects: dict[str, Any] = {}
    for path in MODULES:
        module = load(path)
        if module is None:
            continue
        objects[path] = module
        for name in public_names(module):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                objects.setdefault(f"{path}.{name}", getattr(module, name))
    return objects


def aliases(objects: dict[str, Any]) -> dict[str, str]:
    """Alias → canonical name, for names of one and the same function, class or module."""
    order = {path: place for place, path in enumerate(MODULES)}
    same: dict[int, list[str]] = {}
    for name, value in objects.items():
        if name in KEEP_APART or not (callable(value) or isinstance(value, types.ModuleType)):
            continue
        if name not in ALIASES_BY_MEANING:
            same.setdefault(id(value), []).append(name)
    table = {}
    for group in same.values():
        first = min(group, key=lambda name: _preference(name, objects[name], order))
        table.update({name: first for name in group if name != first})
    table.update(ALIASES_BY_MEANING)
    return {name: table.get(target, target) for name, target in sorted(table.items())}


def _preference(name: str, value: Any, order: dict[str, int]) -> tuple[bool, int, bool, str]:
    parent, _, last = name.rpartition(".")
    if isinstance(value, types.ModuleType):
        return (name != value.__name__, order.get(name, 999), False, name)
    own_name = getattr(value, "__name__", None) == last
    return (name not in PREFERRED, order.get(parent, 999), not own_name, name)
