"""What all tests share: JAX on the CPU, and a real Jupyter server."""
from __future__ import annotations

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

pytest_plugins = ("pytest_jupyter.jupyter_server",)
