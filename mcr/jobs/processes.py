"""Several items at once, in processes of this machine.

Processes are forked when there is more than one item, and have all that this one has: programs that were imported need
not be found again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from mcr.jobs.display import Display
from mcr.jobs.serial import InTurn
from mcr.jobs.task import Answer, Item, Running, Task


class Processes:
    """Up to `jobs` processes, if there are items enough."""

    def __init__(self, jobs: int, display: Display) -> None:
        self.jobs = jobs
        self._display = display

    @contextmanager
    def start(self, task: Task[Item, Answer], items: Sequence[Item]) -> Iterator[Running[Answer]]:
        """Begin with the items; what runs when the block ends is ended."""
        if len(items) <= 1:  # the only one needs no other process
            yield InTurn(task, items, self._display)
            return
        from mcr.jobs.pool import Pool  # late, as many commands have but one thing to do

        pool = Pool(task, items, self.jobs, self._display)
        try:
            yield pool
        finally:
            pool.close()
