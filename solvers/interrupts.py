"""How to stop a solver that is at work.

Ctrl-C while PySAT solves waits until the solver returns, which has to be soon (`solvers.sat`).

PySAT's own answer is a jump out of the solver, from wherever that is: the heap
is then as likely as not in pieces, and the process crashes or hangs later on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from solvers.interface import Check

_EVERY = 0.1
"""Seconds between two checks of a solver that calls nobody back."""


@contextmanager
def pysat_leaves_signals_alone() -> Iterator[None]:
    """PySAT does not handle Ctrl-C; Python does, as soon as the solver has returned.

    Only in the main thread: PySAT handles no signals in others, and what is replaced here is the same for all.
    """
    import pysat.solvers

    asked = pysat.solvers.MainThread
    if not asked.check():
        yield
        return
    pysat.solvers.MainThread = _NotTheMainThread
    try:
        yield
    finally:
        pysat.solvers.MainThread = asked


class _NotTheMainThread:
    """What PySAT asks whether it may handle signals."""

    @staticmethod
    def check() -> bool:
        return False


@contextmanager
def watched(check: Check, interrupt: Callable[[], None]) -> Iterator[None]:
    """For solvers that call nobody back: another thread calls `check` meanwhile.

    When that raises something, `interrupt` is to make the solver return; it is raised here then.
    """
    check()
    raised: list[BaseException] = []
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_EVERY):
            try:
                check()
            except BaseException as error:
                raised[:] = [error]
                interrupt()

    watcher = threading.Thread(target=watch, name="mcr-solver-watch", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
    if raised:
        raise raised[0]
