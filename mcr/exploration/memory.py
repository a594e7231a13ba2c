"""How much memory this process holds, and how much it may take."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

SHARE = 0.75
"""Memory that an exploration may take, unless an option says, of what the machine or its container has."""

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

_RESIDENT = Path("/proc/self/statm")
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_GROUPS = Path("/proc/self/cgroup")
_LIMITS = {"": ("/sys/fs/cgroup", "memory.max"), "memory": ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")}
"""By the controller that /proc/self/cgroup names ("" for version 2): where groups are, and what their limits are in."""


def resident() -> int | None:
    """Bytes that this process holds in memory now; None where the system does not tell."""
    try:
        with open(_RESIDENT, "rb", buffering=0) as file:
            return int(file.read(64).split()[1]) * _PAGE
    except OSError:
        return None


def available() -> int | None:
    """Bytes that this process could have: of the machine, or of the smallest container that it is in."""
    return min(_bounds(), default=None)


def _bounds() -> Iterator[int]:
    if hasattr(os, "sysconf"):
        yield os.sysconf("SC_PHYS_PAGES") * _PAGE
    for file in _limit_files():
        text = file.read_text(encoding="utf-8").strip() if file.is_file() else ""
        if text.isdecimal():
            yield int(text)


def _limit_files() -> Iterator[Path]:
    """Yields the files with the limits of our control groups, and of the groups around them."""
    lines = _GROUPS.read_text(encoding="utf-8").splitlines() if _GROUPS.is_file() else ()
    for line in lines:
        _, controllers, group = line.split(":", 2)
        for controller in {*controllers.split(",")} & {*_LIMITS}:
            folder, name = _LIMITS[controller]
            inside = Path(folder) / group.lstrip("/")
            yield from (place / name for place in (inside, *inside.parents) if place.is_relative_to(folder))


def let_go() -> None:
    """Give the system back what earlier explorations left behind."""
    import ctypes
    import gc

    gc.collect()
    with contextlib.suppress(AttributeError, OSError, TypeError):  # glibc keeps what was freed; only it has this
        ctypes.CDLL(None).malloc_trim(0)


def read_size(text: str) -> int:
    """Bytes, from "300M" or "1.5G". Raises ValueError."""
    number, unit = text.strip().upper().removesuffix("B"), ""
    if number[-1:].isalpha():
        number, unit = number[:-1].strip(), number[-1]
    try:
        size = float(number) * _UNITS[unit]
        if 1 << 20 <= size < float("inf"):
            return int(size)
    except (KeyError, ValueError):
        pass
    raise ValueError(f"{text!r} is not a size of 1M or more, such as 300M or 2G")


def shown_size(size: int) -> str:
    """Bytes for readers: "300 MB"."""
    unit = "G" if size >= 10 * _UNITS["G"] else "M"
    return f"{size / _UNITS[unit]:.0f} {unit}B"
