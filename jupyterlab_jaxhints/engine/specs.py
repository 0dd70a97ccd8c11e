"""What each transform does to the function it is given, as the interpreter needs it.

The facts come from `knowledge/data/transforms.json`, where they are measured on JAX.
"""
from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Spec:
    """A transform.

    form: wrap (returns a function), now (function first, its arguments after), loop (a primitive that takes bodies).
    tracer: kind of tracer its function sees, '' for none. staged: compiled and cached. selects: which option picks the
    traced arguments. leafwise: only arrays inside the arguments are traced, so that an unknown argument may be static.
    """

    form: str = "wrap"
    tracer: str = "abstract"
    staged: bool = False
    selects: str = ""  # static | argnums | in_axes | nondiff
    leafwise: bool = False
    options: tuple[str, ...] = ()  # names of positional parameters after the function
    host: bool = False


_JIT = ("in_shardings", "out_shardings", "static_argnums", "static_argnames", "donate_argnums", "donate_argnames")
_GRAD = ("argnums", "has_aux", "holomorphic", "allow_int", "reduce_axes")
JIT = Spec(staged=True, selects="static", options=_JIT)
GRAD = Spec(tracer="linear", selects="argnums", options=_GRAD)
VMAP = Spec(selects="in_axes", options=("in_axes", "out_axes", "axis_name", "axis_size", "spmd_axis_name"))

SPECS: dict[str, Spec] = {
    "jax.jit": JIT,
    "jax.pmap": Spec(staged=True, selects="static_broadcasted",
                     options=("axis_name", "in_axes", "out_axes", "static_broadcasted_argnums")),
    "jax.vmap": VMAP,
    "jax.grad": GRAD,
    "jax.value_and_grad": GRAD,
    "jax.jacfwd": GRAD,
    "jax.jacrev": GRAD,
    "jax.jacobian": GRAD,
    "jax.hessian": GRAD,
    "jax.checkpoint": Spec(staged=True, selects="static",
                           options=("prevent_cse", "policy", "static_argnums")),
    "jax.custom_jvp": Spec(tracer="", selects="nondiff", options=("nondiff_argnums",)),
    "jax.custom_vjp": Spec(tracer="", selects="nondiff", options=("nondiff_argnums",)),
    "jax.custom_gradient": Spec(tracer=""),
    "jax.make_jaxpr": Spec(staged=True, selects="static", options=("static_argnums", "axis_env", "return_shape")),
    "jax.shard_map": Spec(options=("mesh", "in_specs", "out_specs")),
    "jax.named_call": Spec(tracer=""),
    "jax.eval_shape": Spec(form="now", staged=True),
    "jax.vjp": Spec(form="now", tracer="linear"),
    "jax.linearize": Spec(form="now", tracer="linear"),
    "jax.jvp": Spec(form="now", tracer="linear"),
    "jax.lax.scan": Spec(form="loop", staged=True),
    "jax.lax.while_loop": Spec(form="loop", staged=True),
    "jax.lax.fori_loop": Spec(form="loop", staged=True),
    "jax.lax.cond": Spec(form="loop", staged=True),
    "jax.lax.switch": Spec(form="loop", staged=True),
    "jax.lax.map": Spec(form="loop", staged=True),
    "jax.lax.associative_scan": Spec(form="loop"),
    "jax.pure_callback": Spec(form="loop", tracer="", host=True),
    "jax.experimental.io_callback": Spec(form="loop", tracer="", host=True),
    "jax.debug.callback": Spec(form="loop", tracer="", host=True),
    "jax.experimental.pallas.pallas_call": Spec(tracer="ref", staged=True),
    "equinox.filter_jit": Spec(staged=True, leafwise=True),
    "equinox.filter_grad": Spec(tracer="linear", leafwise=True),
    "equinox.filter_value_and_grad": Spec(tracer="linear", leafwise=True),
    "equinox.filter_vmap": Spec(leafwise=True),
    "equinox.filter_pmap": Spec(staged=True, leafwise=True),
    "equinox.filter_checkpoint": Spec(staged=True, leafwise=True),
    "flax.nnx.jit": Spec(staged=True, selects="static", leafwise=True, options=_JIT),
    "flax.nnx.grad": Spec(tracer="linear", selects="argnums", leafwise=True, options=_GRAD),
    "flax.nnx.value_and_grad": Spec(tracer="linear", selects="argnums", leafwise=True, options=_GRAD),
    "flax.nnx.vmap": Spec(leafwise=True, options=("in_axes", "out_axes")),
    "flax.nnx.remat": Spec(staged=True, leafwise=True),
    "flax.linen.jit": Spec(staged=True, leafwise=True),
    "flax.linen.remat": Spec(staged=True, leafwise=True),
}


def spec_of(name: str) -> Spec | None:
    """What a transform does, or None when the name is none."""
    return SPECS.get(name)
