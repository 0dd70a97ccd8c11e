"""Transforms of the libraries around JAX, declared as in `transforms.py`; `NET` makes a Flax module that
calls a probe."""

from __future__ import annotations

from typing import Any

from transforms import loop, now, wrap

_F = {"functions": {"f": ["arguments"]}}
_GRAD = {"selects": "argnums", "aux": True}
_EQX = {"leafwise": True}
_NNX = {"leafwise": True, "mutable": True}
_LINEN = {"leafwise": True, "mutable": True, "functions": {"target": ["arguments"]}}

DECLARED: dict[str, dict[str, Any]] = {
    # --- equinox: only array leaves are traced
    "equinox.filter_jit": wrap("eqx.filter_jit(p())(X)", **_EQX),
    "equinox.filter_grad": wrap("eqx.filter_grad(p('fun', SUM))(X)", "gradient", aux=True, **_EQX),
    "equinox.filter_value_and_grad": wrap(
        "eqx.filter_value_and_grad(p('fun', SUM))(X)", "(result, gradient)", aux=True, **_EQX
    ),
    "equinox.filter_hessian": wrap("eqx.filter_hessian(p('fun', SUM))(X)", "jacobian", **_EQX),
    "equinox.filter_jacfwd": wrap("eqx.filter_jacfwd(p())(X)", "jacobian", **_EQX),
    "equinox.filter_jacrev": wrap("eqx.filter_jacrev(p())(X)", "jacobian", **_EQX),
    "equinox.filter_vmap": wrap("eqx.filter_vmap(p())(X)", **_EQX),
    "equinox.filter_pmap": wrap("eqx.filter_pmap(p())(X[None])", **_EQX),
    "equinox.filter_checkpoint": wrap("eqx.filter_checkpoint(p())(X)", **_EQX),
    "equinox.filter_jvp": now(
        "eqx.filter_jvp(p('fn'), (X,), (X,))", "(result, tangent)", functions={"fn": ["primals[]"]}, **_EQX
    ),
    "equinox.filter_vjp": now("eqx.filter_vjp(p(), X)", "(result, function)", aux=True, **_EQX),
    "equinox.filter_closure_convert": now(
        "eqx.filter_closure_convert(p('fn'), X)", "function", functions={"fn": ["*args"]}, **_EQX
    ),
    "equinox.filter_eval_shape": now(
        "eqx.filter_eval_shape(p(), X)", "shapes", functions={"fun": ["*args"]}, **_EQX
    ),
    "equinox.filter_make_jaxpr": wrap("eqx.filter_make_jaxpr(p())(X)", "jaxpr", **_EQX),
    "equinox.filter_custom_vjp": wrap(
        "with_eqx_vjp(eqx.filter_custom_vjp(p('fn')))(X)", functions={"fn": ["arguments"]}, **_EQX
    ),
    "equinox.filter_custom_jvp": wrap(
        "with_eqx_jvp(eqx.filter_custom_jvp(p('fn')))(X)", functions={"fn": ["arguments"]}, **_EQX
    ),
    "equinox.filter_pure_callback": loop(
        {"callback": ["*args"]},
        "result_shape_dtypes",
        "eqx.filter_pure_callback(p('callback', NUMPY), X, result_shape_dtypes=X)",
        host=True,
    ),
    # --- flax.nnx: parameters may be mutable objects
    "flax.nnx.jit": wrap("nnx.jit(p())(X)", selects="static", **_NNX),
    "flax.nnx.pmap": wrap("nnx.pmap(p('f'))(X[None])", selects="in_axes", **{**_NNX, **_F}),
    "flax.nnx.vmap": wrap("nnx.vmap(p('f'))(X)", selects="in_axes", **{**_NNX, **_F}),
    "flax.nnx.grad": wrap("nnx.grad(p('f', SUM))(X)", "gradient", **{**_NNX, **_GRAD, **_F}),
    "flax.nnx.value_and_grad": wrap(
        "nnx.value_and_grad(p('f', SUM))(X)", "(result, gradient)", **{**_NNX, **_GRAD, **_F}
    ),
    "flax.nnx.remat": wrap("nnx.remat(p('f'))(X)", selects="static", **{**_NNX, **_F}),
    "flax.nnx.custom_vjp": wrap("with_vjp(nnx.custom_vjp(p()))(X)", selects="nondiff", **_NNX),
    "flax.nnx.scan": wrap(
        "nnx.scan(p('f', lambda c, x: (c, x)))(X, X)",
        "(carry, stacked)",
        **{**_NNX, "functions": {"f": ["carry", "xs[]"]}},
    ),
    "flax.nnx.eval_shape": now(
        "nnx.eval_shape(p('f'), X)", "shapes", **{**_NNX, "functions": {"f": ["*args"]}}
    ),
    "flax.nnx.cond": loop(
        {"true_fun": ["*operands"], "false_fun": ["*operands"]},
        "result",
        "nnx.cond(True, p('true_fun'), p('false_fun'), X)",
        **_NNX,
    ),
    "flax.nnx.switch": loop(
        {"branches[]": ["*operands"]},
        "result",
        "nnx.switch(1, [p('branches[]'), p('branches[]')], X)",
        **_NNX,
    ),
    "flax.nnx.while_loop": loop(
        {"cond_fun": ["init_val"], "body_fun": ["init_val"]},
        "carry",
        "nnx.while_loop(p('cond_fun', lambda x: x.sum() > 9e9), p('body_fun'), X)",
        **_NNX,
    ),
    "flax.nnx.fori_loop": loop(
        {"body_fun": ["int", "init_val"]},
        "carry",
        "nnx.fori_loop(0, 3, p('body_fun', lambda i, x: x), X)",
        **_NNX,
    ),
    # --- flax.linen: lifted transforms of modules and their methods
    "flax.linen.jit": wrap("linen.jit(NET(p('target')))().apply({}, X)", selects="static", **_LINEN),
    "flax.linen.remat": wrap("linen.remat(NET(p('target')))().apply({}, X)", selects="static", **_LINEN),
    "flax.linen.checkpoint": wrap(
        "linen.checkpoint(NET(p('target')))().apply({}, X)", selects="static", **_LINEN
    ),
    "flax.linen.vmap": wrap(
        "linen.vmap(NET(p('target')), variable_axes={}, split_rngs={})().apply({}, X)",
        selects="in_axes",
        **_LINEN,
    ),
    "flax.linen.scan": wrap(
        "linen.scan(NET2(p('target', lambda c, x: (c, x))))().apply({}, X, X)",
        "(carry, stacked)",
        **{**_LINEN, "functions": {"target": ["carry", "xs[]"]}},
    ),
    "flax.linen.while_loop": loop(
        {"cond_fn": ["module", "init"], "body_fn": ["module", "init"]},
        "carry",
        "inside(lambda m: linen.while_loop(p('cond_fn', lambda m, x: x.sum() > 9e9), p('body_fn', lambda m, x: x), m, X))",
        **_NNX,
    ),
    "flax.linen.cond": loop(
        {"true_fun": ["module", "*operands"], "false_fun": ["module", "*operands"]},
        "result",
        "inside(lambda m: linen.cond(True, p('true_fun', lambda m, x: x), p('false_fun', lambda m, x: x), m, X))",
        **_NNX,
    ),
    "flax.linen.switch": loop(
        {"branches[]": ["module", "*operands"]},
        "result",
        "inside(lambda m: linen.switch(1, [p('branches[]', lambda m, x: x), p('branches[]', lambda m, x: x)], m, X))",
        **_NNX,
    ),
    "flax.linen.jvp": now(
        "inside(lambda m: linen.jvp(p('fn', lambda m, x: x), m, (X,), (X,), {}))",
        "(result, tangent)",
        **{**_NNX, "functions": {"fn": ["module", "primals[]"]}},
    ),
    "flax.linen.vjp": now(
        "inside(lambda m: linen.vjp(p('fn', lambda m, x: x), m, X))",
        "(result, function)",
        **{**_NNX, "functions": {"fn": ["module", "*primals"]}},
    ),
    "flax.linen.compact": wrap("NET(p('fun'))().apply({}, X)"),
    "flax.linen.nowrap": wrap("linen.nowrap(p())(X)"),
    # --- haiku: not traced by themselves
    "haiku.transform": wrap("hk.transform(p('f')).init(key, X)", "object", **_F),
    "haiku.transform_with_state": wrap("hk.transform_with_state(p('f')).init(key, X)", "object", **_F),
    "haiku.without_apply_rng": loop(
        {"f": ["arguments"]}, "object", "hk.without_apply_rng(hk.transform(p('f'))).apply({}, X)"
    ),
    "haiku.grad": wrap("hk_inside(lambda: hk.grad(p('fun', SUM))(X))", "gradient", **_GRAD),
    "haiku.value_and_grad": wrap(
        "hk_inside(lambda: hk.value_and_grad(p('fun', SUM))(X))", "(result, gradient)", **_GRAD
    ),
    "haiku.remat": wrap("hk_inside(lambda: hk.remat(p())(X))"),
    "haiku.vmap": wrap("hk_inside(lambda: hk.vmap(p(), split_rng=False)(X))", selects="in_axes"),
    "haiku.scan": loop(
        {"f": ["init", "xs[]"]},
        "(carry, stacked)",
        "hk_inside(lambda: hk.scan(p('f', lambda c, x: (c, x)), X, X))",
    ),
    "haiku.while_loop": loop(
        {"cond_fun": ["init_val"], "body_fun": ["init_val"]},
        "carry",
        "hk_inside(lambda: hk.while_loop(p('cond_fun', lambda x: x.sum() > 9e9), p('body_fun'), X))",
    ),
    "haiku.fori_loop": loop(
        {"body_fun": ["int", "init_val"]},
        "carry",
        "hk_inside(lambda: hk.fori_loop(0, 3, p('body_fun', lambda i, x: x), X))",
    ),
    "haiku.cond": loop(
        {"true_fun": ["*operands"], "false_fun": ["*operands"]},
        "result",
        "hk_inside(lambda: hk.cond(True, p('true_fun'), p('false_fun'), X))",
    ),
    "haiku.switch": loop(
        {"branches[]": ["*operands"]},
        "result",
        "hk_inside(lambda: hk.switch(1, [p('branches[]'), p('branches[]')], X))",
    ),
    "haiku.eval_shape": now(
        "hk_inside(lambda: hk.eval_shape(p(), X))", "shapes", functions={"fun": ["*args"]}
    ),
    # --- optax, chex
    "optax.value_and_grad_from_state": wrap(
        "optax.value_and_grad_from_state(p('value_fn', SUM))(X, state=optax.lbfgs().init(X))",
        "(result, gradient)",
        functions={"value_fn": ["arguments"]},
        selects="argnums",
    ),
    "chex.chexify": wrap("chex.chexify(p('fn'))(X)", functions={"fn": ["arguments"]}),
}
