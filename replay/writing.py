"""Files are written whole or not at all, whenever the process is killed."""

from __future__ import annotations

import functools
import os
import stat
import threading
import time
from pathlib import Path

_PREFIX, _SUFFIX = ".mcr-", ".part"
_ABANDONED = 600
"""Seconds after which an unfinished file counts as left behind by a process that was killed."""


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file so that it is never seen half-written; its folder is made if need be. Raises OSError.

    Text becomes UTF-8. What UTF-8 does not have (a byte of a file name that is no text) is escaped as JSON does it.
    A link is followed; a device or a pipe is written to, not replaced.
    """
    data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    if _is_stream(path):
        path.write_bytes(data)
        return
    target = path.resolve() if path.is_symlink() else path
    _sweep(target.parent)
    temporary = target.with_name(f"{_PREFIX}{os.getpid()}-{threading.get_ident()}{_SUFFIX}")
    try:
        temporary.write_bytes(data)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def _is_stream(path: Path) -> bool:
    """Whether something is there that holds no text of its own."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@functools.cache
def _sweep(folder: Path) -> None:
    """Remove what processes that were killed left in a folder; once for each process of ours."""
    for part in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
        try:
            if part.stat().st_mtime < time.time() - _ABANDONED:
                part.unlink()
        except OSError:  # somebody else was quicker, or it is not ours to remove
            continue
