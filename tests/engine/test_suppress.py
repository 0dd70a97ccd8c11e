"""`# jaxhints: ignore[...]`: what a comment covers, where a new one goes, which ones silence nothing."""
from __future__ import annotations

import pytest

from jupyterlab_jaxhints.engine.magics import mask
from jupyterlab_jaxhints.engine.statements import parse, split
from jupyterlab_jaxhints.engine.suppress import ignore_edit, remove_edit, suppressed, suppressions, unused
from jupyterlab_jaxhints.texts import apply


def covered(text: str, rule: str = "a-rule") -> list[int]:
    """The lines on which the rule is silenced."""
    found = suppressions(mask(text))
    return [line for line in range(text.count("\n") + 1) if suppressed(found, line, rule)]


@pytest.mark.parametrize(("text", "lines"), [
    ("x = 1\ny = 2  # jaxhints: ignore[a-rule] why not\nz = 3", [1]),
    ("x = 1\n# jaxhints: ignore[a-rule]\n# more words\n\ny = 2\nz = 3", [4]),
    ("# jaxhints: ignore[a-rule]\nx = 1\ny = 2", [0, 1, 2]),
    ("# words\n\n#jaxhints:ignore[ other , a-rule ]\nx = 1", [0, 1, 2, 3]),
    ("%%time\n# jaxhints: ignore[a-rule]\nx = 1", [0, 1, 2]),
    ("x = 1  # jaxhints: ignore[other]", []),
    ("x = 1  # jaxhints: ignore", [0]),
    ("x = 1  # jaxhints: ignore[]", []),
    ("x = 1  # noqa: E501  # jaxhints: ignore[a-rule]", [0]),
    ("x = '# jaxhints: ignore[a-rule]'", []),
    ("x = '''\n# jaxhints: ignore[a-rule]\n'''", []),
    ("x = f(1,  # jaxhints: ignore[a-rule]\n  2)", [0]),
    ("y = 0\nx = '''\n\n'''  # jaxhints: ignore[a-rule]", [1, 2, 3]),
    ("y = 0\nx = 1 + \\\n  2  # jaxhints: ignore[a-rule]", [1, 2]),
    ("y = 0\n%timeit -n 3 f(x)  # jaxhints: ignore[a-rule]", [1]),
    ("y = 0\n!ls  # jaxhints: ignore[a-rule]", [1]),
    ("y = 0\r\nx = 1  # jaxhints: ignore[a-rule]\r\n", [1]),
    ("y = 0\nx = (  # jaxhints: ignore[a-rule]\nz = 1", [1]),
    ("def f():\n    # jaxhints: ignore[a-rule]\n    x = 1\n    y = 2", [2]),
])
def test_what_a_comment_covers(text: str, lines: list[int]) -> None:
    assert covered(text) == lines


@pytest.mark.parametrize(("text", "line", "new"), [
    ("x = 1", 0, "x = 1  # jaxhints: ignore[a-rule]"),
    ("x = 1  # words  \ny = 2", 0, "x = 1  # words  # jaxhints: ignore[a-rule]  \ny = 2"),
    ("x = 1  # jaxhints: ignore[b] why", 0, "x = 1  # jaxhints: ignore[b, a-rule] why"),
    ("y = 0\n# jaxhints: ignore[b]\nx = 1", 2, "y = 0\n# jaxhints: ignore[b, a-rule]\nx = 1"),
    ("# jaxhints: ignore[b]\nx = 1", 1, "# jaxhints: ignore[b]\nx = 1  # jaxhints: ignore[a-rule]"),
    ("y = 0\nx = '''😀\n\n'''", 1, "y = 0\nx = '''😀\n\n'''  # jaxhints: ignore[a-rule]"),
    ("x = 1 + \\\n  2\ny = 3", 0, "x = 1 + \\\n  2  # jaxhints: ignore[a-rule]\ny = 3"),
    ("x = f('😀',\r\n  2)\r\n", 0, "x = f('😀',  # jaxhints: ignore[a-rule]\r\n  2)\r\n"),
    ("%time x = f(1)", 0, "%time x = f(1)  # jaxhints: ignore[a-rule]"),
    ("if a:\n    !ls", 1, "if a:\n    # jaxhints: ignore[a-rule]\n    !ls"),
    ("%%time\nx = 1", 0, "%%time\n# jaxhints: ignore[a-rule]\nx = 1"),
    ("%%capture\n%%time\nx = 1", 1, "%%capture\n%%time\n# jaxhints: ignore[a-rule]\nx = 1"),
    ("y = 0\nif a:\n  x = '''open", 2, "y = 0\nif a:\n  # jaxhints: ignore[a-rule]\n  x = '''open"),
    ("y = 0\nx = 1 \\", 1, "y = 0\n# jaxhints: ignore[a-rule]\nx = 1 \\"),
])
def test_a_new_comment_stands_where_it_is_legal_and_silences(text: str, line: int, new: str) -> None:
    masked = mask(text)
    edit = ignore_edit("c", masked, line, "a-rule")
    changed = apply(text, [edit])
    assert changed == new
    assert covered(changed)
    assert [bool(parse(piece.text)) for piece in split(mask(changed))] == [
        bool(parse(piece.text)) for piece in split(masked)]


def test_a_rule_that_is_silenced_needs_no_new_comment() -> None:
    assert ignore_edit("c", mask("# jaxhints: ignore[a-rule]\nx = 1"), 1, "a-rule") is None


def test_comments_that_silence_nothing_are_found() -> None:
    text = "y = 0\nx = 1  # jaxhints: ignore[a, b]\nz = 2  # jaxhints: ignore\nw = 3  # jaxhints: ignore[c]"
    found = suppressions(mask(text))
    idle = unused(found, [(1, "a"), (3, "c"), (3, "d")])
    assert [(each.line, rules) for each, rules in idle] == [(1, ("b",)), (2, ())]


def test_a_comment_for_the_line_is_used_before_the_one_for_the_cell() -> None:
    found = suppressions(mask("# jaxhints: ignore[a]\nx = 1  # jaxhints: ignore[a]"))
    assert [(each.scope, rules) for each, rules in unused(found, [(1, "a")])] == [("cell", ("a",))]


@pytest.mark.parametrize(("text", "rules", "new"), [
    ("x = 1  # jaxhints: ignore[a, b] why", ["a"], "x = 1  # jaxhints: ignore[b] why"),
    ("x = 1  # jaxhints: ignore[a]\ny = 2", ["a"], "x = 1\ny = 2"),
    ("x = 1  # words  # jaxhints: ignore[a]", ["a"], "x = 1  # words"),
    ("# jaxhints: ignore[a]\r\nx = 1", ["a"], "x = 1"),
    ("x = 1  # jaxhints: ignore", [], "x = 1"),
])
def test_an_idle_comment_can_be_removed(text: str, rules: list[str], new: str) -> None:
    masked = mask(text)
    assert apply(text, [remove_edit("c", masked, suppressions(masked)[0], rules)]) == new
