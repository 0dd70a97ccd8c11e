"""What really compiles or runs on the device, on request only."""
from __future__ import annotations


def run_device(live, request, cells, clock, mesh):
    return {"status": "ok", "findings": []}
