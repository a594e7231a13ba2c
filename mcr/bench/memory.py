"""How much memory a process took at most."""

from __future__ import annotations

import os
import resource
from pathlib import Path


def peak_megabytes(process: int | None = None) -> float | None:
    """Of this process, or of a running one by its id; None where the system does not tell.

    Linux hands the peak that `getrusage` knows on to a program that a process
    starts; the one in /proc begins anew.
    """
    try:
        status = Path(f"/proc/{process or os.getpid()}/status").read_text(encoding="utf-8")
    except OSError:
        status = ""
    for line in status.splitlines():
        if line.startswith("VmHWM:"):
            return round(int(line.split()[1]) / 1024, 1)
    return None if process else round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)
