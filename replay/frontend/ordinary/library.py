"""Python's own library as part of the model: what is written in C has a counterpart, the rest runs as it is.

The functions that make locks ask who calls: code of a model that shares
ordinary objects gets locks of the model, everybody else what Python makes. So
they are put in place once, for the whole process, and stay.
"""

from __future__ import annotations

import _thread
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
from types import ModuleType
from typing import Any

from greenlet import getcurrent

from replay.code.ordinary import STANDS_FOR
from replay.code.reachable import is_of_library, is_of_python
from replay.code.running_thread import current_run, refuse
from replay.frontend.ordinary import threads
from replay.frontend.ordinary.changes import identity_of_container, is_shared_container, looked_at, update
from replay.frontend.ordinary.local import Local
from replay.frontend.ordinary.locks import EXPIRED, Lock, RLock
from replay.frontend.ordinary.waiting import SimpleQueue
from replay.world.shown import shown


def in_model() -> bool:
    """Whether code of a model is running that shares ordinary objects."""
    return getattr(getcurrent(), "heap", None) is not None


def _dispatching(original: Any, of_model: Callable[..., Any], applies: Callable[..., bool] | None = None) -> Any:
    """A function that is `of_model` in a model, or where it applies to what it is given, and the original elsewhere."""

    @functools.wraps(original, assigned=("__doc__", "__name__"), updated=())
    def dispatch(*args: Any, **kwargs: Any) -> Any:
        is_models = in_model() if applies is None else applies(*args)
        return (of_model if is_models else original)(*args, **kwargs)

    setattr(dispatch, STANDS_FOR, original)
    return dispatch


class _StandIn(type):
    """The class of what stands for a class that is written in C: to call it makes an object of either."""

    def __new__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any], **_: Any) -> Any:
        if not bases:
            return super().__new__(cls, name, bases, members)
        originals = tuple(getattr(base, STANDS_FOR, base) for base in bases)
        return type(name, originals, members)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return getattr(cls, "of_model" if in_model() else STANDS_FOR)(*args, **kwargs)

    def __instancecheck__(cls, thing: Any) -> bool:
        return isinstance(thing, (getattr(cls, STANDS_FOR), cls.of_model))  # type: ignore[attr-defined]


def _standing_for(original: Any, of_model: Any) -> Any:
    members = {STANDS_FOR: original, "of_model": of_model, "__module__": original.__module__}
    return _StandIn(original.__name__, (), members)


def _clock() -> float:
    """What `monotonic` says inside of Python's own library: as late as the deadline after a wait that came to nothing.

    There are no clocks in a model. A function that waits notes its deadline first, and looks again after each wait.
    """
    frame = sys._getframe(2)
    if not is_of_library(frame.f_code):
        refuse(
            "thread code asks for the time, which a model does not have: give it a clock, as an argument or attribute"
        )
    names = frame.f_locals
    deadline = names.get("endtime", names.get("end_time"))
    return deadline if deadline is not None and current_run().locals.get(EXPIRED) else 0.0


class NoLock:
    """What a lock of Python's own modules is in a model: it guards what they keep for the end of the process."""

    def __init__(self, original: Any) -> None:
        self._original = original

    def __enter__(self) -> Any:
        return None if in_model() else self._original.__enter__()

    def __exit__(self, *error: Any) -> None:
        if not in_model():
            self._original.__exit__(*error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)


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


def _on_shared_list(change: Any) -> Any:
    """A function written in C that changes a list, in one update of it."""

    def of_model(items: Any, *values: Any) -> Any:
        identity = identity_of_container(items)
        frozen = tuple(identity.heap.freeze(value) for value in values)
        return update(items, change, f"{change.__name__}({', '.join(map(shown, frozen))})", frozen)

    return _dispatching(change, of_model, lambda items, *_: is_shared_container(items))


def _of_copy(look: Any) -> Any:
    """A function written in C that looks into a list, of a copy of a shared one: one load."""
    return _dispatching(
        look,
        lambda items, *rest, **keywords: look(looked_at(items), *rest, **keywords),
        lambda items, *_: is_shared_container(items),
    )


_LOCK = _dispatching(_thread.allocate_lock, Lock)
_RLOCK = _dispatching(threading.RLock, RLock)
_RLOCK_IN_C = _dispatching(_thread.RLock, RLock)
_SLEEP = _dispatching(time.sleep, lambda _: None)
_MONOTONIC = _dispatching(time.monotonic, _clock)
_IDENT = _dispatching(threading.get_ident, threads.get_ident)
_CURRENT = _dispatching(threading.current_thread, threads.current_thread)
_SIMPLE_QUEUE = _standing_for(queue.SimpleQueue, SimpleQueue)
_LOCAL = _standing_for(threading.local, Local)
_HEAP = [
    _on_shared_list(change)
    for change in (heapq.heappush, heapq.heappop, heapq.heapify, heapq.heapreplace, heapq.heappushpop)
]
_BISECT = [
    *(_on_shared_list(change) for change in (bisect.insort_left, bisect.insort_right)),
    *(_of_copy(look) for look in (bisect.bisect_left, bisect.bisect_right)),
]
_CONCAT = _dispatching(
    operator.concat, operator.add, lambda one, other: is_shared_container(one) or is_shared_container(other)
)

_CLASSES_OF_LOCKS = [  # from Python 3.13 on `threading.Lock` is a class
    _standing_for(kind, Lock) for kind in (threading.Lock,) if isinstance(kind, type)
]

_STAND_INS: list[Any] = [
    *_CLASSES_OF_LOCKS,
    _LOCK,
    _RLOCK,
    _RLOCK_IN_C,
    _SLEEP,
    _MONOTONIC,
    _IDENT,
    _CURRENT,
    _SIMPLE_QUEUE,
    _LOCAL,
    *_HEAP,
    *_BISECT,
    _CONCAT,
]

_INSTEAD = {id(getattr(each, STANDS_FOR)): each for each in _STAND_INS}
"""By the originals' identity: they live as long as Python."""

_MODULES: tuple[ModuleType, ...] = (threading, _thread, time, queue, heapq, bisect, operator)
"""Python's own modules in which others look the originals up."""

_looked_through: set[int] = set()
"""Modules in which names of the originals were replaced."""

_METHODS: dict[str, Any] = {
    "__init__": threads.initialize,
    "start": threads.start,
    "join": threads.join,
    "is_alive": threads.is_alive,
}
"""Of `threading.Thread`."""


def install() -> None:
    """Put the functions in place, and in the modules that imported the originals by name."""
    if not _looked_through:
        _change_threads()
        for module in _MODULES:
            _look_through(module)
        _look_through(sys.modules["_queue"])
    for module in list(sys.modules.values()):
        if isinstance(module, ModuleType) and id(module) not in _looked_through:
            if module.__name__ == "concurrent.futures.thread":
                _change_executor(module)
            elif not is_of_python(module):
                _look_through(module)


def _look_through(module: ModuleType) -> None:
    for name, value in list(vars(module).items()):
        if id(value) in _INSTEAD:
            setattr(module, name, _INSTEAD[id(value)])
    if not getattr(getattr(module, "__spec__", None), "_initializing", False):
        _looked_through.add(id(module))


def _change_threads() -> None:
    for name, of_model in _METHODS.items():
        setattr(threading.Thread, name, _dispatching(vars(threading.Thread)[name], of_model))
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
    module._global_shutdown_lock = NoLock(module._global_shutdown_lock)
    module._threads_queues = _QueuesOfThreads(module._threads_queues)
    executor, logger = module.ThreadPoolExecutor, module._base.LOGGER
    executor._counter = staticmethod(_dispatching(executor._counter, lambda: 0))
    logger.critical = _dispatching(logger.critical, _raise_it)
    _looked_through.add(id(module))
