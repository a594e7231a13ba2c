"""`threading.Thread` in a model: to start one is to spawn, and its end is a location that `join` waits for."""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable
from typing import Any

from replay.code.ordinary import MAIN_THREAD
from replay.code.running_thread import (
    current_run,
    heap_here,
    inside_run,
    line_of_request,
    perform,
    thread_here,
)
from replay.frontend.ordinary.all_threads import note_end, note_start
from replay.frontend.ordinary.clock import note_wait
from replay.frontend.threads import Thread, ThreadCall, end_location, joining, start_location
from replay.interpreter.library.looking import MISSING
from replay.world.operation import Kind

HANDLE = "_thread_of_model"
"""The attribute in which a thread that was started has its handle."""

RUNNING = ("", "the thread object")
"""Where a thread notes the object that stands for it (`RunningThread.locals`)."""


def initialize(
    self: Any,
    group: None = None,
    target: Callable[..., object] | None = None,
    name: str | None = None,
    args: Any = (),
    kwargs: Any = None,
    *,
    daemon: bool | None = None,
    context: Any = None,
) -> None:
    """`Thread.__init__`: what other methods of the class look at, and no counters of the whole process."""
    self._target, self._args, self._kwargs = target, tuple(args), dict(kwargs or {})
    self._name = str(name) if name else f"Thread ({getattr(target, '__name__', type(self).__name__)})"
    self._daemonic = bool(daemon)
    self._ident = self._native_id = None
    self._initialized = True
    setattr(self, HANDLE, None)


def start(self: Any) -> None:
    """`Thread.start`: the program function declares a thread, a thread spawns one."""
    if handle_of(self) is not None:
        raise RuntimeError("threads can only be started once")
    code = Body(self, self._target, self._args, self._kwargs)
    if not inside_run():
        name = self._name if not self._name.startswith("Thread (") else ""
        setattr(self, HANDLE, heap_here().declare(code, name=name, daemon=bool(self._daemonic)))
        return
    child = next_child()
    setattr(self, HANDLE, Thread(child))
    if code.is_given:  # first, so that reports name what it shares by the function
        _share_given(code)
    note_start(heap_here().freeze(self))  # the new thread has it too: as threading.current_thread()
    _spawn(child, code, daemon=bool(self._daemonic))


def start_new_thread(function: Callable[..., object], args: Any, kwargs: Any = MISSING, /) -> int:
    """`_thread.start_new_thread`: a thread without an object, which nothing waits for."""
    if not callable(function):
        raise TypeError("first arg must be callable")
    if not isinstance(args, tuple):
        raise TypeError("2nd arg must be a tuple")
    if kwargs is not MISSING and not isinstance(kwargs, dict):
        raise TypeError("optional 3rd arg must be a dictionary")
    code = Body(None, function, args, {} if kwargs is MISSING else kwargs)
    if not inside_run():
        return number_of(heap_here().declare(code, daemon=True).name)
    child = next_child()
    _share_given(code)
    note_start(number_of(child))
    _spawn(child, code, daemon=True)
    return number_of(child)


def next_child() -> str:
    """The name of the next thread that this one starts."""
    run = current_run()
    return f"{run.name}.{run.next_number('thread')}"


def _share_given(code: Body) -> None:
    heap_here().freeze((code.target, code.args, tuple(each for _, each in code.keywords)))


def _spawn(child: str, code: Body, *, daemon: bool) -> None:
    call = ThreadCall(code, (), daemon=daemon)
    perform(Kind.SPAWN, start_location(child), target=child, code=call, label=call.title)


class Body:
    """The code of a thread: the function that it was given, or the `run` of its own class. `__name__` is for
    reports.

    It keeps what the thread was given: the object is shared, and what it holds under names of its own is no memory that
    programs look at. `thread` is None for one that has no object.
    """

    __slots__ = ("__name__", "args", "is_given", "keywords", "target", "thread")

    def __init__(self, thread: Any, target: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        self.thread = thread
        self.is_given = thread is None or type(thread).run is threading.Thread.run
        self.target, self.args, self.keywords = target, args, tuple(keywords.items())
        self.__name__ = getattr(target, "__name__", "thread") if self.is_given else f"{type(thread).__name__}.run"

    def __call__(self) -> None:
        if self.thread is not None:
            current_run().locals[RUNNING] = self.thread
        try:
            if not self.is_given:
                self.thread.run()
            elif self.target is not None:
                self.target(*self.args, **dict(self.keywords))
        except SystemExit:
            pass  # `sys.exit()` ends the thread, and Python says nothing of it
        note_end(self.thread, get_ident())


def handle_of(thread: Any) -> Thread[None] | None:
    return getattr(thread, HANDLE)  # type: ignore[no-any-return]


def join(self: Any, timeout: float | None = None) -> None:
    """`Thread.join`; with a timeout it looks once, at a moment that the exploration chooses."""
    handle = handle_of(self)
    if handle is None:
        raise RuntimeError("cannot join thread before it is started")
    run = current_run()
    if run.name == handle.name:
        raise RuntimeError("cannot join current thread")
    if timeout is None:
        run.perform(joining(handle.name, line_of_request()))
    else:
        note_wait(timeout, expired=_is_running(handle))


def is_alive(self: Any) -> bool:
    """`threading.Thread.is_alive`: a load of the location of its end."""
    handle = handle_of(self)
    return handle is not None and _is_running(handle)


def _is_running(handle: Thread[None]) -> bool:
    return perform(Kind.LOAD, end_location(handle.name)) is None


def get_ident() -> int:
    """`threading.get_ident`: a number that says which thread it is."""
    thread = thread_here()
    return 1 if thread is None else number_of(thread.name)


def number_of(name: str) -> int:
    """Another number for each thread of an execution."""
    number = 0
    for part in name.split("."):
        number = number * 1000 + (int(part) + 2 if part.isdigit() else 1)
    return number


def current_thread() -> Any:
    """`threading.current_thread`: the object that was started, or one for a thread that the program declares."""
    thread = thread_here()
    if thread is None:
        return threading.main_thread()
    if RUNNING not in thread.locals:
        heap: Any = thread.heap
        is_main = heap.has_main and thread.name == MAIN_THREAD
        title = "MainThread" if is_main else f"thread {thread.name}"
        thread.locals[RUNNING] = (heap.main if is_main else None) or object_for(thread.name, title)
    return thread.locals[RUNNING]


def object_for(name: str, title: str) -> Any:
    """Interpreted: an object that stands for a thread which no object has started."""
    made = object.__new__(threading.Thread)
    initialize(made, name=title)
    object.__setattr__(made, HANDLE, Thread(name))
    return made


def ident(self: Any) -> int | None:
    """`threading.Thread.ident`."""
    handle = handle_of(self)
    return None if handle is None else number_of(handle.name)


def set_daemon(self: Any, daemonic: Any) -> None:
    """`threading.Thread.daemon = daemonic`."""
    if not self._initialized:
        raise RuntimeError("Thread.__init__() not called")
    if handle_of(self) is not None:
        raise RuntimeError("cannot set daemon status of active thread")
    self._daemonic = daemonic


def represent(self: Any) -> str:
    """`repr(thread)`, with the name that a thread has in reports for its number."""
    handle = handle_of(self)
    status = "initial" if handle is None else "started" if _is_running(handle) else "stopped"
    daemon = " daemon" if self._daemonic else ""
    number = "" if handle is None else f" {number_of(handle.name)}"
    return f"<{type(self).__name__}({self._name}, {status}{daemon}{number})>"


_THREAD: Any = vars(threading.Thread)

INSTEAD: dict[Any, Callable[..., Any]] = {
    **dict.fromkeys((_thread.start_new_thread, _thread.start_new), start_new_thread),
    _thread.get_ident: get_ident,
    threading.current_thread: current_thread,
    _THREAD["__init__"]: initialize,
    _THREAD["start"]: start,
    _THREAD["join"]: join,
    _THREAD["is_alive"]: is_alive,
    _THREAD["__repr__"]: represent,
    _THREAD["daemon"].fset: set_daemon,
    **dict.fromkeys((_THREAD["ident"].fget, _THREAD["native_id"].fget), ident),
}
"""Functions of Python, and what is interpreted in their place."""
