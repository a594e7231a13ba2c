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
from typing import TYPE_CHECKING, ClassVar

from mcr.exploration.class_tally import ClassTally
from mcr.exploration.contract import Claim, News, Run, Work
from mcr.exploration.stage import Stage
from mcr.explorers.trust.explorer import Fork, Trust
from mcr.explorers.trust.graph import Graph
from mcr.explorers.trust.progress import Progress
from mcr.explorers.trust.reads_from import TrustReadsFrom
from mcr.explorers.trust.schedule import schedule_of
from mcr.explorers.trust.sketch import Sketch
from mcr.explorers.trust.survey import ClassSurvey, Survey
from replay.errors import FormatError

if TYPE_CHECKING:
    from mcr.explorers.trust.news import Teller
    from mcr.explorers.trust.scout import Scout


@dataclass(frozen=True, slots=True)
class _Batch:
    """Execute those of these graphs that show something new."""

    graphs: list[Graph | Sketch]
    depth_first: ClassVar[bool] = True


class ExploreGraphs:
    """Visits the graphs of a program, a batch at a time.

    `tally` counts classes, where they are the objective.

    trust   visits them
    survey  tells which of them are worth to be executed
    """

    name = "trust"

    def __init__(self, stage: Stage, tally: ClassTally | None = None) -> None:
        self._stage = stage
        self._tally = tally
        self.trust = self._new_trust()
        self.survey = self._new_survey()
        self._progress = Progress()

    def _new_trust(self) -> Trust:
        return Trust(self._stage.unfolding, self._stage.model)

    def _new_survey(self) -> Survey:
        unfolding, model = self._stage.unfolding, self._stage.model
        if self._tally is not None:
            return ClassSurvey(unfolding, model, self._tally.counter)
        executed = len(unfolding.states) if self._stage.statistics.executions else 0
        return Survey(unfolding, model, executed=executed, covers_final=self._stage.goals.decides_final)

    def may_be_handed_on(self, waiting: Iterable[Work]) -> bool:
        """Whether other processes may go on with what waits: it has taken a while, and no batch is under way."""
        if not self._stage.may_share(self._stage.statistics.surveying) or not self.survey.is_settled:
            return False
        return all(isinstance(work, Graph | Fork) for work in waiting)

    def failing(self, thread: str, past: Graph | Sketch) -> Iterator[Run]:
        """The execution of a failure that was found elsewhere, in a thread of that name, if nobody knows it here."""
        failed = self._stage.unfolding.thread(thread)
        assert failed is not None
        if not self._stage.bugs.knows(past.ends[failed.index]):
            yield self.run(past)

    def teller(self, *, by_name: bool = True) -> Teller:
        """Who tells what graphs show that are visited elsewhere, and knows what is known here; `by_name` is theirs."""
        from mcr.explorers.trust.news import ClassTeller, StateTeller  # late, as most programs are done without

        if self._tally is not None:
            return ClassTeller(self._stage, self.trust, self._tally.counter)
        return StateTeller(self._stage, self.trust, self.survey.executed, by_name=by_name)

    def scout(self) -> Scout:
        """Who goes on with the graphs that wait, in another process."""
        from mcr.explorers.trust.scout import Scout  # late, as most programs are done without, and sooner

        return Scout(self._stage, self.trust, self.teller(by_name=False), self._progress, self.survey.visited)

    def begin(self) -> Iterable[Work]:
        return (self.trust.first(),)

    def expand(self, work: Work) -> Iterator[News]:
        if isinstance(work, _Batch):
            return self._execute(work)
        assert isinstance(work, Graph | Fork)
        return self._visit(work)

    def _execute(self, batch: _Batch) -> Iterator[News]:
        yield from self.execute(batch.graphs)
        self._progress.mark()

    def execute(self, graphs: Iterable[Graph | Sketch]) -> Iterator[Run]:
        """Execute those of some graphs that show something new."""
        for graph in graphs:
            while self.survey.is_news(graph):
                yield self.run(graph)

    def _visit(self, work: Graph | Fork) -> Iterator[News]:
        trust, statistics = self.trust, self._stage.statistics
        started = time.monotonic()
        part = self._progress.take(work)
        full = trust.advance(work)
        batch = self._take(full) if full is not None else None
        statistics.surveying += time.monotonic() - started
        self._note_checks()
        aside, trust.aside = trust.aside, []
        self._progress.note(part, work, aside, full)
        yield from aside
        if batch is not None:
            yield batch
        failures, trust.failures = trust.failures, []
        for past, failed in failures:
            if not self._stage.bugs.knows(failed):
                yield self.run(past)

    def _note_checks(self) -> None:
        """Whoever decides what is consistent apart from the graphs tells of it here."""

    def _take(self, full: Graph) -> Work | None:
        is_time = self.survey.visit(self.trust.executions(full))
        self.note_visited(self.survey.visited)
        return self.batch() if is_time else None

    def batch(self) -> Work:
        """What was visited since the last one, as work."""
        return _Batch(self.survey.batch())

    def note_visited(self, count: int) -> None:
        """So many full graphs were visited."""
        self.survey.visited = self._stage.statistics.graphs = count

    def run(self, graph: Graph | Sketch) -> Run:
        """The execution of a graph."""
        run = self._stage.run(schedule_of(graph, self._stage.model))
        if self._tally is not None:
            self._tally.count(run)
        return run

    def remaining(self) -> Work | None:
        with self._stage.timed("surveying"):
            batch = self.survey.batch()
        return _Batch(batch) if batch else None

    def pack(self, work: Work) -> object:
        """Graphs by names."""
        from mcr.explorers.trust.travel import pack_fork, pack_graph  # late, as most work does not travel

        if isinstance(work, _Batch):
            graphs = [graph for graph in work.graphs if isinstance(graph, Graph)]
            assert len(graphs) == len(work.graphs), "what was told of graphs that are visited elsewhere stays here"
            return {"batch": [pack_graph(self._stage, graph) for graph in graphs]}
        if isinstance(work, Fork):
            return {"fork": pack_fork(self._stage, work)}
        assert isinstance(work, Graph)
        return {"graph": pack_graph(self._stage, work)}

    def unpack(self, packed: object) -> Work:
        from mcr.explorers.trust.travel import unpack_fork, unpack_graph

        match packed:
            case {"batch": list(graphs)}:
                return _Batch([unpack_graph(self._stage, self.trust, graph) for graph in graphs])
            case {"fork": fork}:
                return unpack_fork(self._stage, self.trust, fork)
            case {"graph": graph}:
                return unpack_graph(self._stage, self.trust, graph)
        raise FormatError("work that has travelled is damaged: it is neither graph nor fork nor batch")

    def see(self, run: Run) -> None:
        if self._tally is not None:
            self._tally.count(run)
        self.learn(run)

    def learn(self, run: Run) -> None:
        """Somebody else, who counts classes, ran an execution."""
        self.survey.see(run.machine)

    def pays(self) -> bool:
        """Whether the graphs that were visited showed enough to go on."""
        return self.survey.pays()

    def cost(self, *, whole: bool = False) -> float:
        """How many events the graphs had that were visited; `whole` adds what may be left."""
        return self._progress.events + (self._progress.left() if whole else 0)

    def expect(self, events: float) -> None:
        """Graphs will probably be visited until they have had so many events, though not at once."""

    def stop(self) -> None:
        """Nobody will ask for more."""

    def claim(self) -> Claim:
        classes = self._tally.counts() if self._tally else ()
        decides_final = self._stage.goals.decides_final
        return Claim(self.name, covers_final=decides_final, classes=classes, figures=self.own_figures())

    def own_figures(self) -> tuple[tuple[str, int], ...]:
        """What it counts beside what all explorers do."""
        return ()

    def checks(self) -> tuple[tuple[str, int], ...]:
        """Statistics of the consistency checks that it makes apart from the graphs."""
        return ()


class ExploreReadsFrom(ExploreGraphs):
    """Visits the graphs of a program that differ in who reads from whom, and what that may leave in memory."""

    name = "trust-rf"

    def __init__(self, stage: Stage, tally: ClassTally | None = None, *, as_printed: bool = False) -> None:
        """`as_printed` is that of `TrustReadsFrom`."""
        self._as_printed = as_printed
        super().__init__(stage, tally)

    def _new_trust(self) -> Trust:
        """Where the final function matters, so does the last write of each location."""
        stage = self._stage
        has_final = stage.unfolding.final is not None and stage.goals.decides_final
        trust = TrustReadsFrom(stage.unfolding, stage.model, all_endings=has_final, as_printed=self._as_printed)
        self._search = trust.search
        return trust

    def _note_checks(self) -> None:
        search, statistics = self._search, self._stage.statistics
        statistics.checks, statistics.realizable = search.questions, search.realizable
        statistics.surveying -= search.seconds - statistics.checking
        statistics.checking = search.seconds

    def checks(self) -> tuple[tuple[str, int], ...]:
        return (("checks", self._search.questions), ("realizable", self._search.realizable))

    def own_figures(self) -> tuple[tuple[str, int], ...]:
        return (
            ("checks decided by writes-before", self._search.by_wb),
            ("graphs of a class seen before", self.survey.repeated),
        )
