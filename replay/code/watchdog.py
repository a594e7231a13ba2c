"""Stops thread code that loops without touching shared memory.

A deadline checked at every operation cannot see such a loop, and a timer
signal would collide with test runners that use one. So a background thread
looks now and then whether user code has been running for too long between
two operations, and if so raises an exception inside it.
"""

from __future__ import annotations

import ctypes
import threading
import time

PATIENCE = 5.0
"""Seconds of the processor that thread code may take between two operations."""

_STILLNESS = 12 * PATIENCE
"""Seconds on the clock: code may also sleep. On a busy machine the clock alone would accuse the innocent."""


class LocalLoopError(BaseException):
    """Raised inside thread code that does not come back; a BaseException so that models do not catch it."""

    def __init__(self) -> None:
        super().__init__(f"thread code ran for {PATIENCE:g} s without touching shared memory")


class Watchdog:
    """Watches the thread that called `enter` last; `enter` and `leave` must nest properly."""

    def __init__(self) -> None:
        self._entries = 0
        self._depth = 0
        self._watched = 0
        self._started = False

    def enter(self) -> None:
        """User code starts running."""
        self._entries += 1
        self._depth += 1
        if not self._started:
            self._start()

    def advance(self) -> None:
        """User code came to its next operation, and goes on."""
        self._entries += 1

    def leave(self) -> None:
        """User code came back."""
        self._depth -= 1

    def _start(self) -> None:
        self._started = True
        self._watched = threading.get_ident()
        threading.Thread(target=self._watch, name="mcr-watchdog", daemon=True).start()

    def _watch(self) -> None:
        seen, busy, since = -1, 0.0, 0.0
        while True:
            time.sleep(PATIENCE / 10)
            if self._depth == 0 or self._entries != seen:
                seen, busy, since = self._entries, time.process_time(), time.monotonic()
            elif time.process_time() - busy > PATIENCE or time.monotonic() - since > _STILLNESS:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(self._watched), ctypes.py_object(LocalLoopError)
                )
                busy, since = time.process_time(), time.monotonic()


WATCHDOG = Watchdog()
