"""What ordinary classes may ask of the world outside, which is no part of a model; and what to pass in instead."""

from __future__ import annotations

import builtins
from typing import Any

_FILES = "pass in what it holds, or an object of the model that stands for the file"
_NETWORK = "pass in an object of the model that stands for the connection"
_PROCESSES = "pass in a function of the model that stands for what the process or signal does"
_CLOCK = "pass in a clock, a function or an object of the model that says what time it is"
_LUCK = "pass in the number, or a function of the model that takes it from p.choose()"
_NOT_ASYNC = "coroutines take turns in one thread: write ordinary functions, and a thread for each"
_ALL_THREADS = "pass in what it is to say: a model has its own threads, and the process has others"
_ADDRESSES = "addresses are others in every run: give the objects numbers or names of their own"

_MODULES: dict[str, str] = {
    **dict.fromkeys(("io", "_io", "tempfile", "shutil", "glob", "mmap", "sqlite3", "dbm", "shelve"), _FILES),
    **dict.fromkeys(("socket", "_socket", "ssl", "select", "selectors", "socketserver"), _NETWORK),
    **dict.fromkeys(("http", "urllib", "smtplib", "ftplib", "xmlrpc", "imaplib", "poplib"), _NETWORK),
    **dict.fromkeys(("subprocess", "_posixsubprocess", "multiprocessing", "signal", "_signal", "pty"), _PROCESSES),
    **dict.fromkeys(("time", "datetime"), _CLOCK),
    **dict.fromkeys(("random", "_random", "secrets", "uuid"), _LUCK),
    "asyncio": _NOT_ASYNC,
}

_OF_SYSTEM = ("posix", "nt")
"""What `os` offers is in one of these."""

_RUNS = ("fork", "system", "popen", "kill", "wait", "abort", "getpid", "getppid", "_exit", "exec", "spawn")
_HARMLESS = (
    *("fspath", "cpu_count", "PathLike", "StringIO", "BytesIO", "TextIOBase", "IOBase", "parse", "quote", "unquote"),
)
_OF_ALL_THREADS = ("enumerate", "active_count", "settrace", "setprofile", "stack_size", "main_thread", "excepthook")
_BUILT_IN = {"open": _FILES, "input": _FILES, "id": _ADDRESSES}


def advice(thing: Any, home: str, name: str) -> str:
    """What to pass in instead of something of a module; "" if a model may have it."""
    if home in _OF_SYSTEM:
        if name in ("urandom", "getrandom"):
            return _LUCK
        return "" if name in _HARMLESS else _PROCESSES if name.startswith(_RUNS) else _FILES
    if home == "threading":
        return _ALL_THREADS if name in _OF_ALL_THREADS else ""
    if home == "builtins" or thing is builtins.open:
        return _BUILT_IN.get(name, "")
    return "" if name in _HARMLESS else _MODULES.get(home, "")


def is_outside(module: str) -> bool:
    """Whether a module has nothing but what is outside."""
    return module in _MODULES and module not in ("time", "datetime", "random", "io", "_io", "uuid", "urllib")
