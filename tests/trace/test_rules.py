"""What the trace finds, rule by rule, in real kernels; and that the twins done right stay silent."""
from __future__ import annotations

import pytest
from trace_kernels import NEWEST, Kernel, rules

from jupyterlab_jaxhints.trace.findings import MESSAGES, CleanPlace, finding_of, merge, message_of
from jupyterlab_jaxhints.trace.request import State

FOUND = {
    "branch-mismatch": "lax.scan(lambda c, x: (c / 2, x), jnp.int32(0), jnp.arange(3))",
    "vmap-axes-mismatch": "jax.vmap(lambda a, b: a + b, in_axes=(0, 1))(jnp.ones((5, 4)), jnp.ones((5, 2)))",
    "large-constant": "big = jnp.ones((600, 600))\nf = jax.jit(lambda v: big @ v)\nf(jnp.ones(600))",
    "retrace": "f = jax.jit(lambda x: x.sum())\nfor n in range(1, 8):\n    f(jnp.ones(n))",
    "varying-static-arg": "f = jax.jit(lambda x, n: x * n, static_argnums=1)\nfor n in range(8):\n    f(1.0, n)",
    "unrolled-loop": "@jax.jit\ndef f(x):\n    for _ in range(200):\n        x = x * 1.1\n    return x\nf(1.0)",
    "out-of-bounds-index": "x = jnp.zeros(5)\ny = x[7]",
    "unsafe-cast": "jnp.array([300.0]).astype(jnp.int8)",
    "donated-use": "f = jax.jit(lambda x: x + 1, donate_argnums=0)\nx = jnp.ones(3)\ny = f(x)\nz = x + y",
    "list-to-array-under-trace": "f = jax.jit(lambda xs: jnp.array(xs).sum())\nf([1.0] * 100)",
    "jit-in-loop": "for i in range(5):\n    y = jax.jit(lambda v: v + 1)(1.0)",
    "fresh-body-in-loop": "for i in range(5):\n    y = lax.fori_loop(0, 3, lambda i, v: v + 1, 0)",
    "float64-without-x64": "jnp.zeros(3, dtype='float64')",
    "late-x64": "x = jnp.ones(3)\njax.config.update('jax_enable_x64', True)",
    "promotion-surprise": "jnp.array([1], 'uint32') + jnp.array([1], 'int32')",
    "key-reuse": "k = jax.random.key(0)\na = jax.random.normal(k)\nb = jax.random.uniform(k)",
    "nonscalar-grad": "jax.grad(lambda x: x * 2)(jnp.ones(3))",
    "integer-grad": "jax.grad(lambda x: x * 2.0)(3)",
    "missing-static-arg": "jax.jit(lambda x, n: jnp.zeros(n) + x)(1.0, 3)",
    "boolean-mask": "jax.jit(lambda x: x[x > 0])(jnp.ones(3))",
    "data-dependent-shape": "jax.jit(lambda x: jnp.unique(x))(jnp.ones(3))",
    "traced-slice-size": "jax.jit(lambda x: x[:jnp.argmax(x)])(jnp.ones(3))",
    "numpy-on-tracer": "jax.jit(lambda x: np.sin(x))(1.0)",
    "unhashable-static-arg": "jax.jit(lambda x, n: x, static_argnums=1)(1.0, [1])",
    "sequence-argument": "jnp.linalg.norm([jnp.ones(3), jnp.ones(3)])",
    "lax-dtype-mismatch": "lax.add(jnp.array([1, 2]), 0.5)",
    "impure-trace": "def f(x, seen=[]):\n    seen.append(1)\n    return x * len(seen)\njax.jit(f)(1.0)",
    "if-on-tracer": "def f(x):\n    y = x * 2\n    if y > 0:\n        return y\n    return x\njax.jit(f)(1.0)",
    "while-on-tracer": "@jax.jit\ndef f(x):\n    y = x + 0\n    while y < 9:\n        y = y * 2\n    return y\nf(1.0)",
    "assert-on-tracer": "@jax.jit\ndef f(x):\n    assert x.sum() > 0\n    return x\nf(jnp.ones(3))",
    "bool-op-on-tracer": "@jax.jit\ndef f(x):\n    y = x + 1\n    return x if y is None else (y > 0) and (y < 3)\nf(1.0)",
    "nan-check-under-trace": "@jax.jit\ndef f(x):\n    if jnp.isnan(x).any():\n        x = x * 0\n    return x\nf(jnp.ones(3))",
    "cast-on-tracer": "jax.jit(lambda x: float(x.sum()))(jnp.ones(3))",
    "for-over-traced-range": "@jax.jit\ndef f(x):\n    for i in range(jnp.argmax(x)):\n        x = x + i\n    return x\nf(jnp.ones(3))",
    "traced-shape": "jax.jit(lambda x: jnp.zeros(jnp.argmax(x)))(jnp.ones(3))",
    "list-index": "x = jnp.arange(5.0)\ny = x[[0, 2]]",
    "shape-as-dtype": "x = jnp.ones(4, 4)",
    "item-assignment": "x = jnp.ones(3)\nx[0] = 2.0",
    "item-augmented-assignment": "x = jnp.ones(3)\nx[0] += 2.0",
    "static-argnames-mismatch": "f = jax.jit(lambda x: x, static_argnames='m')\nf(1.0)",
    "jit-method-without-static-self": "class A:\n    @jax.jit\n    def f(self, x):\n        return x\nA().f(1.0)",
    "bad-pytree-registration": "from jax.tree_util import register_pytree_node_class\n@register_pytree_node_class\nclass P:\n"
                               "    def __init__(self, x):\n        if x.ndim != 1:\n            raise ValueError('one axis')\n        self.x = x\n"
                               "    def tree_flatten(self):\n        return (self.x,), None\n"
                               "    @classmethod\n    def tree_unflatten(cls, aux, children):\n        return cls(*children)\n"
                               "jax.vmap(lambda p: p)(P(jnp.ones(3)))",
    "self-write-under-trace": "class A:\n    def __init__(self):\n        self.n = 0\n    def f(self, x):\n        self.n += 1\n"
                              "        return x\na = A()\njax.jit(a.f)(1.0)",
    "global-write-under-trace": "n = np.zeros(1)\n@jax.jit\ndef f(x):\n    n[0] += 1\n    return x\nf(1.0)",
    "shape-mismatch": "jnp.ones((2, 3)) @ jnp.ones((2, 3))",
    "impure-call-under-trace": "import os\n@jax.jit\ndef f(x):\n    return x * len(os.environ.get('HOME', ''))\nf(1.0)",
    "numpy-random-under-trace": "jax.jit(lambda x: x + np.random.normal())(1.0)",
    "iterator-under-trace": "rates = iter([0.1, 0.2])\n@jax.jit\ndef f(x):\n    return x * sum(rates)\nf(1.0)",
}


@pytest.mark.parametrize("rule", FOUND)
@pytest.mark.short
def test_found(kernel: Kernel, rule: str) -> None:
    answer = kernel.trace(FOUND[rule])
    assert set(rules(answer)) == {rule}


SILENT = {
    "mixed sizes once": "f = jax.jit(lambda x: x.sum())\nf(jnp.ones(3)); f(jnp.ones(4))",
    "a function named in a loop": "def g(v):\n    return v + 1\nfor i in range(5):\n    y = jax.jit(g)(1.0)",
    "split keys": "k = jax.random.key(0)\nfor i in range(4):\n    k, s = jax.random.split(k)\n    jax.random.normal(s)",
    "a key in each branch": "def f(k, b):\n    return lax.cond(b, lambda k: jax.random.normal(k), lambda k: jax.random.uniform(k), k)\n"
                            "f(jax.random.key(0), True)",
    "slices beyond the end": "x = jnp.zeros(5)\ny = x[2:50], x[-2:]",
    "what stands beyond the end": "y = jnp.take(jnp.zeros(5), jnp.array([1, 7]), fill_value=-1.0)",
    "negative index": "x = jnp.zeros(5)\ny = x[-1]",
    "rebound after donation": "f = jax.jit(lambda x: x + 1, donate_argnums=0)\nx = jnp.ones(3)\nfor _ in range(4):\n    x = f(x)",
    "local state": "@jax.jit\ndef f(x):\n    seen = []\n    def note(v):\n        seen.append(v)\n    note(x)\n    return seen[0]\nf(1.0)",
    "a stack that is left as found": "S = []\n@jax.jit\ndef f(x):\n    S.append('layer')\n    S.pop()\n    return x\nf(1.0)",
    "a depth that is counted up and down": "D = 0\ndef up():\n    global D\n    D = 1 + D\ndef down():\n    global D\n    D -= 1\n"
                                           "@jax.jit\ndef f(x):\n    up()\n    y = jnp.sin(x)\n    down()\n    return y\nf(1.0)",
    "functions for trees": "for i in range(5):\n    y = jax.tree.map(lambda v: v + 1, [jnp.ones(3)])",
    "a constant as an argument": "big = jnp.ones((600, 600))\nf = jax.jit(lambda big, v: big @ v)\nf(big, jnp.ones(600))",
    "complex numbers": "y = jnp.exp(1j * jnp.linspace(0.0, 3.0, 4))",
    "a number, then what comes of it": "f = jax.jit(lambda t: t * 2)\nt = 1\nfor i in range(4):\n    t = f(t)",
    "a table kept while tracing": "T = {}\n@jax.jit\ndef f(x):\n    if 4 not in T:\n        T[4] = np.hanning(4)\n    return x * T[4]\nf(1.0)",
    "a table that is looked up first": "T = {}\ndef fib(n):\n    if n not in T:\n        T[n] = n if n < 2 else fib(n - 1) + fib(n - 2)\n"
                                       "    return T[n]\n@jax.jit\ndef f(x):\n    return x * fib(10)\nf(1.0)",
    "one function for each number": "def make(n):\n    def f(x):\n        return x * n\n    return jax.jit(f)\nfs = [make(i) for i in range(5)]",
    "a new function for each fit": "def fit(p, n):\n    step = jax.jit(lambda p: [v * n for v in p])\n    return step(p)\n"
                                   "for n in range(1, 6):\n    fit([1.0] * n, n)",
    "None and isinstance": "@jax.jit\ndef f(x, m=None):\n    if m is None and isinstance(x, jax.Array):\n        return x\nf(1.0)",
}


@pytest.mark.parametrize("cell", SILENT.values(), ids=SILENT)
def test_silent(kernel: Kernel, cell: str) -> None:
    assert rules(kernel.trace(cell)) == []


def test_iterators_from_outside_are_used_up(kernel: Kernel) -> None:
    kernel.run("import itertools\nrates = itertools.cycle([0.1, 0.01])")
    used = "def now():\n    for rate in rates:\n        return rate\n@jax.jit\ndef f(x):\n    return x * now()\ny = f(1.0)"
    assert rules(kernel.trace(used)) == ["iterator-under-trace"]
    made = "@jax.jit\ndef f(x):\n    for a, b in itertools.product([1, 2], [x, x]):\n        x = x + a * b\n    return x\ny = f(1.0)"
    assert rules(kernel.trace(made)) == []


TWICE = {  # what a function does, and what two traces of it show: the mark, or nothing
    "a queue that turns": ("q.rotate(1)\n    return x * q[0]", "x * q[0]"),
    "a bound next": ("return x * tick()", "tick()"),
    "the call itself": ("return x + sum(tick() for _ in range(2))", "tick()"),
    "a result that is no array": ("return tick()", "tick()"),
    "in a loop's body": ("return lax.fori_loop(0, 3, lambda i, c: c * tick(), x)", "tick()"),
    "how often": ("for _ in range(q.popleft()):\n        x = jnp.sin(x)\n    return x", "jnp.sin(x)"),
    "a shape": ("return x + jnp.zeros(q.popleft()).sum()", "q.popleft()"),
    "only a message": ("jax.debug.print('x {} ' + str(tick()), x)\n    return x", None),
    "only a name": ("with jax.named_scope(f'layer{tick()}'):\n        return jnp.sin(x)", None),
    "tables by address": ("seen = {id(v): v for v in (x, x + 1, x + 2)}\n    return sum(seen[i] for i in sorted(seen))", None),
    "a new function each time": ("tick()\n    return lax.cond(x > 0, lambda v: jnp.sin(v), lambda v: v, x)", None),
    "a clock that no result needs": ("t = time.perf_counter()\n    y = jnp.sin(x)\n    print(time.perf_counter() - t)\n    return y", None),
}


@pytest.mark.parametrize("body, mark", TWICE.values(), ids=TWICE)
def test_what_differs_between_two_traces_of_a_function(kernel: Kernel, body: str, mark: str | None) -> None:
    made = "import time\nfrom collections import deque\nq = deque([4, 5, 6, 7, 8])\ntick = iter([0.5 * i * i for i in range(40)]).__next__\n"
    kernel.run(made)
    answer = kernel.trace(f"@jax.jit\ndef f(x):\n    {body}\ny = f(2.0)")
    certain = [(f["rule"], f["text"]) for f in answer.data["findings"] if f["certain"]]
    assert answer.state is State.TRACED and certain == ([("impure-trace", mark)] if mark else [])


def test_a_tracer_that_outlived_its_trace(kernel: Kernel) -> None:
    kernel.run("kept = []\n@jax.jit\ndef f(x):\n    kept.append(x)\n    return x\n_ = f(1.0)")
    assert rules(kernel.trace("y = kept[0] + 1")) == ["leaked-tracer"]


@pytest.mark.parametrize("cell, expected", [
    ("def share(x):\n    return x / x.sum()\nprint(share(jnp.zeros(3)))", ["nan-produced"]),
    ("def share(x):\n    return x / jnp.maximum(x.sum(), 1.0)\nprint(share(jnp.zeros(3)))", []),
    ("def soft(x):\n    return jnp.where(x > 0, jnp.sqrt(x), 0.0)\njax.grad(soft)(0.0)", ["where-nan-gradient"]),
    ("def soft(x):\n    return jnp.where(x > 0, jnp.sqrt(x), 0.0)\nsoft(-1.0)", []),
    ("x = jnp.array([1.0, jnp.nan])\ny = jnp.nanmax(x)", []),
    ("big = jnp.arange(2_000_000.0)\nd = jax.vmap(lambda i: (big - i).sum())(big)", ["memory-peak"]),
    ("x = jnp.arange(4.0)\ni = jnp.argmax(x) + 1\ny = x[i]", ["out-of-bounds-index"]),
    ("x = jnp.arange(4.0)\ni = jnp.argmax(x)\ny = x[i]", []),
    ("def first(v):\n    i = lax.while_loop(lambda i: v[i] < 2.0, lambda i: i + 1, 0)\n    return v[i]\n"
     "y = jax.vmap(first)(jnp.array([[1.0, 2.0, 3.0], [3.0, 1.0, 0.0]]))", []),
], ids=["nan", "no nan", "gradient", "masked", "given nan", "memory", "index", "good index", "lanes"])
def test_on_the_device(kernel: Kernel, cell: str, expected: list[str]) -> None:
    answer = kernel.trace(cell, op="device", limit=60.0)
    assert answer.state is State.TRACED and rules(answer) == expected


def test_the_device_is_there_for_a_kernel_that_has_made_no_array(fresh: Kernel) -> None:
    fresh.run("import jax, jax.numpy as jnp")
    answer = fresh.trace("y = jnp.log(jnp.zeros(3) - 1.0)", op="device", limit=60.0)
    assert rules(answer) == ["nan-produced"], answer.why


@pytest.mark.parametrize("running", NEWEST, indirect=True)
def test_a_program_with_refs_runs_on_the_device(kernel: Kernel) -> None:
    answer = kernel.trace("r = jax.new_ref(jnp.zeros(3))\nr[0] = -1.0\ny = jnp.log(r[...])", op="device", limit=60.0)
    assert rules(answer) == ["nan-produced"] and "run" not in answer.data["checks"]
    assert rules(kernel.trace("jnp.sin(jax.new_ref(jnp.zeros(3)))")) == []  # JAX raises, but not for a list


@pytest.mark.parametrize("setting", ["jax.config.update('jax_platforms', 'cpu')", "import os\nos.environ['XLA_FLAGS'] = ''"])
def test_a_cell_that_chooses_the_devices_finds_the_choice_open(fresh: Kernel, setting: str) -> None:
    fresh.run("import jax, jax.numpy as jnp")
    chosen = "print(jax._src.xla_bridge.backends_are_initialized())"
    for cell in ("# notes", "def f(x):\n    return x + 1", setting, f"{setting}\ny = jnp.ones(3)"):
        assert rules(fresh.trace(cell, op="device", limit=60.0)) == []
    assert fresh.run(chosen) == "False\n"


def test_a_program_that_holds_an_old_tracer_is_not_run_on_the_device(kernel: Kernel) -> None:
    kernel.run("kept = []\n@jax.jit\ndef f(x):\n    kept.append(x)\n    return x\n_ = f(1.0)")
    answer = kernel.trace("y = jnp.sqrt(kept[0])", op="device", limit=60.0)
    assert answer.state is State.TRACED and rules(answer) == []


def test_traces_of_the_users_own_calls_are_counted(kernel: Kernel) -> None:
    kernel.wait(kernel.carrier.ask({"op": "facts", "names": []}))
    kernel.run("def counted(x):\n    return x + 1\nf = jax.jit(counted)\nfor n in range(3):\n    _ = f(jnp.ones(n + 1))")
    kernel.trace("f(jnp.ones(9))")  # the probe's own do not count
    answer = kernel.wait(kernel.carrier.ask({"op": "facts", "names": ["f"]}))
    assert answer.data["names"]["f"]["traces"] == 3
    assert sum(traces for traces, _ in answer.data["traces"].values()) >= 3


@pytest.mark.parametrize("call, message", [
    ("f('up', 1.0)", "`m` is a `str`: JAX cannot trace it, and it is not static"),
    ("f({'name': 'up'}, 1.0)", "`m['name']` is a `str`: JAX cannot trace it, and it is not static"),
])
@pytest.mark.parametrize("running", NEWEST, indirect=True)  # older ones do not say where in the argument
def test_what_is_no_array_is_named(kernel: Kernel, call: str, message: str) -> None:
    answer = kernel.trace(f"@jax.jit\ndef f(m, x):\n    return x if m else -x\n{call}")
    assert [message_of(found) for found in answer.data["findings"]] == [message]


@pytest.mark.parametrize("rule", MESSAGES)
def test_messages_are_one_short_sentence(rule: str) -> None:
    long = {name: "a_rather_long_name_of_something_in_the_users_notebook[index + 1]" for name in (
        "parameter", "target", "function", "argument", "before", "now", "name", "kind", "primitive", "flag", "dtype")}
    data = {**long, "index": 7, "axis": 0, "size": 5, "turns": 300, "count": 400, "value": 300.0, "result": "f32",
            "numpy": "f64", "type": "f32[2000,1500]", "bytes": 12_000_000, "needs": 8 * 10**12, "has": 10**11}
    text = message_of({"rule": rule, "text": long["name"], "data": data})
    assert len(text) <= 90 and "\n" not in text and "{" not in text


def test_merging_confirms_adds_and_removes() -> None:
    from types import SimpleNamespace as Thing

    def hint(rule, line):
        return Thing(rule=rule, cell="a", range=Thing(start=Thing(line=line, character=4), end=Thing(line=line, character=9)))

    def raw(rule, line):
        return finding_of({"rule": rule, "cell": "a", "at": [line, 4, line, 9], "text": "x > 0", "data": {}})

    read = [hint("if-on-tracer", 1), hint("while-on-tracer", 5), hint("print-under-trace", 5)]
    ways = {id(read[1]): [CleanPlace("a", (9, 0), (9, 9), call=True)]}
    ran = [CleanPlace("a", (5, 0), (5, 20)), CleanPlace("a", (9, 0), (9, 9), call=True)]
    merged, kept = (
        merge(read, [raw("bool-op-on-tracer", 1), raw("retrace", 8)], clean, confirm=lambda d, f: ("confirmed", d.rule),
              add=lambda f: ("added", f.rule), way=lambda d: ways.get(id(d), ()))
        for clean in (ran, ran[:1])
    )
    assert merged.diagnostics == [("confirmed", "if-on-tracer"), read[2], ("added", "retrace")]
    assert merged.removed == [read[1]]
    assert kept.removed == []  # what leads there was not seen to run
