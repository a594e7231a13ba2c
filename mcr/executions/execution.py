"""One maximal execution, as the objectives compare them: ends, reads-from, coherence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from replay.code.thread_run import Ended
from replay.machine.machine import Choice, Machine
from replay.machine.state import NOTHING, State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel
from replay.world.operation import SCHEDULING, Kind

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
    coherence: dict[int, list[Place]]

    @property
    def is_complete(self) -> bool:
        """Whether every thread that was started ended."""
        return all(isinstance(end.terminal, Ended) or not has_started(end) for end in self.ends)


def has_started(end: State) -> bool:
    """Whether a thread with this last state exists in the execution."""
    return end.parent is not None or end.operation is None or end.operation.kind is not Kind.START


def observe(unfolding: Unfolding, model: MemoryModel, choices: Sequence[Choice]) -> Execution:
    """The execution of a schedule on the machine."""
    machine = Machine(unfolding, model)
    final = unfolding.final.index if unfolding.final else NOTHING
    sources: dict[Place, Place | None] = {}
    coherence: dict[int, list[Place]] = {}
    for thread, commit, chosen in choices:
        if thread == final:
            break
        if commit != NOTHING:
            store = machine.commit(thread, commit)
            coherence.setdefault(commit, []).append((thread, store.depth))
            continue
        before = machine.states[thread]
        if before.reads and before.operation is not None and before.operation.kind not in SCHEDULING:
            sources[thread, before.depth] = _source(machine, thread, before.loc, coherence)
        waiting = len(machine.buffers[thread])
        after = machine.run(thread, chosen)
        if after.wrote != NOTHING and len(machine.buffers[thread]) == waiting:
            coherence.setdefault(before.loc, []).append((thread, before.depth))
    ends = tuple(state for thread, state in enumerate(machine.states) if thread != final)
    return Execution(ends, sources, coherence)


def _source(machine: Machine, thread: int, loc: int, coherence: dict[int, list[Place]]) -> Place | None:
    for store in reversed(machine.buffers[thread]):
        if store.location == loc:
            return (thread, store.depth)
    committed = coherence.get(loc)
    return committed[-1] if committed else None
