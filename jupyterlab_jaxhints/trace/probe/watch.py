"""Counts JAX's traces and compilations of the user's own cells, and keeps the cells' output where it belongs."""
from __future__ import annotations

import sys
import threading

from .base import kernel_jax

TRACED = "/jax/core/compile/jaxpr_trace_duration"
COMPILED = "/jax/core/compile/backend_compile_duration"


class Watch:
    """Registered once for each kernel process; `ours` are the probe's threads, whose events do not count."""

    def __init__(self):
        self.ours: set = set()
        self.events: dict = {}  # function name -> [traces, compilations] since the last cell began
        self.shell = None
        self.parent = None
        self.started = False

    def start(self, live) -> None:
        if self.started:
            return
        self.started = True
        monitoring = getattr(kernel_jax(), "monitoring", None) or sys.modules.get("jax.monitoring")
        register = getattr(monitoring, "register_event_duration_secs_listener", None)
        if register is not None:
            register(self._event)
        interactive = sys.modules.get("IPython.core.interactiveshell")
        if interactive is not None and interactive.InteractiveShell.initialized():
            self.shell = interactive.InteractiveShell.instance()
            self.shell.events.register("pre_run_cell", self._cell_begins)

    def _event(self, event, duration, **details):
        if threading.get_ident() in self.ours or event not in (TRACED, COMPILED):
            return
        entry = self.events.setdefault(details.get("fun_name") or "", [0, 0])
        entry[event == COMPILED] += 1

    def _cell_begins(self, *info):
        self.events.clear()
        self.parent = self._shell_parent()

    def _shell_parent(self):
        get = getattr(self.shell, "get_parent", None)
        return get() if get is not None else None

    def give_back_parent(self) -> None:
        """From ipykernel 7 on, prints of plain threads go to the latest request: hand that back to the last cell,
        so that a background thread of the user keeps printing where it did."""
        if self.parent and self.shell is not None and hasattr(self.shell, "set_parent"):
            self.shell.set_parent(self.parent)

    def counts(self) -> dict:
        return {name: list(entry) for name, entry in list(self.events.items())[:200]}
