"""One maximal execution, as the objectives compare them: ends, reads-from, coherence."""

from __future__ import annotations

from dataclasses import dataclass

from replay.code.thread_run import Ended
from replay.machine.state import LocationId, State
from replay.world.operation import Kind

Place = tuple[int, int]
"""(thread, depth) of an operation."""


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

    @property
    def is_complete(self) -> bool:
        """Whether every thread that was started ended."""
        return all(isinstance(end.terminal, Ended) or not has_started(end) for end in self.ends)


def has_started(end: State) -> bool:
    """Whether a thread with this last state exists in the execution."""
    return end.parent is not None or end.operation is None or end.operation.kind is not Kind.START
