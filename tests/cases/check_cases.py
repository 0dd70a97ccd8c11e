#!/usr/bin/env python3
"""Runs cases on the installed JAX and compares what happens with what each case says.

A case is a small notebook with a mistake (`cells`), its twin done right (`clean`) and, where a quick fix
exists, the notebook after it (`fix`). `expect` names the rule, cell and line of each mistake, `A|B` where
either rule is right; a look-alike expects nothing. `kind` is what the user would get: error, silent (a wrong
or stale result), slow, style (nothing: the look-alikes). `report` is where the situation comes from.

The case is true when `cells` does what `observed` says, `clean` and `fix` do what `observed_clean` says, and
the lines in `expect` exist.

    python check_cases.py                    # every case below this folder
    python check_cases.py traced/if-*.json   # some of them
    python check_cases.py --show FILE        # print what a case does now

On another JAX than the one the texts were recorded on only the exception classes are compared: messages
and the number of compilations change from release to release, the mistakes do not.
"""
from __future__ import annotations

import argparse
import dataclasses
import importlib.metadata
import io
import json
import pathlib
import re
import subprocess
import sys
import types
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout

RECORDED_ON = "0.10.2"
KINDS = {"error", "silent", "slow", "style"}
KEYS = {"id", "report", "what", "cells", "expect", "clean", "observed", "observed_clean", "fix", "kind"}
# these outlive the case, so each notebook of such a case gets a process of its own
GLOBAL_STATE = re.compile(
    r"jax\.config|config\.update|os\.environ|%env|JAX_[A-Z]|XLA_FLAGS|disable_jit|^(?:jax|jnp)\.\w+ = ", re.M
)
# what JAX reads when it is imported or starts: there the notebook itself must be the first to import it
ENVIRONMENT = re.compile(r"os\.environ|%env|XLA_FLAGS")
TIMING = "<timing>"
COMPILED = "/jax/core/compile/backend_compile_duration"


@dataclasses.dataclass
class Run:
    """What a notebook did: a text in the words of `observed`, and how many programs JAX compiled."""

    text: str
    programs: int

    @property
    def raised(self) -> list[str]:
        return re.findall(r"raises ([\w.]+)", self.text)


class Notebook:
    """Runs cells as IPython does, in one process, each case in an empty namespace."""

    def __init__(self, import_jax: bool = True) -> None:
        from IPython.core.displayhook import DisplayHook
        from IPython.core.interactiveshell import InteractiveShell
        from traitlets.config import Config

        class Silent(DisplayHook):
            def write_output_prompt(self) -> None: ...

            def write_format_data(self, format_dict: dict, md_dict: dict | None = None) -> None: ...

            def finish_displayhook(self) -> None: ...

        class Shell(InteractiveShell):
            displayhook_class = Silent

            def showtraceback(self, *args: object, **kwargs: object) -> None: ...

            def showsyntaxerror(self, *args: object, **kwargs: object) -> None: ...

        config = Config()
        config.HistoryManager.enabled = False
        self.jax: types.ModuleType | None = None
        self.programs = 0
        self.main = sys.modules["__main__"]
        self.shell = Shell.instance(config=config)
        self.shell.run_line_magic("colors", "NoColor")
        if import_jax:
            import jax  # noqa: F401
        self._meet_jax()

    def _meet_jax(self) -> None:
        """Counts the programs of JAX from the moment somebody has imported it."""
        if self.jax is None and "jax" in sys.modules:
            self.jax = sys.modules["jax"]
            self.jax.monitoring.register_event_duration_secs_listener(self._count)

    def _count(self, event: str, duration: float, **kwargs: object) -> None:
        self.programs += event == COMPILED

    def run(self, cells: list[str], count: bool = False) -> Run:
        """With `count` JAX forgets all compiled programs first, so that two counts can be compared."""
        self.shell.reset(new_session=True)
        if count and self.jax:
            self.jax.clear_caches()
        self.programs = 0
        said = []
        for index, cell in enumerate(cells):
            text, failed = self._run_cell(cell)
            if text:
                said.append(f"cell {index}: {text}")
            if failed:
                break
        return Run(" | ".join(said), self.programs)

    def _run_cell(self, cell: str) -> tuple[str, bool]:
        out = io.StringIO()
        with redirect_stdout(out), redirect_stderr(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = self.shell.run_cell(cell, store_history=False)
            self._meet_jax()
            if self.jax:
                self.jax.effects_barrier()
        error = result.error_before_exec or result.error_in_exec
        parts = []
        lines = [steady(line) for line in out.getvalue().strip().splitlines()]
        if any(lines):
            parts.append("prints " + " / ".join(line for line in lines if line))
        if error is not None:
            parts.append(f"raises {class_name(error)}: {steady(str(error).splitlines()[0])}")
        elif result.result is not None:
            parts.append(f"evaluates to {steady(repr(result.result))}")
        return "; ".join(parts), error is not None


def class_name(error: BaseException) -> str:
    module, name = type(error).__module__, type(error).__name__
    if module == "builtins":
        return name
    return f"{module.replace('jax._src.errors', 'jax.errors')}.{name}"


def steady(text: str) -> str:
    """The text without what changes from run to run."""
    text = re.sub(r"\b0x[0-9a-f]{6,}\b", "0x...", text)
    text = re.sub(r"(CPU times|Wall time):.*|\S+ [mun\u00b5\u03bc]?s (\u00b1|\+-) .* per loop.*", TIMING, text)
    text = re.sub(r"The slowest run took .*", "", text)
    text = re.sub(r" \(/[^)]*\)", "", text)  # where the module lies
    return re.sub(r"\s+", " ", text).strip()


def wrong_form(case: dict, name: str) -> list[str]:
    """What is wrong with a case before anything is run."""
    if set(case) != KEYS:
        return [f"keys {sorted(set(case) ^ KEYS)} missing or unknown"]
    found = []
    if case["id"] != name:
        found.append(f"id {case['id']!r} is not the file's name")
    if case["kind"] not in KINDS:
        found.append(f"unknown kind {case['kind']!r}")
    for want in case["expect"]:
        lines = case["cells"][want["cell"]].splitlines() if want["cell"] < len(case["cells"]) else []
        if not 1 <= want["line"] <= len(lines) or not lines[want["line"] - 1].strip():
            found.append(f"cell {want['cell']} has no code in line {want['line']}")
    return found


def differs(run: Run, said: str, exact: bool) -> bool:
    """Whether a run is not what the case says; after the run's own words a case may add a remark."""
    if not exact:
        return run.raised != Run(said, 0).raised
    return not (said == run.text or said.startswith(run.text + " ("))


def run_alone(cells: list[str], count: bool = False) -> Run:
    """Runs cells in a process of their own."""
    done = subprocess.run(
        [sys.executable, __file__, "--here"],
        input=json.dumps([cells, count]), capture_output=True, text=True, timeout=300,
    )
    if done.returncode or not done.stdout.strip():
        return Run(f"the process ended with status {done.returncode}: {done.stderr[-500:]}", 0)
    return Run(*json.loads(done.stdout.strip().splitlines()[-1]))


def check(case: dict, run_cells: Callable[..., Run]) -> list[str]:
    """What a well-formed case says that JAX does not do."""
    exact = importlib.metadata.version("jax") == RECORDED_ON
    found = []
    slow = case["kind"] == "slow"
    run, clean = (run_cells(case[part], count=slow) for part in ("cells", "clean"))
    if differs(run, case["observed"], exact):
        found.append(f"cells: {run.text}\n    said: {case['observed']}")
    if clean.raised:
        found.append(f"clean raises: {clean.text}")
    elif differs(clean, case["observed_clean"], exact):
        found.append(f"clean: {clean.text}\n    said: {case['observed_clean']}")
    if (case["kind"] == "error") != bool(run.raised):
        found.append(f"kind {case['kind']}, but: {run.text}")
    if case["expect"] and case["kind"] == "silent" and run.text == clean.text and TIMING not in run.text:
        found.append("silent, but the twin gives the same")
    if slow and case["expect"] and run.programs <= clean.programs and run.text == clean.text:
        found.append(f"slow, but {run.programs} programs against {clean.programs} in the twin")
    if case["fix"]:
        fixed = run_cells(case["fix"]["cells"])
        if fixed.raised or exact and fixed.text != clean.text:
            found.append(f"fix: {fixed.text}\n    clean: {clean.text}")
    return found


def needs_own_process(case: dict) -> bool:
    return bool(GLOBAL_STATE.search("\n".join(case["cells"] + case["clean"])))


def check_file(path: pathlib.Path, notebook: Notebook | None = None) -> list[str]:
    """What is wrong with the case in this file."""
    case = json.loads(path.read_text(encoding="utf-8"))
    found = wrong_form(case, path.stem)
    if found:
        return found
    return check(case, run_alone if notebook is None or needs_own_process(case) else notebook.run)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--show", action="store_true", help="print what the cells and the twin do now")
    parser.add_argument("--here", action="store_true", help="cells from standard input, their run as JSON")
    options = parser.parse_args()
    if options.here:
        cells, count = json.load(sys.stdin)
        alone = Notebook(import_jax=not ENVIRONMENT.search("\n".join(cells)))
        print(json.dumps(dataclasses.astuple(alone.run(cells, count))))
        return 0
    files = options.files or sorted(pathlib.Path(__file__).parent.glob("*/*.json"))
    notebook = Notebook()
    wrong = 0
    for path in files:
        if options.show:
            case = json.loads(path.read_text(encoding="utf-8"))
            for part in ("cells", "clean"):
                run = notebook.run(case[part], count=True)
                print(f"{path.stem} {part} ({run.programs} programs): {run.text}")
            continue
        found = check_file(path, notebook)
        wrong += bool(found)
        for line in found:
            print(f"{path.stem}: {line}", flush=True)
    if not options.show:
        print(f"{len(files) - wrong} of {len(files)} cases are true")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
