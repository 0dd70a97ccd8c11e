"""Every claim of every rule file: what is flagged, what JAX does, what the fix gives, what stays silent."""
from __future__ import annotations

import jax
import pytest
from support import checking, marks, running

from jupyterlab_jaxhints import rules
from jupyterlab_jaxhints.rules.base import Clean, Example
from jupyterlab_jaxhints.rules.versions import allows

RULES = rules.load()
EXAMPLES = [pytest.param(rule, example, id=f"{rule.name}-{number}")
            for rule in RULES for number, example in enumerate(rule.examples, start=1)]
FIXED = [param for param in EXAMPLES if param.values[1].fixed is not None]
CLEAN = [pytest.param(clean, id=f"{rule.name}-{number}")
         for rule in RULES for number, clean in enumerate(rule.clean, start=1)]


def runs_here(claim: Example | Clean) -> bool:
    return allows(claim.jax, jax.__version__)


@pytest.mark.parametrize("dress", marks.DRESSES.values(), ids=marks.DRESSES)
@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
def test_exactly_the_marks_are_flagged_and_nothing_else(rule: rules.LoadedRule, example: Example, dress) -> None:
    marked = marks.read(dress(example.bad))
    assert marked.spans, "an example marks what it flags"
    read = marked.spans if rule.rule.lanes != "T" else []  # what only the trace finds, reading is silent about
    assert checking.found(marked.cells) == sorted((rule.name, span) for span in read)


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
def test_jax_does_what_the_example_says(rule: rules.LoadedRule, example: Example) -> None:
    assert (example.raises is None) != (example.sees is None), "an example says what JAX does"
    if not runs_here(example):
        return
    with running.ran(marks.read(example.bad).cells) as (error, names):
        if example.raises:
            assert running.is_called(error, example.raises), f"{error!r}, not {example.raises}"
        else:
            assert error is None, repr(error)
            assert eval(example.sees, names) is True, example.sees


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
def test_the_first_fix_gives_the_fixed_cells(rule: rules.LoadedRule, example: Example) -> None:
    cells = marks.read(example.bad).cells
    if example.fixed is None:
        offered = [fix.title for hint in checking.diagnostics(cells) for fix in hint.fixes]
        assert offered == [], "an example with a fix shows what it gives"
    else:
        assert checking.fixed(cells, rule.name) == tuple(example.fixed)


@pytest.mark.parametrize(("rule", "example"), FIXED)
def test_fixed_cells_are_silent(rule: rules.LoadedRule, example: Example) -> None:
    assert checking.found(example.fixed) == []


@pytest.mark.parametrize("dress", [marks.with_crlf, marks.with_tabs, marks.with_magics])
@pytest.mark.parametrize(("rule", "example"), FIXED)
def test_a_fix_keeps_the_dress_of_the_text(rule: rules.LoadedRule, example: Example, dress) -> None:
    cells = marks.read(dress(example.bad)).cells
    assert checking.fixed(cells, rule.name) == dress(example.fixed)


@pytest.mark.parametrize(("rule", "example"), FIXED)
def test_jax_gives_what_the_fixed_cells_are_for(rule: rules.LoadedRule, example: Example) -> None:
    assert example.gives, "an example with a fix says what the fixed cells give"
    if not runs_here(example):
        return
    with running.ran(example.fixed) as (error, names):
        assert error is None, repr(error)
        assert eval(example.gives, names) is True, example.gives


@pytest.mark.parametrize("dress", marks.DRESSES.values(), ids=marks.DRESSES)
@pytest.mark.parametrize("clean", CLEAN)
def test_look_alikes_are_silent(clean: Clean, dress) -> None:
    assert checking.found(dress(clean.cells)) == [], clean.because


@pytest.mark.parametrize("clean", CLEAN)
def test_look_alikes_run(clean: Clean) -> None:
    if not clean.runs or not runs_here(clean):
        return
    with running.ran(clean.cells) as (error, _):
        assert error is None, repr(error)


def test_there_are_rules() -> None:
    assert len(RULES) > 0 and EXAMPLES and CLEAN
