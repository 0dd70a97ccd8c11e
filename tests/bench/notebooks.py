"""A long notebook of ordinary JAX code, made the same way each time."""
from __future__ import annotations

import random

HEAD = """import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, random
"""

TEMPLATES = [
    """@jax.jit
def layer_{n}(params, x):
    w, b = params['w{n}'], params['b{n}']
    y = x @ w + b
    y = jnp.where(y > 0, y, 0.01 * y)
    return y / jnp.sqrt(1e-6 + jnp.mean(y ** 2, axis=-1, keepdims=True))


def init_{n}(key, size=({a}, {b})):
    first, second = random.split(key)
    return {{
        'w{n}': random.normal(first, size) * 0.1,
        'b{n}': jnp.zeros(size[1]),
    }}
""",
    """params_{n} = init_{m}(random.key({n}))
batch_{n} = jnp.ones(({b}, {a}))
out_{n} = layer_{m}(params_{n}, batch_{n})
total_{n} = out_{n}.sum() + batch_{n}.mean()
print(out_{n}.shape, float(total_{n}))
""",
    """def loss_{n}(params, x, y):
    prediction = layer_{m}(params, x)
    error = prediction - y
    penalty = sum(jnp.sum(leaf ** 2) for leaf in jax.tree.leaves(params))
    return jnp.mean(error ** 2) + 1e-4 * penalty


@functools.partial(jax.jit, static_argnames=('rate',))
def step_{n}(params, x, y, rate=0.1):
    value, grads = jax.value_and_grad(loss_{n})(params, x, y)
    new = jax.tree.map(lambda p, g: p - rate * g, params, grads)
    return new, value


history_{n} = []
state_{n} = init_{m}(random.key({n}))
for turn in range(10):
    state_{n}, value = step_{n}(state_{n}, jnp.ones((4, {a})), jnp.zeros((4, {b})))
    history_{n}.append(value)
""",
    """grid_{n} = np.linspace(0.0, 1.0, {a})
table_{n} = np.zeros(({a}, 3))
for i, point in enumerate(grid_{n}):
    table_{n}[i, 0] = point
    table_{n}[i, 1] = point ** 2
    table_{n}[i, 2] = np.sin(point)
values_{n} = jnp.asarray(table_{n})
values_{n} = values_{n}.at[0].set(1.0)
scaled_{n} = jax.vmap(lambda row: row / (1.0 + jnp.abs(row).max()))(values_{n})
""",
    """class Model{n}:
    def __init__(self, size):
        self.size = size
        self.weights = jnp.zeros((size, size))

    def __call__(self, x):
        def body(carry, row):
            carry = carry * 0.9 + row
            return carry, carry.sum()

        last, sums = lax.scan(body, jnp.zeros(self.size), x @ self.weights)
        return last, sums


model_{n} = Model{n}({a})
last_{n}, sums_{n} = model_{n}(jnp.ones((5, {a})))
""",
]


def cells(lines: int = 5000, seed: int = 1) -> list[str]:
    """Cells with as many lines in all; each speaks of names that earlier ones made."""
    rng = random.Random(seed)
    made, count, number, layers = [HEAD], HEAD.count("\n"), 0, []
    while count < lines:
        parts = []
        for _ in range(rng.choice((1, 1, 2, 3))):
            number += 1
            kind = 0 if not layers else rng.randrange(len(TEMPLATES))
            layer = rng.choice(layers[-5:]) if layers else number
            parts.append(TEMPLATES[kind].format(n=number, m=layer, a=rng.randrange(3, 9), b=rng.randrange(3, 9)))
            if kind == 0:
                layers.append(number)
        made.append("\n\n".join(parts))
        count += made[-1].count("\n") + 1
    return made
