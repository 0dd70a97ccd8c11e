"""What the rules of pure functions share: what is meant for tracing time, and whose objects are plain."""
from __future__ import annotations

import re
from typing import Any

from ...engine.callables import Class

# names and messages that are about tracing itself: running once is what is wanted of them
ABOUT_TRACING = re.compile(r"trac|compil|jit", re.IGNORECASE)


def is_plain(event: Any) -> bool:
    """The written object's class is the notebook's own, with no library behind it whose transforms follow attributes."""
    record = event.machine.record(event.owner) if event.owner is not None else None
    if record is None or record.cls == "types.SimpleNamespace":
        return record is not None
    return isinstance(record.cls, Class) and record.cls.closed and not record.cls.pytree
