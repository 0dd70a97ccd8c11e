"""Hints and quick fixes for JAX in notebooks: what Jupyter asks of the package, and nothing else at import."""
from __future__ import annotations

try:
    from ._version import __version__
except ImportError:  # a source tree that was never built
    __version__ = "0.0.0"


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    return [{"src": "labextension", "dest": "jupyterlab-jaxhints"}]


def _jupyter_server_extension_points() -> list[dict[str, object]]:
    from .extension import JaxHintsExtension

    return [{"module": "jupyterlab_jaxhints", "app": JaxHintsExtension}]
