"""Files, network, processes: what thread code must not touch, known by the audit events that Python raises (PEP 578).

Such an event tells that something outside of the process is used, whoever asks for it, under whatever name, and however
many calls away. A file is memory that no model sees: other threads may read there what one has written, and no two runs
find the same. What raises no event, such as a clock, is known by its function (`replay.code.foreign`).
"""

from __future__ import annotations

import functools
import linecache
import sys
import traceback
import warnings
import weakref
from collections.abc import Callable
from types import FrameType

from greenlet import getcurrent

from replay.code.lines import is_user_code, line_outside_library
from replay.code.outside import FILES, INPUT, LOCKS, NETWORK, PROCESSES, SLEEP
from replay.code.user_code import stop_here
from replay.errors import ModelError

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


def _advice(event: str) -> str:
    """What to write instead of what raises this event; "" if thread code may do it."""
    if event == "builtins.input":
        return INPUT
    home, _, name = event.partition(".")
    if home == "os" and name.startswith(_PROCESS_EVENTS):
        return PROCESSES
    return _ADVICE.get(home, "")


@functools.cache
def watch_the_outside() -> None:
    """Have thread code refused that uses what is outside, from now on: a hook stays for as long as the process."""
    sys.addaudithook(_hook())


def _hook() -> Callable[[str, tuple[object, ...]], None]:
    known: dict[str, str] = {}

    def look(event: str, _: tuple[object, ...]) -> None:
        try:
            advice = known[event]
        except KeyError:
            advice = known[event] = _advice(event)
        if advice and getattr(getcurrent(), "thread", None) is not None and _is_asked_by_user(sys._getframe(1)):
            _refuse(event, advice)

    # Python traces nothing while a hook runs, unless this is set; code that is refused is suspended within the hook.
    look.__cantrace__ = True  # type: ignore[attr-defined]
    return look


def _is_asked_by_user(frame: FrameType | None) -> bool:
    """Whether it is user code that asks, not code of ours, an import, or what reads source for a message."""
    asked = False
    while frame is not None:
        file = frame.f_code.co_filename
        if file in _HELPERS or file.startswith("<frozen importlib"):
            return False
        if not asked and not is_user_code(file) and not file.startswith("<frozen"):
            return False
        asked = True
        frame = frame.f_back
    return asked


def _refuse(event: str, advice: str) -> None:
    what = "a file" if event == "open" else f"what is outside ({event})"
    stop_here(
        ModelError(f"thread code uses {what}, which a model cannot have: {advice}", str(line_outside_library() or ""))
    )
