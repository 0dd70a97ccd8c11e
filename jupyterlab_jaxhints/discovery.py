"""Which files the command line reads: those named, and in folders what `.gitignore` leaves."""
from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .files import SUFFIXES

# never somebody's own source, whether ignored or not
SKIPPED = frozenset({
    ".git", ".hg", ".svn", ".venv", "venv", ".tox", ".nox", "node_modules", "__pycache__", "site-packages",
    ".ipynb_checkpoints", ".mypy_cache", ".pytest_cache", ".ruff_cache", "build", "dist", "__pypackages__",
})


@dataclass(frozen=True)
class _Pattern:
    """One line of a .gitignore, in the folder that holds it."""

    folder: Path
    regex: re.Pattern[str]
    negated: bool
    folders_only: bool

    def matches(self, path: Path, is_folder: bool) -> bool:
        if self.folders_only and not is_folder:
            return False
        return self.regex.fullmatch(path.relative_to(self.folder).as_posix()) is not None


def find(paths: Iterable[Path]) -> Iterator[Path]:
    """Files in order, each once. A file that is named is read whatever it is called."""
    seen: set[Path] = set()
    for path in paths:
        for found in _walk(path) if path.is_dir() else (path,):
            key = found.absolute()
            if key not in seen:
                seen.add(key)
                yield found


def _walk(folder: Path) -> Iterator[Path]:
    yield from _below(folder, folder.absolute(), _inherited(folder.absolute()))


def _below(folder: Path, absolute: Path, patterns: tuple[_Pattern, ...]) -> Iterator[Path]:
    patterns = (*patterns, *_read(absolute, ".gitignore"))
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        is_folder = entry.is_dir(follow_symlinks=False)
        wanted = entry.name not in SKIPPED if is_folder else entry.name.endswith(SUFFIXES) and entry.is_file()
        if not wanted or _ignored(absolute / entry.name, is_folder, patterns):
            continue
        if is_folder:
            yield from _below(folder / entry.name, absolute / entry.name, patterns)
        else:
            yield folder / entry.name


def _inherited(folder: Path) -> tuple[_Pattern, ...]:
    """Patterns of the folders above, from the repository's root down."""
    root = next((parent for parent in (folder, *folder.parents) if (parent / ".git").exists()), None)
    if root is None:
        return ()
    patterns = [*_read(root, ".git/info/exclude")]
    for parent in reversed(folder.parents):
        if parent == root or root in parent.parents:
            patterns += _read(parent, ".gitignore")
    return tuple(patterns)


def _ignored(path: Path, is_folder: bool, patterns: tuple[_Pattern, ...]) -> bool:
    for pattern in reversed(patterns):
        if pattern.matches(path, is_folder):
            return not pattern.negated
    return False


def _read(folder: Path, name: str) -> list[_Pattern]:
    try:
        lines = (folder / name).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    return [pattern for line in lines if (pattern := _pattern(folder, line)) is not None]


def _pattern(folder: Path, line: str) -> _Pattern | None:
    line = re.sub(r"(?<!\\)\s+$", "", line)
    if not line or line.startswith("#"):
        return None
    negated = line.startswith("!")
    line = line.removeprefix("!")
    folders_only = line.endswith("/")
    line = line.rstrip("/")
    anywhere = "/" not in line
    try:
        regex = re.compile(("(?:.*/)?" if anywhere else "") + _translated(line.lstrip("/")), re.DOTALL)
    except re.error:
        return None
    return _Pattern(folder, regex, negated, folders_only)


def _translated(glob: str) -> str:
    """A .gitignore glob as a regular expression: `*` stops at a slash, `**` does not."""
    out, index = "", 0
    while index < len(glob):
        for token, regex in (("/**/", "/(?:.*/)?"), ("**/", "(?:.*/)?"), ("/**", "/.*"), ("*", "[^/]*"), ("?", "[^/]")):
            if glob.startswith(token, index):
                out += regex
                index += len(token)
                break
        else:
            match = re.compile(r"\[(!?)([^\]]+)\]|\\(.)|(.)", re.DOTALL).match(glob, index)
            if match[2]:
                out += f"[{'^' if match[1] else ''}{match[2]}]"
            else:
                out += re.escape(match[3] or match[4])
            index = match.end()
    return out
