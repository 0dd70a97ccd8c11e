"""Checks the sources of libraries that are written with JAX: `python tests/corpus/run.py [LIBRARY …] [--into FOLDER]`.

Libraries are right almost everywhere, so that most loud hints (errors and warnings) there are false alarms: each is
printed with its line, to be looked at. The libraries come from the package registry, without what they depend on, and
are only read. `--removed` takes releases of 2021 and 2022 instead and shows what `removed-api` finds and mends there.
"""
from __future__ import annotations

import argparse
import ast
import gc
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jupyterlab_jaxhints import checker, discovery, files
from jupyterlab_jaxhints.analyzer import Analyzer
from jupyterlab_jaxhints.config import Config
from jupyterlab_jaxhints.engine.stack import run_deep
from jupyterlab_jaxhints.protocol import Diagnostic

LIBRARIES = ("flax", "optax", "equinox", "numpyro", "blackjax", "diffrax", "dm-haiku", "distrax", "brax", "chex",
             "jraph", "evosax")
OLD = ("optax==0.1.0", "flax==0.5.0", "numpyro==0.9.0", "dm-haiku==0.0.5", "distrax==0.1.0", "chex==0.1.0")
LOUD = ("error", "warning")
SLOW = 2.0  # seconds a thousand lines, where a file counts as slow
SHORT = 200  # lines of a file whose time says nothing
RULE = "removed-api"


@dataclass
class Tally:
    """What came of one library."""

    files: int = 0
    lines: int = 0
    seconds: float = 0.0
    hints: Counter[str] = field(default_factory=Counter)
    trouble: list[str] = field(default_factory=list)
    left_out: int = 0  # long statements that a guard keeps from the parser

    def row(self, name: str) -> str:
        loud = ", ".join(f"{rule} {count}" for rule, count in self.hints.most_common()) or "-"
        pace = 1000 * self.seconds / max(self.lines, 1)
        return f"{name:16} {self.files:5} files {self.lines:7} lines {pace:6.2f} s/1000 lines  " \
               f"{len(self.trouble):3} in trouble  {self.left_out:2} left out  {loud}"


def install(requirement: str, into: Path) -> Path:
    """The folder with a library's own files."""
    folder = into / requirement
    if not folder.exists():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile",
                   "--ignore-requires-python", "--disable-pip-version-check", "--target", str(folder), requirement]
        subprocess.run(command, check=True)
    return folder


def sources(folder: Path, part: str) -> list[Path]:
    return [path for path in discovery.find([folder]) if path.suffix == ".py" and part in str(path)]


def check(path: Path, name: str, tally: Tally, quiet: bool) -> Iterator[str]:
    """Checks one file and gives lines to print."""
    source = files.read(path)
    lines = sum(cell.text.count("\n") + 1 for cell in source.cells)
    if tally.files % 25 == 0:
        gc.collect()  # the collector is off, as in the command line, so that its pauses are in no file's time
    start = time.thread_time()
    analyzer = Analyzer()
    analyzer.update(source.cells)
    results = analyzer.results()
    seconds = time.thread_time() - start
    tally.files, tally.lines, tally.seconds = tally.files + 1, tally.lines + lines, tally.seconds + seconds
    notes = [note.message for note in analyzer.notes()]
    tally.left_out += sum(note.startswith("Not analysed") for note in notes)
    trouble = [note for note in notes if not note.startswith("Not analysed")]
    trouble += [f"a statement is given up ({error})" for error in analyzer.given_up.elements()]
    if lines >= SHORT and 1000 * seconds / lines > SLOW:
        trouble.append(f"slow: {seconds:.1f} s for {lines} lines")
    tally.trouble += trouble
    yield from (f"  {name}: {each}" for each in trouble)
    for result in results:
        for hint in result.diagnostics:
            if hint.severity in LOUD:
                tally.hints[hint.rule] += 1
                if not quiet:
                    yield shown(hint, source.cell(result.id).text, name)


def shown(hint: Diagnostic, text: str, name: str) -> str:
    line = hint.range.start.line
    why = "".join(f"\n      because {step.message}" for step in hint.evidence)
    return f"  {name}:{line + 1}: {hint.severity} {hint.rule}: {hint.message}\n    {text.splitlines()[line].strip()}{why}"


def check_library(name: str, folder: Path, part: str, quiet: bool) -> Tally:
    tally = Tally()
    for path in sources(folder, part):
        inner = path.relative_to(folder).as_posix()
        try:
            for line in check(path, inner, tally, quiet):
                print(line, flush=True)
        except Exception as error:  # noqa: BLE001 - what this script is to find
            tally.trouble.append(inner)
            print(f"  {inner}: {type(error).__name__}: {error}", flush=True)
    return tally


def mend_removed(name: str, folder: Path, part: str) -> Tally:
    """Applies the fixes of one rule, on copies in memory: what is left, and whether the files still parse."""
    tally, found = Tally(), Counter()
    options = checker.Options(chosen=Config(select=(RULE,)), fix=True, unsafe=True)
    for path in sources(folder, part):
        source = files.read(path)
        start = time.perf_counter()
        before = checker.check_source(source, checker.Options(chosen=options.chosen))
        tally.seconds += time.perf_counter() - start
        tally.files, tally.lines = tally.files + 1, tally.lines + source.data.count(b"\n")
        if not before.diagnostics:
            continue
        after = checker.check_source(source, options)
        inner = path.relative_to(folder).as_posix()
        for hint in before.diagnostics:
            found[hint.message] += 1
            tally.hints[hint.rule] += 1
        for hint in after.diagnostics:
            tally.trouble.append(hint.message)
            print(f"  {inner}:{hint.range.start.line + 1}: left: {hint.message}")
        try:
            ast.parse(after.after.data)
        except SyntaxError as error:
            tally.trouble.append(inner)
            print(f"  {inner}: does not parse any more: {error}")
    for message, count in found.most_common():
        print(f"  {count:4} × {message}")
    return tally


def run(options: argparse.Namespace, into: Path) -> None:
    tallies: dict[str, Tally] = {}
    for library in options.libraries or (OLD if options.removed else LIBRARIES):
        print(library, flush=True)
        folder = install(library, into)
        if options.removed:
            tallies[library] = mend_removed(library, folder, options.part)
        else:
            tallies[library] = check_library(library, folder, options.part, options.quiet)
    print()
    for library, tally in tallies.items():
        print(tally.row(library))
    total = Tally(sum(t.files for t in tallies.values()), sum(t.lines for t in tallies.values()),
                  sum(t.seconds for t in tallies.values()), sum((t.hints for t in tallies.values()), Counter()),
                  [each for t in tallies.values() for each in t.trouble], sum(t.left_out for t in tallies.values()))
    print(total.row("all"))
    print(f"{1000 * total.hints.total() / max(total.lines, 1):.3f} loud hints in 1,000 lines, right and wrong")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("libraries", nargs="*", help="which; all where none is named")
    parser.add_argument("--into", type=Path, help="folder for the libraries, kept; a temporary one where none is named")
    parser.add_argument("--part", default="", help="only files with this in their path")
    parser.add_argument("--quiet", action="store_true", help="counts alone")
    parser.add_argument("--removed", action="store_true", help="old releases: what removed-api finds and mends")
    options = parser.parse_args(arguments)
    gc.disable()
    with tempfile.TemporaryDirectory() as scratch:
        run_deep(run, options, options.into or Path(scratch))


if __name__ == "__main__":
    main()
