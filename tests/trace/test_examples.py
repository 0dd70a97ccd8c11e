"""The pages of rules that only the trace has: their examples are found where they are marked, their look-alikes are not."""
from __future__ import annotations

import pytest
from support import marks
from trace_kernels import Kernel

from jupyterlab_jaxhints import rules

ON_REQUEST = {"nan-produced": "nan", "where-nan-gradient": "nan"}
# what the example of memory-peak needs is less than any machine has
RULES = [rule for rule in rules.load() if rule.rule.lanes == "T" and rule.name != "memory-peak"]
EXAMPLES = [pytest.param(rule, example.bad, id=f"{rule.name}-{number}")
            for rule in RULES for number, example in enumerate(rule.examples, start=1)]
CLEAN = [pytest.param(clean.cells, id=f"{rule.name}-{number}")
         for rule in RULES for number, clean in enumerate(rule.clean, start=1)]


def loud(kernel: Kernel, cells: tuple[str, ...], check: str | None = None) -> set[tuple[str, int, int, str]]:
    """(rule, cell, line, marked text) of the certain findings, each cell traced before it is run."""
    found = set()
    for number, cell in enumerate(cells):
        if "import jax" in cell:
            kernel.run(cell.split("\n", 1)[0])
        answers = [kernel.trace(*cells[: number + 1])]
        if check:
            answers.append(kernel.trace(*cells[: number + 1], op="device", want=[check], limit=60.0))
        for finding in (f for answer in answers for f in answer.data.get("findings", ()) if f["certain"]):
            found.add((finding["rule"], int(finding["cell"][1:]), finding["at"][0], finding["text"]))
        kernel.run(cell)
    return found


@pytest.mark.parametrize(("rule", "bad"), EXAMPLES)
def test_an_example_is_found_where_it_is_marked(kernel: Kernel, rule: rules.LoadedRule, bad: list[str]) -> None:
    kernel.reset()
    marked = marks.read(bad)
    found = loud(kernel, marked.cells, ON_REQUEST.get(rule.name))
    assert {(name, cell, line) for name, cell, line, _ in found} == {(rule.name, span[0], span[1]) for span in marked.spans}
    texts = [marked.cells[cell].split("\n")[line][start:end] for cell, line, start, _, end in marked.spans]
    found_texts = [text.rstrip("…") for _, _, _, text in found]  # a long one is cut
    assert all(any(text in whole or whole in text for whole in texts) for text in found_texts), found_texts


@pytest.mark.parametrize("cells", CLEAN)
def test_a_look_alike_stays_silent(kernel: Kernel, cells: list[str]) -> None:
    kernel.reset()
    assert loud(kernel, tuple(cells), "nan") == set()
