"""Uniform random walk: every interleaving has the same probability, as far as estimates are right.

After URW in "Selectively Uniform Concurrency Testing" (Zhao, Wolff, Mathur, Roychoudhury; ASPLOS 2025). A random walk
that draws among threads favours interleavings in which short threads end early. Here a thread is drawn with a
probability in proportion to the steps that it has left, those of threads included that it will spawn. How many that are
is estimated from the runs before; the first run is a random walk. Where each thread does as many steps in every
run, and none waits for another, each interleaving has the same probability.

Deviation: store buffers. A buffer is drawn in proportion to the stores that wait in it; the commits of stores that a
thread has still to make count as its own steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from mcr.explorers.sample.remaining import Counts, Families, MeanCounts
from mcr.explorers.sample.sampling import PossibleStep, SampledRun
from replay.machine.machine import Machine
from replay.machine.state import NOTHING


class UniformWalk:
    """The sampler: counts the steps and commits of each thread."""

    def __init__(self) -> None:
        self._steps = MeanCounts()
        self._families = Families()

    def chooser(self, number: int, random: Random) -> ByRemaining:
        return ByRemaining(random, self._steps.means(), self._families)

    def learn(self, run: SampledRun) -> None:
        self._steps.add(Counter(choice.thread for choice in run.choices))
        self._families.add(run)

    def guarantee(self) -> str:
        return (
            "each interleaving has the same probability where no thread waits and each does as many steps in every "
            "run, which gives no bound on bugs of a given depth"
        )


class ByRemaining:
    """Chooses the steps of a run.

    estimates  steps and commits of each thread in a run; empty if they are not known
    """

    def __init__(self, random: Random, estimates: Counts, families: Families) -> None:
        self._random = random
        self._estimates = estimates
        self._families = families
        self._done: Counter[int] = Counter()

    def choose(self, able: Sequence[PossibleStep], machine: Machine) -> PossibleStep:
        if not self._estimates:
            return self._random.choice(able)
        weights = [self._weight(step, machine) for step in able]
        (step,) = self._random.choices(able, weights)
        self._done[step.thread] += step.choice is not None
        return step

    def _weight(self, step: PossibleStep, machine: Machine) -> float:
        """Returns how much its actor has left: one step at least, which it can take now."""
        buffered = machine.buffers[step.thread]
        if step.actor[1]:
            assert step.choice is not None
            assert step.choice.commit != NOTHING
            queue = next(store.queue for store in buffered if store.location == step.choice.commit)
            return float(sum(store.queue == queue for store in buffered))
        return max(1.0, self._families.weight(step.thread, machine, self._left) - len(buffered))

    def _left(self, thread: int) -> float:
        return max(0.0, self._estimates.get(thread, 0.0) - self._done[thread])
