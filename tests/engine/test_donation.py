"""Which buffers a call takes: told to the rules where it is certain, on every way to a place."""
from __future__ import annotations

import pytest
from support import checking

START = "import jax, jax.numpy as jnp\nw, b = jnp.ones(3), jnp.zeros(3)\n"


def donated(code: str) -> list[str]:
    return checking.found([START + code])


@pytest.mark.parametrize("code", [
    "jax.jit(lambda a: a * 2, donate_argnums=0)(w)\nprint(w)",
    "jax.jit(lambda a: (a.sum(), a.astype(int)), donate_argnums=0)(w)\ny = w + 1",
    "jax.jit(lambda p: {k: x * 2 for k, x in p.items()} and p['w'], donate_argnums=0)({'w': w})\ny = w.sum()",
    "if b.size:\n    jax.jit(lambda a: a * 2, donate_argnums=0)(w)\nelse:\n    jax.jit(lambda a: a + 2, donate_argnums=0)(w)\nprint(w)",
    "jax.jit(lambda a, c: a * c, donate_argnums=0)(w, w)",
])
def test_a_buffer_that_is_taken_is_known_to_be_gone(code: str) -> None:
    assert [rule for rule, *_ in donated(code)] == ["donated-use"]


@pytest.mark.parametrize("code", [
    "jax.jit(lambda a: a.astype(jnp.float16), donate_argnums=0)(w)\nprint(w)",  # no result of its size
    "jax.jit(lambda a, c: a * c, donate_argnums=(0, 1))(w, b)\nprint(w, b)",  # one of the two stays, which is not known
    "jax.jit(lambda a, c: c * 2, donate_argnums=0)(w, b)\nprint(w)",  # an argument that is never read is dropped
    "import random\nif random.random() > 0.5:\n    jax.jit(lambda a: a * 2, donate_argnums=0)(w)\nprint(w)",
])
def test_a_buffer_that_may_be_there_is_left_alone(code: str) -> None:
    assert donated(code) == []
