"""Runs tasks on this machine: one item after the other in this process, or several at once in processes beside it.

Processes are forked when there is more than one item, and have all that this one has: programs that were imported need
not be found again.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from mcr.exploration.verdict import Statistics
from mcr.jobs.task import Answer, Display, Item, Outcome, Running, Task
from replay.errors import CheckerError

CAN_FORK = hasattr(os, "fork") and sys.platform != "darwin"
"""Whether a process can be doubled safely: Apple's libraries do not survive it."""

_BESIDE_OTHERS = "PYTEST_XDIST_WORKER"
"""What pytest-xdist tells its workers: there is one of them for each core already."""


class InTurn(Running[Item, Answer]):
    """Items that are done when it is asked what came of them; who does them tells those who are in this process."""

    def __init__(self, task: Task[Item, Answer], items: Sequence[Item], display: type[Display]) -> None:
        super().__init__(task, items, display(0))
        self._display = display

    def _wait_for(self, number: int) -> None:
        if not self.interrupted:
            with self._display(1) as self._shown:
                self._done[number] = Outcome(self._task.do(self._items[number], self))

    def interrupt(self) -> None:
        self.interrupted = True

    def news(self, news: object) -> None:
        self._task.hear(self._items[self._next - 1], news)

    def progress(self, statistics: Statistics) -> None:
        self._shown.update(str(self._items[self._next - 1]), statistics)


def default_jobs() -> int:
    """The cores that this process may use; 1 where others use them already, and where processes cannot be doubled."""
    if not CAN_FORK or _BESIDE_OTHERS in os.environ:
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Executor:
    """Does up to `jobs` items at once; None for as many as this process may use cores.

    Raises CheckerError for more than one where processes cannot be doubled.
    """

    def __init__(self, jobs: int | None, display: type[Display] = Display) -> None:
        self.jobs = default_jobs() if jobs is None else jobs
        if self.jobs > 1 and not CAN_FORK:
            raise CheckerError(f"--jobs {jobs}: this system does not let a process be doubled safely; leave it out")
        self._display = display

    @contextmanager
    def start(self, task: Task[Item, Answer], items: Sequence[Item]) -> Iterator[Running[Item, Answer]]:
        """Begin with the items; what runs when the block ends is ended."""
        if self.jobs == 1 or len(items) <= 1:  # the only one needs no other process
            yield InTurn(task, items, self._display)
            return
        from mcr.jobs.pool import Pool  # late, as many commands have but one thing to do

        task.prepare()
        with self._display(len(items)) as display:
            pool = Pool(task, items, self.jobs, display)
            try:
                yield pool
            finally:
                pool.close()


def answers(task: Task[Item, Answer], items: Sequence[Item], executor: Executor) -> Iterator[Answer | None]:
    """Yields the answers for the items, in their order; None for those that were not done before Ctrl-C.

    Raises the first CheckerError; after Ctrl-C, KeyboardInterrupt at the end.
    """
    with executor.start(task, items) as running:
        for _ in items:
            yield running.take()
        if running.interrupted:
            raise KeyboardInterrupt
