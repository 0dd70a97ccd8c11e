"""From the error that a run ended with to the hint at the failing line; each error is raised by JAX itself."""
from __future__ import annotations

import warnings

import pytest
from support import checking, running

from jupyterlab_jaxhints import rules
from jupyterlab_jaxhints.analyzer import Analyzer
from jupyterlab_jaxhints.knowledge.failures import FAILURES, failure
from jupyterlab_jaxhints.protocol import CellFailure, Diagnostic

IMPORTS = "import jax, math\nimport jax.numpy as jnp\nimport numpy as np\nfrom functools import partial"
# what reading cannot see through: the values come out of Python's own `eval`
HIDDEN = IMPORTS + "\nread = eval\n"

# (rule, what the cells above hold, the failing cell with the failing line marked by `#!`, a title of a fix or None)
UNREAD = [
    ("if-on-tracer", "", "def f(x):\n    if x > 0:  #!\n        return x\n    return -x\nread('jax.jit(f)(1.0)')", "Use jnp.where"),
    ("if-on-tracer", "", "def f(x):\n    return 1.0 if x > 0 else 2.0  #!\nread('jax.jit(f)(1.0)')", "Use jnp.where"),
    ("while-on-tracer", "", "def f(x):\n    while x < 9:  #!\n        x = x * 2\n    return x\nread('jax.jit(f)(1.0)')", None),
    ("assert-on-tracer", "", "def f(x):\n    assert x > 0  #!\n    return x\nread('jax.jit(f)(1.0)')", None),
    ("bool-op-on-tracer", "", "def f(x):\n    return x > 0 and True  #!\nread('jax.jit(f)(1.0)')", None),
    ("numpy-on-tracer", "", "def f(x):\n    return np.sin(x)  #!\nread('jax.jit(f)(1.0)')", "Use jnp.sin"),
    ("numpy-on-tracer", "", "def f(x):\n    return math.sin(x)  #!\nread('jax.jit(f)(1.0)')", "Use jnp.sin"),
    ("cast-on-tracer", "", "def f(x):\n    return float(x) + 1  #!\nread('jax.jit(f)(1.0)')", None),
    ("cast-on-tracer", "", "def f(x):\n    return f'{x:.2f}'  #!\nread('jax.jit(f)(1.0)')", None),
    ("for-over-traced-range", "", "def f(n):\n    t = 0\n    for i in range(n):  #!\n        t = t + i\n    return t\nread('jax.jit(f)(3)')", None),
    ("for-over-traced-range", "", "def f(x):\n    return [v for v in x]  #!\nread('jax.jit(f)(3)')", None),
    ("traced-shape", "", "def f(n):\n    return jnp.zeros(n)  #!\nread('jax.jit(f)(3)')", None),
    ("traced-shape", "", "def f(n):\n    return jnp.arange(n)  #!\nread('jax.jit(f)(3)')", None),
    ("data-dependent-shape", "", "def f(x):\n    return jnp.nonzero(x)  #!\nread('jax.jit(f)(jnp.ones(3))')", None),
    ("boolean-mask", "", "def f(x, keep):\n    return x[keep]  #!\nread('jax.jit(f)(jnp.ones(3), jnp.ones(3) > 0)')", None),
    ("traced-slice-size", "", "def f(i):\n    x = jnp.ones(9)\n    return x[:i]  #!\nread('jax.jit(f)(3)')", None),
    ("item-assignment", "x = read('jnp.zeros(3)')", "x[0] = 1  #!", "Use .at[0].set"),
    ("item-augmented-assignment", "x = read('jnp.zeros(3)')", "x[0] += 1  #!", "Use .at[0].add"),
    ("inplace-method", "x = read('jnp.zeros(3)')", "x.fill(1)  #!", None),
    ("list-index", "x = read('jnp.zeros(3)')", "y = x[[0, 1]]  #!", None),
    ("sequence-argument", "v = read('[1, 2]')", "y = jnp.sum(v)  #!", None),
    ("unhashable-static-arg", "f = jax.jit(lambda x, n: x, static_argnums=1)\nn = read('[1]')", "f(1.0, n)  #!", None),
    ("leaked-tracer", "kept = []\ndef f(x):\n    read('kept').append(x)\n    return x\njax.jit(f)(1.0)", "y = kept[-1] + 1  #!", None),
    ("donated-use", "take = read('jax.jit(lambda x: x + 1, donate_argnums=0)')\nx = jnp.zeros(3)\ntake(x)", "take(x)  #!", None),
    ("branch-mismatch", "choose = read('lambda: jax.lax.cond(True, lambda: 1.0, lambda: jnp.ones(2))')", "y = choose()  #!", None),
    ("vmap-axes-mismatch", "add = read('jax.vmap(lambda a, b: a + b)')", "y = add(jnp.ones(3), jnp.ones(4))  #!", None),
]
# what reading sees as well
READ = [
    ("if-on-tracer", "@jax.jit\ndef f(x):\n    if x > 0:  #!\n        return x\n    return -x\nf(1.0)"),
    ("missing-static-arg", "@jax.jit\ndef f(x, up):\n    if up:  #!\n        return x\n    return -x\nf(1.0, True)"),
    ("item-assignment", "x = jnp.zeros(3)\nx[0] = 1  #!"),
    ("readonly-numpy-view", "x = jnp.zeros(3)\nv = np.asarray(x)\nv[0] = 1  #!"),
    ("shape-as-dtype", "x = jnp.zeros(2, 3)  #!"),
    ("static-argnames-mismatch", "f = jax.jit(lambda x: x, static_argnames='n')  #!"),
    ("donated-use", "f = jax.jit(lambda x: x + 1, donate_argnums=0)\nx = jnp.zeros(3)\ny = f(x)\nz = x + 1  #!"),
    ("integer-grad", "g = jax.grad(lambda x: x * x)(3)  #!"),
    ("nonscalar-grad", "g = jax.grad(lambda x: x * x)(jnp.ones(3))  #!"),
    ("sequence-argument", "y = jnp.ones(2) + [1, 2]  #!"),
]
# what the error says nothing of
SILENT = [
    "d = {'a': read('1')}\nif d['a'] > 0:\n    d['b']  #!",  # an error that is not JAX's
    "def f(x):\n    if x > 0:\n        return x\n    return -x\ng = jax.jit(f)\ny = 1 + read('g(1.0)')  #!",  # elsewhere
    "a, b = read('(jnp.ones(3), True)')\ny = read('jax.jit(lambda v: 1 if v > 0 else 2)(1.0)')  #!",
]


def failed(cells: list[str], texts: list[str] | None = None) -> tuple[CellFailure, list[Diagnostic]]:
    """What the last cell fails with on JAX, and what is said of the cells (or of `texts`) then."""
    line = next(number for number, text in enumerate(cells[-1].splitlines()) if text.endswith("#!"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with running.ran(cells) as (error, _):
            assert error is not None, "the cell fails"
    told = CellFailure(cell=f"c{len(cells) - 1}", line=line, name=type(error).__name__, message=str(error))
    analyzer = Analyzer(strict=True)
    analyzer.update(checking.book(texts or cells).cells, failures=[told])
    return told, [hint for result in analyzer.results() for hint in result.diagnostics]


def on_line(told: CellFailure, hints: list[Diagnostic]) -> list[Diagnostic]:
    return [hint for hint in hints if hint.cell == told.cell and hint.range.start.line <= told.line <= hint.range.end.line]


@pytest.mark.parametrize(("rule", "above", "cell", "fix"), UNREAD, ids=[f"{r[0]}-{i}" for i, r in enumerate(UNREAD)])
def test_a_run_shows_what_reading_cannot_know(rule: str, above: str, cell: str, fix: str | None) -> None:
    cells = [HIDDEN, above, cell] if above else [HIDDEN, cell]
    assert rule not in [hint.rule for hint in checking.diagnostics(cells)]
    told, hints = failed(cells)
    (hint,) = on_line(told, hints)
    assert (hint.rule, hint.certainty, hint.lane) == (rule, "certain", "reading")
    assert hint.evidence[-1].message == f"The run of this cell failed with `{told.name}`"
    assert hint.evidence[-1].range.start.line == told.line and len(hint.message) <= 90
    assert fix is None or fix in [each.title for each in hint.fixes]


@pytest.mark.parametrize(("rule", "cell"), READ, ids=[rule for rule, _ in READ])
def test_a_hint_that_reading_has_is_made_certain_and_not_doubled(rule: str, cell: str) -> None:
    read = checking.diagnostics([IMPORTS, cell])
    told, hints = failed([IMPORTS, cell])
    assert [(hint.rule, hint.range) for hint in hints] == [(hint.rule, hint.range) for hint in read]
    (hint,) = on_line(told, hints)
    assert (hint.rule, hint.certainty) == (rule, "certain")
    assert hint.evidence[-1].message == f"The run of this cell failed with `{told.name}`"
    assert [fix.title for fix in hint.fixes] == [fix.title for old in read if old.rule == rule for fix in old.fixes]


@pytest.mark.parametrize("cell", SILENT)
def test_an_error_that_says_nothing_of_the_line_adds_nothing(cell: str) -> None:
    told, hints = failed([HIDDEN, cell])
    assert on_line(told, hints) == [] and hints == checking.diagnostics([HIDDEN, cell])


def test_a_comment_silences_it_and_a_line_that_is_gone_is_no_harm() -> None:
    above = HIDDEN + "x = read('jnp.zeros(3)')"
    told, hints = failed([above, "x[0] = 1  #!"])
    assert [hint.rule for hint in hints] == ["item-assignment"]
    _, hints = failed([above, "x[0] = 1  #!"], [above, "x[0] = 1  # jaxhints: ignore[item-assignment]"])
    assert hints == []
    _, hints = failed([above, "\n\nx[0] = 1  #!"], [above, "y = 1"])
    assert hints == []


def test_what_a_run_has_shown_stays_until_its_cell_changes() -> None:
    cells = [HIDDEN + "x = read('jnp.zeros(3)')", "x[0] = 1", "y = 2"]
    told = CellFailure(cell="c1", line=0, name="TypeError", message="JAX arrays are immutable and do not support")
    analyzer = Analyzer(strict=True)
    for texts, failures, count in ((cells, [told], 1), ([*cells[:2], "y = 3"], None, 1), (cells, [], 0), (cells, [told], 1),
                                   ([cells[0], "x[0] = 7", "y = 2"], None, 0)):
        analyzer.update(checking.book(texts).cells, failures=failures)
        assert sum(len(result.diagnostics) for result in analyzer.results()) == count


def test_the_table_names_rules_that_there_are_and_no_row_hides_another() -> None:
    known = set(rules.names())
    for row in FAILURES:
        assert set(row.rules) <= known and not (row.shows and row.names)
    assert failure("TypeError", "unsupported operand type(s) for +: 'int' and 'str'") is None
    assert failure("ValueError", "is read-only") is not None
