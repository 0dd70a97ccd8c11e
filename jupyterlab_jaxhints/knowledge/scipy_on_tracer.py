"""Functions of SciPy that raise on a tracer, and what JAX has in their place.

The functions of `scipy.special` below are compiled ufuncs, the methods of a distribution begin with `np.asarray`:
both need the values of their arguments. `tests/knowledge/test_scipy.py` calls each of them.
"""
from __future__ import annotations

# ufuncs with a twin of the same name in jax.scipy.special
SPECIAL = frozenset("""
    beta betainc betaln digamma entr erf erfc erfinv exp1 expi expit expn gamma gammainc gammaincc gammaln hyp1f1 i0 i0e
    i1 i1e kl_div log_ndtr logit ndtr ndtri poch rel_entr spence xlog1py xlogy
""".split())
# ufuncs without one
SPECIAL_ALONE = frozenset("jv yv iv kv j0 j1 y0 y1 ellipk ellipe airy loggamma erfcx".split())
CONTINUOUS = frozenset("beta cauchy chi2 expon gamma laplace logistic norm pareto t truncnorm uniform".split())
METHODS = frozenset("pdf logpdf cdf logcdf sf logsf ppf".split())


def twin(name: str) -> str | None:
    """What JAX has for `scipy.special.erf` or `scipy.stats.norm.pdf`: '' where it has nothing, None for functions that
    may work."""
    package, _, rest = name.removeprefix("scipy.").partition(".")
    if package == "special" and rest in SPECIAL:
        return f"jax.scipy.special.{rest}"
    if package == "special" and rest in SPECIAL_ALONE:
        return ""
    if package == "stats":
        distribution, _, method = rest.partition(".")
        if distribution in CONTINUOUS and method in METHODS:
            return f"jax.scipy.stats.{rest}" if distribution == "norm" else ""
    return None
