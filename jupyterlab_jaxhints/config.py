"""What the user chose: defaults ← `[tool.jaxhints]` of the nearest pyproject.toml ← notebook metadata ← settings.

Later layers win: a `select` that is not empty replaces the earlier one, `ignore` adds up, `severity` is merged by rule.
"""
from __future__ import annotations

import difflib
import functools
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from . import rules
from .errors import ConfigError
from .protocol import Settings, Severity

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TABLE = "tool.jaxhints"
METADATA = "jaxhints"
# found by the analyzer, not by a rule's file
UNUSED_SUPPRESSION = "unused-suppression"
SEVERITIES: tuple[str, ...] = get_args(Severity)
KEYS = ("select", "ignore", "severity")
ALL = "all"


@dataclass(frozen=True)
class Config:
    """Which rules are on, and with what severity where it is not their own."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, str] = field(default_factory=dict)

    def over(self, earlier: Config) -> Config:
        """This layer on top of an earlier one."""
        return Config(
            select=self.select or earlier.select,
            ignore=(*earlier.ignore, *(name for name in self.ignore if name not in earlier.ignore)),
            severity={**earlier.severity, **self.severity},
        )

    def enabled(self, rule: str, section: str) -> bool:
        """The more specific word wins: a rule's name before its section before `all`; on a tie, off."""
        on = _rank(self.select, rule, section) if self.select else 1
        return on > _rank(self.ignore, rule, section)

    def severity_of(self, rule: str, section: str) -> str | None:
        """The chosen severity, if one was chosen for the rule or its section."""
        return self.severity.get(rule) or self.severity.get(rules.slug(section))


DEFAULT = Config()


def from_settings(settings: Settings) -> Config:
    """What the front end sends; names that no rule has are left out."""
    known = selectors()
    return Config(
        select=tuple(name for name in map(rules.slug, settings.select) if name in known),
        ignore=tuple(name for name in map(rules.slug, settings.ignore) if name in known),
        severity={name: value for name, value in settings.severity.items() if name in known},
    )


def from_table(table: Any, source: str) -> tuple[Config, list[str]]:
    """A table of pyproject or notebook metadata, and a sentence for each thing in it that is not understood."""
    if not isinstance(table, Mapping):
        return DEFAULT, [f"{source}: a table is expected, not {type(table).__name__}"]
    problems = [f"{source}: unknown key `{key}`{_nearest(key, KEYS)}" for key in table if key not in KEYS]
    select, ignore = (_names(table, key, source, problems) for key in ("select", "ignore"))
    return Config(select, ignore, _severities(table, source, problems)), problems


def from_pyproject(path: Path) -> Config:
    """`[tool.jaxhints]` of this file; raises ConfigError where it is not understood."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError("unreadable-config", f"{path}: {error}") from error
    for key in TABLE.split("."):
        table = table.get(key, {}) if isinstance(table, Mapping) else {}
    config, problems = from_table(table, f"{path} [{TABLE}]")
    if problems:
        raise ConfigError("unknown-setting", "\n".join(problems))
    return config


def nearest_pyproject(start: Path, root: Path | None = None) -> Path | None:
    """The pyproject.toml with a `[tool.jaxhints]` table in this folder or the nearest one above, at most up to root."""
    for folder in (start, *start.parents):
        path = folder / "pyproject.toml"
        if _has_table(path):
            return path
        if folder == root:
            return None
    return None


@functools.lru_cache(maxsize=1)
def selectors() -> frozenset[str]:
    """Every word that `select` and `ignore` know."""
    return frozenset({*rules.names(), *map(rules.slug, rules.SECTIONS), UNUSED_SUPPRESSION, ALL})


def check_names(given: Iterable[str], source: str) -> tuple[str, ...]:
    """Rule and section names as they are compared; raises ConfigError with the nearest known name."""
    problems: list[str] = []
    chosen = _known(given, source, problems)
    if problems:
        raise ConfigError("unknown-setting", "\n".join(problems))
    return chosen


def _rank(words: Iterable[str], rule: str, section: str) -> int:
    ranks = {rule: 3, rules.slug(section): 2, ALL: 1}
    return max((ranks.get(word, 0) for word in words), default=0)


def _names(table: Mapping[str, Any], key: str, source: str, problems: list[str]) -> tuple[str, ...]:
    given = table.get(key, [])
    if isinstance(given, str) or not isinstance(given, Iterable) or not all(isinstance(n, str) for n in given):
        problems.append(f"{source}: `{key}` is a list of rule or section names")
        return ()
    return _known(given, f"{source}: `{key}`", problems)


def _known(given: Iterable[str], source: str, problems: list[str]) -> tuple[str, ...]:
    chosen = []
    for name in map(rules.slug, given):
        if name in selectors():
            chosen.append(name)
        else:
            problems.append(f"{source}: no rule or section is called `{name}`{_nearest(name, selectors())}")
    return tuple(chosen)


def _severities(table: Mapping[str, Any], source: str, problems: list[str]) -> dict[str, str]:
    given = table.get("severity", {})
    if not isinstance(given, Mapping):
        problems.append(f"{source}: `severity` is a table of rule → severity")
        return {}
    names = _known(given, f"{source}: `severity`", problems)
    chosen = {}
    for name, value in given.items():
        if value not in SEVERITIES:
            near = _nearest(str(value), SEVERITIES) or "; known are " + ", ".join(SEVERITIES)
            problems.append(f"{source}: `severity`: `{name}` can't be `{value}`{near}")
        elif rules.slug(name) in names:
            chosen[rules.slug(name)] = value
    return chosen


def _nearest(given: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(str(given), sorted(known), n=1, cutoff=0.5)
    return f"; the nearest is `{close[0]}`" if close else ""


def _has_table(path: Path) -> bool:
    # a plain look for the words first: a folder above may hold a file that is no concern of ours
    try:
        return f"[{TABLE}" in path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False
