"""Processes that are forked from this one: they have all that it has, and die with it.

What they are sent and send is pickled: both sides are one program. Ctrl-C in a terminal is for the process that made
them, which passes on what it wants to.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

_FORK = multiprocessing.get_context("fork")


class Lifeline:
    """A pipe that ties processes together: each process that holds it ends when the process that made it does."""

    def __init__(self) -> None:
        self._ends = os.pipe()

    def hold(self) -> None:
        """To be called in a forked process."""
        os.close(self._ends[1])
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        gc.freeze()  # what is shared with the other process stays so: to collect it would copy it
        threading.Thread(target=self._wait, name="mcr-lifeline", daemon=True).start()

    def close(self) -> None:
        """Close both ends, when no process holds it any more."""
        for end in self._ends:
            os.close(end)

    def _wait(self) -> None:
        os.read(self._ends[0], 1)  # nobody writes: it ends when all that could are gone
        os._exit(2)


class ForkedProcess:
    """A process that serves whoever has the other end of its line, and ends when it has done so."""

    def __init__(self, lifeline: Lifeline, serve: Callable[[Connection], None]) -> None:
        self.line, theirs = _FORK.Pipe()
        self.process: Any = _FORK.Process(target=_live, args=(lifeline, serve, self.line, theirs), daemon=True)
        self.process.start()
        theirs.close()

    def send(self, message: object) -> None:
        """Send it something; if it is dead, the next look at its line tells."""
        with contextlib.suppress(OSError):
            self.line.send(message)

    def interrupt(self) -> None:
        """Pass Ctrl-C on."""
        os.kill(self.process.pid, signal.SIGINT)

    def kill(self) -> None:
        self.process.kill()

    def how_it_ended(self) -> str:
        """In the words of whoever asks why something is not complete; waits until it has."""
        self.process.join()
        self.line.close()
        status = self.process.exitcode
        if status is not None and status < 0:
            return f"its process was killed ({signal.Signals(-status).name})"
        return f"its process ended with status {status}"


def _live(lifeline: Lifeline, serve: Callable[[Connection], None], ours: Connection, theirs: Connection) -> None:
    ours.close()
    lifeline.hold()
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)
    with contextlib.suppress(EOFError, OSError):
        serve(theirs)
    os._exit(0)  # what the other process has open is its own to flush
