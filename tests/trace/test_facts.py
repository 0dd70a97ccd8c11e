"""What a kernel tells of names: types and shapes, and no code of the user is run for them."""
from __future__ import annotations

from typing import Any

import pytest
from trace_kernels import FINGERPRINT, Kernel

from jupyterlab_jaxhints.trace.request import facts_request

NAMES = ("x", "w", "n", "k", "gone", "params", "point", "step", "count", "word", "plain", "module", "leak", "missing")
CELL = """
import collections
x, w = jnp.ones((2, 3)), jnp.asarray(2.0)
n, k = np.zeros(4), jax.random.key(0)
gone = jnp.ones(5)
params = {"w": jnp.ones((3, 4)), "b": np.zeros(2)}
point = collections.namedtuple("Point", "x y")(jnp.ones(2), 3)
step = jax.jit(lambda state, n, mode: state, static_argnums=1, static_argnames="mode", donate_argnums=0)
step(gone, 1, mode="a").block_until_ready()
step(jnp.ones(6), 1, mode="a").block_until_ready()
gone.delete()
count, word, module = 3, "a" * 100, np
def plain(x): return x
held = []
jax.make_jaxpr(lambda v: held.append(v))(1.0)
leak = {"seen": held}
"""

# Whatever is asked of these, they write it down.
LOUD = """
heard = []
def loud(*args): heard.append(args[1:]); return 1
class Meta(type):
    __getattr__ = loud
class Loud(metaclass=Meta):
    aval = shape = dtype = __class__ = property(loud)
    __getattribute__ = __repr__ = __str__ = __len__ = __hash__ = __eq__ = __iter__ = __getitem__ = loud
class Pair(tuple):
    _fields = property(loud)
    __getitem__ = __len__ = __iter__ = __repr__ = loud
class Key:
    __str__ = __repr__ = loud
a, b, c, d = Loud(), Pair((1, 2)), {Key(): 1}, [Loud(), {"in": Loud()}]
e, f = jax.jit(Loud), Loud
"""


def facts(kernel: Kernel, *names: str) -> dict[str, Any]:
    before = kernel.value(FINGERPRINT)
    answer = kernel.wait(kernel.carrier.ask(facts_request(list(names))))
    after = kernel.value(FINGERPRINT)
    # The first request of a process registers listeners; nothing of the user's changes.
    assert {key: after[key] for key in after if key != "threads"} == {key: before[key] for key in before if key != "threads"}
    assert answer.state.value == "traced", answer
    return answer.data


def test_facts_of_names(kernel: Kernel) -> None:
    kernel.run(CELL)
    told = facts(kernel, *NAMES)["names"]
    assert {name: fact["type"] for name, fact in told.items() if "type" in fact} == {
        "x": "f32[2,3]", "w": "f32[]*", "n": "np f64[4]", "k": "key<fry>[]", "gone": "f32[5]",
        "params": "{w: f32[3,4], b: np f64[2]}", "point": "Point(x: f32[2], y: 3)", "count": "3",
        "word": "'" + "a" * 23, "leak": "{seen: [f32[]*]}",
    }
    assert told["x"] == {"type": "f32[2,3]", "library": "jax", "shape": [2, 3], "dtype": "float32", "weak": False,
                         "deleted": False, "sharding": "SingleDeviceSharding", "devices": 1}
    assert told["w"]["weak"] is True and told["gone"]["deleted"] is True
    assert told["n"] == {"type": "np f64[4]", "library": "numpy", "shape": [4], "dtype": "float64"}
    assert told["step"] == {"jitted": {"static": ["mode", "n"], "donated": ["state"]}, "traces": 2}
    assert told["leak"]["tracer"] is True and "tracer" not in told["params"]
    assert not {"plain", "module", "missing"} & set(told), "nothing to say of these"


def test_a_sharded_array_names_its_axes(kernel: Kernel) -> None:
    kernel.run("from jax.sharding import Mesh, NamedSharding, PartitionSpec\n"
               "mesh = Mesh(np.array(jax.devices()), ('rows',))\n"
               "s = jax.device_put(jnp.ones((4, 2)), NamedSharding(mesh, PartitionSpec('rows', None)))")
    told = facts(kernel, "s")["names"]["s"]
    assert told["sharding"].startswith("NamedSharding") and "'rows', None" in told["sharding"]


def test_no_code_of_the_user_is_run(kernel: Kernel) -> None:
    kernel.run(LOUD)
    kernel.run("heard.clear(); _ = a.aval;")
    assert kernel.value("len(heard)") == 1, "it is heard where code runs"
    answer = kernel.wait(kernel.carrier.ask(facts_request(list("abcdef"))))
    assert answer.state.value == "traced", answer
    assert answer.data["names"] == {"b": {"type": "Pair(1, 2)"}, "c": {"type": "{…: 1}"}, "d": {"type": "[…, {in: …}]"},
                                    "e": {"jitted": {"static": [], "donated": []}, "traces": 0}}
    assert kernel.value("len(heard)") == 1


@pytest.mark.parametrize("value", ("10 ** 5000", "[[[0] * 1000] * 1000] * 1000", "'x' * 10 ** 7",
                                   "np.zeros(3, dtype=[('field%d' % i, 'f4') for i in range(500)])"))
def test_huge_values_have_a_short_text(kernel: Kernel, value: str) -> None:
    kernel.run(f"big = {value}")
    assert len(str(facts(kernel, "big")["names"]["big"])) < 600


def test_flags_and_devices(kernel: Kernel) -> None:
    assert facts(kernel)["devices"] == [], "no array yet: asking would start the backend"
    kernel.run("x = jnp.ones(3); jax.config.update('jax_debug_nans', True)")
    try:
        told = facts(kernel)
    finally:
        kernel.run("jax.config.update('jax_debug_nans', False)")
    assert told["flags"]["jax_debug_nans"] is True and told["flags"]["jax_debug_infs"] is False
    assert [device["platform"] for device in told["devices"]] == ["cpu"]
