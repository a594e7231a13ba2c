"""Processes that do items, and the pool that deals them out: it alone writes files, and says what comes when.

A process that dies takes nothing with it but the item that it was at, which is
incomplete then; another one takes its place. Ctrl-C is passed on to those who are
at something, and what they found is waited for.
"""

from __future__ import annotations

import contextlib
import functools
import io
import signal
import threading
import time
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from types import FrameType

from mcr.exploration.forking import ForkedProcess, Lifeline
from mcr.exploration.verdict import Statistics
from mcr.jobs.task import Answer, Display, Item, Outcome, Running, Task
from replay.errors import CheckerError
from solvers.interface import SolverError


class _Listener(io.TextIOBase):
    """A stream that notes what is written to it."""

    def __init__(self, said: list[tuple[str, str]], name: str) -> None:
        self._said = said
        self._name = name

    def write(self, text: str, /) -> int:
        self._said.append((self._name, text))
        return len(text)

    def writable(self) -> bool:
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return "utf-8"


@contextlib.contextmanager
def listening() -> Iterator[list[tuple[str, str]]]:
    """The texts that are written to standard output ("out") and error ("err") meanwhile, in order."""
    said: list[tuple[str, str]] = []
    with contextlib.redirect_stdout(_Listener(said, "out")), contextlib.redirect_stderr(_Listener(said, "err")):
        yield said


_EVERY = 0.2
"""Seconds between two messages of progress."""


def serve(task: Task[Item, Answer], items: Sequence[Item], line: Connection) -> None:
    """Do the items whose numbers come along the line, until there comes None.

    What is told: Statistics for progress, an Outcome at the end of each item; anything else is news.
    """
    ear = _Ear()
    while (number := line.recv()) is not None:
        line.send(_done(task, items[number], _WorkerLine(line), ear))


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


class _WorkerLine:
    """Tells the other process."""

    def __init__(self, line: Connection) -> None:
        self._line = line
        self._next = time.monotonic() + _EVERY

    def news(self, news: object) -> None:
        self._line.send(news)

    def progress(self, statistics: Statistics) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _EVERY
            self._line.send(statistics)


def _done(task: Task[Item, Answer], item: Item, line: _WorkerLine, ear: _Ear) -> Outcome[Answer]:
    """Does an item, and returns the outcome."""
    outcome = Outcome[Answer]()
    with listening() as said:
        try:
            ear.listen()
            outcome = Outcome(task.do(item, line))
        except (CheckerError, SolverError) as error:
            outcome = Outcome(error=error)
        except KeyboardInterrupt:
            pass
        except Exception:
            outcome = Outcome(crash=traceback.format_exc())
        finally:
            ear.note()
    return outcome._replace(said=tuple(said))


GRACE = 5.0
"""Seconds after Ctrl-C in which those who are at something may tell what they found."""

_LOOK = 0.1
"""Seconds between two looks whether there was Ctrl-C."""


class _Worker(ForkedProcess):
    """One process; `item` is the number of what it is at, None if it waits."""

    item: int | None = None


class Pool(Running[Item, Answer]):
    """Does the items, up to `jobs` at once."""

    def __init__(self, task: Task[Item, Answer], items: Sequence[Item], jobs: int, display: Display) -> None:
        super().__init__(task, items, display)
        self._heard = False
        self._waiting = deque(range(len(items)))
        self._deadline = float("inf")
        self._lifeline = Lifeline()
        self._workers: list[_Worker] = []
        for _ in range(min(jobs, len(self._waiting))):
            self._hire()

    def _wait_for(self, number: int) -> None:
        with self._interrupts_noted():
            while number not in self._done and not self._is_lost(number):
                self._turn()

    def skip(self, count: int) -> None:
        super().skip(count)
        self._waiting = deque(number for number in self._waiting if number not in self._forgotten)

    def interrupt(self) -> None:
        if not self.interrupted:  # once more would end everybody at once
            self._end_soon(GRACE)

    def _end_soon(self, seconds: float) -> None:
        """Let everybody come to an end; those who have not when the time is up are killed."""
        self._deadline = time.monotonic() + seconds
        self.interrupted = True
        self._waiting.clear()
        for worker in self._workers:
            if worker.item is not None:
                worker.interrupt()

    def close(self) -> None:
        """End everybody."""
        for worker in self._workers:
            if worker.item is not None:
                worker.kill()
            else:
                worker.send(None)
        for worker in self._workers:
            worker.how_it_ended()
        self._lifeline.close()

    # -- dealing out -----------------------------------------------------------

    def _turn(self) -> None:
        """Give everybody something to do, and hear what they have to tell."""
        if self._heard:
            self._heard = False
            self._end_soon(0 if self.interrupted else GRACE)
        for worker in self._workers:
            if worker.item is None and self._waiting:
                worker.item = self._waiting.popleft()
                self._shown.began(str(self._items[worker.item]))
                worker.send(worker.item)
        ready = wait([worker.line for worker in self._workers], _LOOK)
        for worker in [worker for worker in self._workers if worker.line in ready]:
            self._hear(worker)
        if time.monotonic() > self._deadline:
            for worker in self._workers:
                worker.kill()
            self._deadline = float("inf")

    def _hear(self, worker: _Worker) -> None:
        try:
            told = worker.line.recv()
        except (EOFError, OSError):
            self._bury(worker)
            return
        number = worker.item
        assert number is not None
        if isinstance(told, Outcome):
            worker.item = None
            self._end(number, told)
        elif isinstance(told, Statistics):
            self._shown.update(str(self._items[number]), told)
        elif number not in self._forgotten:
            self._task.hear(self._items[number], told)

    def _bury(self, worker: _Worker) -> None:
        """A worker is dead: tell of what it was at, and let another one take its place."""
        how, number = worker.how_it_ended(), worker.item
        self._workers.remove(worker)
        if number is not None:
            self._end(number, self._died(number, how))
        if self._waiting:
            self._hire()

    def _is_lost(self, number: int) -> bool:
        """Returns whether an item will never be done, since Ctrl-C came first."""
        return self.interrupted and all(worker.item != number for worker in self._workers)

    def _hire(self) -> None:
        self._workers.append(_Worker(self._lifeline, functools.partial(serve, self._task, self._items)))

    @contextmanager
    def _interrupts_noted(self) -> Iterator[None]:
        """Let Ctrl-C be noted, so that it comes between two messages and not into one."""
        handler = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or handler is not signal.default_int_handler:
            yield
            return

        def note(_signal: int, _frame: FrameType | None) -> None:
            self._heard = True

        signal.signal(signal.SIGINT, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, handler)
