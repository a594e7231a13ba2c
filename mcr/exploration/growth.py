"""How an exploration grew: samples of its figures over time, few however long it takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from mcr.exploration.verdict import Result, Statistics

MOST_SAMPLES = 512
"""Enough for a smooth line, and a few kilobytes."""


class Sample(NamedTuple):
    """The figures after an execution, `seconds` after the beginning."""

    seconds: float
    executions: int
    local_states: int


@dataclass
class Growth:
    """The samples of one exploration, oldest first, and its result once it ended.

    Evenly spaced in executions: when there are too many, every second one is
    dropped, and from then on half as many are taken.
    """

    samples: list[Sample] = field(default_factory=list)
    result: Result | None = None
    _stride: int = 1
    _calls: int = 0

    def sample(self, statistics: Statistics) -> None:
        """To be called after every execution."""
        self._calls += 1
        if self._calls % self._stride:
            return
        self.samples.append(_sample(statistics))
        if len(self.samples) == MOST_SAMPLES:
            del self.samples[::2]
            self._stride *= 2

    def end(self, result: Result) -> None:
        """The exploration ended; its last figures count, also where no execution followed them."""
        self.samples.append(_sample(result.statistics))
        self.result = result


def _sample(statistics: Statistics) -> Sample:
    return Sample(statistics.seconds, statistics.executions, statistics.local_states)


def time_shares(statistics: Statistics) -> dict[str, float]:
    """Where the time went, in seconds, by what it was spent on. Together all of it."""
    shares = {
        "solver": statistics.solving,
        "encoding": statistics.encoding,
        "graphs": statistics.surveying,
        "consistency": statistics.checking,
        "replay": statistics.replaying,
        "shortening": statistics.shortening,
    }
    return {**shares, "rest": max(statistics.seconds - sum(shares.values()), 0.0)}
