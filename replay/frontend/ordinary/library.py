"""Python's own library as part of the model: what is written in C has a counterpart, the rest runs as it is.

What makes locks, or waits, asks who calls: code of a model that shares ordinary
objects gets what is of the model, everybody else what Python makes. Functions
are changed in place, so it does not matter how somebody came by them; classes
that are written in C are replaced wherever a module or a function has them.
Both is done once, for the whole process, and stays.
"""

from __future__ import annotations

import _thread
import _weakrefset
import bisect
import functools
import heapq
import operator
import queue
import sys
import threading
import time
import weakref
from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any

from replay.code.in_place import change_in_place
from replay.code.lines import is_of_library, is_user_code
from replay.code.ordinary import STANDS_FOR
from replay.code.reachable import is_of_python
from replay.code.running_thread import current_run, heap_here
from replay.frontend.ordinary import clock, comparing, outside, past_classes, threads
from replay.frontend.ordinary.changes import is_shared_container
from replay.frontend.ordinary.clock import EXPIRED
from replay.frontend.ordinary.lasting import INSTEAD, Type, look_for_locks_of_module, look_through
from replay.frontend.ordinary.own import Local, Lock, RLock, SimpleQueue
from replay.frontend.ordinary.weak import WeakReference, proxy


def in_model() -> bool:
    """Whether code of a model is running that shares ordinary objects."""
    return heap_here() is not None


def _dispatching(original: Any, of_model: Callable[..., Any], applies: Callable[..., bool] | None = None) -> Any:
    """A function that is `of_model` in a model, or where it applies to what it is given, and the original elsewhere."""

    def dispatch(*args: Any, **kwargs: Any) -> Any:
        is_models = in_model() if applies is None else applies(*args)
        return (of_model if is_models else original)(*args, **kwargs)

    return dispatch


def _change(function: Any, of_model: Callable[..., Any], applies: Callable[..., bool] | None = None) -> None:
    """Let a function of Python do in models what that of the model does, under whatever name code has it."""
    change_in_place(function, lambda original: _dispatching(original, of_model, applies))


class _StandIn(type):
    """The class of what stands for a class that is written in C: to call it makes an object of either.

    What the body of a module makes that a model is the first one to import is no model's: the module outlives the run.
    """

    def __new__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any], **_: Any) -> Any:
        if not bases:
            return super().__new__(cls, name, bases, members)
        originals = tuple(getattr(base, STANDS_FOR, base) for base in bases)
        return type(name, originals, members)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        is_models = in_model() and sys._getframe(1).f_code.co_name != "<module>"
        return getattr(cls, "of_model" if is_models else STANDS_FOR)(*args, **kwargs)

    def __instancecheck__(cls, thing: Any) -> bool:
        return isinstance(thing, (getattr(cls, STANDS_FOR), cls.of_model))  # type: ignore[attr-defined]


def _standing_for(original: Any, of_model: Any) -> Any:
    members = {STANDS_FOR: original, "of_model": of_model, "__module__": original.__module__}
    return _StandIn(original.__name__, (), members)


def _monotonic() -> float:
    """What `monotonic` says: inside of Python's own library not by a look at the clock, which costs operations."""
    deadline = _deadline_of_library()
    return clock.now() if deadline is None else deadline


def _deadline_of_library() -> float | None:
    """The deadline of a wait of Python's own library that came to nothing, 0 if it did not; None for other callers.

    A function that waits notes its deadline first, and looks again after each wait.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not is_user_code(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None or not is_of_library(frame.f_code) or not _DEADLINES.intersection(frame.f_code.co_varnames):
        return None
    names = frame.f_locals
    deadline = names.get("endtime", names.get("end_time"))
    return deadline if deadline is not None and current_run().locals.get(EXPIRED) else 0.0


_DEADLINES = {"endtime", "end_time"}


class _QueuesOfThreads(weakref.WeakKeyDictionary[Any, Any]):
    """What `concurrent.futures` waits for at the end of the process: not for threads of a model."""

    def __setitem__(self, thread: Any, work: Any) -> None:
        if not in_model():
            super().__setitem__(thread, work)


def _raise_it(*_: Any, **__: Any) -> None:
    """A worker of a model has no log: what ended it is a failure of the thread."""
    error = sys.exception()
    assert error is not None
    raise error


def _is_enabled(logger: Any, level: int) -> bool:
    """What `Logger.isEnabledFor` says, without remembering it: that would outlive the run."""
    return not logger.disabled and logger.manager.disable < level and level >= logger.getEffectiveLevel()


def _is_shared_list(items: Any = None, *_: Any) -> bool:
    return is_shared_container(items)


def _change_functions() -> None:
    _change(threading.RLock, RLock, _makes_lock_of_model)
    _change(time.sleep, clock.sleep)
    _change(time.monotonic, _monotonic)
    _change(_thread.get_ident, threads.get_ident)
    _change(threading.current_thread, threads.current_thread)
    for name in ("heappush", "heappop", "heapify", "heapreplace", "heappushpop"):
        _change_on_shared_list(vars(heapq)[name], comparing.on_heap, getattr(comparing, name))
    for name in ("left", "right"):
        look, insort = vars(bisect)[f"bisect_{name}"], vars(bisect)[f"insort_{name}"]
        _change_on_shared_list(insort, comparing.insort_of_model, comparing.bisect_of_model(look, name == "left"))
        _change_on_shared_list(look, comparing.bisect_of_model, name == "left")
    change_in_place(weakref.proxy, lambda original: _dispatching(original, functools.partial(proxy, original)))
    _change(operator.concat, operator.add, lambda one, other: any(map(is_shared_container, (one, other))))


def _change_on_shared_list(function: Any, make: Callable[..., Any], how: Any) -> None:
    """Let a function that is written in C do with a shared list what `make` returns."""

    def changed(original: Any) -> Any:
        return _dispatching(original, make(original, how), _is_shared_list)

    change_in_place(function, changed)


_METHODS: dict[str, Any] = {
    "__init__": threads.initialize,
    "start": threads.start,
    "join": threads.join,
    "is_alive": threads.is_alive,
}
"""Of `threading.Thread`."""

_looked_through: set[int] = set()
"""Modules in which names of the originals were replaced."""


def install() -> None:
    """Put everything in place, and in the modules that were imported since."""
    if not _looked_through:
        _change_functions()
        _change_locks()
        _change_threads()
        outside.install()
        for original, of_model in ((queue.SimpleQueue, SimpleQueue), (threading.local, Local)):
            INSTEAD[id(original)] = _standing_for(original, of_model)
        INSTEAD[id(weakref.ref)] = WeakReference
        INSTEAD[id(type)] = Type
        INSTEAD.update(past_classes.INSTEAD)
    for name, module in list(sys.modules.items()):
        if isinstance(module, ModuleType) and id(module) not in _looked_through:
            if name == "concurrent.futures.thread":
                _change_executor(module)
            if name == "logging":
                _change(module.Logger.isEnabledFor, _is_enabled)
            if not f"{name}.".startswith(("replay.", "mcr.", "solvers.", "builtins.")):
                look_for_locks_of_module(module)
            if not is_of_python(module) or module in _MODULES:
                look_through(module)
            if not getattr(getattr(module, "__spec__", None), "_initializing", False):
                _looked_through.add(id(module))


_MODULES: tuple[ModuleType, ...] = (threading, _thread, queue, sys.modules["_queue"], weakref, _weakrefset)
"""Python's own modules in which others look the originals up."""


def _makes_lock_of_model(*_: object) -> bool:
    """Whether a lock is one of a model: not that of a module which the model is the first one to import."""
    return in_model() and sys._getframe(3).f_code.co_name != "<module>"


def _change_locks() -> None:
    """What makes locks: a function, or from Python 3.13 on a class; and the class of reentrant ones."""
    INSTEAD[id(_thread.RLock)] = _standing_for(_thread.RLock, RLock)
    if isinstance(_thread.allocate_lock, type):
        INSTEAD[id(threading.Lock)] = _standing_for(threading.Lock, Lock)
    elif isinstance(threading.Lock, type):
        INSTEAD[id(threading.Lock)] = _standing_for(threading.Lock, Lock)
        _change(_thread.allocate_lock, Lock, _makes_lock_of_model)
    else:
        _change(_thread.allocate_lock, Lock, _makes_lock_of_model)


def _change_threads() -> None:
    for name, of_model in _METHODS.items():
        before = vars(threading.Thread)[name]
        setattr(threading.Thread, name, functools.wraps(before)(_dispatching(before, of_model)))
    thread: Any = threading.Thread
    daemon, ident = vars(thread)["daemon"], vars(thread)["ident"]
    get, put = _dispatching(daemon.fget, _get_daemon), _dispatching(daemon.fset, _set_daemon)
    thread.daemon, thread.ident = property(get, put), property(_dispatching(ident.fget, threads.ident))


def _get_daemon(thread: Any) -> Any:
    return thread._daemonic


def _set_daemon(thread: Any, value: bool) -> None:
    thread._daemonic = bool(value)


def _change_executor(module: Any) -> None:
    """`ThreadPoolExecutor` runs as it is, but for what it keeps for the whole process."""
    look_for_locks_of_module(module)
    module._global_shutdown_lock.is_idle = True
    module._threads_queues = _QueuesOfThreads(module._threads_queues)
    executor, logger = module.ThreadPoolExecutor, module._base.LOGGER
    executor._counter = staticmethod(_dispatching(executor._counter, lambda: 0))
    logger.critical = _dispatching(logger.critical, _raise_it)
