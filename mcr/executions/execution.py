"""One maximal execution, as the objectives compare them: ends, reads-from, coherence."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from replay.code.terminals import Ended
from replay.machine.state import LocationId, State
from replay.world.operation import Kind

Place = tuple[int, int]
"""(thread, depth) of an operation; of the end of a thread, how many operations it has."""

Thread = TypeVar("Thread", bound=Hashable)


@dataclass(frozen=True)
class Execution:
    """What a maximal execution did; the final function is left out.

    ends       last state of each thread that the unfolding knew then, by thread
    sources    rf: for each operation that reads memory its writer, None for the initial value
    coherence  co: per location the writers in the order in which they reached memory
    """

    ends: tuple[State, ...]
    sources: dict[Place, Place | None]
    coherence: dict[LocationId, list[Place]]

    @cached_property
    def behaviour(self) -> list[int]:
        """Where the threads ended, which says all that they read.

        Threads that did not start are left out: whether they were known at all depends on what was explored before.
        """
        ends = [end.number for end in self.ends if has_started(end)]
        return [len(ends), *ends]

    @property
    def is_complete(self) -> bool:
        """Whether every thread that was started ended."""
        return all(isinstance(end.terminal, Ended) or not has_started(end) for end in self.ends)


def has_started(end: State) -> bool:
    """Whether a thread with this last state exists in the execution."""
    return bool(end.entries) or end.operation is None or end.operation.kind is not Kind.START


def history(
    sources: Mapping[tuple[Thread, int], tuple[Thread, int] | None], thread: Thread, count: int
) -> dict[Thread, int]:
    """What the first operations of a thread depend on, through po and rf: how many operations of each thread."""
    counts: dict[Thread, int] = {}
    todo = [(thread, count)]
    while todo:
        thread, count = todo.pop()
        known = counts.get(thread, 0)
        for depth in range(known, count):
            source = sources.get((thread, depth))
            if source is not None:
                todo.append((source[0], source[1] + 1))
        counts[thread] = max(count, known)
    return counts
