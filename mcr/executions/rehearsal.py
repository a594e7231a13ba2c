"""Playing a schedule on what is known, to see where it ends, without running any of the program's code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from replay.machine.machine import Choice, Machine
from replay.machine.state import NOTHING, State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel


class Rehearsal(NamedTuple):
    """How a schedule went.

    states  where the threads are when it is over, or stopped
    played  how many of its steps were played; the next one is impossible, or reads something new
    new     the local state that reads something new, if the rehearsal stopped for that reason
    """

    states: list[State]
    played: int
    new: State | None = None


def rehearse(unfolding: Unfolding, model: MemoryModel, choices: Sequence[Choice]) -> Rehearsal:
    """Play a schedule as far as it leads along known local states."""
    machine = Machine(unfolding, model)
    for number, choice in enumerate(choices):
        if not machine.is_possible(choice):
            return Rehearsal(machine.states, number)
        state = machine.states[choice.thread]
        read = machine.visible(choice.thread) if state.reads else choice.chosen
        if choice.commit == NOTHING and read not in state.edges:
            return Rehearsal(machine.states, number, state)
        machine.apply(choice)
    return Rehearsal(machine.states, len(choices))


def remaining(choices: Iterable[Choice], played: Iterable[Choice]) -> Iterator[Choice]:
    """What is left of a schedule when another one has been played that does a part of the same."""
    done = Counter((choice.thread, choice.commit) for choice in played)
    for choice in choices:
        if done[choice.thread, choice.commit]:
            done[choice.thread, choice.commit] -= 1
        else:
            yield choice
