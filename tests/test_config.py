"""Configuration: layers, the more specific word, and mistakes named with the nearest known word."""
from __future__ import annotations

from pathlib import Path

import pytest

from jupyterlab_jaxhints import config
from jupyterlab_jaxhints.config import Config
from jupyterlab_jaxhints.errors import ConfigError
from jupyterlab_jaxhints.protocol import Settings

RULE, SECTION = "unused-suppression", "suppression"


@pytest.mark.parametrize(
    ("select", "ignore", "enabled"),
    [
        ((), (), True),
        ((), (RULE,), False),
        ((), (SECTION,), False),
        ((RULE,), (SECTION,), True),
        ((SECTION,), (RULE,), False),
        (("all",), ("all",), False),
        (("random-numbers",), (), False),
        ((RULE,), ("all",), True),
    ],
)
def test_the_more_specific_word_decides(select: tuple, ignore: tuple, enabled: bool) -> None:
    assert Config(select, ignore).enabled(RULE, SECTION) is enabled


def test_later_layers_win() -> None:
    project = Config(("all",), ("jit",), {"a": "hint", "b": "hint"})
    own = Config((), ("control-flow",), {"b": "error"})
    assert own.over(project) == Config(("all",), ("jit", "control-flow"), {"a": "hint", "b": "error"})
    assert Config(("jit",)).over(project).select == ("jit",)


def test_severity_of_a_section_holds_for_its_rules_unless_the_rule_has_its_own() -> None:
    assert Config(severity={SECTION: "error"}).severity_of(RULE, SECTION) == "error"
    assert Config(severity={SECTION: "error", RULE: "hint"}).severity_of(RULE, SECTION) == "hint"
    assert config.DEFAULT.severity_of(RULE, SECTION) is None


def test_pyproject_is_read_from_the_nearest_folder_with_a_table(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.jaxhints]\nselect = ["64-bit precision"]\nignore = ["jit"]\n'
                                             f'[tool.jaxhints.severity]\n{RULE} = "error"\n')
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.ruff]\nline-length = 80\n")
    found = config.nearest_pyproject(inner)
    assert found == tmp_path / "pyproject.toml"
    assert config.from_pyproject(found) == Config(("64-bit-precision",), ("jit",), {RULE: "error"})


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("selct = []", ["unknown key `selct`", "nearest is `select`"]),
        ('ignore = ["unused-supression"]', ["`unused-supression`", f"nearest is `{RULE}`"]),
        ('ignore = "jit"', ["`ignore` is a list"]),
        ("select = [1]", ["`select` is a list"]),
        (f'severity = {{{RULE} = "warn"}}', ["can't be `warn`", "nearest is `warning`"]),
        (f'severity = {{{RULE} = "loud"}}', ["can't be `loud`", "known are error, warning, information, hint"]),
        ('severity = "error"', ["`severity` is a table"]),
        ("select = [", ["pyproject.toml"]),
    ],
)
def test_mistakes_are_named_with_the_nearest_known_word(tmp_path: Path, table: str, words: list[str]) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(f"[tool.jaxhints]\n{table}\n")
    with pytest.raises(ConfigError) as raised:
        config.from_pyproject(path)
    for word in words:
        assert word in raised.value.message


def test_a_table_that_is_none_is_said_to_be_none() -> None:
    assert config.from_table([1], "nb.ipynb metadata") == (
        config.DEFAULT, ["nb.ipynb metadata: a table is expected, not list"])


def test_settings_with_names_of_other_versions_are_taken_as_far_as_they_are_known() -> None:
    settings = Settings(select=["no-such-rule", "In-place updates"], severity={"gone": "hint", RULE: "error"})
    assert config.from_settings(settings) == Config(("in-place-updates",), (), {RULE: "error"})
