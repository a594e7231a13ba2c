"""Random walk: every step is taken by a thread or store buffer drawn among those that can take one."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from mcr.explorers.sample.sampling import PossibleStep, SampledRun
from replay.machine.machine import Machine


class Walk:
    """The sampler, and the chooser of each run."""

    def __init__(self) -> None:
        self._random = Random(0)

    def chooser(self, number: int, random: Random) -> Walk:
        self._random = random
        return self

    def choose(self, able: Sequence[PossibleStep], machine: Machine) -> PossibleStep:
        return self._random.choice(able)

    def learn(self, run: SampledRun) -> None:
        """Each run is like the first."""

    def guarantee(self) -> str:
        return "random walks come with no bound on what they miss"
