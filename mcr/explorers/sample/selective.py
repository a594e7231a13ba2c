"""Selectively uniform random walk: uniform over the orders of accesses to one location.

After SURW in "Selectively Uniform Concurrency Testing" (Zhao, Wolff, Mathur, Roychoudhury; ASPLOS 2025). Few steps of a
program matter to a bug, and a walk that is uniform over all orders of all steps seldom comes to the rare ones of these
few. So each run draws a location that several threads access and one writes; its accesses are the steps that are
interesting. It draws the thread that does the next interesting step, in proportion to those that each thread has left,
and keeps other threads from theirs until then. Among all other steps it is a random walk.

Accesses are counted in the runs before; the first run is a random walk. Of stores that wait in buffers, the commit
is the access.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from mcr.explorers.sample.remaining import Counts, Families, MeanCounts
from mcr.explorers.sample.sampling import PossibleStep, SampledRun, spawned_by
from replay.machine.machine import Machine
from replay.machine.state import LocationId


class SelectiveWalk:
    """The sampler: counts the accesses of each thread, by location."""

    def __init__(self) -> None:
        self._accesses: dict[LocationId, MeanCounts] = {}
        self._threads: dict[LocationId, set[int]] = {}
        self._written: set[LocationId] = set()
        self._families = Families()

    def chooser(self, number: int, random: Random) -> ByIntention:
        shared = [
            location
            for location, threads in sorted(self._threads.items())
            if len(threads) > 1 and location in self._written
        ]
        location = random.choice(shared) if shared else None
        estimates = {} if location is None else self._accesses[location].means()
        return ByIntention(random, location, estimates, self._families)

    def learn(self, run: SampledRun) -> None:
        counted: dict[LocationId, dict[int, int]] = {}
        for (thread, location), count in run.accesses.items():
            counted.setdefault(location, {})[thread] = count
            self._threads.setdefault(location, set()).add(thread)
        for location, counts in counted.items():
            self._accesses.setdefault(location, MeanCounts()).add(counts)
        self._written |= run.writes
        self._families.add(run)

    def guarantee(self) -> str:
        return (
            "each order of the accesses to one location has the same probability where no thread waits and each makes "
            "as many in every run, which gives no bound on bugs of a given depth"
        )


class ByIntention:
    """Chooses the steps of a run.

    location   the one whose accesses are interesting; None for a random walk
    estimates  accesses to it of each thread in a run
    """

    def __init__(self, random: Random, location: LocationId | None, estimates: Counts, families: Families) -> None:
        self._random = random
        self._location = location
        self._estimates = estimates
        self._families = families
        self._done: Counter[int] = Counter()
        self._intended: int | None = None
        """The thread that does the next interesting step; a thread that it spawns before may do it instead."""

    def choose(self, able: Sequence[PossibleStep], machine: Machine) -> PossibleStep:
        if self._location is None:
            return self._random.choice(able)
        if self._intended is None:
            self._intended = self._drawn(range(len(machine.states)), machine)
        step = self._random.choice(self._allowed(able, machine))
        if self._is_interesting(step):
            self._done[step.thread] += 1
            self._intended = None
        child = spawned_by(machine, step)
        if child is not None and step.thread == self._intended:
            self._intended = self._drawn((step.thread, child), machine, started=child)
        return step

    def _allowed(self, able: Sequence[PossibleStep], machine: Machine) -> Sequence[PossibleStep]:
        """Returns the steps that leave the next interesting one to the intended thread. Where there are none, another
        thread is intended: the first was blocked, or had no more to do than that.
        """
        allowed = [step for step in able if step.thread == self._intended or not self._is_interesting(step)]
        if allowed:
            return allowed
        threads = list(dict.fromkeys(step.thread for step in able))
        self._intended = self._random.choices(threads, [self._weight(each, machine, 1.0) for each in threads])[0]
        return [step for step in able if step.thread == self._intended]

    def _is_interesting(self, step: PossibleStep) -> bool:
        return step.access is not None and step.access.location == self._location

    def _drawn(self, threads: Sequence[int], machine: Machine, started: int | None = None) -> int | None:
        """Returns a thread that is to do the next interesting step; None if none has any left.

        started  the second of two threads, which the first spawns: the machine does not know yet
        """
        roots = [each for each in threads if each == started or not machine.never_started(each)]
        weights = [self._weight(each, machine) for each in roots]
        if started is not None:  # what it has left was counted for the thread that spawns it
            weights[0] = max(0.0, weights[0] - weights[1])
        return self._random.choices(roots, weights)[0] if sum(weights) > 0 else None

    def _weight(self, thread: int, machine: Machine, least: float = 0.0) -> float:
        return max(least, self._families.weight(thread, machine, self._left))

    def _left(self, thread: int) -> float:
        return max(0.0, self._estimates.get(thread, 0.0) - self._done[thread])
