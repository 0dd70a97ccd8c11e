"""Some of our own cases as the command line traces them, each in a kernel of its own: mistakes found, nothing else loud."""
from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import checking

from jupyterlab_jaxhints.config import Config
from jupyterlab_jaxhints.lanes import Lanes
from jupyterlab_jaxhints.protocol import Diagnostic
from jupyterlab_jaxhints.trace.notebook import NotebookTrace, trace_notebook

FOLDER = Path(__file__).parent
LOUD = {"error", "warning"}
# one for each way that the trace finds things, and look-alikes of them
SAMPLE = (
    "traced/static-step-number-in-loop", "traced/self-state-set-in-vmapped-method", "traced/store-in-outer-dict",
    "traced/donated-by-name-then-read", "values/cast-float-to-uint8", "values/oob-dynamic-update-shifted",
    "values/nangrad-log-in-where", "traced/ok-float-on-the-host", "traced/deque-turned-in-jitted",
)


def hints(cells: list[str]) -> tuple[NotebookTrace, list[Diagnostic]]:
    """The trace, and both lanes' hints."""
    named = [(f"c{number}", text) for number, text in enumerate(cells)]
    trace = trace_notebook(named, device_checks=True)
    merged = Lanes(dict(named), trace, Config()).merged(checking.results(cells))
    return trace, [hint for result in merged for hint in result.diagnostics]


@pytest.mark.parametrize("name", SAMPLE)
def test_the_trace_finds_the_mistake_and_nothing_else(name: str) -> None:
    case = json.loads((FOLDER / f"{name}.json").read_text())
    wanted = {(f"c{e['cell']}", e["line"] - 1): set(e["rule"].split("|")) for e in case["expect"]}
    trace, found = hints(case["cells"])
    assert trace.jax and all(report.ms > 0 for report in trace.cells)
    loud = {(h.cell, h.range.start.line, h.rule) for h in found if h.severity in LOUD}
    assert {(cell, line) for cell, line, _ in loud} == set(wanted)
    assert all(rule in wanted[cell, line] for cell, line, rule in loud)
    _, found = hints(case["clean"])
    assert [(h.cell, h.range.start.line, h.rule) for h in found if h.severity in LOUD] == []


SEVERAL_CALLS = """import jax
def helper(x, n):
    if n > 2:
        return x
    return -x

@jax.jit
def good(x):
    return helper(x, 3)

@jax.jit
def bad(x):
    return helper(x, x)

by_name = jax.jit(helper)
good(1.0)
"""


def test_another_call_of_the_same_function_refutes_nothing() -> None:
    read = [(h.rule, h.range.start.line) for h in checking.diagnostics([SEVERAL_CALLS])]
    _, found = hints([SEVERAL_CALLS])
    assert ("if-on-tracer", 2) in read
    assert [(h.rule, h.range.start.line) for h in found] == read
