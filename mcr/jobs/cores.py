"""How many processes to use, if nobody says."""

from __future__ import annotations

import os
import sys

CAN_FORK = hasattr(os, "fork") and sys.platform != "darwin"
"""Whether a process can be doubled safely: Apple's libraries do not survive it."""

_BESIDE_OTHERS = "PYTEST_XDIST_WORKER"
"""What pytest-xdist tells its workers: there is one of them for each core already."""


def default_jobs() -> int:
    """The cores that this process may use; 1 where others use them already, and where processes cannot be doubled."""
    if not CAN_FORK or _BESIDE_OTHERS in os.environ:
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
