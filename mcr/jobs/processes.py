"""Several items at once, in processes of this machine.

A process is doubled when there is enough to do, and its twins have all that it
has: programs that were imported need not be found again. Before that, items
are attempted here, for a moment; so what takes no longer is done as if there
were no jobs.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic

from mcr.exploration.verdict import Statistics
from mcr.jobs.display import Display
from mcr.jobs.errand import Answer, Errand, Item, Outcome
from mcr.jobs.said import listening
from mcr.jobs.serial import Here
from replay.errors import CheckerError
from solvers.errors import SolverError

if TYPE_CHECKING:
    from mcr.jobs.pool import Pool

MOMENT = 0.1
"""Seconds that items are attempted before there are processes: to make them takes some hundredths of a second."""


class Processes:
    """Up to `jobs` processes, if there are items enough."""

    def __init__(self, jobs: int, display: Display) -> None:
        self.jobs = jobs
        self._display = display

    @contextmanager
    def start(self, errand: Errand[Item, Answer], items: Sequence[Item]) -> Iterator[AtOnce[Item, Answer]]:
        """Begin with the items; what runs when the block ends is ended."""
        running = AtOnce(errand, items, self.jobs, self._display)
        try:
            yield running
        finally:
            running.close()


class AtOnce(Generic[Item, Answer]):
    """Items that are attempted here, and after a moment done in processes beside this one."""

    def __init__(self, errand: Errand[Item, Answer], items: Sequence[Item], jobs: int, display: Display) -> None:
        self._errand = errand
        self._items = items
        self._jobs = jobs
        self._display = display
        self._next = 0
        self._moment = MOMENT
        self._pool: Pool[Item, Answer] | None = None
        self._interrupted = False

    @property
    def interrupted(self) -> bool:
        return self._interrupted or (self._pool is not None and self._pool.interrupted)

    def take(self) -> Answer | None:
        number = self._next
        self._next += 1
        if self._pool is None:
            if self._interrupted:
                return None
            if number == len(self._items) - 1:
                return self._do(self._items[number])
            outcome = self._attempt(self._items[number])
            if outcome is not None:
                return outcome.given()
            self._pool = self._new_pool(number)
        return self._pool.outcome(number).given()

    def skip(self, count: int) -> None:
        if self._pool is not None:
            self._pool.forget(range(self._next, self._next + count))
        self._next += count

    def interrupt(self) -> None:
        self._interrupted = True
        if self._pool is not None and not self._pool.interrupted:  # once more would end everybody at once
            self._pool.interrupt()

    def close(self) -> None:
        """End what still runs."""
        if self._pool is not None:
            self._pool.close()

    def _do(self, item: Item) -> Answer:
        """The only one that is left needs no other process."""
        with self._display.one(self._errand.title(item)) as bar:
            return self._errand.do(item, Here(self._errand, item, bar))

    def _attempt(self, item: Item) -> Outcome[Answer] | None:
        if self._moment <= 0:
            return None
        held, error, answer, started = _Held(), None, None, time.monotonic()
        with listening() as said:
            try:
                answer = self._errand.attempt(item, held, self._moment)
            except (CheckerError, SolverError) as raised:
                error = raised
        self._moment -= time.monotonic() - started
        if answer is None and error is None:
            return None
        for news in held.told:
            self._errand.hear(item, news)
        return Outcome(answer, error, tuple(said))

    def _new_pool(self, first: int) -> Pool[Item, Answer]:
        from mcr.jobs.pool import Pool  # late, as most commands are done in a moment

        return Pool(self._errand, self._items, range(first, len(self._items)), self._jobs, self._display)


class _Held:
    """News of an attempt, which may be in vain."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def news(self, news: object) -> None:
        self.told.append(news)

    def progress(self, statistics: Statistics) -> None:
        """It takes a moment at most."""
