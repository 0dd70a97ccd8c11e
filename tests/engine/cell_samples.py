"""Cells as people write them: what the fuzz tests cut up."""
from __future__ import annotations

SAMPLES = [
    "import jax\nimport jax.numpy as jnp\nfrom functools import partial\n\nkey = jax.random.key(0)\n",
    "%matplotlib inline\nimport numpy as np\nfiles = !ls *.csv\n\nx = jnp.linspace(0.0, 1.0, 5)\nx[0] = 1\n",
    "@partial(jax.jit, static_argnames=('n',))\ndef step(params, x, *, n=2):\n    \"\"\"One step.\n\n    Twice.\n    \"\"\"\n"
    "    w, b = params  # unpack\n    for _ in range(n):\n        x = jnp.tanh(x @ w + b)\n    return x.at[0].add(1)\n",
    "%%time\nloss = 0.0\nfor i, (a, b) in enumerate(zip(xs, ys)):\n    if i % 10 == 0 and not done:\n"
    "        print(f\"{i:>4}: {loss:.3f} {'ok' if loss < 1 else \"no\"}\")\n    loss += float(((a - b) ** 2).mean())\n",
    "class Model:\n    width: int = 3\n\n    def __init__(self, key):\n        self.w = jax.random.normal(key, (3, 3))\n\n"
    "    @property\n    def size(self):\n        return {k: v.size for k, v in vars(self).items()}\n",
    "try:\n    y = f(x)\nexcept (TypeError, ValueError) as error:\n    print(\"é 😀\", error)\nelse:\n    y = y[:, None, ...]\n"
    "finally:\n    del x\n",
    "grads = jax.grad(lambda p: jnp.sum(p['w'] ** 2) if p else 0.0)(params)\nparams = {\n    'w': params['w'] - 0.1 * grads['w'],\n"
    "    **extra,\n}\nassert params, 'empty'\n",
    "%timeit -n 3 f(x).block_until_ready()\nr = %timeit -o f(x)\nx?\nwith jax.disable_jit():\n    %time y = f(x)\n",
    "s = '''three\n# lines\n''' + r\"\\d\" \\\n    \"more\"\nm = [[1, 2], [3, 4]][0][-1:]; n = (yield_ := 3)\nglobal_step = lambda *a, **k: (a, k)\n",
    "match cfg:\n    case {'lr': lr, **rest}:\n        pass\n    case [x, *_] if x:\n        y = x\n    case _:\n        y = None\n",
    "def outer():\n    def inner(c, x):\n        nonlocal total\n        total += x\n        return c + x, None\n    total = 0\n"
    "    return jax.lax.scan(inner, 0.0, jnp.arange(3.0))\n\nawait something()\n",
    "    # an indented cell\n    a = jnp.zeros(3)\n    if a.ndim:\n        a += 1\n",
]
