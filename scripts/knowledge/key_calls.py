"""Functions of libraries that are given a key, each with a call that shows what the key decides.

`k` is the key. Names are qualified names; `Class.method` is a method of the class or of a subclass,
`function()` the function
that a call gives back. `effect`: consumes (draws from the key or splits it), keeps (holds it and draws
later).
"""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One function and the parameter that takes the key."""

    parameter: str
    #: place among the positional arguments, `self` not counted; None: by keyword only
    place: int | None
    call: str
    effect: str = "consumes"


_NET = "linen.Dense(2)"
_HK = "hk.transform(lambda x: hk.Linear(2)(x))"
_HK_DROP = "hk.transform(lambda x: hk.dropout(hk.next_rng_key(), 0.5, x))"
_HK_STATE = "hk.transform_with_state(lambda x: hk.Linear(2)(x))"
_HK_STATE_DROP = "hk.transform_with_state(lambda x: hk.dropout(hk.next_rng_key(), 0.5, x))"
_NUTS = "blackjax.nuts(LOGP, 0.1, jnp.ones(2))"
_INIT = (
    "uniform normal truncated_normal variance_scaling glorot_normal glorot_uniform he_normal he_uniform"
    " lecun_normal lecun_uniform orthogonal delta_orthogonal"
).split()
_INIT_ALIASES = "kaiming_normal kaiming_uniform xavier_normal xavier_uniform".split()


def _initializers(module: str, spelled: str) -> dict[str, Row]:
    """The functions that the makers of initializers give back."""
    rows = {}
    for name in (*_INIT, *_INIT_ALIASES):
        arguments = "1.0, 'fan_in', 'normal'" if name == "variance_scaling" else ""
        shape = "(3, 2, 4)" if name == "delta_orthogonal" else "(4, 3)"
        rows[f"{module}.{name}()"] = Row("key", 0, f"{spelled}.{name}({arguments})(k, {shape})")
    return rows


KEYS: dict[str, Row] = {
    **_initializers("jax.nn.initializers", "jax.nn.initializers"),
    **_initializers("flax.linen.initializers", "linen.initializers"),
    **_initializers("flax.nnx.initializers", "nnx.initializers"),
    # --- flax
    "flax.linen.Module.init": Row("rngs", 0, f"{_NET}.init(k, X)"),
    "flax.linen.Module.init_with_output": Row("rngs", 0, f"{_NET}.init_with_output(k, X)"),
    "flax.linen.Module.lazy_init": Row(
        "rngs", 0, f"{_NET}.lazy_init(k, jax.ShapeDtypeStruct((3,), jnp.float32))"
    ),
    "flax.linen.Module.apply": Row(
        "rngs", None, "linen.Dropout(0.5, deterministic=False).apply({}, X, rngs={'dropout': k})"
    ),
    "flax.linen.dot_product_attention": Row(
        "dropout_rng",
        None,
        "linen.dot_product_attention(Q, Q, Q, dropout_rng=k, dropout_rate=0.5, deterministic=False)",
    ),
    "flax.nnx.Rngs": Row("default", 0, "nnx.Rngs(k).params()", "keeps"),
    "flax.nnx.dot_product_attention": Row(
        "dropout_rng",
        None,
        "nnx.dot_product_attention(Q, Q, Q, dropout_rng=k, dropout_rate=0.5, deterministic=False)",
    ),
    # --- equinox
    **{
        f"equinox.nn.{name}": Row("key", None, f"eqx.nn.{name}({arguments}, key=k)")
        for name, arguments in {
            "Linear": "2, 2",
            "MLP": "2, 2, 4, 1",
            "Conv": "1, 1, 1, 3",
            "Conv1d": "1, 1, 3",
            "Conv2d": "1, 1, 3",
            "Conv3d": "1, 1, 3",
            "ConvTranspose": "1, 1, 1, 3",
            "ConvTranspose1d": "1, 1, 3",
            "ConvTranspose2d": "1, 1, 3",
            "ConvTranspose3d": "1, 1, 3",
            "Embedding": "3, 2",
            "GRUCell": "2, 2",
            "LSTMCell": "2, 2",
            "MultiheadAttention": "2, 4",
            "SpectralNorm": "eqx.nn.Linear(2, 2, key=K), 'weight'",
        }.items()
    },
    "equinox.nn.Dropout.__call__": Row("key", None, "eqx.nn.Dropout(0.5)(X, key=k)"),
    "equinox.nn.MultiheadAttention.__call__": Row(
        "key", None, "eqx.nn.MultiheadAttention(1, 4, dropout_p=0.5, key=K)(S, S, S, key=k)"
    ),
    "equinox.nn.Sequential.__call__": Row("key", None, "eqx.nn.Sequential([eqx.nn.Dropout(0.5)])(X, key=k)"),
    # --- diffrax
    "diffrax.VirtualBrownianTree": Row(
        "key",
        None,
        "diffrax.VirtualBrownianTree(0.0, 1.0, tol=0.1, shape=(), key=k).evaluate(0.0, 1.0)",
        "keeps",
    ),
    "diffrax.UnsafeBrownianPath": Row(
        "key", None, "diffrax.UnsafeBrownianPath(shape=(), key=k).evaluate(0.0, 1.0)", "keeps"
    ),
    # --- numpyro
    "numpyro.sample": Row("rng_key", 3, "numpyro.sample('x', dist.Normal(0, 1), None, k)"),
    "numpyro.handlers.seed": Row("rng_seed", 1, "numpyro.handlers.seed(MODEL, k)()", "keeps"),
    "numpyro.distributions.Distribution.sample": Row("key", 0, "dist.Normal(0, 1).sample(k)"),
    "numpyro.distributions.Distribution.sample_with_intermediates": Row(
        "key", 0, "dist.Normal(0, 1).sample_with_intermediates(k)"
    ),
    "numpyro.distributions.Distribution.__call__": Row("rng_key", None, "dist.Normal(0, 1)(rng_key=k)"),
    "numpyro.infer.MCMC.run": Row("rng_key", 0, "RUN_MCMC(k)"),
    "numpyro.infer.MCMC.warmup": Row("rng_key", 0, "WARMUP(k)"),
    "numpyro.infer.Predictive.__call__": Row(
        "rng_key", 0, "numpyro.infer.Predictive(MODEL, num_samples=2)(k)"
    ),
    "numpyro.infer.SVI.init": Row("rng_key", 0, "SVI().init(k).rng_key"),
    "numpyro.infer.SVI.run": Row("rng_key", 0, "SVI().run(k, 1, progress_bar=False).losses"),
    "numpyro.infer.util.initialize_model": Row(
        "rng_key", 0, "numpyro.infer.util.initialize_model(k, MODEL).param_info.z"
    ),
    # --- blackjax
    "blackjax.base.SamplingAlgorithm.step": Row(
        "rng_key", 0, f"{_NUTS}.step(k, {_NUTS}.init(jnp.ones(2)))[0].position"
    ),
    "blackjax.base.AdaptationAlgorithm.run": Row(
        "rng_key",
        0,
        "blackjax.window_adaptation(blackjax.nuts, LOGP).run(k, jnp.ones(2), 3)[0].state.position",
    ),
    "blackjax.util.run_inference_algorithm": Row(
        "rng_key",
        0,
        f"blackjax.util.run_inference_algorithm(k, {_NUTS}, 2, initial_position=jnp.ones(2))[0].position",
    ),
    "blackjax.util.generate_gaussian_noise": Row(
        "rng_key", 0, "blackjax.util.generate_gaussian_noise(k, jnp.ones(2))"
    ),
    "blackjax.util.generate_unit_vector": Row(
        "rng_key", 0, "blackjax.util.generate_unit_vector(k, jnp.ones(2))"
    ),
    # --- haiku
    "haiku.Transformed.init": Row("rng", 0, f"{_HK}.init(k, X)"),
    "haiku.Transformed.apply": Row("rng", 1, f"{_HK_DROP}.apply({{}}, k, X)"),
    "haiku.TransformedWithState.init": Row("rng", 0, f"{_HK_STATE}.init(k, X)"),
    "haiku.TransformedWithState.apply": Row("rng", 2, f"{_HK_STATE_DROP}.apply({{}}, {{}}, k, X)"),
    "haiku.dropout": Row("rng", 0, "hk.dropout(k, 0.5, X)"),
    "haiku.PRNGSequence": Row("key_or_seed", 0, "next(hk.PRNGSequence(k))", "keeps"),
    # --- distrax
    "distrax.Distribution.sample": Row("seed", None, "distrax.Normal(0.0, 1.0).sample(seed=k)"),
    "distrax.Distribution.sample_and_log_prob": Row(
        "seed", None, "distrax.Normal(0.0, 1.0).sample_and_log_prob(seed=k)"
    ),
    # --- optax
    "optax.noisy_sgd": Row("key", 3, "DRAW(optax.noisy_sgd(0.1, 0.5, 0.5, TYPED(k)))", "keeps"),
    "optax.add_noise": Row("key", 2, "DRAW(optax.add_noise(0.5, 0.5, TYPED(k)))", "keeps"),
    "optax.tree.random_like": Row("rng_key", 0, "optax.tree.random_like(k, X)"),
    "optax.tree_utils.tree_random_like": Row("rng_key", 0, "optax.tree_utils.tree_random_like(k, X)"),
    "optax.tree.split_key_like": Row("rng_key", 0, "optax.tree.split_key_like(k, X)"),
    "optax.tree_utils.tree_split_key_like": Row("rng_key", 0, "optax.tree_utils.tree_split_key_like(k, X)"),
    # --- brax
    "brax.envs.Env.reset": Row("rng", 0, "brax.envs.get_environment('inverted_pendulum').reset(k).obs"),
    "brax.training.networks.FeedForwardNetwork.init": Row(
        "key", 0, "brax.training.networks.make_value_network(3, hidden_layer_sizes=(4,)).init(k)"
    ),
}

#: Function → the class of what it gives back, for those whose methods stand in `KEYS`.
GIVES: dict[str, str] = {
    "haiku.transform": "haiku.Transformed",
    "haiku.transform_with_state": "haiku.TransformedWithState",
    "haiku.multi_transform": "haiku.MultiTransformed",
    "haiku.without_state": "haiku.Transformed",
    "haiku.without_apply_rng": "haiku.TransformedWithoutRng",
    **{
        f"blackjax.{name}": "blackjax.base.SamplingAlgorithm"
        for name in (
            "nuts hmc mala rmh additive_step_random_walk barker barker_proposal ghmc dynamic_hmc elliptical_slice"
            " mclmc sgld sghmc"
        ).split()
    },
    "blackjax.window_adaptation": "blackjax.base.AdaptationAlgorithm",
    "blackjax.chees_adaptation": "blackjax.base.AdaptationAlgorithm",
    "blackjax.pathfinder_adaptation": "blackjax.base.AdaptationAlgorithm",
    "brax.envs.create": "brax.envs.Env",
    "brax.envs.get_environment": "brax.envs.Env",
    "brax.training.networks.make_policy_network": "brax.training.networks.FeedForwardNetwork",
    "brax.training.networks.make_value_network": "brax.training.networks.FeedForwardNetwork",
}
