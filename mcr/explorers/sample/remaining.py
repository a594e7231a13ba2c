"""Estimates of what threads have left to do, from the runs before, as weights of a uniform walk.

A thread that was not spawned yet counts for the one that spawns it. Where no thread waits, the orders of all steps are
then the linear extensions of a forest, and drawing its roots by the sizes of their trees gives each the same
probability (the hook length formula for forests).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mcr.explorers.sample.sampling import SampledRun
from replay.machine.machine import Machine

Counts = dict[int, float]
"""By thread."""


class MeanCounts:
    """Numbers by thread, as the mean of all runs so far; a thread that did not run counts as 0."""

    def __init__(self) -> None:
        self._totals: Counts = {}
        self._runs = 0

    def add(self, counts: Mapping[int, int]) -> None:
        self._runs += 1
        for thread, count in counts.items():
            self._totals[thread] = self._totals.get(thread, 0) + count

    def means(self) -> Counts:
        """Returns nothing before the first run."""
        return {thread: total / self._runs for thread, total in self._totals.items()}


class Families:
    """Which threads each thread spawns, as runs have shown."""

    def __init__(self) -> None:
        self._children: dict[int, list[int]] = {}

    def add(self, run: SampledRun) -> None:
        for child, parent in run.parents.items():
            known = self._children.setdefault(parent, [])
            if child not in known:
                known.append(child)

    def weight(self, thread: int, machine: Machine, left: Callable[[int], float]) -> float:
        """Returns what a thread has left, with all that threads have which it will spawn."""
        weight, waiting = 0.0, [thread]
        while waiting:
            current = waiting.pop()
            weight += left(current)
            waiting += [child for child in self._children.get(current, ()) if _is_to_come(machine, child)]
        return weight


def _is_to_come(machine: Machine, thread: int) -> bool:
    """Returns whether a thread was not spawned yet."""
    return thread < len(machine.states) and machine.never_started(thread)
