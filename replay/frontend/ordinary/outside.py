"""What ordinary classes may ask of the world outside, which is no part of a model; and what to pass in instead.

It is refused when a thread comes to it, and what nobody executes harms nobody: the functions are changed in place.
Files, connections and processes tell of themselves (`replay.code.outside`).
"""

from __future__ import annotations

import ctypes
import gc
import os
import random
import sys
import threading
import time
from collections.abc import Callable
from types import BuiltinFunctionType, FrameType, FunctionType
from typing import Any

from greenlet import getcurrent

from replay.code.in_place import change_in_place
from replay.code.lines import is_of_library, is_user_code
from replay.code.outside import LUCK, PROCESSES, silent
from replay.code.running_thread import refuse
from replay.frontend.ordinary.clock import CLASS_METHODS, CLOCKS, date_of

_CLOCK = "pass in a clock, a function or an object of the model that says what time it is"
_ALL_THREADS = "pass in what it is to say: a model has its own threads, and the process has others"
_ADDRESSES = (
    "the address of what is not shared is another one in every run: give the objects numbers or names of their own"
)

_OF_ALL_THREADS = ("enumerate", "active_count", "settrace", "setprofile", "stack_size", "main_thread")
_CLOCKS = ("process_time", "process_time_ns", "thread_time", "thread_time_ns", "clock_gettime", "clock_gettime_ns")
"""They tell what no model has, such as the time of a processor."""

_EXCUSED = ("importlib", "logging", "linecache", "traceback", "warnings", "tokenize", "inspect", "_frozen_importlib")
"""Python's own modules that look at files and clocks for purposes of their own."""


def _asks(*, declaring: bool = False) -> tuple[bool, str]:
    """Whether thread code of a model asks for what is running now, and by which function of Python's, "" for none.

    With `declaring`, also whether the program function does.
    """
    if sys.is_finalizing():  # greenlet does not answer any more: no model runs, but callbacks still ask for the time
        return False, ""
    running: Any = getcurrent()
    if getattr(running, "heap", None) is None or (running.thread is None and not declaring) or running.abandoned:
        return False, ""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename in _BETWEEN:
        frame = frame.f_back
    # The garbage collector's callbacks run amid any code, and are none of it.
    collecting = [getattr(callback, "__code__", None) for callback in gc.callbacks]
    way = ""
    while frame is not None and (is_of_library(frame.f_code) or frame.f_code.co_filename.startswith("<frozen")):
        home = str(frame.f_globals.get("__name__", ""))
        if home.startswith(_EXCUSED) or frame.f_code in collecting:
            return False, ""
        way = f"{home}.{frame.f_code.co_qualname}"
        frame = frame.f_back
    return frame is not None and frame.f_code not in collecting and is_user_code(frame.f_code.co_filename), way


_BETWEEN = (__file__, change_in_place.__code__.co_filename)


def _refuse(name: str, instead: str, way: str) -> None:
    what = f"{way} (by way of {name})" if way else name
    refuse(f"thread code uses {what}, which a model cannot have: {instead}")


def _refused(function: Any, name: str, instead: str) -> None:
    """Refuse calls of a function in threads of a model, under whatever name."""

    def make(original: Any) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            asks, way = _asks()
            if asks:
                _refuse(name, instead, way)
            return original(*args, **kwargs)

        return run

    change_in_place(function, make)


class _Luck(random.Random):
    """The generator of the functions of `random`."""

    def random(self) -> float:
        _look_for_luck()
        return super().random()

    def getrandbits(self, k: int) -> int:
        _look_for_luck()
        return super().getrandbits(k)


_Luck.__module__ = "random"


def _look_for_luck() -> None:
    asks, way = _asks()
    if asks:
        _refuse("random.random", LUCK, way)


def address_of(thing: Any) -> int:
    """`id`, as modules of users have it: in a model the same in all runs, and refused where nobody can say it."""
    asks, way = _asks()
    if not asks and not _asks(declaring=True)[0]:
        return id(thing)
    running: Any = getcurrent()
    number = running.heap.number_of(thing)
    if number is None:
        _refuse("id", _ADDRESSES, way)
    return int(number)


_PROCESS = os.getpid()
"""What `os.getpid` tells in a model, which is one process, whichever process of ours runs it."""


def _of_one_process(original: Any) -> Callable[..., int]:
    def run() -> int:
        asks, way = _asks(declaring=True)
        if way.startswith("multiprocessing"):
            _refuse("os.getpid", PROCESSES, way)
        return _PROCESS if asks else int(original())

    return run


def install() -> None:
    """Put all of it in place, for the whole process."""
    for name in _CLOCKS:
        if hasattr(time, name):
            _refused(vars(time)[name], f"time.{name}", _CLOCK)
    for function, (count, of_model) in CLOCKS.items():
        _change_clock(function, count, of_model)
    system = sys.modules["nt" if sys.platform == "win32" else "posix"]
    for name, function in list(vars(system).items()):
        if function is os.getpid:
            change_in_place(function, _of_one_process)
        elif isinstance(function, BuiltinFunctionType) and silent(function):
            _refused(function, f"os.{name}", silent(function))
    for name in _OF_ALL_THREADS:
        if isinstance(vars(threading)[name], FunctionType):
            _refused(vars(threading)[name], f"threading.{name}", _ALL_THREADS)
    _refused(vars(sys.modules["_signal"])["signal"], "signal.signal", PROCESSES)
    vars(random)["_inst"].__class__ = _Luck
    for name in ("random", "getrandbits"):
        _refused(vars(random)[name], f"random.{name}", LUCK)
    for kind, names in CLASS_METHODS.items():
        for name in names:
            _change_class(kind, name)


def _change_clock(function: Any, count: int, of_model: Callable[..., Any]) -> None:
    """Let a function tell the time of the model there, if it is given so many arguments."""

    def make(original: Any) -> Callable[..., Any]:
        def run(*args: Any) -> Any:
            return of_model(*args) if len(args) == count and _asks(declaring=True)[0] else original(*args)

        return run

    change_in_place(function, make)


def _change_class(kind: Any, name: str) -> None:
    """The same for a class method of a class that is written in C."""
    (held,) = gc.get_referents(kind.__dict__)
    before = held[name]

    def run(cls: Any, *args: Any, **kwargs: Any) -> Any:
        if _asks(declaring=True)[0]:
            return date_of(cls, *args, **kwargs)
        return before.__get__(None, cls)(*args, **kwargs)

    run.__name__ = name
    held[name] = classmethod(run)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))
