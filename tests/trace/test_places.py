"""Where findings stand: exact ranges, whatever is above or beside them."""
from __future__ import annotations

import ast
import pathlib
from collections import Counter

import pytest
from trace_kernels import Kernel, found, hints, rules

from jupyterlab_jaxhints.trace import probe
from jupyterlab_jaxhints.trace.findings import message_of
from jupyterlab_jaxhints.trace.probe import PARTS
from jupyterlab_jaxhints.trace.request import State

FOLDER = pathlib.Path(probe.__file__).parent


@pytest.mark.short
def test_library_bodies_stand_where_they_are_called_each_time(kernel: Kernel) -> None:
    cell = """
    @jax.jit
    def f(key):
        a = jax.random.normal(key, (3,))
        b = jax.random.normal(key, (3,))
        return a + b
    f(jax.random.key(0))
    """
    for shift in (0, 2, 5):
        answer = kernel.trace("\n" * shift + cell)
        places = [(f["text"], f["at"][0]) for f in answer.data["findings"] if f["rule"] == "key-reuse"]
        assert places == [("jax.random.normal(key, (3,))", shift + 4)]


@pytest.mark.parametrize("before", ["", "\n\n\n", "# 数据 🎉\n"])
@pytest.mark.short
def test_wide_characters_and_blank_lines(kernel: Kernel, before: str) -> None:
    cell = before + '@jax.jit\ndef f(x):\n    label = "😀数"; y = 1 if x > 0 else 2\n    return y\nf(1.0)'
    (finding,) = kernel.trace(cell).data["findings"]
    line = before.count("\n") + 2
    assert finding["rule"] == "if-on-tracer"
    start = 4 + len('label = "') + 3 + len('"; y = 1 if ')  # the emoji counts two
    assert finding["at"] == [line, start, line, start + 5]


def test_a_helper_of_another_cell_is_marked_there(kernel: Kernel) -> None:
    helper = "\n\ndef helper(x):\n    if x > 0:\n        return x\n    return -x"
    kernel.run(helper)
    answer = kernel.trace(helper, "jax.jit(lambda x: helper(x))(1.0)")
    (finding,) = answer.data["findings"]
    assert (finding["rule"], finding["cell"], finding["at"][:2]) == ("if-on-tracer", "c0", [3, 7])
    assert [r[0] for r in finding["related"]] == ["c1", "c1"]


@pytest.mark.parametrize("is_run", [True, False], ids=["array of the kernel", "array of the cell"])
def test_a_captured_array_is_marked_by_its_name(kernel: Kernel, is_run: bool) -> None:
    make = "table = jnp.ones((1000, 1000))"
    use = "@jax.jit\ndef f(row):\n    return 2.0 * table[row].sum()\nf(3)"
    if is_run:
        kernel.run(make)
    (finding,) = kernel.trace(use if is_run else f"{make}\n{use}").data["findings"]
    assert (finding["rule"], finding["text"]) == ("large-constant", "table")
    assert message_of(finding) == "`table` (f32[1000,1000], 3.8 MiB) is captured: it becomes part of the program"


def test_a_cell_timed_by_a_magic(kernel: Kernel) -> None:
    kernel.run("%%time\ndef helper(x):\n    return x.reshape(2, jnp.sum(x))")
    answer = kernel.trace("0\ndef helper(x):\n    return x.reshape(2, jnp.sum(x))", "jax.jit(helper)(jnp.ones(4))")
    assert found(answer)[0][:2] == ("traced-shape", "c0")


RULED = """@jax.custom_jvp
def f(x):
    return jnp.sin(x) if x > 0 else jnp.cos(x)
@f.defjvp
def f_jvp(primals, tangents):
    y = f(*primals)
    return y, 2 * tangents[0] if y > 0 else 3 * tangents[0]
"""
BACKWARD = """@jax.custom_vjp
def f(x):
    return jnp.sin(x) if x > 0 else jnp.cos(x)
f.defvjp(lambda x: (f(x), 2.0 if x > 0 else 3.0), lambda slope, g: (slope * g,))
"""


@pytest.mark.parametrize("cell, expected", [
    ("x = jnp.ones(3)\nif x.sum() > 0:\n    y = x\nelse:\n    y = -x", []),
    ("step = jax.jit(lambda w: w * 0.9)\nw = jnp.ones(3)\nfor i in range(30):\n    w = step(w)\n    loss = float(w.sum())", []),
    ("n = jnp.array(3)\nz = jnp.zeros(int(n))\nz[z > 0]", []),
    ("x = jnp.ones(3)\nwhile x[0] < 3:\n    x = x * 2\n    y = x + jnp.ones(4)", ["shape-mismatch"]),
    ("from collections import namedtuple\nS = namedtuple('S', 'a b')\ns = S(jnp.ones(3), jnp.ones(4))\ns.a + s.b", ["shape-mismatch"]),
    ("try:\n    jnp.ones(3) + jnp.ones(4)\nexcept TypeError as e:\n    print(e)", []),
    ("def f(x):\n    return x if x > 0 else -x\njax.grad(f)(2.0)", []),
    (RULED + "f(2.0), jax.grad(f)(2.0), jax.vmap(jax.grad(lambda x: x * 2))(jnp.ones(3))", []),
    (RULED + "jax.jit(f)(2.0)", ["if-on-tracer"]),
    (BACKWARD + "f(2.0), jax.grad(f)(2.0)", []),
    ("jax.jit(lambda x: x if x > 0 else -x)(2.0)", ["if-on-tracer"]),
    ("jnp.ones((3, 4)) @ jnp.ones((3, 4))", ["shape-mismatch"]),
], ids=["eager if", "eager float", "eager shape", "eager while", "a class made by a call", "expected", "grad alone", "own rule", "own rule in jit",
        "own backward pass", "jit", "shapes"])
def test_values_that_eager_code_may_ask_for(kernel: Kernel, cell: str, expected: list[str]) -> None:
    assert rules(kernel.trace(cell)) == expected


@pytest.mark.parametrize("expression", [
    "jnp.stack([jnp.ones(3), jnp.ones(4)])", "jnp.concatenate([jnp.ones((2, 3)), jnp.ones((2, 4))])",
    "jnp.arange(10).reshape(3, 4)", "jnp.einsum('ij,jk->ik', jnp.ones((2, 3)), jnp.ones((4, 5)))",
    "jnp.ones((3, 3)).at[0].set(jnp.ones(4))", "jnp.where(jnp.ones(3) > 0, jnp.ones(4), 0)",
    "jnp.linalg.solve(jnp.ones((3, 3)), jnp.ones(4))", "jnp.broadcast_to(jnp.ones(3), (4, 2))", "jnp.ones((2, 3)).sum(axis=2)",
    "lax.conv(jnp.ones((1, 3, 8, 8)), jnp.ones((4, 2, 3, 3)), (1, 1), 'SAME')", "jnp.split(jnp.ones(10), 3)",
])
def test_shapes_that_do_not_fit(kernel: Kernel, expression: str) -> None:
    ((rule, _, text),) = found(kernel.trace(f"y = {expression}"))
    assert rule == "shape-mismatch" and expression.startswith(text.rstrip("…"))


@pytest.mark.parametrize(("cell", "message"), [
    ("def f(v, h):\n    return v @ h\njax.jit(f)(jnp.ones((128, 10)), jnp.ones((32, 128)))",
     "`v @ h` gets `f32[128,10]` and `f32[32,128]`: the shapes do not fit"),
    ("def f(v, h):\n    return v + h\njax.vmap(f)(jnp.ones((5, 3)), jnp.ones((5, 4)))",
     "`v + h` gets `f32[3]` and `f32[4]`: the shapes do not fit"),
    ("def f(v):\n    return v @ v[0]\njax.jit(f)(jnp.ones((2, 3)) @ jnp.ones((3, 4)))", None),
    ("def f(v):\n    return v @ (v + 1)\njax.jit(f)(jnp.ones((2, 3)))", "`v @ (v + 1)` gets shapes that do not fit"),
], ids=["in jit", "an example of vmap", "fits", "not all are names"])
def test_a_mismatch_names_the_shapes(kernel: Kernel, cell: str, message: str | None) -> None:
    answer = kernel.trace(cell)
    assert [message_of(raw) for raw in answer.data["findings"]] == ([] if message is None else [message])


@pytest.mark.short
def test_shapes_for_the_ghost_text(kernel: Kernel) -> None:
    cell = """
    @jax.jit
    def layer(w, x):
        h = x @ w
        a, b = jnp.split(h, 2)
        m = h.shape[0]
        return jnp.tanh(a)
    y = layer(jnp.ones((3, 4)), jnp.ones((8, 3)))
    per_row = jax.vmap(lambda r: r * 2)(y)
    """
    got = hints(kernel.trace(cell.lstrip("\n")))
    assert got == ["2 w f32[3,4]", "2 x f32[8,3]", "3 h f32[8,4]", "4 a f32[4,4]", "4 b f32[4,4]", "5 m 8",
                   "6 return f32[4,4]", "7 y f32[4,4]", "8 r f32[4]", "8 per_row f32[4,4]"]


def test_an_error_in_a_later_call_of_a_cell_not_run(kernel: Kernel) -> None:
    cell = """
    @jax.jit
    def loss(w, x):
        return jnp.mean((x @ w) ** 2)
    w, xs = jnp.zeros(3), jnp.ones((100, 3))
    for i in range(100):
        l = loss(w, xs)
    bad = loss(w[:2], xs)
    """
    answer = kernel.trace(cell)
    assert answer.state is State.PARTLY
    assert found(answer) == [("shape-mismatch", "c0", "x @ w")]


@pytest.mark.short
def test_a_statement_that_fails_takes_nothing_of_the_others(kernel: Kernel) -> None:
    index, bad = "x = jnp.zeros(5)\ny = x[7]\n", "z = jnp.ones(3) + jnp.ones(4)\n"
    wild = "@jax.jit\ndef f(x):\n    return x[0] + jnp.ones(7) + jnp.ones(3)\nf(jnp.ones(3))\n"
    for cell in (index + bad, bad + index, index + wild, wild + index):
        assert set(rules(kernel.trace(cell))) == {"out-of-bounds-index", "shape-mismatch"}


def test_clean_places_are_told(kernel: Kernel) -> None:
    cell = "@jax.jit\ndef f(x):\n    if x.shape[0] > 2:\n        y = x * 2\n    return y\nf(jnp.ones(3))"
    clean = kernel.trace(cell).data["clean"]
    assert ["c0", [2, 7, 2, 21]] in clean and ["c0", [3, 8, 3, 17]] in clean


def test_the_parts_of_the_probe_share_one_namespace() -> None:
    names = [name for part in PARTS for name in _defined(ast.parse((FOLDER / f"{part}.py").read_text()))]
    assert len(names) > 200 and [name for name, times in Counter(names).items() if times > 1] == []


def _defined(part: ast.Module) -> list[str]:
    """Functions, classes and constants at the top of a part."""
    assigned = [target for node in part.body if isinstance(node, (ast.Assign, ast.AnnAssign))
                for target in (node.targets if isinstance(node, ast.Assign) else [node.target])]
    names = [node.id for target in assigned for node in ast.walk(target) if isinstance(node, ast.Name)]
    return names + [node.name for node in part.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
