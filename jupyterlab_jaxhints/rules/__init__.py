"""Finds the rules: `rules/<section>/<rule>.py` is the rule `<rule>`; nothing else lists them.

Names come from the file names alone; a rule's module is imported when the rules are loaded.
"""
from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from .base import Clean, Example, Fix, Handler, Hint, Rule

FOLDER = Path(__file__).parent

# The guide's own order, then the sections that come from other pages of JAX's documentation.
SECTIONS = (
    "pure functions", "in-place updates", "jit methods", "jit", "out-of-bounds indexing", "non-array inputs",
    "random numbers", "control flow", "dynamic shapes", "debugging NaNs", "64-bit precision", "divergences",
    "performance", "transformations", "changes", "suppression",
)


@dataclass(frozen=True)
class LoadedRule:
    """A rule with everything that its file says. Two are the same when their names are."""

    name: str
    module: ModuleType
    handlers: tuple[Handler, ...]

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LoadedRule) and other.name == self.name

    @property
    def rule(self) -> Rule:
        return self.module.RULE

    @property
    def section(self) -> str:
        return self.rule.section

    @property
    def title(self) -> str:
        """The page's first line, without its full stop."""
        return page(self.module)[0]

    @property
    def markdown(self) -> str:
        """The page below its first line."""
        return page(self.module)[1]

    @property
    def examples(self) -> tuple[Example, ...]:
        return tuple(getattr(self.module, "EXAMPLES", ()))

    @property
    def clean(self) -> tuple[Clean, ...]:
        return tuple(getattr(self.module, "CLEAN", ()))

    @property
    def fixes(self) -> Callable[[Hint, Any], Iterator[Fix]] | None:
        return getattr(self.module, "fixes", None)

    def message(self, hint: Hint) -> str:
        """The sentence for this hint, filled from its words."""
        says = self.rule.says
        template = says if isinstance(says, str) else says[hint.variant]
        return template.format(**hint.words)


def page(module: ModuleType) -> tuple[str, str]:
    """A docstring as title and Markdown body."""
    title, _, body = inspect.cleandoc(module.__doc__ or "").partition("\n")
    return title.strip().rstrip("."), body.strip()


def slug(section: str) -> str:
    """A section as it is written in settings: `64-bit-precision`."""
    return section.strip().lower().replace(" ", "-")


def rule_files(folder: Path = FOLDER) -> dict[str, Path]:
    """Rule name → file, in alphabetical order."""
    files = (path for path in folder.glob("*/*.py") if not path.name.startswith("_"))
    return {path.stem.replace("_", "-"): path for path in sorted(files, key=lambda path: path.stem)}


def names() -> tuple[str, ...]:
    """Every rule's name, without importing one."""
    return tuple(rule_files())


@functools.lru_cache(maxsize=1)
def load() -> tuple[LoadedRule, ...]:
    """Every rule, in the order of the guide's sections."""
    loaded = [_load(name, path) for name, path in rule_files().items()]
    return tuple(sorted(loaded, key=lambda rule: (_order(rule.section), rule.name)))


def find(name: str) -> LoadedRule | None:
    """The rule of this name; none where there is no such rule."""
    return next((rule for rule in load() if rule.name == name), None)


def _load(name: str, path: Path) -> LoadedRule:
    return loaded_rule(name, importlib.import_module(f"{__name__}.{path.parent.name}.{path.stem}"))


def loaded_rule(name: str, module: ModuleType) -> LoadedRule:
    """A rule from its module; handlers are the functions that `on` has marked, in the order of the file."""
    handlers = tuple(value for value in vars(module).values() if hasattr(value, "subscription"))
    return LoadedRule(name, module, handlers)


def _order(section: str) -> int:
    return SECTIONS.index(section) if section in SECTIONS else len(SECTIONS)
