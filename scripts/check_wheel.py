"""Checks what a wheel holds: both halves of the extension, and nothing of the machine that built it."""
from __future__ import annotations

import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LAB = "share/jupyter/labextensions/jupyterlab-jaxhints/"
NEEDED = (
    f"{LAB}package.json",
    f"{LAB}install.json",
    f"{LAB}static/style.js",
    f"{LAB}static/remoteEntry.",
    f"{LAB}schemas/jupyterlab-jaxhints/plugin.json",
    "etc/jupyter/jupyter_server_config.d/jupyterlab_jaxhints.json",
    "jupyterlab_jaxhints/_version.py",
    "jupyterlab_jaxhints/extension.py",
    "jupyterlab_jaxhints/tour/tour.ipynb",
    ".dist-info/entry_points.txt",
    ".dist-info/licenses/LICENSE",
)
UNWANTED = (".map", "build_log.json", ".ts", ".tsx", ".tsbuildinfo", ".pyc")


def problems(wheel: Path) -> list[str]:
    """One sentence for each thing that is missing or too much."""
    found = []
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        found += [f"{part} is missing" for part in NEEDED if not any(part in name for name in names)]
        found += [f"{name} does not belong in a wheel" for name in names if name.endswith(UNWANTED)]
        found += [f"{name} names a folder of this machine" for name in names if str(ROOT).encode() in archive.read(name)]
    return found


def main(wheel: Path) -> int:
    """Prints the problems, or the wheel's size."""
    found = problems(wheel)
    for problem in found:
        print(f"{wheel.name}: {problem}")
    if not found:
        print(f"{wheel.name}: {wheel.stat().st_size / 1024:.0f} KB, both halves inside")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
