"""The server extension: its settings, its endpoints, and the worker that the first request starts."""
from __future__ import annotations

from jupyter_server.extension.application import ExtensionApp
from traitlets import Float, Int

from .handlers import CARRIERS, routes
from .worker import Worker

MEBIBYTE = 1 << 20


class JaxHintsExtension(ExtensionApp):
    """Hints and quick fixes for JAX in notebooks."""

    name = "jupyterlab_jaxhints"
    load_other_extensions = True

    request_limit_mb = Int(16, min=1, config=True, help="Requests with more mebibytes than this are refused.")
    memory_limit_mb = Int(
        4096, min=0, config=True,
        help="Address space that the analysis process may use, in mebibytes; 0 for no limit. Not used on Windows.",
    )
    timeout = Float(
        30.0, min=1.0, config=True,
        help="Seconds after which an analysis that does not end is given up and its process started anew.",
    )

    worker: Worker | None = None

    def initialize_handlers(self) -> None:
        """Adds the endpoints; nothing is started or imported before the first request."""
        self.worker = Worker(timeout=self.timeout, memory_limit=self.memory_limit_mb * MEBIBYTE, log=self.log)
        self.handlers.extend(routes(self.worker, self.request_limit_mb * MEBIBYTE))

    async def stop_extension(self) -> None:
        """Ends the worker and the connections to kernels with the server."""
        if self.worker is not None:
            self.worker.close()
        carriers = self.serverapp.web_app.settings.get(CARRIERS)  # where handlers keep theirs
        if carriers is not None:
            carriers.close()
