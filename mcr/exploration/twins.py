"""Processes that are doubles of this one (fork): they have all that it has, and die with it.

What they are told and tell is pickled: both sides are one program. Ctrl-C in a
terminal is for the process that made them, which passes on what it wants to.
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


class Twin:
    """One of them, as the process that made it knows it; `line` leads to it."""

    def __init__(self, process: Any, line: Connection) -> None:
        self.process = process
        self.line = line

    def send(self, message: object) -> None:
        """Tell it something; if it is dead, the next look at its line tells."""
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


class Twins:
    """Makes them."""

    def __init__(self) -> None:
        self._lifeline = os.pipe()
        self._context = multiprocessing.get_context("fork")

    def make(self, serve: Callable[[Connection], None]) -> Twin:
        """One that serves whoever has the other end of its line, and ends when it has done so."""
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=self._live, args=(serve, ours, theirs), daemon=True)
        process.start()
        theirs.close()
        return Twin(process, ours)

    def close(self) -> None:
        """None are made any more. Those that live go on until they are done or killed, or this process ends."""
        for end in self._lifeline:
            os.close(end)

    def _live(self, serve: Callable[[Connection], None], ours: Connection, theirs: Connection) -> None:
        ours.close()
        os.close(self._lifeline[1])
        with contextlib.suppress(OSError):
            os.setpgid(0, 0)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        gc.freeze()  # what is shared with the other process stays so: to collect it would copy it
        threading.Thread(target=self._die_with_the_other, name="mcr-lifeline", daemon=True).start()
        with contextlib.suppress(EOFError, OSError):
            serve(theirs)
        os._exit(0)  # what the other process has open is its own to flush

    def _die_with_the_other(self) -> None:
        os.read(self._lifeline[0], 1)  # nobody writes: it ends when all that could are gone
        os._exit(2)
