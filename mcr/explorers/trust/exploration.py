"""Exploring by execution graphs: all of them are visited, and those are executed that show something new.

A solver proves for many local states at once that they cannot be reached, and
pays for each question with the size of all that is known. To visit every
execution graph costs the same for each, however many they are. Where what a
program reads depends on the values rather than on the order of many
independent accesses, there are about as many graphs as local states, and they
are the shorter way.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from mcr.exploration.class_tally import ClassTally
from mcr.exploration.contract import Claim, News, Run, Work
from mcr.exploration.stage import Stage
from mcr.explorers.trust.explorer import Fork, Trust
from mcr.explorers.trust.graph import Graph
from mcr.explorers.trust.schedule import schedule_of
from mcr.explorers.trust.survey import ClassSurvey, Survey


@dataclass(frozen=True, slots=True)
class _Batch:
    """Execute those of these graphs that show something new."""

    graphs: list[Graph]
    depth_first: ClassVar[bool] = True


class ExploreGraphs:
    """Visits the graphs of a program, a batch at a time.

    `tally` counts classes, where they are the objective.
    """

    def __init__(self, stage: Stage, tally: ClassTally | None = None) -> None:
        self._stage = stage
        self._tally = tally
        self._trust = Trust(stage.unfolding, stage.model)
        self._survey = self._new_survey()
        self._pays = True

    def _new_survey(self) -> Survey:
        unfolding, model = self._stage.unfolding, self._stage.model
        if self._tally is not None:
            return ClassSurvey(unfolding, model, self._tally.counter)
        executed = len(unfolding.states) if self._stage.statistics.executions else 0
        return Survey(unfolding, model, executed=executed, covers_final=self._stage.goals.decides_final)

    def begin(self) -> Iterable[Work]:
        return (self._trust.first(),)

    def expand(self, work: Work) -> Iterator[News]:
        if isinstance(work, _Batch):
            return self._execute(work)
        assert isinstance(work, Graph | Fork)
        return self._visit(work)

    def _execute(self, batch: _Batch) -> Iterator[News]:
        for graph in batch.graphs:
            while self._survey.is_news(graph):
                yield self._run(graph)
        self._pays = self._survey.pays()

    def _visit(self, work: Graph | Fork) -> Iterator[News]:
        trust, statistics = self._trust, self._stage.statistics
        started = time.monotonic()
        full = trust.advance(work)
        batch = self._take(full) if full is not None else None
        statistics.surveying += time.monotonic() - started
        aside, trust.aside = trust.aside, []
        yield from aside
        if batch is not None:
            yield batch
        failures, trust.failures = trust.failures, []
        for past, failed in failures:
            if not self._stage.bugs.knows(failed):
                yield self._run(past)

    def _take(self, full: Graph) -> _Batch | None:
        is_time = self._survey.visit(full)
        self._stage.statistics.graphs = self._survey.visited
        return _Batch(self._survey.batch()) if is_time else None

    def _run(self, graph: Graph) -> Run:
        run = self._stage.run(schedule_of(graph, self._stage.model))
        if self._tally is not None:
            self._tally.count(run)
        return run

    def remaining(self) -> Work | None:
        with self._stage.timed("surveying"):
            batch = self._survey.batch()
        return _Batch(batch) if batch else None

    def owns(self, work: Work) -> bool:
        """Whether it is work that this explorer has announced."""
        return isinstance(work, Graph | Fork | _Batch)

    def pays(self) -> bool:
        """Whether the graphs visited until the last batch showed enough to go on."""
        return self._pays

    def claim(self) -> Claim:
        classes = self._tally.counts() if self._tally else ()
        return Claim("trust", covers_final=self._stage.goals.decides_final, classes=classes)
