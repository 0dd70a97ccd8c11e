"""Prints how long answers take: `python tests/bench/run.py [--edits 200] [--lines 5000]`.

Times are CPU time of the thread, so that other work on the machine counts less. Each edit adds letters to a name in a
random cell; the edited cell is answered first, then everything. Beside them stands what parsing alone costs.
"""
from __future__ import annotations

import argparse
import gc
import json
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from notebooks import cells as make_cells

from jupyterlab_jaxhints.analyzer import Analyzer
from jupyterlab_jaxhints.engine import statements
from jupyterlab_jaxhints.engine.cells import Cell
from jupyterlab_jaxhints.engine.stack import run_deep

NAME = re.compile(r"\b[a-z]{3,}_\d+\b")


def timed(work: Callable[[], Any]) -> float:
    """Milliseconds of CPU that the work takes."""
    start = time.thread_time()
    work()
    return 1000 * (time.thread_time() - start)


def row(title: str, times: Sequence[float]) -> str:
    ordered = sorted(times)
    p50, p95 = (ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.5, 0.95))
    return f"{title:38} p50 {p50:8.2f}   p95 {p95:8.2f}   max {ordered[-1]:8.2f} ms   ({len(ordered)})"


def edit(texts: list[str], rng: random.Random) -> tuple[int, list[str]]:
    """One cell with another name in it."""
    index = rng.randrange(1, len(texts))
    names = list(NAME.finditer(texts[index]))
    place = rng.choice(names).end()
    changed = list(texts)
    changed[index] = texts[index][:place] + rng.choice("abc") + texts[index][place:]
    return index, changed


def measure(lines: int, edits: int) -> None:
    rng = random.Random(0)
    texts = make_cells(lines)
    book = [Cell(f"c{index}", text, index + 1) for index, text in enumerate(texts)]
    print(f"{len(texts)} cells, {sum(text.count(chr(10)) + 1 for text in texts)} lines")
    print(f"{'parse, cold':38} {timed(lambda: [statements.read(cell) for cell in book]):12.0f} ms")
    statements.clear_cache()
    analyzer = Analyzer()
    print(f"{'answer, cold':38} {timed(lambda: (analyzer.update(book), analyzer.results())):12.0f} ms")
    gc.collect()
    gc.freeze()
    parsing, first, rest = [], [], []
    for _ in range(edits):
        index, changed = edit(texts, rng)
        cell = f"c{index}"
        now = [Cell(f"c{i}", text, i + 1) for i, text in enumerate(changed)]
        parsing.append(timed(lambda: statements.read(now[index])))
        first.append(timed(lambda: (analyzer.update(now, edited=cell), analyzer.results(only=cell))))
        rest.append(timed(analyzer.results))
        analyzer.update(book)
        analyzer.results()
    print(row("parse the edited cell's new statements", parsing))
    print(row("edited cell, without that parse", first))
    print(row("edited cell", [a + b for a, b in zip(parsing, first)]))
    print(row("all dependants", rest))
    print(f"{'memory':38} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:12.0f} MiB at most")


def command_line(lines: int) -> None:
    """CPU time of the whole process for a cold check."""
    made = [{"cell_type": "code", "execution_count": None, "id": f"c{index}", "metadata": {}, "outputs": [],
             "source": text} for index, text in enumerate(make_cells(lines))]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "long.ipynb")
        path.write_text(json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
        program = "from jupyterlab_jaxhints.cli import main; main()"
        for output_format in ("json", "full"):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", program, "check", "--output-format", output_format, str(path)],
                           stdout=subprocess.DEVNULL, check=False)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
            print(f"{f'jaxhints check --output-format {output_format}':38} {1000 * spent:12.0f} ms of CPU, cold")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--lines", type=int, default=5000)
    options = parser.parse_args()
    run_deep(measure, options.lines, options.edits)
    command_line(options.lines)


if __name__ == "__main__":
    main()
