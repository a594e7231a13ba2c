"""From an order of events to a schedule.

An event is named by the local state that asks for it, the end of a thread by
its last state. It has one moment (docs/semantics.md 4): a load or barrier when it
executes, a store when it commits. What has no moment runs when the next event
of its thread does, and stores enter their buffer as late as that allows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from replay.machine.machine import Choice, make_choice
from replay.machine.state import State
from replay.world.memory_model import Access, MemoryModel

T = TypeVar("T")


def schedule(runs: Sequence[Sequence[Choice]], order: Iterable[State], model: MemoryModel) -> list[Choice]:
    """Choices that let each thread make its `runs`, events happening in the given order; the rest runs at the end."""
    return interleaved(runs, (_moment(state, model) for state in order))


def interleaved(lines: Sequence[Sequence[T]], moments: Iterable[tuple[int, int, T | None]]) -> list[T]:
    """The steps of all lines as one sequence.

    A moment (line, count, step) comes when so many steps of the line are done, and then makes a step of its own.
    """
    found: list[T] = []
    done = [0] * len(lines)
    for line, count, step in moments:
        if done[line] < count:
            found.extend(lines[line][done[line] : count])
            done[line] = count
        if step is not None:
            found.append(step)
    for steps, count in zip(lines, done, strict=True):
        found.extend(steps[count:])
    return found


def _moment(state: State, model: MemoryModel) -> tuple[int, int, Choice | None]:
    if state.operation is None:
        return state.thread, state.depth, None
    access = state.operation.access
    if access is Access.STORE_BARRIER or access is Access.LOCAL:
        return state.thread, 0, None
    commit = make_choice(state.thread, state.loc) if model.is_buffered(access) else None
    return state.thread, state.depth + 1, commit
