"""The promotion tables are those of the JAX that runs here; the oldest and the newest agree."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from jupyterlab_jaxhints.knowledge import tables

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "knowledge" / "measure_dtypes.py"


def test_promotion_is_what_jax_does(tmp_path: Path) -> None:
    made = tmp_path / "dtypes.json"
    subprocess.run([sys.executable, str(SCRIPT), str(made)], check=True, timeout=250)
    measured, recorded = json.loads(made.read_text()), json.loads((tables.DATA / "dtypes.json").read_text())
    assert measured["jax"] == recorded["jax"]
