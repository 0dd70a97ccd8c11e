"""`jaxhints check --trace`: notebooks run in real kernels, and what becomes of those that do not go well."""
from __future__ import annotations

import functools
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jupyterlab_jaxhints import files
from jupyterlab_jaxhints.checker import Options, check_source
from jupyterlab_jaxhints.trace.notebook import NotebookTrace

JAX = "import jax, jax.numpy as jnp"
WRONG = "bad = jnp.ones((8, n)) @ jnp.ones((3, 4))"  # reading does not know `n`
NO_JAX = """import sys
class NoJax:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "jax":
            raise ModuleNotFoundError("No module named 'jax'", name=name)
sys.meta_path.insert(0, NoJax)
"""


def found(result) -> list[tuple]:
    return [(item["filename"], item["cell"], item["code"], item["lane"]) for item in json.loads(result.stdout)]


def tagged(text: str, number: int, tag: str) -> str:
    """The notebook with a tag on one of its cells."""
    book = json.loads(text)
    book["cells"][number]["metadata"]["tags"] = [tag]
    return json.dumps(book)


@pytest.fixture
def kernel(folder: Path, monkeypatch: pytest.MonkeyPatch):
    """Installs a kernel; gives the metadata of a notebook that asks for it."""

    def install(*argv: str, language: str = "python", **env: str) -> dict:
        place = folder / "share" / "kernels" / "mine"
        place.mkdir(parents=True)
        spec = {"argv": [*argv, "-f", "{connection_file}"], "display_name": "Mine", "language": language, "env": env}
        (place / "kernel.json").write_text(json.dumps(spec))
        monkeypatch.setenv("JUPYTER_PATH", str(folder / "share"))
        return {"kernelspec": {"name": "mine", "display_name": "Mine", "language": "python"}}

    return install


def test_cells_are_traced_before_they_run_and_failures_stop_nothing(jaxhints, folder: Path, notebook_text, capfd) -> None:
    book = folder / "a.ipynb"
    cells = ("#md title", f"%time 1\n{JAX}\nn = 5", "1 / 0", "print('loud')\n!echo louder\n%env QUIET=1", WRONG, "int('x')",
             "%%capture\ny = jnp.ones(3)", "jnp.ones((2, n)) @ y")
    book.write_text(tagged(notebook_text(*cells), 5, "raises-exception"))
    before = book.read_bytes()
    result = jaxhints("check", "--trace", "--output-format", "json", "a.ipynb")
    assert found(result) == [("a.ipynb", 5, "shape-mismatch", "trace"), ("a.ipynb", 8, "shape-mismatch", "trace")]
    failed = [line.partition(": cell ")[2].split(":")[0] for line in result.stderr.splitlines()]
    assert failed == ["3 raises ZeroDivisionError", "5 raises TypeError", "8 raises TypeError"]
    assert result.exit_code == 1 and book.read_bytes() == before and os.listdir(folder) == ["a.ipynb"]
    assert capfd.readouterr() == ("", ""), "what the kernel says is nobody's"


def test_what_cannot_be_searched_for_nan_is_said(jaxhints, folder: Path, notebook_text) -> None:
    keep = "kept = []\n@jax.jit\ndef f(x):\n    kept.append(x)\n    return x\nf(1.0)"
    (folder / "a.ipynb").write_text(notebook_text(JAX, keep, "y = kept[0] + 1.0", "z = jnp.log(jnp.zeros(3) - 1.0)"))
    result = jaxhints("check", "--trace", "--device-checks", "--output-format", "json", "a.ipynb")
    assert ("a.ipynb", 4, "nan-produced", "trace") in found(result)
    reason = "a tracer of a trace that is over is among the values"
    assert f"a.ipynb: cell 3 is not searched for NaN: {reason}" in result.stderr.splitlines()[0]


def test_a_cell_that_runs_too_long_is_interrupted(jaxhints, folder: Path, notebook_text) -> None:
    text = notebook_text(JAX, "import time; time.sleep(300)", "open('never', 'w')", "n = 5", WRONG)
    (folder / "a.ipynb").write_text(tagged(text, 2, "skip-execution"))
    result = jaxhints("check", "--trace", "--timeout", "2", "--output-format", "json", "a.ipynb")
    assert [item[1:3] for item in found(result)] == [(5, "shape-mismatch")] and not (folder / "never").exists()
    assert "a.ipynb: cell 2 is interrupted: it runs for more than 2 s" in result.stderr


def test_a_kernel_that_dies_is_a_failure_and_what_was_read_stays(jaxhints, folder: Path, notebook_text) -> None:
    (folder / "a.ipynb").write_text(notebook_text(JAX, "import os; os._exit(3)", "x = jnp.zeros(3)\nx[0] = 1"))
    result = jaxhints("check", "--trace", "--output-format", "json", "a.ipynb")
    assert result.exit_code == 2 and found(result) == [("a.ipynb", 3, "item-assignment", "reading")]
    assert "a.ipynb: the kernel died, the cells below are not traced" in result.stderr
    assert "a.ipynb: cell 2 ends the kernel" in result.stderr


def test_several_notebooks_at_once_come_in_order(jaxhints, folder: Path, notebook_text, monkeypatch) -> None:
    for name, text in {"a": f"{JAX}\nimport time; time.sleep(2); n = 5", "b": f"{JAX}\nn = 3", "c": f"{JAX}\nn = 4"}.items():
        (folder / f"{name}.ipynb").write_text(notebook_text(text, WRONG))
    (folder / "d.py").write_text(f"{JAX}\nx = jnp.zeros(3)\nx[0] = 1\n")
    (folder / "e.ipynb").write_text("{")
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    result = jaxhints("check", "--trace", "--jobs", "2", "--output-format", "json", "a.ipynb", "b.ipynb", "c.ipynb", "d.py", "e.ipynb")
    assert [item[:3] for item in found(result)] == [
        ("a.ipynb", 2, "shape-mismatch"), ("c.ipynb", 2, "shape-mismatch"), ("d.py", None, "item-assignment")]
    assert result.exit_code == 2 and "e.ipynb is not JSON" in result.stderr
    assert "Checking" in result.stderr and "100%" in result.stderr


def test_notebooks_without_jax_are_not_run(jaxhints, folder: Path, notebook_text) -> None:
    result = jaxhints("check", "--trace", "-", stdin=notebook_text("open('ran', 'w')"))
    assert (result.exit_code, result.stderr, os.listdir(folder)) == (0, "", [])


def test_a_kernel_without_jax_is_said_once(jaxhints, folder: Path, notebook_text, kernel) -> None:
    (folder / "sitecustomize.py").write_text(NO_JAX)
    mine = kernel(sys.executable, "-m", "ipykernel_launcher", PYTHONPATH=str(folder))
    (folder / "a.ipynb").write_text(notebook_text(f"{JAX}\nx = jnp.zeros(3)", "x[0] = 1", **mine))
    result = jaxhints("check", "--trace", "--output-format", "json", "a.ipynb")
    assert [item[2] for item in found(result)] == ["item-assignment"]
    assert (result.exit_code, result.stderr) == (2, "jaxhints: a.ipynb: its kernel has no JAX\n")


@pytest.mark.parametrize("argv, language, reason", [
    ((sys.executable, "-m", "no_such_kernel"), "python", "its kernel does not start: "),
    (("no-such-program",), "python", "its kernel does not start: "),
    ((sys.executable,), "R", "its kernel is for R, and the trace for Python"),
], ids=["no module", "no program", "no Python"])
def test_a_kernel_that_does_not_start(jaxhints, folder: Path, notebook_text, kernel, argv, language, reason) -> None:
    (folder / "a.ipynb").write_text(notebook_text(JAX, **kernel(*argv, language=language)))
    result = jaxhints("check", "--trace", "a.ipynb")
    assert result.exit_code == 2 and result.stderr.startswith(f"jaxhints: a.ipynb: {reason}")
    assert len(result.stderr.splitlines()) == 1


def test_without_ipykernel_the_message_says_what_to_install(jaxhints, folder: Path, notebook_text, monkeypatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "ipykernel" else find(name, *rest))
    (folder / "a.ipynb").write_text(notebook_text(JAX, kernelspec={}))
    result = jaxhints("check", "--trace", "a.ipynb")
    assert result.exit_code == 2 and "pip install 'jupyterlab-jaxhints[trace]'" in result.stderr


def test_device_checks_are_part_of_a_trace(jaxhints, folder: Path, notebook_text) -> None:
    result = jaxhints("check", "--device-checks")
    assert result.exit_code == 2 and "--device-checks needs --trace" in result.stderr


def test_ctrl_c_ends_the_kernels_too(folder: Path, notebook_text) -> None:
    cell = f"{JAX}\nimport os, pathlib, time\npathlib.Path('pid').write_text(str(os.getpid()))\ntime.sleep(120)"
    (folder / "a.ipynb").write_text(notebook_text(cell))
    (folder / "b.ipynb").write_text(notebook_text(cell))
    command = [sys.executable, "-m", "jupyterlab_jaxhints.cli", "check", "--trace", "."]
    # Tests that run in the background may have been told to ignore Ctrl-C, and pass that on.
    heed = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    run = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heed)
    try:
        pid = int(eventually(lambda: (folder / "pid").exists() and (folder / "pid").read_text()))
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
    finally:
        run.kill()
    assert (run.returncode, out, err) == (130, "", "jaxhints: stopped\n")
    eventually(lambda: not is_running(pid))


def eventually(ask, limit: float = 90.0):
    """The first true answer to a question that is asked again and again."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        answer = ask()
        if answer:
            return answer
        time.sleep(0.1)
    raise AssertionError("it does not come about")


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return not Path(f"/proc/{pid}/stat").exists() or Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"


@pytest.mark.parametrize("version, rules", (("0.4.30", []), ("0.10.2", ["removed-api"])))
def test_what_the_kernels_jax_still_has_is_not_called_removed(folder: Path, notebook_text, version, rules) -> None:
    path = folder / "a.ipynb"
    path.write_text(notebook_text("import jax\nx = jax.tree_map(abs, [1.0])"))

    class Kernel:
        def trace(self, cells):
            return NotebookTrace(jax=version, python="3.11")

    result = check_source(files.read(path), Options(), Kernel())
    assert [diagnostic.rule for diagnostic in result.diagnostics] == rules
