"""Partial order sampling: random priorities of steps, drawn again where steps race.

After "Partial Order Aware Concurrency Sampling" (Yuan, Yang, Gu; CAV 2018). Each step gets a random priority when it
comes next in its thread or store buffer, and the step of the highest priority is taken. Steps that race with it (they
access the same location, and one of the two writes) get new priorities. So the order of two racing steps does not
depend on how the race before came out, as it does where a thread keeps its priority, and no thread is favoured because
it has many steps that race with none.

Deviation: the priorities of waits that are tried again are drawn like those of other steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from mcr.explorers.sample.sampling import Actor, PossibleStep, SampledRun
from replay.machine.machine import Machine


class PartialOrderSampling:
    """The sampler; its runs are independent of each other."""

    def chooser(self, number: int, random: Random) -> ByRaces:
        return ByRaces(random)

    def learn(self, run: SampledRun) -> None:
        """Each run is like the first."""

    def guarantee(self) -> str:
        return (
            "partial order sampling can show every order of racing steps, and gives no bound on bugs of a given depth"
        )


class ByRaces:
    """Chooses the steps of a run."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._priorities: dict[Actor, float] = {}
        """Of the next step of each actor."""

    def choose(self, able: Sequence[PossibleStep], machine: Machine) -> PossibleStep:
        for each in able:
            if each.actor not in self._priorities:
                self._priorities[each.actor] = self._random.random()
        step = max(able, key=lambda each: self._priorities[each.actor])
        for each in able:
            if each is step or (step.access is not None and step.access.races(each.access)):
                del self._priorities[each.actor]
        return step
