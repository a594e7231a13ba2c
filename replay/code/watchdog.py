"""Stops user code that loops without touching shared memory.

A deadline checked at every operation cannot see such a loop. So a background
thread looks now and then whether user code has been running for too long
between two operations, and if so raises an exception inside it. Native code
lets no other thread run: in the main thread a timer's signal looks as well,
unless somebody else, such as a test runner, uses that signal.
"""

from __future__ import annotations

import ctypes
import os
import signal
import threading
import time
import weakref
from collections.abc import Callable, Hashable, Iterator, MutableMapping
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from greenlet import getcurrent

from replay.interpreter.exceptions import HostStop
from replay.interpreter.execution import resume_outer, running_execution

PATIENCE = 5.0
"""Seconds of the processor that user code may take between two operations."""

_STILLNESS = 12 * PATIENCE
"""Seconds on the clock: code may also sleep. On a busy machine the clock alone would accuse the innocent."""


class LocalLoopError(HostStop):
    """Raised inside user code that does not come back.

    No `except` of that code can hold it up: Python makes the exception where
    it is about to be handled, and the code is stopped by force at that point.
    """

    def __init__(self) -> None:
        super().__init__(f"thread code ran for {PATIENCE:g} s without touching shared memory")
        give_up = getattr(getcurrent(), "give_up", None)
        if give_up is not None:
            give_up(str(self))


class Watch:
    """One thread of the operating system in which user code runs.

    entries       how often user code began or went on
    depth         how many pieces of user code run, one inside the other
    explorations  how many of them go on in it, one inside the other
    begun         how many began in it so far, those inside others not counted
    found         what was looked for since the latest of these began, by who looks for it
    files         how many files it has run, each of which may give names to more objects
    late          an error that was found where it could not be raised; whoever runs user code next raises it
    check         raises something if whoever runs the code has come to a limit
    """

    def __init__(self) -> None:
        self.explorations = 0
        self.begun = 0
        self.files = 0
        self.found: dict[Hashable, Any] = {}
        self.late: BaseException | None = None
        self.check: Callable[[], None] = lambda: None
        self.entries = 0
        self.depth = 0
        self.ident = threading.get_ident()
        self._clock: int | None = None  # where a thread has no clock of its own, that of all threads has to do
        with suppress(AttributeError, OSError):
            self._clock = time.pthread_getcpuclockid(self.ident)

    def enter(self) -> int:
        """User code starts running; returns what `depth` is to be when it has come back."""
        self.entries += 1
        outer = self.depth
        self.depth = outer + 1
        return outer

    def advance(self) -> None:
        """User code came to its next operation, and goes on."""
        self.entries += 1

    def rest(self) -> None:
        """The user code that runs now may take its time, until it asks for something or ends."""
        self.depth = 0

    @contextmanager
    def at_rest(self) -> Iterator[None]:
        """In the block, user code has called the checker's own work, which takes as long as it takes."""
        outer, self.depth = self.depth, 0
        try:
            yield
        finally:
            self.advance()
            self.depth = outer

    def begin(self) -> None:
        """Forget what an earlier exploration left behind."""
        self.begun += 1
        self.found.clear()
        self.late = None

    def raise_late(self) -> None:
        """Raise the error that could not be raised before, if there is one."""
        if self.late is not None:
            error, self.late = self.late, None
            raise error

    def is_over(self) -> bool:
        """Returns whether the exploration that runs the code has come to a limit."""
        try:
            self.check()
        except BaseException:
            return True
        return False

    def busy(self) -> float:
        """Seconds of the processor that the thread has taken."""
        try:
            return time.process_time() if self._clock is None else time.clock_gettime(self._clock)
        except OSError:  # the thread has ended
            return 0.0


class _Seen(NamedTuple):
    """How far a thread had come when it was seen to make progress for the last time."""

    entries: int
    busy: float
    since: float

    @classmethod
    def now(cls, watch: Watch) -> _Seen:
        return cls(watch.entries, watch.busy(), time.monotonic())

    def is_too_long_ago(self, watch: Watch) -> bool:
        return watch.busy() - self.busy > PATIENCE or time.monotonic() - self.since > _STILLNESS


def _is_late(watch: Watch, seen: MutableMapping[Watch, _Seen]) -> bool:
    """Returns True if user code has made no progress for too long; `seen` is kept up to date."""
    last = seen.get(watch)
    if last is None or watch.depth == 0 or watch.entries != last.entries:
        seen[watch] = _Seen.now(watch)
        return False
    return last.is_too_long_ago(watch) or watch.is_over()


class _Watchdog:
    """Watches all threads that run user code."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._local = threading.local()
        self._watches: list[weakref.ref[Watch]] = []
        self._started = False

    def watch(self) -> Watch:
        """The watch of the thread that asks."""
        try:
            found: Watch = self._local.watch
        except AttributeError:
            found = self._local.watch = Watch()
            with self._lock:
                self._watches = [ref for ref in self._watches if ref() is not None] + [weakref.ref(found)]
        if not self._started:
            self._started = True
            threading.Thread(target=self._run, name="mcr-watchdog", daemon=True).start()
        return found

    def watches(self) -> list[Watch]:
        """Returns the watches of all threads that ever ran user code, and have not ended."""
        return [watch for ref in self._watches if (watch := ref()) is not None]

    def forget(self) -> None:
        """After a fork: nobody watches in the child, and of its threads there is only one left."""
        self._lock = threading.Lock()
        self._started = False

    def _run(self) -> None:
        seen: weakref.WeakKeyDictionary[Watch, _Seen] = weakref.WeakKeyDictionary()
        while True:
            time.sleep(PATIENCE / 10)
            for watch in self.watches():
                entries = watch.entries
                if _is_late(watch, seen):
                    _shoot(watch, entries)
                    seen[watch] = _Seen.now(watch)


def _shoot(watch: Watch, entries: int) -> None:
    """Raise LocalLoopError in a thread, unless its user code has come back meanwhile.

    Python lets no other thread run between the question and the call, as what is called is made before.
    """
    ident, error = ctypes.c_ulong(watch.ident), ctypes.py_object(LocalLoopError)
    shoot = ctypes.pythonapi.PyThreadState_SetAsyncExc
    if watch.depth and watch.entries == entries:
        shoot(ident, error)


@contextmanager
def no_thread() -> Iterator[None]:
    """In the block, what runs is no code of a thread, though thread code has been interrupted for it."""
    execution = running_execution()
    resume_outer(None)
    try:
        yield
    finally:
        resume_outer(execution)


_WATCHDOG = _Watchdog()
own_watch = _WATCHDOG.watch

_seen_by_alarm: weakref.WeakKeyDictionary[Watch, _Seen] = weakref.WeakKeyDictionary()


def _ring(_signal: int, _frame: object) -> None:
    """Raise LocalLoopError in the main thread if its user code has made no progress for too long."""
    watch = own_watch()
    with no_thread():
        is_late = _is_late(watch, _seen_by_alarm)
    if is_late:
        _seen_by_alarm[watch] = _Seen.now(watch)
        raise LocalLoopError


@contextmanager
def alarmed() -> Iterator[None]:
    """In the block, native code that user code of the main thread has called is watched, too."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "setitimer") or signal.getsignal(signal.SIGALRM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGALRM, _ring)
    _set_timer(PATIENCE / 10)
    try:
        yield
    finally:
        _set_timer(0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def _set_timer(seconds: float) -> None:
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)


def _after_fork() -> None:
    """The child has no timers of its parent, and no threads but one."""
    _WATCHDOG.forget()
    if hasattr(signal, "setitimer") and signal.getsignal(signal.SIGALRM) is _ring:
        _set_timer(PATIENCE / 10)


@contextmanager
def checked(check: Callable[[], None]) -> Iterator[None]:
    """User code of this thread is stopped, as if it looped, when `check` raises something."""
    watch = own_watch()
    outer, watch.check = watch.check, check
    try:
        yield
    finally:
        watch.check = outer


all_watches = _WATCHDOG.watches
os.register_at_fork(after_in_child=_after_fork)
