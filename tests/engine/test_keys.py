"""What consumes a key, by libraries' functions too, and at which argument a second use shows."""
from __future__ import annotations

import pytest
from support import checking

START = "import jax, jax.numpy as jnp\nkey = jax.random.key(0)\nx = jax.random.normal(key, (2, 3))\n"


def flagged(*cells: str) -> list[tuple[int, int, str]]:
    """Cell, line and severity of each hint of key-reuse."""
    return [(int(d.cell[1:]), d.range.start.line, d.severity) for d in checking.diagnostics(cells) if d.rule == "key-reuse"]


@pytest.mark.parametrize("code", [
    "import flax.linen as nn\nclass Net(nn.Module):\n    def setup(self):\n        self.d = nn.Dense(2)\nparams = Net().init(key, x)",
    "import flax.linen as nn\nmodel = nn.Dense(2)\nparams = model.init(key, x)",
    "import flax.linen as nn\nparams = nn.Dense(2).init({'params': key}, x)",
    "import equinox as eqx\nnet = eqx.nn.MLP(3, 1, 8, 2, key=key)",
    "from numpyro.infer import MCMC, NUTS\nmcmc = MCMC(NUTS(len), num_warmup=1, num_samples=1)\nmcmc.run(key, x)",
    "import haiku as hk\nnet = hk.transform(len)\nparams = net.init(key, x)",
    "w = jax.nn.initializers.he_normal()(key, (3, 3))",
])
def test_library_functions_consume_their_key(code: str) -> None:
    found = flagged(START + code)
    assert len(found) == 1 and found[0][2] == "warning"


def test_a_function_that_nobody_knows_probably_consumes_its_key() -> None:
    assert flagged(START + "from somewhere import build\nnet = build(key)") == [(0, 4, "information")]


@pytest.mark.parametrize("code", [
    "data = jax.random.key_data(key)\nprint(key, key.shape, len(key.shape))",
    "k = jax.random.fold_in(key, 1)",
    "shape = jax.eval_shape(lambda k: jax.random.normal(k), key)",
    "text = jax.jit(lambda k: jax.random.normal(k)).lower(key)",
])
def test_looking_at_a_key_does_not_consume_it(code: str) -> None:
    assert flagged(START + code) == []


def test_a_key_in_a_carry_is_another_one_on_each_turn() -> None:
    body = "def body(c, _):\n    k, s = c\n    k, sub = jax.random.split(k)\n    return (k, s + jax.random.normal(sub)), None\n"
    call = "out, _ = jax.lax.scan(body, (key, 0.0), None, length=3)\n"
    assert flagged("import jax\nkey = jax.random.key(0)\n" + body + call) == []
    assert flagged("import jax\nkey = jax.random.key(0)\n" + body + call + "y = jax.random.normal(key)") == [(0, 7, "warning")]


def test_a_carry_that_hands_its_key_on_draws_the_same_numbers() -> None:
    body = "def body(c, _):\n    k, s = c\n    return (k, s + jax.random.normal(k)), None\n"
    call = "out, _ = jax.lax.scan(body, (jax.random.key(0), 0.0), None, length=3)\n"
    assert len(flagged("import jax\n" + body + call)) == 1


def test_keys_mapped_over_are_consumed_as_a_whole() -> None:
    code = "import jax\nkeys = jax.random.split(jax.random.key(0), 4)\na = jax.vmap(jax.random.normal)(keys)\n"
    assert flagged(code) == []
    assert flagged(code + "b = jax.vmap(jax.random.uniform)(keys)") == [(0, 3, "warning")]


def test_keys_taken_from_a_sequence_are_different_ones() -> None:
    code = "import jax\nkeys = dict(zip(('a', 'b'), jax.random.split(jax.random.key(0))))\na = jax.random.normal(keys['a'])\n"
    assert flagged(code + "b = jax.random.normal(keys['b'])") == []
    assert flagged(code + "b = jax.random.normal(keys['a'])") == [(0, 3, "warning")]


def test_a_handler_may_draw_again_from_what_its_try_drew_from() -> None:
    draws = "try:\n    x = jax.random.normal(key)\nexcept ValueError:\n    x = jax.random.uniform(key)\n"
    assert flagged("import jax\nkey = jax.random.key(0)\n" + draws) == []
    assert flagged("import jax\nkey = jax.random.key(0)\n" + draws + "y = jax.random.normal(key)") != []


SHARED = "import jax\ndef noise(key, n):\n    return jax.random.normal(key, (n,))\nkey = jax.random.key(0)\na = noise(key, 3)\n"


def test_one_seed_for_things_that_are_compared_is_a_quiet_hint() -> None:
    assert flagged(SHARED + "b = noise(key, 3)") == [(0, 5, "warning")]
    assert flagged(SHARED + "b = noise(key, 4)") == [(0, 5, "information")]
    assert flagged(SHARED + "b = noise(key, 3)\nassert (a == b).all()") == [(0, 5, "information")]
    assert flagged(SHARED.replace("a = ", "d = noise(key, 2) - ")) == []
