"""The server of the browser tests: JupyterLab with the extension as installed, open to the test runner alone."""
import os

from jupyterlab.galata import configure_jupyter_server

configure_jupyter_server(c)  # noqa: F821
c.ServerApp.ip = "127.0.0.1"  # noqa: F821
c.ServerApp.port = int(os.environ.get("JAXHINTS_UI_PORT", "8899"))  # noqa: F821
c.ServerApp.port_retries = 0  # noqa: F821
c.ServerApp.allow_root = True  # noqa: F821
c.Application.log_level = "ERROR"  # noqa: F821
