"""Who runs tasks: a command asks for an executor, and does not know which one it got."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from mcr.jobs.cores import CAN_FORK, default_jobs
from mcr.jobs.display import Display
from mcr.jobs.serial import Serial
from mcr.jobs.task import Answer, Item, Running, Task
from replay.errors import CheckerError


class Executor(Protocol):
    """Runs tasks, on whatever it has."""

    @property
    def jobs(self) -> int:
        """How many it can do at once."""

    def start(self, task: Task[Item, Answer], items: Sequence[Item]) -> AbstractContextManager[Running[Answer]]:
        """Begin with the items; what runs when the block ends is ended."""


def executor(jobs: int | None, display: Display) -> Executor:
    """One that does so many items at once; None for as many as this process may use cores.

    Raises CheckerError for more than one where processes cannot be doubled.
    """
    if jobs is None:
        jobs = default_jobs()
    if jobs == 1:
        return Serial(display)
    if not CAN_FORK:
        raise CheckerError(f"--jobs {jobs}: this system does not let a process be doubled safely; leave it out")
    from mcr.jobs.processes import Processes

    return Processes(jobs, display)
