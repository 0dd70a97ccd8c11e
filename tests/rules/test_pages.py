"""Rule files as text: names, pages, sentences."""
from __future__ import annotations

import re
from pathlib import Path

import pytest
from support import checking, marks

from jupyterlab_jaxhints import pages, rules, scaffold
from jupyterlab_jaxhints.rules.versions import allows

RULES = rules.load()
FILES = rules.rule_files()
FORBIDDEN = re.compile(r"\b(should|please|you|your|must)\b|!|\bwill\b", re.IGNORECASE)
every_rule = pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])


@every_rule
def test_name_file_and_section_agree(rule: rules.LoadedRule) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)
    assert rule.section in rules.SECTIONS
    assert FILES[rule.name].parent.name == scaffold.folder_name(rule.section)
    assert set(rule.rule.yields_to) <= set(rules.names())
    assert allows(rule.rule.jax, "0.10.2") in (True, False)


@every_rule
def test_the_page_has_a_title_and_the_headings_in_order(rule: rules.LoadedRule) -> None:
    first = (rule.module.__doc__ or "").split("\n", 1)[0]
    assert first.endswith(".") and 10 <= len(first) <= 80 and first[0].isupper()
    headings = re.findall(r"^## (.+)$", rule.markdown, re.MULTILINE)
    assert headings == [heading for heading in pages.HEADINGS if heading in headings], "unknown, or out of order"
    assert {"What JAX does", "References"} <= set(headings)
    assert ("Fix" in headings) == pages.has_fix(rule) or "Fix" in headings
    assert pages.address(rule).startswith("https://")


@every_rule
def test_messages_are_one_short_sentence_in_the_present_tense(rule: rules.LoadedRule) -> None:
    for example in rule.examples:
        for diagnostic in checking.diagnostics(marks.read(example.bad).cells):
            message = diagnostic.message
            plain = re.sub(r"`[^`]*`", "x", message)
            assert len(message) <= 90, f"{len(message)}: {message}"
            assert message.count("`") % 2 == 0 and "\n" not in message
            assert message[0] == "`" or message[0].isupper(), message
            assert not plain.endswith(".") and ". " not in plain, message
            assert not FORBIDDEN.search(plain), message


@every_rule
def test_fix_labels_begin_with_a_verb_and_are_short(rule: rules.LoadedRule) -> None:
    for example in rule.examples:
        for diagnostic in checking.diagnostics(marks.read(example.bad).cells):
            for fix in diagnostic.fixes:
                assert re.match(r"[A-Z][a-z]+ ", fix.title) and not fix.title.endswith("."), fix.title
                assert len(fix.title) <= 80, fix.title


@every_rule
def test_reasons_of_look_alikes_are_clauses(rule: rules.LoadedRule) -> None:
    assert rule.clean, "a rule has look-alikes that stay silent"
    for clean in rule.clean:
        assert clean.because and not clean.because.endswith("."), clean.because


@every_rule
def test_the_page_shows_an_example_and_what_stays_silent(rule: rules.LoadedRule) -> None:
    text = pages.markdown(rule)
    assert f"`{rule.name}`" in text and "```python" in text and "## Stays silent" in text
    assert "«" not in text and "»" not in text
    assert not re.search(r"\]\((?!https://)", text), "a link leads nowhere"


def test_a_new_rule_is_a_file_that_is_found_and_fails(tmp_path: Path) -> None:
    path = scaffold.write("odd-habit", "64-bit precision", "silent", tmp_path)
    assert path == tmp_path / "precision_64_bit" / "odd_habit.py"
    assert rules.rule_files(tmp_path) == {"odd-habit": path}
    namespace: dict = {"__name__": "jupyterlab_jaxhints.rules.precision_64_bit.odd_habit",
                       "__package__": "jupyterlab_jaxhints.rules.precision_64_bit"}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    assert namespace["RULE"].section == "64-bit precision" and namespace["check"].subscription.events


@pytest.mark.parametrize(
    ("name", "section", "words"),
    [("Odd", "jit", "kebab-case"), ("odd", "jit", "kebab-case"), ("odd-habit", "jitt", "known are"),
     ("unused-suppression", "suppression", "already")],
)
def test_a_new_rule_with_a_bad_name_is_refused(tmp_path: Path, name: str, section: str, words: str) -> None:
    with pytest.raises(Exception, match=words):
        scaffold.write(name, section, "error", tmp_path)
    assert list(tmp_path.iterdir()) == []
