"""What is outside of every model, and raises no audit event (`replay.code.audit`); and what to pass in instead."""

from __future__ import annotations

import _io
import gc
import os
from typing import Any

FILES = "pass in what it holds, or an object of the model that stands for the file"
NETWORK = "pass in an object of the model that stands for the connection"
PROCESSES = "pass in a function of the model that stands for what the process or signal does"
INPUT = "p.choose() explores every answer"
LOCKS = "p.mutex(), p.condition(), p.semaphore(), p.event(), p.barrier(), p.thread() and p.spawn() are a model's"
SLEEP = "every delay is explored anyway: leave it out, or wait for something with p.wait_until()"
_ENVIRONMENT = "pass in the value"
_GARBAGE = "leave it out: it would free what other runs have left behind, amid this one"
LUCK = "pass in the number, or a function of the model that takes it from p.choose()"


def _named(home: Any, *names: str) -> list[object]:
    """Those of these that this system has."""
    return [getattr(home, name) for name in names if hasattr(home, name)]


_SILENT: dict[int, str] = {
    id(thing): advice
    for advice, things in (
        (LUCK, _named(os, "urandom", "getrandom")),
        (_GARBAGE, _named(gc, "collect", "enable", "disable", "freeze", "unfreeze", "set_threshold")),
        (_ENVIRONMENT, _named(os, "environ", "environb", "getenv", "getenvb")),
        (
            PROCESSES,
            _named(os, "getpid", "getppid", "getpgid", "wait", "waitpid", "waitid", "wait3", "wait4", "times")
            + _named(os, "abort", "_exit", "nice"),
        ),
        (
            FILES,
            _named(os, "stat", "lstat", "fstat", "access", "readlink", "statvfs", "getcwd", "getcwdb", "umask")
            + _named(os, "read", "write", "pread", "pwrite", "readv", "writev", "lseek", "pipe", "dup", "dup2", "close")
            + _named(os.path, "exists", "lexists", "isfile", "isdir", "islink", "ismount", "samefile", "realpath")
            + _named(os.path, "getsize", "getmtime", "getatime", "getctime", "abspath", "expanduser", "expandvars"),
        ),
    )
    for thing in things
}
"""By identity, what tells of the world outside, or changes it, without an event."""

_FILE_TYPES = (_io.TextIOWrapper, _io.BufferedReader, _io.BufferedWriter, _io.BufferedRandom, _io.FileIO)


def silent(thing: Any) -> str:
    """What to pass in instead of something that raises no event when it is used; "" if a model may have it."""
    if type(thing) in _FILE_TYPES:
        return "" if getattr(thing, "name", None) in ("<stdin>", "<stdout>", "<stderr>", 0, 1, 2) else FILES
    return _SILENT.get(id(thing), "")
