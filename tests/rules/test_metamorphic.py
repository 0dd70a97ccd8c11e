"""The same notebook written otherwise has the same hints, at the places that moved along."""
from __future__ import annotations

import functools
import json
import random
import re
from pathlib import Path

import pytest
from support import checking, disguises, marks

from jupyterlab_jaxhints import rules
from jupyterlab_jaxhints.protocol import Diagnostic

CASES = Path(__file__).parents[1] / "cases"
PER_DISGUISE = 150  # notebooks, the same ones each time
# a function that is called may be called again: what comes too late once is too late perhaps
HEDGED = {"late-x64"}


def samples() -> dict[str, marks.Cells]:
    """Notebooks by name: the examples and look-alikes of the rules, and the cases."""
    found = {}
    for rule in rules.load():
        for number, example in enumerate(rule.examples):
            found[f"{rule.name}-{number}"] = marks.read(example.bad).cells
        for number, clean in enumerate(rule.clean):
            found[f"{rule.name}-clean-{number}"] = tuple(clean.cells)
    for path in sorted(CASES.glob("*/*.json")):
        found[path.stem] = tuple(json.loads(path.read_text())["cells"])
    return found


SAMPLES = samples()


@functools.lru_cache(maxsize=None)
def hints(cells: marks.Cells) -> list[Diagnostic]:
    return checking.diagnostics(cells)


def told(hint: Diagnostic, disguise: disguises.Disguise) -> tuple:
    """What is said, but for its place. Within a function there is no top of the notebook for a fix to write at, and
    what is shortened or spelled out in full is not spelled as the user does."""
    inside = disguise.joined is not None
    severity = "" if inside and hint.rule in HEDGED else hint.severity
    fixes = () if inside else tuple(fix.applicability for fix in hint.fixes)
    words = re.sub(r"`[^`]*`", "", hint.message)
    names = [disguise.renamed(code) for code in re.findall(r"`([^`.…]*)`", hint.message)]
    return hint.rule, severity, hint.certainty if severity else "", fixes, words, names


def params() -> list:
    out = []
    for title, make in disguises.DISGUISES.items():
        names = list(SAMPLES)
        random.Random(title).shuffle(names)
        made = ((name, make(SAMPLES[name])) for name in names)
        fitting = [(name, disguise) for name, disguise in made if disguise is not None]
        out += [pytest.param(name, disguise, id=f"{title}-{name}") for name, disguise in fitting[:PER_DISGUISE]]
    return out


@pytest.mark.parametrize(("name", "disguise"), params())
def test_hints_move_along_and_nothing_else_changes(name: str, disguise: disguises.Disguise) -> None:
    cells = SAMPLES[name]
    expected = [(disguise.span(checking.span(cells, hint)), *told(hint, disguise)) for hint in hints(cells)]
    found = [(checking.span(disguise.cells, hint), *told(hint, disguise)) for hint in hints(disguise.cells)]
    assert sorted(found) == sorted(expected)


def test_the_samples_have_hints_and_look_alikes() -> None:
    with_hints = sum(bool(hints(SAMPLES[param.values[0]])) for param in params())
    assert 200 < with_hints < 0.8 * len(params())
