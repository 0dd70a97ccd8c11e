"""Code for more than one JAX: the old names are not spoken of where a test, or what it left behind, keeps them apart."""
from __future__ import annotations

import pytest
from support import checking

OLD = "jax.tree_map(lambda x: x, [1])"
ASKED = {
    "tuple of the version": "V = tuple(int(p) for p in jax.__version__.split('.')[:3])\nOLD = V < (0, 4, 26)\nif OLD:\n    {old}",
    "in another cell, turned round": "OLD = jax.__version__ < '0.4.26'\n#%%\nNEW = not OLD\nif not NEW:\n    {old}",
    "listed names": "if 'tree_map' in dir(jax):\n    {old}",
    "what try left": "try:\n    from jax import tree_map\n    HAS = True\nexcept ImportError:\n    HAS = False\nif HAS:\n    {old}",
    "what else left": "try:\n    jax.tree\nexcept AttributeError:\n    OLD = True\nelse:\n    OLD = False\nif OLD:\n    {old}",
    "module or None": "try:\n    import jax.tree as tree\nexcept ImportError:\n    tree = None\nif tree is None:\n    {old}",
    "a function answers": "def old():\n    return not hasattr(jax, 'tree')\nif old():\n    {old}",
    "the installed package": "from importlib.metadata import version as v\nif v('jax') < '0.4.26':\n    {old}",
    "an attribute": "class C:\n    def __init__(self):\n        self.new = hasattr(jax, 'tree')\n    def map(self):\n"
                    "        if not self.new:\n            return {old}\nC().map()",
    "match": "match jax.__version_info__[1]:\n    case 4:\n        {old}",
    "while": "while not hasattr(jax, 'tree'):\n    {old}",
}


@pytest.mark.parametrize("text", ASKED.values(), ids=ASKED)
def test_who_asks_first_is_left_alone(text: str) -> None:
    assert checking.found(("import jax\n" + text.format(old=OLD)).split("\n#%%\n")) == []


@pytest.mark.parametrize("text", [
    "OLD = len(jax.devices()) > 1\nif OLD:\n    {old}", "def old():\n    return True\nif old():\n    {old}",
    "V = jax.__version__\nprint(V)\n{old}", "try:\n    HAS = True\nfinally:\n    pass\nif HAS:\n    {old}",
])
def test_other_tests_guard_nothing(text: str) -> None:
    assert [rule for rule, *_ in checking.found(["import jax\n" + text.format(old=OLD)])] == ["removed-api"]
