"""The command line's own kernels: which one a notebook wants, started without a word on the terminal."""
from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from typing import Any

from ..errors import ProbeError

START_LIMIT = 60.0
STARTS = 2  # the ports are chosen before the kernel takes them: now and then another process is faster
NATIVE = "python3"  # what the kernel of the Python that asks is called
EXTRA = "`pip install 'jupyterlab-jaxhints[trace]'` brings one"
# What a run leaves behind is not the user's work: it does not belong into their history.
QUIET = ("--HistoryManager.hist_file=:memory:",)


def kernel_spec(name: str | None = None, python: str | None = None) -> Any:
    """The kernel of the Python that is named here; else the installed one that a notebook names; else, where it names
    none or one that is not here, the one of this Python."""
    from jupyter_client.kernelspec import KernelSpec, KernelSpecManager, NoSuchKernel

    for each in (name, NATIVE) if name else ():
        try:
            return KernelSpecManager().get_kernel_spec(each)
        except NoSuchKernel:
            continue
    if python is None and importlib.util.find_spec("ipykernel") is None:
        raise ProbeError("no-kernel", f"there is no kernel to trace in, ipykernel is not installed: {EXTRA}")
    argv = [python or sys.executable, "-Xfrozen_modules=off", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    return KernelSpec(argv=argv, display_name="Python", language="python")


async def start_kernel(python: str | None = None, cwd: str | None = None, *, name: str | None = None) -> tuple[Any, Any]:
    """A fresh kernel and a client of it, ready; ProbeError with a plain reason where there is none."""
    from jupyter_client.manager import AsyncKernelManager

    spec = kernel_spec(name, python)
    if spec.language.lower() not in ("python", "ipython"):
        raise ProbeError("not-python", f"its kernel is for {spec.language}, and the trace for Python")
    spec.argv = [*spec.argv, *QUIET]
    said = ""
    for _ in range(STARTS):
        manager = AsyncKernelManager()
        manager._kernel_spec = spec
        with tempfile.TemporaryFile() as errors:
            try:
                await manager.start_kernel(cwd=cwd, env=dict(os.environ), stdout=subprocess.DEVNULL, stderr=errors)
                manager._launch_args["stderr"] = subprocess.DEVNULL  # a restart finds the file closed
                return manager, await _client(manager)
            except (OSError, RuntimeError) as error:
                said = _last_line(errors) or str(error)
    raise ProbeError("dead-kernel", f"its kernel does not start: {said}")


async def stop_kernel(manager: Any, client: Any) -> None:
    """Ends a kernel at once."""
    client.stop_channels()
    await manager.shutdown_kernel(now=True)


async def _client(manager: Any) -> Any:
    client = manager.client()
    client.start_channels()
    try:
        await client.wait_for_ready(timeout=START_LIMIT)
    except BaseException:
        await stop_kernel(manager, client)
        raise
    return client


def _last_line(errors: Any) -> str:
    """The end of what a kernel that died had to say."""
    errors.seek(0)
    lines = errors.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:200] if lines else ""
