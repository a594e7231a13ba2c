"""One random run of a program, and the contract of samplers, which choose its steps.

A sampler lives as long as an exploration and learns from its runs. For each run it makes a chooser, which is asked
before every step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple, Protocol

from mcr.exploration.completion import RunToEnd
from replay.machine.machine import Choice, Machine, make_choice
from replay.machine.state import NOTHING, LocationId
from replay.world.operation import SCHEDULING, UPDATES, WRITES, Kind

Actor = tuple[int, str]
"""What takes steps: a thread and "", or one of its store buffers by its name."""


class SampledAccess(NamedTuple):
    """An access to memory that a step makes. An update counts as a write, also where it may leave memory as it is."""

    location: LocationId
    writes: bool

    def races(self, other: SampledAccess | None) -> bool:
        """Returns whether the order of the two accesses can make a difference."""
        return other is not None and self.location == other.location and (self.writes or other.writes)


class PossibleStep(NamedTuple):
    """A step that an actor can take now.

    choice  None for a wait that failed and is tried again
    access  what it does to memory, None for nothing
    """

    actor: Actor
    choice: Choice | None
    access: SampledAccess | None = None

    @property
    def thread(self) -> int:
        return self.actor[0]


class Chooser(Protocol):
    """Chooses the steps of one run."""

    def choose(self, able: Sequence[PossibleStep], machine: Machine) -> PossibleStep:
        """Returns one of the steps that can be taken now, of which there is one at least."""


class Sampler(Protocol):
    """Makes the choosers of all runs. `number` counts runs from 0; all chance comes from `random`."""

    def chooser(self, number: int, random: Random) -> Chooser:
        """Returns the chooser of the next run."""

    def learn(self, run: SampledRun) -> None:
        """Take note of a run that has ended."""

    def guarantee(self) -> str:
        """Returns what can be said of bugs that the runs so far have missed, as a clause."""


class SampledRun(RunToEnd):
    """A run whose steps a chooser chooses.

    steps       how many were taken, evaluations of waits that failed included
    actors      what could take a step so far, in the order in which they first could
    has_inputs  a thread took an input, which is drawn at random
    accesses    how often each thread came to access a location
    writes      locations that were written
    parents     by thread that was spawned: the one that did it
    """

    def __init__(self, machine: Machine, chooser: Chooser, random: Random) -> None:
        super().__init__(machine)
        self.steps = 0
        self.actors: dict[Actor, None] = {}
        self.has_inputs = False
        self.accesses: dict[tuple[int, LocationId], int] = {}
        self.writes: set[LocationId] = set()
        self.parents: dict[int, int] = {}
        self._chooser = chooser
        self._random = random

    def _next(self, turn: int) -> int | None:
        """A step that the chooser chooses, whatever was before."""
        able = list(self._able())
        if not able:
            return None
        self.steps += 1
        self.actors.update(dict.fromkeys(step.actor for step in able))
        step = self._chooser.choose(able, self.machine)
        self._count(step)
        if step.choice is None:
            self._retry(step.thread)
        else:
            self.play(step.choice)
        return step.thread

    def _count(self, step: PossibleStep) -> None:
        if step.access is not None:
            access = step.access
            key = step.thread, access.location
            self.accesses[key] = self.accesses.get(key, 0) + 1
            if access.writes:
                self.writes.add(access.location)
        child = spawned_by(self.machine, step)
        if child is not None:
            self.parents[child] = step.thread

    def _able(self) -> Iterator[PossibleStep]:
        """Yields every step that can be taken now."""
        machine = self.machine
        for thread, state in enumerate(machine.states):
            if state.operation is not None and machine.can_run(thread):
                inputs = state.inputs
                self.has_inputs |= bool(inputs)
                chosen = self._random.choice(list(inputs)) if inputs else NOTHING
                yield PossibleStep((thread, ""), make_choice(thread, NOTHING, chosen), _access(machine, thread))
            elif self._may_retry(thread):
                yield PossibleStep((thread, ""), None)
            for location in machine.committable(thread):
                queue = next(store.queue for store in machine.buffers[thread] if store.location == location)
                yield PossibleStep(
                    (thread, f"buffer {queue}"), make_choice(thread, location), SampledAccess(location, writes=True)
                )


def _access(machine: Machine, thread: int) -> SampledAccess | None:
    """The access to memory that the thread's next operation makes. A store that is buffered makes none."""
    state = machine.states[thread]
    kind = state.asked.kind
    if state.loc == NOTHING or kind in SCHEDULING or (kind is Kind.STORE and machine.model.buffers is not None):
        return None
    return SampledAccess(state.loc, writes=kind in WRITES or kind in UPDATES)


def spawned_by(machine: Machine, step: PossibleStep) -> int | None:
    """Returns the thread that a step spawns, None if it spawns none, or one that was never met."""
    if step.actor[1] or step.choice is None:
        return None
    operation = machine.states[step.thread].asked
    if operation.kind is not Kind.SPAWN:
        return None
    child = machine.unfolding.thread(operation.target)
    return None if child is None else child.index
