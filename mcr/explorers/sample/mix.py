"""The default: runs of PCT take turns with random walks, which have no bound, and find other bugs sooner."""

from __future__ import annotations

from random import Random

from mcr.explorers.sample.pct import PCT
from mcr.explorers.sample.sampling import Chooser, SampledRun
from mcr.explorers.sample.walk import Walk

_FIRST = 8
"""Random walks that come first, to see how long runs are."""


class Mix:
    """Random walks and PCT by turns."""

    def __init__(self) -> None:
        self._walk = Walk()
        self._pct = PCT()
        self._walks = True

    def chooser(self, number: int, random: Random) -> Chooser:
        self._walks = is_walk(number)
        return (self._walk if self._walks else self._pct).chooser(number, random)

    def learn(self, run: SampledRun) -> None:
        if self._walks:
            self._pct.see(run)
        else:
            self._pct.learn(run)

    def guarantee(self) -> str:
        return self._pct.guarantee()


def is_walk(number: int) -> bool:
    """Returns whether a run of that number is a random walk."""
    return number < _FIRST or number % 2 == 0
