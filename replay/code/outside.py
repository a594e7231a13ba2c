"""The world outside of every model: files, network, processes, clocks, luck; and what to write instead.

Most of it raises an audit event of Python (PEP 578), whoever asks for it, under whatever name, and however many calls
away; a hook refuses that where thread code asks. A file is memory that no model sees: other threads may read there what
one has written, and no two runs find the same. What raises no event, such as a clock, is known by its function
(`silent`), and refused by `replay.code.foreign` before any code runs.
"""

from __future__ import annotations

import _io
import functools
import gc
import linecache
import os
import sys
import traceback
import warnings
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any

from replay.code.lines import frames_from, is_user_code, line_outside_library
from replay.code.user_code import stop_here
from replay.errors import ModelError
from replay.interpreter.execution import running_owner

FILES = "pass in what it holds, or an object of the model that stands for the file"
NETWORK = "pass in an object of the model that stands for the connection"
PROCESSES = "pass in a function of the model that stands for what the process or signal does"
INPUT = "p.choose() explores every answer"
LOCKS = "p.mutex(), p.condition(), p.semaphore(), p.event(), p.barrier(), p.thread() and p.spawn() are a model's"
SLEEP = "leave it out, as threads are explored with any delay, or wait for something with p.wait_until()"
_ENVIRONMENT = "pass in the value"
_GARBAGE = "leave it out: it would free what other runs have left behind, amid this one"
LUCK = "pass in the number, or a function of the model that takes it from p.choose()"


def _named(home: Any, *names: str) -> list[object]:
    """Returns those of these functions that this system has."""
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
    """Says what to pass in instead of something that raises no event when it is used; "" if a model may have it."""
    if type(thing) in _FILE_TYPES:
        return "" if getattr(thing, "name", None) in ("<stdin>", "<stdout>", "<stderr>", 0, 1, 2) else FILES
    return _SILENT.get(id(thing), "")


_ADVICE = {
    **dict.fromkeys(("open", "os", "glob", "tempfile", "shutil", "pathlib", "mmap", "sqlite3", "fcntl"), FILES),
    **dict.fromkeys(("socket", "http", "urllib", "ftplib", "imaplib", "poplib", "smtplib", "nntplib"), NETWORK),
    **dict.fromkeys(("telnetlib", "webbrowser"), NETWORK),
    **dict.fromkeys(("subprocess", "pty", "signal", "resource", "syslog", "winreg", "msvcrt", "_winapi"), PROCESSES),
    "_thread": LOCKS,
    "time": SLEEP,
}
"""By the first part of an event, what to write instead."""

_PROCESS_EVENTS = ("exec", "fork", "forkpty", "kill", "killpg", "posix_spawn", "spawn", "startfile", "system")

_HELPERS = frozenset(module.__file__ for module in (linecache, traceback, warnings, weakref))
"""What reads source for messages, or tidies up when something is freed, whenever that happens."""


@functools.cache
def advice_on_event(event: str) -> str:
    """Says what to write instead of what raises this event; "" if thread code may do it."""
    if event == "builtins.input":
        return INPUT
    home, _, name = event.partition(".")
    if home == "os" and name.startswith(_PROCESS_EVENTS):
        return PROCESSES
    return _ADVICE.get(home, "")


@functools.cache
def watch_the_outside() -> None:
    """Have thread code refused that uses what is outside, from now on: a hook stays for as long as the process."""
    sys.addaudithook(_look)


def _look(event: str, _: tuple[object, ...], advice_on: Callable[[str], str] = advice_on_event) -> None:
    """The hook. The last parameter is what it needs when Python has ended and no name is left."""
    advice = advice_on(event)
    if advice and running_owner() is not None and _is_asked_by_user(sys._getframe(1)):
        stop_here(ModelError(refusal_of(event, advice), str(line_outside_library() or "")))


def refusal_of(name: str, advice: str) -> str:
    """The sentence about what is outside: the name of an event or of a function; "open" for a file."""
    what = "a file" if name == "open" else f"what is outside ({name})"
    return f"thread code uses {what}, which a model cannot have: {advice}"


# Python traces nothing while a hook runs, unless this is set; code that is refused is suspended within the hook.
_look.__cantrace__ = True  # type: ignore[attr-defined]


def _is_asked_by_user(frame: FrameType) -> bool:
    """Returns whether user code asks, and not code of ours, an import, or code that reads source for a message."""
    files = [each.f_code.co_filename for each in frames_from(frame)]
    if any(file in _HELPERS or file.startswith("<frozen importlib") for file in files):
        return False
    return is_user_code(files[0]) or files[0].startswith("<frozen")
