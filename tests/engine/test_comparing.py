"""One seed for things that are compared is meant: no warning; the same code without the comparison gets one."""
from __future__ import annotations

import pytest
from support import checking

FLOWS = """import jax, lib, numpy as np
import jax.numpy as jnp
def split_like(key, tree):
    return dict(zip(tree, jax.random.split(key, len(tree))))
def test():
    key = jax.random.key(0)
    whole = split_like(key, {'a': jnp.ones(2)})
    first = jnp.stack(jax.tree.leaves(whole))
    second = jax.random.split(key, 1)
    np.testing.assert_array_equal(lib.data(first), lib.data(second))"""
MODELS = """import jax, haiku as hk
def test(a, b):
    rng = jax.random.key(0)
    model = hk.transform(a)
    shapes = model.init(rng, 1.0)
    model = hk.transform(b)
    others = model.init(rng, 1.0)
    return shapes, others"""
METHODS = """import jax
class Pair:
    def make(self, a, b):
        return jax.random.normal(a, (2,)), jax.random.normal(b, (2,))
    same = make
    def fill(self):
        a, b = jax.random.split(jax.random.key(0))
        self.x = self.make(a, b)
        self.y = self.same(a, b)"""
MEANT = {
    "what comes of both is compared": (FLOWS, "    np.testing.assert_array_equal(lib.data(first), lib.data(second))"),
    "the name holds another model": (MODELS, "    model = hk.transform(b)\n"),
    "two methods get the same arguments": (METHODS, ".same(a, b)"),
}


def loud(text: str) -> list[str]:
    return [hint.rule for hint in checking.diagnostics([text]) if hint.severity in ("error", "warning")]


@pytest.mark.parametrize("text", [text for text, _ in MEANT.values()], ids=MEANT)
def test_one_seed_on_purpose_gets_no_warning(text: str) -> None:
    assert loud(text) == []


@pytest.mark.parametrize(("text", "evidence"), MEANT.values(), ids=MEANT)
def test_without_its_evidence_it_gets_one(text: str, evidence: str) -> None:
    assert evidence in text
    without = text.replace(evidence, ".make(a, b)" if evidence.startswith(".same") else "")
    assert set(loud(without)) == {"key-reuse"}


def test_what_comes_of_both_together_is_no_comparison() -> None:
    text = """import jax, lib
def test():
    key = jax.random.key(0)
    batch = jax.random.normal(key, (2,))
    params = lib.init(key, batch)
    loss = lib.loss(params, batch)
    assert loss == lib.loss(params, batch)"""
    assert [hint.rule for hint in checking.diagnostics([text])] == ["key-reuse"]
