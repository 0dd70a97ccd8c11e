"""How the house is built: who imports whom, how long files and functions are, what is not left lying about."""
from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import jupyterlab_jaxhints

PACKAGE = Path(jupyterlab_jaxhints.__file__).parent
NAME = PACKAGE.name
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path.name != "_version.py" and "labextension" not in path.parts)
every_file = pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(PACKAGE)) for path in FILES])

# Each room may import itself and the rooms named; a room is a folder or file of the package.
MAY_IMPORT = {
    "errors": set(),
    "protocol": set(),
    "texts": {"protocol"},
    "knowledge": set(),
    "engine": {"errors", "protocol", "texts", "knowledge", "rules.base"},
    "rules": {"engine", "knowledge", "rules.base"},
    "config": {"errors", "protocol", "rules"},
    "pages": {"protocol", "rules"},
    "diagnostics": {"config", "engine", "protocol", "rules", "texts"},
    "failures": {"diagnostics", "engine", "knowledge", "protocol", "rules"},
    "analyzer": {"config", "diagnostics", "engine", "failures", "protocol", "rules"},
    "documents": {"analyzer", "config", "engine", "errors", "kernelfacts", "livetrace", "protocol", "texts"},
    "kernelfacts": {"protocol"},
    "livetrace": {"config", "engine.magics", "kernelfacts", "lanes", "protocol", "retraces", "rules", "texts", "trace",
                  "verification"},
    "retraces": {"engine.magics"},
    "verification": {"protocol", "texts", "trace"},
    "kernels": {"trace"},
    "service": {"config", "documents", "errors", "livetrace", "pages", "protocol", "rules"},
    "worker": {"engine.stack", "errors", "service"},
    "handlers": {"errors", "kernels", "worker"},
    "extension": {"handlers", "worker"},
    "lanes": {"config", "diagnostics", "engine", "protocol", "rules", "texts", "trace"},
    "ipynb": set(),
    "files": {"engine.cells", "errors", "ipynb"},
    "discovery": {"files"},
    "checker": {"analyzer", "config", "engine", "errors", "files", "lanes", "protocol", "texts", "trace"},
    "traced": {"analyzer", "checker", "errors", "files", "trace"},
    "report": {"checker", "engine.cells", "files", "pages", "protocol", "rules", "texts", "__version__"},
    "scaffold": {"errors", "rules"},
    "cli": {"checker", "config", "discovery", "errors", "files", "pages", "protocol", "report", "rules", "scaffold",
            "traced", "__version__"},
    "__init__": {"_version", "extension"},
}
OURS_NEVER = {"jax", "jaxlib", "flax", "torch", "pandas"}


def room(module: str) -> str:
    return module.split(".")[0] if module else "__init__"


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


def imports(path: Path) -> Iterator[str]:
    """Absolute names of everything the file imports; our own without the package's name, `''` for the package."""
    own = [NAME, *path.relative_to(PACKAGE).with_suffix("").parts]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = own[:-node.level] if node.level else []
            module = ".".join([*base, *(node.module or "").split(".")]).strip(".")
            yield from (f"{module}.{alias.name}" for alias in node.names)


@every_file
def test_nothing_on_the_servers_side_imports_jax(path: Path) -> None:
    if path.name == "probe.py" or "probe" in path.parts:
        return
    assert not {name.split(".")[0] for name in imports(path)} & OURS_NEVER


@every_file
def test_rooms_import_only_the_rooms_below_them(path: Path) -> None:
    own = room(module_of(path))
    if own == "trace" or own not in MAY_IMPORT:
        assert own == "trace" or own in MAY_IMPORT, f"say in MAY_IMPORT what {own} may import"
        return
    for name in imports(path):
        if not name.startswith(NAME + "."):
            continue
        inner = name.removeprefix(NAME + ".")
        allowed = {own, *MAY_IMPORT[own]}
        assert any(inner == each or inner.startswith(each + ".") for each in allowed), f"{path.name} imports {inner}"


def test_rules_import_no_other_rule_but_what_their_section_shares() -> None:
    for path in PACKAGE.glob("rules/*/*.py"):
        inner = [name.removeprefix(NAME + ".rules.") for name in imports(path) if name.startswith(NAME + ".rules")]
        shared = ("base.", f"{path.parent.name}._")
        assert all(name.startswith(shared) for name in inner), f"{path.name} imports {inner}"


def test_the_probe_imports_nothing_of_ours_but_its_own_parts() -> None:
    for file in (PACKAGE / "trace" / "probe").rglob("*.py"):
        ours = [name for name in imports(file) if name.startswith(NAME)]
        assert all(name.startswith(f"{NAME}.trace.probe.") for name in ours), f"{file.name} imports {ours}"


@every_file
def test_files_and_functions_have_a_size_that_can_be_read(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            assert node.end_lineno - node.lineno < 60, f"{node.name} has {node.end_lineno - node.lineno + 1} lines"


@every_file
def test_no_remarks_for_later_and_no_places_of_a_machine(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"\b(TODO|FIXME|XXX|HACK)\b", text)
    assert not re.search(r"/(?:home|work|root|Users)/\w", text)
    assert ast.get_docstring(ast.parse(text)) or not text.strip(), "a file says what it is for"
