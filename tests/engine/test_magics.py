"""Magics are masked with text of equal length; what they run stays code."""
from __future__ import annotations

import ast

import pytest

from jupyterlab_jaxhints.engine.magics import MAX_CELL, Masked, mask


def masked(text: str) -> Masked:
    found = mask(text)
    assert len(found.text) == len(found.source)
    return found


@pytest.mark.parametrize(("text", "seen"), [
    ("%matplotlib inline", "0"),
    ("%time y = f(x)", "if .1:y = f(x)"),
    ("%timeit f(x)", "if .01: f(x)"),
    ("%timeit -n 3 -r5 -q f(x)", "if .01:             f(x)"),
    ("%timeit -x + 1", "if .01: -x + 1"),
    ("%prun -s cumtime -q f(x)", "if 1:               f(x)"),
    ("%lprun -f g f(x)", "if 1:       f(x)"),
    ("%memit f(x)", "if 1:  f(x)"),
    ("%time", "0"),
    ("%timeit -n 3", "0"),
    ("%time # nothing", "0"),
    ("%time for i in x: f(i)", "      for i in x: f(i)"),
    ("if a:\n    %time f(x)", "if a:\n    if .1:f(x)"),
    ("if a:\n    %time for i in x: f(i)", "if a:\n    0"),
    ("%time f(x,\n  y)", "if .1:f(x,\n  y)"),
    ("!pip install jax \\\n  optax\nx = 1", "0\n\nx = 1"),
    ("! ls", "0"),
    ("!!ls", "0"),
    ("files = !ls", "files = _0"),
    ("a, b = %sql select", "a, b = _0"),
    ("r = %timeit -o f(x)", "r = _0"),
    ("y = %time f(x)", "y =       f(x)"),
    ("jnp.dot?", "0"),
    ("jnp.dot??", "0"),
    ("?jnp.dot", "0"),
    ("y = f(x).at?", "0"),
    ("%time?", "0"),
    ("pip install jax", "0"),
    ("timeit -n 5 f(x)", "if .01:     f(x)"),
    ("time f(x)", "if 1:f(x)"),
    ("/f x", "0"),
    ("%%time\ny = f(x)", "\ny = f(x)"),
    ("\n  \n%%capture out --no-stderr\ny = 1", "\n\n\ny = 1"),
    ("%%timeit -n 2 x = g()\nf(x)", "if 1:         x = g()\nf(x)"),
    ("%%capture\n%%time\ny = 1", "\n\ny = 1"),
    ("%%bash\nls\n", "\n\n"),
    ("%%writefile a.py\nx = 1", "\n"),
    ("%%javascript", ""),
])
def test_what_the_analysis_sees(text: str, seen: str) -> None:
    found = masked(text)
    assert [line.rstrip() for line in found.text.split("\n")] == [line.rstrip() for line in seen.split("\n")]
    if not found.flush:
        ast.parse(found.text)


@pytest.mark.parametrize("text", [
    "x = (a\n %b)", "x = a \\\n  % b", "s = '''\n%time f(x)\n!ls\n'''", "s = f'''{x}\n!ls\n'''", "x %= 2",
    "y = x != 1", "f(x, end=1)  # what?", "s = '?'", "time = 3", "time if a else b", "ls -l", "run and jump",
    "s = f\"{d['%']}\"\nx = 1", "s = f\"{d[\"#\"]}\"\nx = 1", "y = x == '!ls'", "x: int = 3", "@jit\ndef f(x): pass",
])
def test_python_that_looks_like_a_magic_is_left_alone(text: str) -> None:
    found = masked(text)
    assert found.text == text
    assert not found.magics


def test_magics_are_known_by_line() -> None:
    text = "import jax\n%time y = f(x)\nif a:\n    r = %timeit -o g(y)\n!ls\nout?"
    found = [(magic.line, magic.name, magic.kind, magic.args, magic.assigned, magic.code) for magic in mask(text).magics]
    assert found == [
        (1, "time", "line", "y = f(x)", None, True),
        (3, "timeit", "line", "-o g(y)", "r", False),
        (4, "!", "line", "ls", None, False),
        (5, "?", "line", "out?", None, False),
    ]


def test_cell_magics_say_what_they_are() -> None:
    first, second = mask("%%capture out\n%%time\nx = 1").magics
    assert (first.name, first.kind, first.assigned, first.binds, second.name) == ("capture", "cell", "out", ("out",), "time")
    cell = mask("%%bash --out text\nls")
    assert not cell.python
    assert cell.magics[0].binds == ("text",)


@pytest.mark.parametrize(("text", "anything"), [("%run other.py", True), ("%reset -f", True), ("%pylab", True),
                                                ("%matplotlib inline", False), ("%%cython\nx", True)])
def test_magics_that_may_bind_any_name_are_known(text: str, anything: bool) -> None:
    assert mask(text).magics[0].binds_any is anything


def test_masked_spans_hold_the_magic_and_not_its_code() -> None:
    found = mask("!ls\n%time y = 1")
    assert [found.source[start:end] for start, end in found.spans] == ["!ls", "%time "]
    assert found.touches_mask(1, 2)
    assert not found.touches_mask(10, 15)


@pytest.mark.parametrize(("text", "source"), [
    ("a\r\nb\rc\n", "a\nb\nc\n"), ("\ufeffa\r\nb", "a\nb"), ("a\u2028b\x0bc", "a\u2028b\x0bc"),
])
def test_line_breaks_are_one_kind_and_map_back(text: str, source: str) -> None:
    found = masked(text)
    assert found.source == source
    back = [found.original_offset(offset) for offset in range(len(source))]
    assert [text[offset] for offset in back] == [text[offset] if char == "\n" else char
                                                 for offset, char in zip(back, source)]
    assert back == sorted(set(back))


def test_text_that_cannot_be_encoded_is_replaced_by_as_much() -> None:
    found = masked("x = '\ud83d' + '\0'\x0c\n")
    assert found.text == "x = '\ufffd' + '\ufffd' \n"
    assert "\ud83d" in found.source


def test_the_indentation_that_all_lines_share_is_known() -> None:
    assert mask("\n    x = 1\n\n      y = 2\n    # z\n").margin == "    "
    assert mask("    x = 1\ny = 2").margin == ""


def test_a_cell_that_is_too_long_is_blank() -> None:
    found = masked("x = 1\n" * (MAX_CELL // 6 + 1))
    assert found.too_long
    assert not found.text.strip()
