"""PCT: random priorities that change at a few random steps, with a bound on what the runs miss.

After "A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs" (Burckhardt, Kothari, Musuvathi,
Nagarakatte; ASPLOS 2010). A bug has depth d if d ordering constraints between steps are enough to make it happen. PCT
gives each thread a random priority, always runs the first that can run, and at d - 1 random steps puts the one that is
running behind all others. In a program of n threads and k steps, each such run finds a bug of depth d with a
probability of at least 1 / (n k^(d-1)). Here the buffers in which stores wait are threads of that kind: their steps
are commits.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from mcr.explorers.sample.sampling import Actor, PossibleStep, SampledRun
from replay.machine.machine import Machine

DEPTHS = (1, 2, 3)
"""Of bugs that PCT looks for: most that are known need no more."""


class PCT:
    """Looks for bugs of each depth by turns."""

    def __init__(self) -> None:
        self._longest = 1
        self._actors = 1
        self._runs = 0
        self._depth = 0
        self._room = 0
        """k: among so many steps those are drawn at which priorities change; 0 before the first run."""
        self._counted = dict.fromkeys(DEPTHS, 0)
        """Runs by depth, since k is what it is."""

    def chooser(self, number: int, random: Random) -> ByPriority:
        """The first run looks for bugs of depth 1, for which k does not matter, unless others have shown k."""
        self._depth = depth_of_run(self._runs)
        self._runs += 1
        if not self._room and self._longest > 1:
            self._room = 2 * self._longest
        return ByPriority(random, self._depth, self._room)

    def learn(self, run: SampledRun) -> None:
        self.see(run)
        if self._room and run.steps > self._room:  # what was run before counts for shorter programs than this one
            self._room, self._counted = 2 * run.steps, dict.fromkeys(DEPTHS, 0)
        else:
            self._counted[self._depth] += 1

    def see(self, run: SampledRun) -> None:
        """Take note of how large a run is, whoever chose its steps."""
        self._actors = max(self._actors, len(run.actors))
        self._longest = max(self._longest, run.steps)

    def guarantee(self) -> str:
        n, k = self._actors, max(self._room, self._longest)
        missed = [
            f"{_shown(missed_at_most(n, k, depth, runs))} for depth {depth}" for depth, runs in self._counted.items()
        ]
        return (
            f"a bug was missed with a probability of at most {', '.join(missed)} "
            f"(n = {n} threads and buffers, k = {k} steps; Burckhardt et al. 2010)"
        )


class ByPriority:
    """Chooses the steps of a run: the actor of the highest priority goes first."""

    def __init__(self, random: Random, depth: int, room: int) -> None:
        self._random = random
        self._priorities: dict[Actor, float] = {}
        self._steps = 0
        places = sorted(random.sample(range(1, room + 1), min(depth - 1, room))) if depth > 1 else []
        self._changes = {place: (depth - number) / depth for number, place in enumerate(places, start=1)}

    def choose(self, able: Sequence[PossibleStep], machine: Machine) -> PossibleStep:
        for each in able:
            if each.actor not in self._priorities:
                self._priorities[each.actor] = 1 + self._random.random()
        self._steps += 1
        step = max(able, key=lambda each: self._priorities[each.actor])
        if self._steps in self._changes:
            self._priorities[step.actor] = self._changes[self._steps]
        return step


def depth_of_run(number: int) -> int:
    """The depth of bugs that a run looks for; `number` counts runs of PCT only."""
    return DEPTHS[number % len(DEPTHS)]


def missed_at_most(n: int, k: int, depth: int, runs: int) -> float:
    """The probability that so many runs of PCT all miss a bug of that depth, at most."""
    return float((1 - 1 / (n * k ** (depth - 1))) ** runs)


def _shown(probability: float) -> str:
    return f"{probability:.2g}" if probability < 0.99 else "over 0.99"
