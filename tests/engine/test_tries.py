"""What a `try` tells the rules: what was read in it, and which calls in it may raise anything."""
from __future__ import annotations

import pytest
from support import checking

START = "from contextlib import suppress\nimport jax.numpy as jnp\nfrom elsewhere import load\nx = jnp.arange(3)\nnames = ['a']\n"


def flagged(body: str, opening: str = "try:", ending: str = "\nexcept IndexError:\n    y = 0") -> list[str]:
    return [rule for rule, *_ in checking.found([f"{START}{opening}\n    y = {body}{ending}"])]


def test_reads_of_a_try_and_of_suppress_are_known() -> None:
    assert flagged("float(x[int(jnp.sum(x))]) + 1") == ["caught-index-error"]
    assert flagged("x[int(jnp.sum(x))]", "with suppress(IndexError):", "") == ["caught-index-error"]


@pytest.mark.parametrize("body", ["load(x[1])", "names.pop() + str(x[1])", "names[0] + str(x[1])", "load().first + x[1]"])
def test_what_else_may_raise_is_known(body: str) -> None:
    assert flagged(body) == []


def test_a_try_within_has_its_own_reads() -> None:
    assert flagged("1\n    try:\n        y = x[1]\n    except KeyError:\n        pass") == []
