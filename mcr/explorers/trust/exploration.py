"""Exploring by execution graphs: all of them are visited, and those are executed that show something new.

A solver proves for many local states at once that they cannot be reached, and
pays for each question with the size of all that is known. To visit every
execution graph costs the same for each, however many they are. Where what a
program reads depends on the values rather than on the order of many
independent accesses, there are about as many graphs as local states, and they
are the shorter way.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import ClassVar

from mcr.exploration.context import ExplorationContext
from mcr.exploration.contract import Claim, News, Run, Work
from mcr.exploration.observers import ClassTally
from mcr.exploration.verdict import Guess, Outlook, Statistics
from mcr.explorers.trust.explorer import Fork, Trust
from mcr.explorers.trust.graph import ExecutionGraph
from mcr.explorers.trust.schedule import schedule_of
from mcr.explorers.trust.survey import ClassSurvey, Full, Survey
from replay.machine.machine import Choice
from replay.machine.unfolding import Unfolding


@dataclass(frozen=True, slots=True)
class _Batch:
    """Execute those of these graphs that show something new."""

    graphs: list[Full]
    depth_first: ClassVar[bool] = True


class ExploreGraphs:
    """Visits the graphs of a program, a batch at a time.

    trust   visits them
    survey  tells which of them are worth to be executed
    """

    name = "trust"

    def __init__(self, context: ExplorationContext) -> None:
        self._context = context
        self.unfolding = context.unfolding
        self._tally = ClassTally(context)
        self.trust = self._trust_on(context.unfolding, context.statistics)
        self.survey = self._new_survey()
        context.outlook = self.outlook

    def _trust_on(self, unfolding: Unfolding, statistics: Statistics) -> Trust:
        """Makes the algorithm that visits the graphs; its questions about consistency are counted in `statistics`."""
        goals = self._context.goals
        return Trust(unfolding, self._context.model, deadlocks=goals.deadlocks or goals.allowed)

    @cached_property
    def _guess(self) -> Guess | None:
        return guess(self._trust_on(self._context.new_unfolding(merges=self._context.merges), Statistics()))

    def outlook(self) -> Outlook:
        return Outlook("execution graphs", "trust", self._context.statistics.graphs, self._guess)

    def _new_survey(self) -> Survey:
        unfolding, model = self.unfolding, self._context.model
        if self._tally.counter is not None:
            return ClassSurvey(unfolding, model, self._tally.counter)
        return Survey(unfolding, model, covers_final=self._context.goals.decides_final)

    def begin(self) -> Iterable[Work]:
        return (self.trust.first(),)

    def expand(self, work: Work) -> Iterator[News]:
        if isinstance(work, _Batch):
            return self.execute(work.graphs)
        assert isinstance(work, ExecutionGraph | Fork)
        return self._visit(work)

    def execute(self, graphs: Iterable[Full]) -> Iterator[Run]:
        """Execute those of some graphs that show something new."""
        for full in graphs:
            while self.survey.is_news(full):
                yield self.run(full.schedule())

    def _visit(self, work: ExecutionGraph | Fork) -> Iterator[News]:
        trust, statistics = self.trust, self._context.statistics
        started, checked = time.monotonic(), statistics.checking
        full = trust.advance(work)
        batch = self._take(full) if full is not None else None
        statistics.surveying += time.monotonic() - started - (statistics.checking - checked)
        aside, trust.aside = trust.aside, []
        yield from aside
        if batch is not None:
            yield batch
        failures, trust.failures = trust.failures, []
        for graph, failure in failures:
            if not self._context.bugs.has(failure):
                yield self.run(schedule_of(graph, self._context.model))

    def _take(self, full: ExecutionGraph) -> Work | None:
        is_time = self.survey.visit(self.trust.executions(full))
        self.note_visited(self.survey.visited)
        return _Batch(self.survey.batch()) if is_time else None

    def note_visited(self, count: int) -> None:
        """So many full graphs were visited."""
        self.survey.visited = self._context.statistics.graphs = count

    def run(self, schedule: list[Choice]) -> Run:
        """The execution of a graph that has this schedule."""
        run = self._context.run(schedule)
        self._tally.count(run)
        return run

    def remaining(self) -> Work | None:
        with self._context.timed("surveying"):
            batch = self.survey.batch()
        return _Batch(batch) if batch else None

    def claim(self) -> Claim:
        classes = self._tally.counts()
        decides_final = self._context.goals.decides_final
        return Claim(self.name, covers_final=decides_final, deadlocks=True, classes=classes, figures=self._figures())

    def _figures(self) -> tuple[tuple[str, int], ...]:
        """Returns the figures that it counts beside those of all explorers."""
        return ()


PROBES = 48
"""Probes of one guess."""

STEPS = 6_000
"""Graphs that probes go on from, in all; fewer probes are made where these are used up."""


def guess(trust: Trust) -> Guess | None:
    """How many full graphs there are ([knuth-1975], with the strata of [chen-1992]); None if few probes take too long.

    All graphs are the leaves of a tree: what `Trust.advance` puts aside comes below what it went on from. A probe goes
    down that tree once. Of those at one depth whose graphs have as many events, it goes on from one, which stands for
    all of them; so it needs no more steps than there are such groups, and what it counts is right on average. How much
    probes differ tells how sure that is. `trust` is nobody else's.
    """
    rng = random.Random(0)
    counts: list[float] = []
    steps = 0
    while len(counts) < PROBES and steps < STEPS:
        count, taken = _probe(trust, rng)
        counts.append(count)
        steps += taken
    if len(counts) < 4:
        return None
    mean = sum(counts) / len(counts)
    error = sqrt(sum((count - mean) ** 2 for count in counts) / (len(counts) - 1) / len(counts))
    return Guess(mean, max(mean - 2 * error, mean / 4), mean + 2 * error)


def _probe(trust: Trust, rng: random.Random) -> tuple[float, int]:
    """How many full graphs a probe says there are, and how many it went on from."""
    found, steps = 0.0, 0
    depth: dict[int, tuple[float, ExecutionGraph | Fork]] = {0: (1.0, trust.first())}
    while depth:
        below: dict[int, tuple[float, ExecutionGraph | Fork]] = {}
        for weight, work in depth.values():
            steps += 1
            full = trust.advance(_chosen(work, rng))
            found += weight * (full is not None)
            aside, trust.aside = trust.aside, []
            trust.failures.clear()
            for each in aside:
                share = weight * (len(each.options) if isinstance(each, Fork) else 1)
                size = len(each.graph.events if isinstance(each, Fork) else each.events)
                known, representative = below.get(size, (0.0, each))
                stays = rng.random() * (known + share) < known
                below[size] = (known + share, representative if stays else each)
        depth = below
    return found, steps


def _chosen(work: ExecutionGraph | Fork, rng: random.Random) -> ExecutionGraph | Fork:
    """Of a fork, one of its options alone."""
    if not isinstance(work, Fork):
        return work
    return Fork(work.graph.copy(), work.number, [rng.choice(work.options)], work.reads)
