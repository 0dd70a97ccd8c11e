"""JAX's transforms as they are declared: which argument is a function, where its parameters come from, what
comes back.

`run` is a call of the transform with probes for functions (`p`); what they see is measured by
`make_transforms.py`.
Sources of a function's parameters: `arguments` (those of the wrapped function's own call), `*operands` (the
rest of the
call), `init` (the argument of that name), `xs[]` (an element of it), `int` (a counter), `residuals`,
`cotangent`, `refs`.
"""

from __future__ import annotations

from typing import Any


def wrap(run: str, gives: str = "result", **more: Any) -> dict[str, Any]:
    """A transform that takes a function and returns one."""
    return {"form": "wrap", "functions": {"fun": ["arguments"]}, "gives": gives, "run": run, **more}


#: Option that says which arguments are traced → a call that uses it on the second of two arguments, or on
#: none.
SELECTING = {
    "static": {"static_argnums=1": "{name}(p('fun', FIRST), static_argnums=1)(X, 3)"},
    "static_broadcasted": {
        "static_broadcasted_argnums=1": "{name}(p('fun', FIRST), static_broadcasted_argnums=1)(X[None], 3)"
    },
    "argnums": {"": "{name}(p('fun', SUM))(X, X)", "argnums=1": "{name}(p('fun', SUM), argnums=1)(X, X)"},
    "in_axes": {"in_axes=(0, None)": "{name}(p('fun', FIRST), in_axes=(0, None))(X, X)"},
}


def now(run: str, gives: str, **more: Any) -> dict[str, Any]:
    """One that calls its function at once, on the arguments after it."""
    return {"form": "now", "functions": {"fun": ["*primals"]}, "gives": gives, "run": run, **more}


#: Option that says which arguments are traced → a call that uses it on the second of two arguments, or on
#: none.
SELECTING = {
    "static": {"static_argnums=1": "{name}(p('fun', FIRST), static_argnums=1)(X, 3)"},
    "static_broadcasted": {
        "static_broadcasted_argnums=1": "{name}(p('fun', FIRST), static_broadcasted_argnums=1)(X[None], 3)"
    },
    "argnums": {"": "{name}(p('fun', SUM))(X, X)", "argnums=1": "{name}(p('fun', SUM), argnums=1)(X, X)"},
    "in_axes": {"in_axes=(0, None)": "{name}(p('fun', FIRST), in_axes=(0, None))(X, X)"},
}


def loop(functions: dict[str, list[str]], gives: str, run: str, **more: Any) -> dict[str, Any]:
    """A primitive that takes bodies."""
    return {"form": "loop", "functions": functions, "gives": gives, "run": run, **more}


#: Option that says which arguments are traced → a call that uses it on the second of two arguments, or on
#: none.
SELECTING = {
    "static": {"static_argnums=1": "{name}(p('fun', FIRST), static_argnums=1)(X, 3)"},
    "static_broadcasted": {
        "static_broadcasted_argnums=1": "{name}(p('fun', FIRST), static_broadcasted_argnums=1)(X[None], 3)"
    },
    "argnums": {"": "{name}(p('fun', SUM))(X, X)", "argnums=1": "{name}(p('fun', SUM), argnums=1)(X, X)"},
    "in_axes": {"in_axes=(0, None)": "{name}(p('fun', FIRST), in_axes=(0, None))(X, X)"},
}


_GRAD = {"selects": "argnums", "aux": True}

#: Option that says which arguments are traced → a call that uses it on the second of two arguments, or on
#: none.
SELECTING = {
    "static": {"static_argnums=1": "{name}(p('fun', FIRST), static_argnums=1)(X, 3)"},
    "static_broadcasted": {
        "static_broadcasted_argnums=1": "{name}(p('fun', FIRST), static_broadcasted_argnums=1)(X[None], 3)"
    },
    "argnums": {"": "{name}(p('fun', SUM))(X, X)", "argnums=1": "{name}(p('fun', SUM), argnums=1)(X, X)"},
    "in_axes": {"in_axes=(0, None)": "{name}(p('fun', FIRST), in_axes=(0, None))(X, X)"},
}

DECLARED: dict[str, dict[str, Any]] = {
    # --- compiled, mapped
    "jax.jit": wrap("jax.jit(p())(X)", selects="static"),
    "jax.vmap": wrap("jax.vmap(p())(X)", selects="in_axes"),
    "jax.pmap": wrap("jax.pmap(p())(X[None])", selects="static_broadcasted"),
    "jax.shard_map": wrap(
        "shard_map(p('f'), mesh=mesh, in_specs=P('i'), out_specs=P('i'))(X)",
        functions={"f": ["arguments"]},
        eager=True,
    ),
    "jax.checkpoint": wrap("jax.checkpoint(p())(X)", selects="static"),
    "jax.named_call": wrap("jax.named_call(p(), name='n')(X)"),
    "jax.make_jaxpr": wrap("jax.make_jaxpr(p())(X)", "jaxpr", selects="static"),
    "jax.eval_shape": now("jax.eval_shape(p(), X)", "shapes", functions={"fun": ["*args"]}),
    "jax.closure_convert": now(
        "jax.closure_convert(p(), X)", "(function, list)", functions={"fun": ["*example_args"]}
    ),
    "jax.numpy.vectorize": wrap("jnp.vectorize(p('pyfunc'))(X)", functions={"pyfunc": ["arguments"]}),
    "jax.experimental.checkify.checkify": wrap(
        "checkify.checkify(p('f'))(X)", "(error, result)", functions={"f": ["arguments"]}
    ),
    "jax.experimental.sparse.sparsify": wrap("sparse.sparsify(p('f'))(X)", functions={"f": ["arguments"]}),
    "jax.custom_batching.sequential_vmap": wrap(
        "jax.vmap(jax.custom_batching.sequential_vmap(p('f')))(X)", functions={"f": ["arguments"]}
    ),
    "jax.custom_batching.custom_vmap": wrap("with_vmap(jax.custom_batching.custom_vmap(p()))(X)"),
    "jax.custom_batching.custom_vmap.def_vmap": loop(
        {"vmap_rule": ["int", "in_batched", "*batched"]},
        "function",
        "custom_vmap(X, vmap_rule=p('vmap_rule', lambda *a: (a[2], True)))",
    ),
    # --- derivatives
    "jax.grad": wrap("jax.grad(p('fun', SUM))(X)", "gradient", **_GRAD),
    "jax.value_and_grad": wrap("jax.value_and_grad(p('fun', SUM))(X)", "(result, gradient)", **_GRAD),
    "jax.jacfwd": wrap("jax.jacfwd(p())(X)", "jacobian", **_GRAD),
    "jax.jacrev": wrap("jax.jacrev(p())(X)", "jacobian", **_GRAD),
    "jax.jacobian": wrap("jax.jacobian(p())(X)", "jacobian", **_GRAD),
    "jax.hessian": wrap("jax.hessian(p('fun', SUM))(X)", "jacobian", **_GRAD),
    "jax.vjp": now("jax.vjp(p(), X)", "(result, function)", aux=True),
    "jax.linearize": now("jax.linearize(p(), X)", "(result, function)", aux=True),
    "jax.jvp": now(
        "jax.jvp(p(), (X,), (X,))", "(result, tangent)", functions={"fun": ["primals[]"]}, aux=True
    ),
    "jax.linear_transpose": now("jax.linear_transpose(p(), X)", "function"),
    "jax.custom_jvp": wrap("with_jvp(jax.custom_jvp(p()))(X)", selects="nondiff"),
    "jax.custom_vjp": wrap("with_vjp(jax.custom_vjp(p()))(X)", selects="nondiff"),
    "jax.custom_gradient": wrap("jax.custom_gradient(p('fun', lambda x: (x, lambda g: g)))(X)"),
    "jax.custom_jvp.defjvp": loop(
        {"jvp": ["nondiff", "primals", "tangents"]},
        "function",
        "custom_jvp(X, p('jvp', lambda *a: (a[0][0], a[1][0])))",
    ),
    "jax.custom_jvp.defjvps": loop(
        {"jvps": ["tangent", "result", "*primals"]}, "none", "custom_jvps(X, p('jvps', lambda *a: a[0]))"
    ),
    "jax.custom_vjp.defvjp": loop(
        {"fwd": ["arguments"], "bwd": ["nondiff", "residuals", "cotangent"]},
        "none",
        "custom_vjp(X, p('fwd', lambda x: (x, x)), p('bwd', lambda *a: (a[1],)))",
    ),
    "jax.experimental.sparse.grad": wrap("sparse.grad(p('fun', SUM))(X)", "gradient", **_GRAD),
    "jax.experimental.sparse.value_and_grad": wrap(
        "sparse.value_and_grad(p('fun', SUM))(X)", "(result, gradient)", **_GRAD
    ),
    # --- control flow
    "jax.lax.scan": loop(
        {"f": ["init", "xs[]"]}, "(carry, stacked)", "lax.scan(p('f', lambda c, x: (c, x)), X, X)"
    ),
    "jax.lax.while_loop": loop(
        {"cond_fun": ["init_val"], "body_fun": ["init_val"]},
        "carry",
        "lax.while_loop(p('cond_fun', lambda x: x.sum() > 9e9), p('body_fun'), X)",
    ),
    "jax.lax.fori_loop": loop(
        {"body_fun": ["int", "init_val"]}, "carry", "lax.fori_loop(0, 3, p('body_fun', lambda i, x: x), X)"
    ),
    "jax.lax.cond": loop(
        {"true_fun": ["*operands"], "false_fun": ["*operands"]},
        "result",
        "lax.cond(True, p('true_fun'), p('false_fun'), X)",
    ),
    "jax.lax.switch": loop(
        {"branches[]": ["*operands"]}, "result", "lax.switch(1, [p('branches[]'), p('branches[]')], X)"
    ),
    "jax.lax.map": loop({"f": ["xs[]"]}, "stacked", "lax.map(p('f'), X)"),
    "jax.lax.associative_scan": loop(
        {"fn": ["elems", "elems"]}, "like elems", "lax.associative_scan(p('fn', lambda a, b: a + b), X)"
    ),
    "jax.lax.reduce": loop(
        {"computation": ["scalar", "scalar"]},
        "array",
        "lax.reduce(X, np.float32(0), p('computation', lambda a, b: a + b * 2), (0,))",
    ),
    "jax.lax.reduce_window": loop(
        {"computation": ["scalar", "scalar"]},
        "array",
        "lax.reduce_window(X, 0.0, p('computation', lambda a, b: a + b * 2), (2,), (1,), 'SAME')",
    ),
    "jax.lax.custom_root": loop(
        {
            "f": ["initial_guess"],
            "solve": ["function", "initial_guess"],
            "tangent_solve": ["function", "array"],
        },
        "like initial_guess",
        "lax.custom_root(p('f', lambda x: x), S, p('solve', lambda f, x: x), p('tangent_solve', lambda g, y: y))",
    ),
    "jax.lax.custom_linear_solve": loop(
        {"matvec": ["b"], "solve": ["function", "b"]},
        "like b",
        "lax.custom_linear_solve(p('matvec', lambda x: x * 1.0), X, p('solve', lambda f, b: b))",
    ),
    "jax.lax.platform_dependent": loop(
        {"default": ["*args"]}, "result", "lax.platform_dependent(X, default=p('default'))"
    ),
    "jax.numpy.apply_along_axis": loop(
        {"func1d": ["arr[]"]}, "array", "jnp.apply_along_axis(p('func1d', SUM), 0, jnp.ones((3, 3)))"
    ),
    "jax.numpy.apply_over_axes": loop(
        {"func": ["a", "int"]},
        "array",
        "jnp.apply_over_axes(p('func', lambda a, i: a), jnp.ones((3, 3)), (0,))",
    ),
    "jax.numpy.fromfunction": loop(
        {"function": ["*index"]}, "array", "jnp.fromfunction(p('function', lambda i: i), (3,))"
    ),
    "jax.numpy.piecewise": loop(
        {"funclist[]": ["x"]},
        "array",
        "jnp.piecewise(X, [X > 0], [p('funclist[]', lambda x: x * 2), p('funclist[]', lambda x: x)])",
    ),
    "jax.tree.map": loop({"f": ["tree[]"]}, "like tree", "jax.tree.map(p('f'), [X])"),
    "jax.tree.reduce": loop(
        {"function": ["result", "tree[]"]}, "result", "jax.tree.reduce(p('function', lambda a, b: a), [X, X])"
    ),
    "jax.experimental.ode.odeint": loop(
        {"func": ["y0", "t[]", "*args"]},
        "stacked",
        "ode.odeint(p('func', lambda y, t: y), X, jnp.linspace(0.0, 1.0, 3))",
    ),
    "jax.scipy.optimize.minimize": loop(
        {"fun": ["x0", "*args"]}, "object", "optimize.minimize(p('fun', SUM), X, method='BFGS')"
    ),
    "jax.scipy.sparse.linalg.cg": loop(
        {"A": ["b"]}, "(like b, object)", "splinalg.cg(p('A', lambda x: x * 2.0), X)"
    ),
    # --- host code
    "jax.pure_callback": loop(
        {"callback": ["*args"]}, "result_shape_dtypes", "jax.pure_callback(p('callback'), X, X)", host=True
    ),
    "jax.experimental.io_callback": loop(
        {"callback": ["*args"]}, "result_shape_dtypes", "io_callback(p('callback'), X, X)", host=True
    ),
    "jax.debug.callback": loop(
        {"callback": ["*args"]}, "none", "jax.debug.callback(p('callback', lambda *a: None), X)", host=True
    ),
    # --- references
    "jax.experimental.pallas.pallas_call": wrap(
        "pallas.pallas_call(p('kernel', COPY), out_shape=jax.ShapeDtypeStruct((3,), jnp.float32), interpret=True)(X)",
        "out_shape",
        functions={"kernel": ["refs"]},
    ),
}

#: Option that says which arguments are traced → a call that uses it on the second of two arguments, or on
#: none.
SELECTING = {
    "static": {"static_argnums=1": "{name}(p('fun', FIRST), static_argnums=1)(X, 3)"},
    "static_broadcasted": {
        "static_broadcasted_argnums=1": "{name}(p('fun', FIRST), static_broadcasted_argnums=1)(X[None], 3)"
    },
    "argnums": {"": "{name}(p('fun', SUM))(X, X)", "argnums=1": "{name}(p('fun', SUM), argnums=1)(X, X)"},
    "in_axes": {"in_axes=(0, None)": "{name}(p('fun', FIRST), in_axes=(0, None))(X, X)"},
}
