"""The process that does items for another one."""

from __future__ import annotations

import signal
import time
import traceback
from collections.abc import Sequence
from multiprocessing.connection import Connection
from types import FrameType

from mcr.exploration.verdict import Statistics
from mcr.jobs.said import listening
from mcr.jobs.task import Answer, Item, Outcome, Task
from replay.errors import CheckerError
from solvers.errors import SolverError

NEWS, PROGRESS, DONE = "news", "progress", "done"
"""What a worker's message is: (NEWS, something), (PROGRESS, Statistics), (DONE, Outcome)."""

_EVERY = 0.2
"""Seconds between two messages of progress."""


def serve(task: Task[Item, Answer], items: Sequence[Item], line: Connection) -> None:
    """Do the items whose numbers come along the line, until there comes None."""
    ear = _Ear()
    while (number := line.recv()) is not None:
        line.send((DONE, _done(task, items[number], _Line(line), ear)))


class _Ear:
    """Hears Ctrl-C: while an item is done it ends that; else it is noted, and the next item is not begun."""

    def __init__(self) -> None:
        self._heard = False
        self.note()

    def note(self) -> None:
        """From now on, only note it."""
        signal.signal(signal.SIGINT, self._note)

    def listen(self) -> None:
        """From now on, it is KeyboardInterrupt; raised at once if it was noted."""
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if self._heard:
            raise KeyboardInterrupt

    def _note(self, _signal: int, _frame: FrameType | None) -> None:
        self._heard = True


class _Line:
    """Tells the other process."""

    def __init__(self, line: Connection) -> None:
        self._line = line
        self._next = time.monotonic() + _EVERY

    def news(self, news: object) -> None:
        self._line.send((NEWS, news))

    def progress(self, statistics: Statistics) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _EVERY
            self._line.send((PROGRESS, statistics))


def _done(task: Task[Item, Answer], item: Item, line: _Line, ear: _Ear) -> Outcome[Answer]:
    """What comes of an item."""
    with listening() as said:
        try:
            ear.listen()
            outcome = Outcome(task.do(item, line))
        except (CheckerError, SolverError) as error:
            outcome = Outcome(error=error)
        except KeyboardInterrupt:
            outcome = Outcome()
        except Exception:
            outcome = Outcome(crash=traceback.format_exc())
        finally:
            ear.note()
    return Outcome(outcome.answer, outcome.error, tuple(said), outcome.crash)
