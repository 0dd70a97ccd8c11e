"""A trace leaves the user's kernel as it was: caches, names, arrays, output, random numbers."""
from __future__ import annotations

import sys

import pytest
from trace_kernels import Kernel, found, hints, rules

from jupyterlab_jaxhints.trace.request import State

PRINTING = """
@jax.jit
def helper(x):
    print("Executing helper")
    return x + 1

@jax.jit
def f(x):
    print("Executing function")
    return helper(x) * 2
"""


@pytest.mark.short
def test_the_first_real_call_still_traces_and_prints(kernel: Kernel) -> None:
    kernel.run(PRINTING)
    for call in ("f(jnp.ones(3))", "jax.make_jaxpr(f)(jnp.ones(3))", "jax.vmap(f)(jnp.ones((2, 3)))",
                 "jax.grad(lambda x: f(x).sum())(jnp.ones(3))"):
        kernel.trace(PRINTING, call)
    assert kernel.value("f._cache_size()") == 0
    assert kernel.run("y = f(jnp.ones(3))").split() == ["Executing", "function", "Executing", "helper"]
    assert kernel.value("f._cache_size()") == 1
    assert kernel.run("y = f(jnp.ones(3))") == ""


STATE = """
import random, itertools
from collections import namedtuple
log, table, seen = [1], {"a": 1}, {1}
total = 0
it = iter([1, 2, 3])
P = namedtuple("P", "x y")
p = P(jnp.ones(2), 0)

class Counter:
    def __init__(self):
        self.n = 0
        self.items = []
    def up(self, x):
        self.n += 1
        self.items.append(x)
        return x * self.n
counter = Counter()
np_array = np.zeros(3)

def touch(x):
    global total
    total = total + 1
    log.append(x)
    table["b"] = x
    seen.add(2)
    np.random.rand()
    random.random()
    next(it)
    return counter.up(x)
"""


@pytest.mark.parametrize("call, state", [
    ("jax.jit(touch)(jnp.ones(3))", State.TRACED),
    ("new_name = jax.jit(touch)(jnp.ones(3)); del log", State.TRACED),
    ("def boom(x):\n    touch(x)\n    return x + jnp.ones(7)\njax.jit(boom)(jnp.ones(3))", State.PARTLY),
    ("def forever(x):\n    touch(x)\n    while True:\n        pass\njax.jit(forever)(jnp.ones(3))", State.TIMEOUT),
    ("def writes(x):\n    touch(x)\n    f = open('there.txt', 'w')\n    return x\njax.jit(writes)(jnp.ones(3))", State.PARTLY),
    ("def stores(x):\n    touch(x)\n    np_array[0] = 1\n    return x\njax.jit(stores)(jnp.ones(3))", State.PARTLY),
    ("jax.config.update('jax_debug_nans', True)\njax.config.update('jax_enable_x64', True)\nx = jnp.ones(3)", State.TRACED),
])
@pytest.mark.short
def test_nothing_in_the_namespace_changes(kernel: Kernel, call: str, state: State) -> None:
    kernel.run(STATE)
    answer = kernel.trace(STATE, call, limit=1.0)  # compares fingerprints
    assert answer.state is state, answer.why
    assert kernel.value("log, table, seen, total, next(it), counter.n") == ([1], {"a": 1}, {1}, 0, 1, 0)
    assert kernel.value("__import__('os').listdir('.')") == []


def test_effects_on_the_outside_are_findings(kernel: Kernel) -> None:
    kernel.run(STATE)
    got = rules(kernel.trace(STATE, "jax.jit(touch)(jnp.ones(3))"))
    assert {"global-write-under-trace", "self-write-under-trace", "iterator-under-trace"} <= set(got)


@pytest.mark.parametrize("body", [
    "return big.sum() + x",
    "return big.sum() + jnp.ones(7) + jnp.ones(3)",
    "y = big.sum()\n    while True:\n        pass",
    "y = big.sum()\n    open('there.txt', 'w')\n    return y",
    "return big.sum() + x + hash(object())",
], ids=["ok", "error", "timeout", "refused", "traced twice"])
@pytest.mark.short
def test_a_captured_array_can_be_freed_afterwards(kernel: Kernel, body: str) -> None:
    kernel.run("import weakref, gc\nbig = jnp.ones((1000, 1000))\nref = weakref.ref(big)")
    cell = f"@jax.jit\ndef f(x):\n    {body}\nf(1.0)"
    for _ in range(2):
        kernel.trace(cell, limit=0.5)
    kernel.run("del big\ngc.collect()")
    assert kernel.value("ref() is None")


def test_a_background_thread_keeps_printing_into_its_cell(kernel: Kernel) -> None:
    cell = kernel.send("""
        import threading, time
        def work():
            for i in range(12):
                print("tick", i, flush=True)
                time.sleep(0.15)
        thread = threading.Thread(target=work); thread.start()
    """)
    for i in range(4):
        kernel.trace(f"jnp.ones(3) + {i}", guard=False)
    printed = kernel.printed(cell, seconds=2.0)
    assert [f"tick {i}" for i in range(12)] == printed.split("\n")[:12]


def test_prints_of_traced_code_are_not_shown(kernel: Kernel) -> None:
    kernel.run("import sys")
    kernel.trace("@jax.jit\ndef f(x):\n    print('seen')\n    return x\nf(1.0)")
    assert kernel.run("1") == ""


def test_a_live_model_and_its_class(kernel: Kernel) -> None:
    model = """
    scale = jnp.float32(2.0)
    class Model:
        def __init__(self, n):
            self.w = jnp.ones(n)
            self.calls = 0
        @property
        def size(self):
            return self.w.shape[0]
        def __call__(self, x):
            self.calls += 1
            return self.w @ x * scale
    """
    kernel.run(model)
    kernel.run("model = Model(3)")
    assert rules(kernel.trace(model, "y = model(jnp.ones(3))")) == []
    assert rules(kernel.trace(model, "y = jax.jit(model.__call__)(jnp.ones(3))")) == ["self-write-under-trace"]
    edited = model.replace("* scale", "* scale + self.size") + "\n    jax.jit(model)(jnp.ones(3))"
    assert rules(kernel.trace(edited)) == ["self-write-under-trace"]
    assert kernel.value("model.calls") == 0


NET = """
class Net(nnx.Module):
    def __init__(self, rngs):
        self.layer = nnx.Linear(3, 4, rngs=rngs)
        self.calls = nnx.Variable(jnp.array(0))
    def __call__(self, x):
        self.calls[...] += 1
        return self.layer(x)
"""
STEP = """
@nnx.jit
def step(net, optimizer, x):
    value, grads = nnx.value_and_grad(lambda net: (net(x) ** 2).mean())(net)
    optimizer.update(net, grads)
    return value
value = step(net, optimizer, jnp.ones((8, 3)))
"""


@pytest.mark.parametrize("fresh", [sys.executable], indirect=True)  # where flax is installed
def test_a_flax_model_and_its_optimizer(fresh: Kernel) -> None:
    fresh.run("import jax, jax.numpy as jnp, optax\nfrom flax import nnx")
    fresh.run(NET)
    fresh.run("net = Net(nnx.Rngs(0))\noptimizer = nnx.Optimizer(net, optax.adam(1e-3), wrt=nnx.Param)")
    state = "[(type(x).__name__, id(x)) for x in jax.tree.leaves(nnx.state((net, optimizer)))]"
    before = fresh.value(state)
    answer = fresh.trace(NET, STEP)
    assert (answer.state, rules(answer)) == (State.TRACED, []), answer.data["statements"]
    assert ["f32[]"] == [h["type"] for h in answer.data["hints"] if h["name"] == "value" and h["line"] == 6]
    assert found(fresh.trace(NET, STEP.replace("(8, 3)", "(8, 5)"))) == [("shape-mismatch", "c0", "self.layer(x)")]
    assert fresh.value(state) == before and {kind for kind, _ in before} == {"ArrayImpl"}
    fresh.run(STEP)
    assert fresh.value("int(net.calls[...])") == 1


@pytest.mark.parametrize("fresh", [sys.executable], indirect=True)
def test_keys_that_flax_counts(fresh: Kernel) -> None:
    fresh.run("import jax, jax.numpy as jnp\nfrom flax import nnx\nrngs = nnx.Rngs(0)")
    draw = "@nnx.jit\ndef noisy(x, rngs):\n    return x + rngs.normal((3,))\ny = noisy(jnp.ones(3), rngs)"
    kept = "(sorted(vars(rngs)), int(rngs.default.count[...]))"
    before = fresh.value(kept)
    answer = fresh.trace(draw)
    assert (answer.state, rules(answer)) == (State.TRACED, []), answer.data["statements"]
    assert fresh.value(kept) == before and before[0]
    assert fresh.run(draw + "\nprint(int(rngs.default.count[...]))") == "1\n"


def test_a_generator_of_numpy_is_made_and_drawn_from(kernel: Kernel) -> None:
    answer = kernel.trace("import numpy as np\nrng = np.random.default_rng(0)\nx = jnp.asarray(rng.normal(size=3))")
    assert answer.state is State.TRACED and hints(answer) == ["3 x f32[3]"], answer.data["statements"]


def test_warnings_that_were_shown_once(kernel: Kernel) -> None:
    kernel.run("""
    import sys, types, warnings
    library = types.ModuleType('library')
    exec("import warnings\\ndef old():\\n    warnings.warn('old is old')\\ndef new():\\n    warnings.warn('new too')",
         library.__dict__)
    sys.modules['library'] = library
    shown = []
    warnings.showwarning = lambda message, *details, **options: shown.append(str(message))
    library.old()
    library.old()
    """)
    assert kernel.value("shown") == ["old is old"]
    kernel.trace("y = jax.jit(lambda x: x.astype('float64'))(jnp.ones(3))\nlibrary.old()\nlibrary.new()")
    kernel.run("library.old()\nlibrary.new()\nlibrary.new()")
    assert kernel.value("shown") == ["old is old", "new too"], "each once, as if nothing had been traced"


def test_an_object_that_answers_to_every_name(kernel: Kernel) -> None:
    kernel.run("""
    class Tool:
        def __init__(self):
            self.used = 0
        def __getattr__(self, name):
            if name.startswith('__'):
                raise AttributeError(name)
            return lambda *values: values
        def __call__(self, x):
            self.used += 1
            return x * self.used
    tool = Tool()
    """)
    answer = kernel.trace("y = tool(jnp.ones(3))")
    assert answer.state is State.TRACED and hints(answer) == ["1 y f32[3]"]
    assert kernel.value("tool.used") == 0


LINEN = """
class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(4)(nn.relu(nn.Dense(8)(x)))
net = Net()
params = net.init(jax.random.key(0), jnp.ones((2, 3)))
y = net.apply(params, jnp.ones((5, 3)))
"""


@pytest.mark.parametrize("fresh", [sys.executable], indirect=True)
def test_a_flax_model_that_is_not_made_yet(fresh: Kernel) -> None:
    fresh.run("import jax, jax.numpy as jnp\nfrom flax import linen as nn")
    answer = fresh.trace(LINEN)
    assert (answer.state, rules(answer)) == (State.TRACED, []), answer.data["statements"]
    assert [h["type"] for h in answer.data["hints"] if h["name"] == "y"] == ["f32[5,4]"]
    assert found(fresh.trace(LINEN.replace("(5, 3)", "(5, 7)"))) == [("shape-mismatch", "c0", "nn.Dense(8)(x)")]


SLOTS = """
class Point:
    __slots__ = ("x", "n")
    def __init__(self, x):
        self.x, self.n = x, 0
    def moved(self, by):
        self.n += 1
        return self.x + by
"""


def test_an_object_with_slots(kernel: Kernel) -> None:
    kernel.run(SLOTS)
    kernel.run("point = Point(jnp.ones(3))")
    answer = kernel.trace(SLOTS, "y = point.moved(jnp.ones((2, 3)))")
    assert [h["type"] for h in answer.data["hints"] if h["name"] == "y"] == ["f32[2,3]"]
    assert kernel.value("point.n") == 0


def test_a_class_body_reads_the_kernels_names(kernel: Kernel) -> None:
    kernel.run("size = 4")
    answer = kernel.trace("""
    class Layer:
        width = size
        @staticmethod
        @jax.jit
        def apply(x):
            return x * 2
    y = Layer.apply(jnp.ones(Layer.width))
    """)
    assert answer.state is State.TRACED
    assert [h["type"] for h in answer.data["hints"] if h["name"] == "y"] == ["f32[4]"]


def test_the_next_trace_waits_for_the_end_of_the_last(kernel: Kernel) -> None:
    """The reply is sent when the worker has signalled; its thread ends a little later."""
    kernel.run("import threading, time\nend = threading.Thread._delete\ndef slowly(thread):\n    time.sleep(0.3)\n    end(thread)\n"
               "threading.Thread._delete = slowly")
    states = [kernel.trace(f"jnp.ones(3) + {number}").state for number in range(4)]
    kernel.run("threading.Thread._delete = end")
    assert states == [State.TRACED] * 4


def test_two_clients_on_one_kernel(kernel: Kernel) -> None:
    from jupyterlab_jaxhints.trace.carrier import KernelCarrier

    other = KernelCarrier(kernel.client, alive=kernel.manager.is_alive)
    cell = "@jax.jit\ndef f(x):\n    if x > 0:\n        return x\nf(1.0)"
    for carrier in (kernel.carrier, other, kernel.carrier, other):
        answer = kernel.wait(carrier.trace([("a", cell)], ["a"], limit=5.0))
        assert found(answer) == [("if-on-tracer", "a", "x > 0")]


CACHES = """
import functools
@functools.lru_cache(maxsize=None)
def table(n):
    return jnp.arange(n) * 0.5

class Grid:
    kept, calls = {}, 0
    @functools.lru_cache(maxsize=4)
    def nodes(self, n):
        return jnp.cos(jnp.arange(n))
    def points(self, n):
        Grid.calls, Grid.last = Grid.calls + 1, n
        if n not in Grid.kept:
            Grid.kept[n] = jnp.sin(jnp.arange(n))
        return self.kept[n]
grid = Grid()
"""


@pytest.mark.parametrize("call", ["table(3)", "grid.nodes(3)", "Grid.nodes(grid, 3)", "grid.points(3)"])
def test_caches_hold_nothing_of_the_trace(kernel: Kernel, call: str) -> None:
    kernel.run(CACHES)
    answer = kernel.trace(CACHES, f"y = jax.jit(lambda x: x + {call})(1.0)")
    assert [h["type"].rstrip("*") for h in answer.data["hints"] if h["name"] == "y"] == ["f32[3]"]
    assert kernel.value("table.cache_info().currsize, Grid.nodes.cache_info().currsize, len(Grid.kept), Grid.calls, hasattr(Grid, 'last')") == (
        0, 0, 0, 0, False)
    assert kernel.run(f"print({call}.shape)") == "(3,)\n"
    answer = kernel.trace(CACHES, f"{call} * 2.0")
    assert rules(answer) == []


def test_rules_of_a_primitive_of_the_notebook_are_asked_by_the_user_first(kernel: Kernel) -> None:
    own = "from jax.extend.core import Primitive\nfrom jax.core import ShapedArray\ntwice_p = Primitive('twice')"
    rule = "@twice_p.def_abstract_eval\ndef shape(x):\n    print('asked')\n    return ShapedArray(x.shape, x.dtype)"
    call = "made = jax.make_jaxpr(lambda x: twice_p.bind(x))(jnp.ones(3))"
    kernel.run(own.replace("jax.extend.core", "jax.core") if "raises" in kernel.run(own) else own)
    kernel.run(rule)
    answer = kernel.trace(own, rule, call)
    assert answer.state is State.PARTLY and "a primitive of the notebook" in str(answer.data["statements"])
    assert kernel.run(call) == "asked\n"
    library = "from jax import lax\ny = jax.jit(lambda x: lax.sin_p.bind(x, accuracy=None))(jnp.ones(3))"
    assert "a primitive of the notebook" not in str(kernel.trace(library).data["statements"])
