"""Stops user code that loops without touching shared memory.

A deadline checked at every operation cannot see such a loop. In the main thread a timer's signal looks now and then
whether user code has been running for too long between two operations, and if so raises an exception inside it, also
while native code runs. Interpreted code looks itself, too, at jumps backwards and calls. So in other threads, which
hear no signals, only a program function that loops, or native code, is not stopped: to trace them crashes CPython 3.12.
"""

from __future__ import annotations

import os
import signal
import threading
import time
import weakref
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from replay.interpreter.exceptions import HostStop
from replay.interpreter.execution import resume_outer, running_execution

PATIENCE = 5.0
"""Seconds of the processor that user code may take between two operations."""

_STILLNESS = 12 * PATIENCE
"""Seconds on the clock: code may also sleep. On a busy machine the clock alone would accuse the innocent."""


class LocalLoopError(HostStop):
    """Raised inside user code that does not come back. No `except` of that code can hold it up: the code is stopped by
    force."""

    def __init__(self) -> None:
        super().__init__(f"thread code ran for {PATIENCE:g} s without touching shared memory")
        code = own_watch().code
        if code is not None and running_execution() is None:
            code.give_up(str(self))


class Interrupted(HostStop, KeyboardInterrupt):
    """Ctrl-C while the interpreter runs: no code of the user can catch it."""


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
    code          the innermost `UserCode` that CPython runs in it, None if it runs none
    next_look     when `look` has something to do again
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
        self.code: Any = None
        self.next_look = 0.0
        self._seen = _Seen.of(self)

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
        except KeyboardInterrupt:
            raise
        except BaseException:
            return True
        return False

    def is_late(self) -> bool:
        """Returns True if user code has made no progress for too long since this was asked for the first time."""
        if self.depth == 0 or self.entries != self._seen.entries:
            self._seen = _Seen.of(self)
            return False
        if self._seen.is_too_long_ago() or self.is_over():
            self._seen = _Seen.of(self)
            return True
        return False


class _Seen(NamedTuple):
    """How far a thread had come when it was seen to make progress for the last time."""

    entries: int
    busy: float
    since: float

    @classmethod
    def of(cls, watch: Watch) -> _Seen:
        return cls(watch.entries, time.thread_time(), time.monotonic())

    def is_too_long_ago(self) -> bool:
        return time.thread_time() - self.busy > PATIENCE or time.monotonic() - self.since > _STILLNESS


class _Watches(threading.local):
    """The watch of this thread of the operating system."""

    def __init__(self) -> None:
        self.own = Watch()
        _all.append(weakref.ref(self.own, _all.remove))


_all: list[weakref.ref[Watch]] = []
_watches = _Watches()


def own_watch() -> Watch:
    """The watch of the thread that asks."""
    return _watches.own


def all_watches() -> list[Watch]:
    """Returns the watches of all threads that ever ran user code, and have not ended."""
    return [watch for reference in _all if (watch := reference()) is not None]


def look() -> None:
    """Raise LocalLoopError if user code of this thread has made no progress for too long; a question asked often."""
    watch = own_watch()
    now = time.monotonic()
    if now >= watch.next_look:
        watch.next_look = now + PATIENCE / 10
        _look(watch)


def _look(watch: Watch) -> None:
    try:
        with no_thread():
            is_late = watch.is_late()
    except KeyboardInterrupt:
        raise Interrupted from None
    if is_late:
        raise LocalLoopError


@contextmanager
def no_thread() -> Iterator[None]:
    """In the block, what runs is no code of a thread, though thread code has been interrupted for it."""
    execution = running_execution()
    resume_outer(None)
    try:
        yield
    finally:
        resume_outer(execution)


_TIMERS = [
    (getattr(signal, name), getattr(signal, timer))
    for name, timer in (("SIGALRM", "ITIMER_REAL"), ("SIGVTALRM", "ITIMER_VIRTUAL"))
    if hasattr(signal, timer)
]


def _ring(_signal: int, _frame: object) -> None:
    """Stop user code of the main thread that has made no progress for too long, or goes on though it was stopped."""
    watch = own_watch()
    if watch.code is not None and watch.code.stop is not None:
        watch.code.stop_by_force(watch.code.stop)
    _look(watch)


@contextmanager
def alarmed() -> Iterator[None]:
    """In the block, code that user code of the main thread has called is watched, native code, too."""
    is_main = threading.current_thread() is threading.main_thread()
    free = (each for each in _TIMERS if signal.getsignal(each[0]) is signal.SIG_DFL)
    number, timer = next(free, (None, None)) if is_main else (None, None)
    if number is None or timer is None:
        yield
        return
    signal.signal(number, _ring)
    _set_timer(timer)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(number, signal.SIG_DFL)


def _set_timer(timer: int) -> None:
    signal.setitimer(timer, PATIENCE / 10, PATIENCE / 10)


def _after_fork() -> None:
    """The child has no timers of its parent."""
    for number, timer in _TIMERS:
        if signal.getsignal(number) is _ring:
            _set_timer(timer)


@contextmanager
def checked(check: Callable[[], None]) -> Iterator[None]:
    """User code of this thread is stopped, as if it looped, when `check` raises something."""
    watch = own_watch()
    outer, watch.check = watch.check, check
    try:
        yield
    finally:
        watch.check = outer


os.register_at_fork(after_in_child=_after_fork)
