"""Checks and mends files: what the command line does with each of them, in this process or several."""
from __future__ import annotations

import gc
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from . import config, files, texts
from .analyzer import Analyzer
from .config import Config
from .engine.stack import run_deep
from .errors import HintsError
from .files import SourceFile
from .protocol import CellResult, Diagnostic, Fix, TextEdit

if TYPE_CHECKING:
    from .trace.notebook import NotebookTrace

ROUNDS = 20  # a fix may make room for another one, but not for ever
BROKEN = "A statement does not parse; what does parse is checked"
COLLECT_EVERY = 50  # files, where the collector is off
FILES_A_PROCESS = 25  # starting a process costs about as much as checking so many small files


@dataclass(frozen=True)
class Options:
    """What the command line asks for."""

    chosen: Config = config.DEFAULT
    fix: bool = False
    unsafe: bool = False
    timed: bool = False
    trace: bool = False
    device_checks: bool = False
    timeout: float = 60.0  # seconds that running one cell may take, with `trace`


class Tracing(Protocol):
    """Where a notebook can be run and traced."""

    def trace(self, cells: Sequence[tuple]) -> NotebookTrace:
        """Runs and traces the cells: (id, text, tags)."""


@dataclass
class FileResult:
    """What came of one file. `after` is the file with its fixes, and what the diagnostics speak of."""

    name: str
    before: SourceFile | None = None
    after: SourceFile | None = None
    diagnostics: list[Diagnostic] = field(default_factory=list)
    fixed: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    seconds: Counter[str] = field(default_factory=Counter)
    error: str = ""

    @property
    def changed(self) -> bool:
        return self.before is not None and self.after is not None and self.before.data != self.after.data


def check_paths(paths: Sequence[Path], options: Options, jobs: int = 0) -> Iterator[FileResult]:
    """The result of each file, in order. A file that can't be read, or breaks the checker, is one result with an error."""
    jobs = jobs or min(os.cpu_count() or 1, 1 + len(paths) // FILES_A_PROCESS)
    if jobs == 1 or len(paths) < 2:
        for number, path in enumerate(paths, start=1):
            yield check_path(path, options)
            if number % COLLECT_EVERY == 0:
                gc.collect()
        return
    yield from _in_processes(paths, options, jobs)


def check_path(path: Path, options: Options) -> FileResult:
    """The result of one file."""
    try:
        return check_source(files.read(path), options)
    except HintsError as error:
        return FileResult(str(path), error=error.message)


def check_source(source: SourceFile, options: Options, kernel: Tracing | None = None) -> FileResult:
    """The result of a file that was read; where there is a kernel for it, with what a trace of its run sees."""
    try:
        result, cells, chosen = run_deep(_check, source, options)
        if kernel is not None:
            cells = _trace(result, cells, chosen, kernel)
        result.diagnostics = [diagnostic for cell in cells for diagnostic in cell.diagnostics]
        return result
    except HintsError as error:
        return FileResult(source.name, error=error.message)
    except Exception as error:  # noqa: BLE001 - one file never stops the others
        return FileResult(source.name, error=f"{source.name} cannot be checked: {type(error).__name__}: {error}")


def _check(source: SourceFile, options: Options) -> tuple[FileResult, list[CellResult], Config]:
    """What comes of reading: the result up to its diagnostics, the cells' results, and the configuration."""
    result = FileResult(source.name, before=source, after=source)
    chosen = options.chosen.over(_layers(source, result.notes))
    analyzer = Analyzer(timed=options.timed)
    cells = _analyze(analyzer, source, chosen)
    if options.fix:
        cells = _mend(analyzer, cells, chosen, options.unsafe, result)
    result.notes += [_note(result.after, note.cell, note.message) for note in analyzer.notes()]
    result.notes += [_note(result.after, cell.id, BROKEN) for cell in cells if cell.broken]
    result.seconds = analyzer.seconds
    return result, cells, chosen


def _trace(result: FileResult, cells: list[CellResult], chosen: Config, kernel: Tracing) -> list[CellResult]:
    """Runs the notebook and merges what the trace saw. Where that fails, what was read stays."""
    from .lanes import Lanes

    source = result.after
    try:
        trace = kernel.trace([(cell.id, cell.text, cell.tags) for cell in source.cells])
    except HintsError as error:
        result.error = f"{source.name}: {error.message}"
        return cells
    for report in trace.cells:
        place = f"{source.name}: cell {source.cell(report.cell).number}"
        result.notes += [f"{place} {words}" for words in report.told]
    if trace.broken:
        result.error = f"{source.name}: {trace.broken}, the cells below are not traced"
    if trace.jax:
        cells = run_deep(_analyze, Analyzer(), source, chosen, trace.jax)
    return run_deep(Lanes({cell.id: cell.text for cell in source.cells}, trace, chosen).merged, cells)


def _layers(source: SourceFile, notes: list[str]) -> Config:
    """Configuration of the project and of the notebook itself."""
    start = source.path.absolute().parent if source.path else Path.cwd()
    found = config.nearest_pyproject(start)
    project = config.from_pyproject(found) if found else config.DEFAULT
    table = source.source.metadata.get(config.METADATA, {})
    own, problems = config.from_table(table, f"{source.name} metadata")
    notes += problems
    return own.over(project)


def _analyze(analyzer: Analyzer, source: SourceFile, chosen: Config, jax: str | None = None) -> list[CellResult]:
    """What is read; with the version of the kernel's JAX, for that one."""
    analyzer.update(source.cells, jax_version=jax)
    return analyzer.results(chosen)


def _mend(analyzer: Analyzer, results: list[CellResult], chosen: Config, unsafe: bool,
          result: FileResult) -> list[CellResult]:
    """Applies fixes round by round until none is left; a round that breaks a cell is taken back."""
    for _ in range(ROUNDS):
        edits, applied = _choose(results, unsafe)
        if not edits:
            break
        mended = result.after.with_texts(_edited(result.after, edits))
        after = _analyze(analyzer, mended, chosen)
        if _broken(after) > _broken(results):
            return _analyze(analyzer, result.after, chosen)
        result.after, results = mended, after
        result.fixed += applied
    return results


def _choose(results: list[CellResult], unsafe: bool) -> tuple[list[TextEdit], Counter[str]]:
    """The edits of as many fixes as do not touch each other."""
    edits: list[TextEdit] = []
    applied: Counter[str] = Counter()
    for diagnostic in (diagnostic for cell in results for diagnostic in cell.diagnostics):
        fix = preferred(diagnostic, unsafe)
        new = [edit for edit in fix.edits if edit not in edits] if fix else []
        if new and not any(_clash(edit, other) for edit in new for other in edits):
            edits += new
            applied[diagnostic.rule] += 1
    return edits, applied


def preferred(diagnostic: Diagnostic, unsafe: bool) -> Fix | None:
    """The fix that is applied without asking."""
    allowed = (fix for fix in diagnostic.fixes if fix.edits and (unsafe or fix.applicability == "safe"))
    return next(allowed, None)


def _clash(a: TextEdit, b: TextEdit) -> bool:
    return a.cell == b.cell and texts.overlap(a.range, b.range)


def _edited(source: SourceFile, edits: Iterable[TextEdit]) -> dict[str, str]:
    by_cell: dict[str, list[TextEdit]] = {}
    for edit in edits:
        by_cell.setdefault(edit.cell, []).append(edit)
    return {cell: texts.apply(source.cell(cell).text, own) for cell, own in by_cell.items()}


def _broken(results: list[CellResult]) -> int:
    return sum(result.broken for result in results)


def _note(source: SourceFile, cell_id: str | None, message: str) -> str:
    number = source.cell(cell_id).number if cell_id else None
    return f"{source.name}: {message}" if number is None else f"{source.name}: cell {number}: {message}"


def _in_processes(paths: Sequence[Path], options: Options, jobs: int) -> Iterator[FileResult]:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    # spawned, not forked: the deep stack's thread would not be there after a fork
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(jobs, len(paths)), mp_context=context) as pool:
        waiting = [pool.submit(check_path, path, options) for path in paths]
        for path, future in zip(paths, waiting):
            try:
                yield future.result()
            except BrokenProcessPool:
                yield _alone(path, options, context)


def _alone(path: Path, options: Options, context: object) -> FileResult:
    """A file in a process of its own, after some file ended the common ones."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    try:
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            return pool.submit(check_path, path, options).result()
    except BrokenProcessPool:
        return FileResult(str(path), error=f"{path} ends the process that reads it.")
