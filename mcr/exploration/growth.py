"""How an exploration grew: samples of its figures over time, few however long it takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from mcr.exploration.verdict import Result, Statistics
from replay.machine.state import NOTHING, State
from replay.machine.unfolding import ThreadInfo, Unfolding

MOST_SAMPLES = 512
"""Enough for a smooth line, and a few kilobytes."""


class GrowthSample(NamedTuple):
    """The figures after an execution, or after some global states, `seconds` after the beginning."""

    seconds: float
    executions: int
    local_states: int
    global_states: int


@dataclass
class GrowthSamples:
    """The samples of one exploration, oldest first, and its result once it ended.

    Evenly spaced in executions: when there are too many, every second one is
    dropped, and from then on half as many are taken.
    """

    samples: list[GrowthSample] = field(default_factory=list)
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


def _sample(statistics: Statistics) -> GrowthSample:
    return GrowthSample(statistics.seconds, statistics.executions, statistics.local_states, statistics.global_states)


def time_shares(statistics: Statistics) -> dict[str, float]:
    """Divides the time, in seconds, by what it was spent on. The shares add up to all of it."""
    shares = {
        "solver": statistics.solving,
        "encoding": statistics.encoding,
        "graphs": statistics.surveying,
        "consistency": statistics.checking,
        "replay": statistics.replaying,
        "shortening": statistics.shortening,
    }
    return {**shares, "exploring": max(statistics.seconds - sum(shares.values()), 0.0)}


LONG = 10.0
"""Seconds after which an exploration takes long: most are over before anybody wonders."""


class ThreadSize(NamedTuple):
    """The longest way of a thread that was seen.

    name        as reports have it: "thread 0 (put)"
    operations  how many it does
    location    where most of them are, "" if it has none
    there       how many these are
    """

    name: str
    operations: int
    location: str
    there: int


class Size(NamedTuple):
    """An exploration that goes on: its figures so far, and the threads seen so far, in the order of the program."""

    statistics: Statistics
    threads: tuple[ThreadSize, ...]


OnLong = Callable[[Size], None]
"""Called once, if an exploration takes longer than `LONG` seconds."""


def size_of(statistics: Statistics, unfolding: Unfolding) -> Size:
    """How large an exploration is by now."""
    deepest: dict[int, State] = {}
    for state in unfolding.states:
        known = deepest.get(state.thread)
        if known is None or state.depth > known.depth:
            deepest[state.thread] = state
    threads = [info for info in unfolding.threads if not info.is_final]
    return Size(statistics, tuple(_thread_size(unfolding, info, deepest[info.like.index]) for info in threads))


def _thread_size(unfolding: Unfolding, info: ThreadInfo, deepest: State) -> ThreadSize:
    visited = Counter(edge.before.loc for edge in deepest.way() if edge.before.loc != NOTHING)
    (location, there), *_ = visited.most_common(1) or [(NOTHING, 0)]
    name = f"thread {info.name} ({info.title})"
    return ThreadSize(name, deepest.depth, unfolding.locations[location].name if there else "", there)
