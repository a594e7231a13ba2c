"""TruSt by several processes: parts of all graphs are visited at once, and what is made of it is that of one process.

The explorations of [kokologiannakis-2022] share no state (section 6.2), so any
piece of work that waits may be done elsewhere. Pieces have an order: the one
in which a single process would come to them. Helpers visit them as they come,
and part with what they would visit last when somebody has nothing to do. What
they tell is looked at in that order, graph by graph: so the same executions
are run as by one process, the same failure is found first, and the same counts
come out, whoever visited what.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import ClassVar

from mcr.exploration.contract import Claim, News, Run, Work
from mcr.exploration.crew import Crew
from mcr.exploration.stage import Stage
from mcr.explorers.trust.ahead import Ahead
from mcr.explorers.trust.exploration import ExploreGraphs
from mcr.explorers.trust.explorer import Fork
from mcr.explorers.trust.graph import Graph
from mcr.explorers.trust.helper import REPEATED, VISITED, Visitor
from mcr.explorers.trust.news import Found
from mcr.explorers.trust.scout import Visited
from mcr.explorers.trust.survey import BATCH
from mcr.explorers.trust.travel import unpack_graph

EACH = 4
"""Where classes are counted, so many graphs for each class make it worth: the first process executes one of each."""

NEWS = 1
"""Steps that nobody knew, for each graph that showed them, from which on one process visits all graphs."""

LEAD = 100_000
"""So many events the graphs may have that one process has visited ahead: what it tells takes memory."""


class _Turn:
    """Work: what comes next."""

    depth_first: ClassVar[bool] = True


class ExploreTogether:
    """Does what `inner` does; after a while, other processes visit its graphs."""

    def __init__(self, stage: Stage, inner: ExploreGraphs) -> None:
        self._stage = stage
        self._inner = inner
        self._waiting: list[Work] = []
        self._figures: Counter[str] = Counter()
        self._next_batch = 0
        self.messages = 0
        """Pieces of work that travelled from one helper to another."""

    def begin(self) -> Iterable[Work]:
        self._waiting = [*self._inner.begin()]
        return (_Turn(),)

    def expand(self, work: Work) -> Iterator[News]:
        if self._is_worth_sharing():
            yield from self._follow() if self._is_full_of_news() else self._share()
            return
        for news in self._inner.expand(self._waiting.pop()):
            if isinstance(news, Run):
                yield news
            else:
                self._waiting.append(news)

    def remaining(self) -> Work | None:
        if not self._waiting:
            work = self._inner.remaining()
            if work is None:
                return None
            self._waiting.append(work)
        return _Turn()

    def claim(self) -> Claim:
        claim = self._inner.claim()
        return replace(claim, figures=tuple((name, count + self._figures[name]) for name, count in claim.figures))

    def pack(self, work: Work) -> object:
        """A turn has no contents: whoever gets it takes one of his own."""
        return None

    def unpack(self, packed: object) -> Work:
        return _Turn()

    def see(self, run: Run) -> None:
        self._inner.see(run)

    def _is_worth_sharing(self) -> bool:
        """Whether others may go on; where classes are counted, only where graphs are many."""
        statistics = self._stage.statistics
        if self._stage.goals.equivalence is not None and statistics.graphs < EACH * statistics.executions:
            return False
        return self._inner.may_be_handed_on(self._waiting)

    def _is_full_of_news(self) -> bool:
        """Whether graphs show much that nobody knew: each helper would have to run the same thread code.

        Who goes ahead tells nothing of what is counted beside graphs.
        """
        return self._inner.survey.found >= NEWS * self._inner.survey.visited and not self._counted()

    def _add(self, figures: dict[str, int]) -> None:
        """What a piece of work has cost counts as well."""
        self._figures.update(figures)
        statistics = self._stage.statistics
        for name, _ in self._inner.checks():
            setattr(statistics, name, getattr(statistics, name) + figures.get(name, 0))

    # -- one process ahead of this one ---------------------------------------

    def _follow(self) -> Iterator[Run]:
        """Another process visits all graphs, and tells this one, which executes them."""
        stack = [piece for piece in self._waiting if isinstance(piece, Graph | Fork)]
        self._waiting.clear()
        inner, ahead = self._inner, Ahead(self._stage, self._inner.scout(), stack)
        try:
            ahead.allow(inner.cost() + LEAD)
            while (visited := self._taken(ahead)) is not None:
                ahead.allow(visited.events + LEAD)
                is_time = ahead.note(inner, visited)
                yield from ahead.failures(inner, visited)
                if is_time:
                    yield from inner.execute(inner.survey.batch())
        finally:
            ahead.close()

    def _taken(self, ahead: Ahead) -> Visited | None:
        with self._stage.timed("surveying"):
            return ahead.take()

    # -- together ------------------------------------------------------------

    def _share(self) -> Iterator[Run]:
        work = [piece for piece in self._waiting if isinstance(piece, Graph | Fork)]
        self._waiting.clear()
        self._next_batch = self._inner.survey.visited + BATCH
        crew: Crew[Found] = Crew(self._stage, len(work), lambda: self._helper(work))
        try:
            while crew.pieces:
                yield from self._look_at(crew)
        finally:
            self.messages = crew.given
            crew.close()

    def _helper(self, waiting: list[Graph | Fork]) -> Visitor:
        return Visitor(self._stage, self._inner.trust, self._inner.teller(), self._counted, waiting)

    def _counted(self) -> tuple[tuple[str, int], ...]:
        return (*self._inner.own_figures(), *self._inner.checks())

    def _look_at(self, crew: Crew[Found]) -> Iterator[Run]:
        """Do what a single process would have done at the first piece, and put it away."""
        piece, base, graphs = crew.pieces[0], self._stage.statistics.graphs, dict[int, Graph]()
        while piece.figures is None or piece.told:
            with self._stage.timed("surveying"):
                while not piece.told and piece.figures is None:
                    crew.wait()
            while piece.told:
                yield from self._look_at_one(piece.told.popleft(), base, graphs)
        visited = base + piece.figures.pop(VISITED)
        self._inner.survey.repeated += piece.figures.pop(REPEATED)
        yield from self._execute_batches(visited)
        self._inner.note_visited(visited)
        self._add(piece.figures)
        crew.pieces.remove(piece)

    def _look_at_one(self, found: Found, base: int, graphs: dict[int, Graph]) -> Iterator[Run]:
        """`base` graphs were visited before the piece; `graphs` are those of it, by how many had been visited."""
        stage, inner = self._stage, self._inner
        visited = base + found.visited
        yield from self._execute_batches(visited - found.is_full)
        inner.note_visited(visited)
        if found.error is not None:
            raise found.error
        graph = graphs[found.like] if found.like else unpack_graph(stage, inner.trust, found.graph)
        if not found.failed:
            graphs[found.visited] = graph
            inner.survey.keep(graph)
            return
        yield from inner.failing(found.failed, graph)

    def _execute_batches(self, visited: int) -> Iterator[Run]:
        """Execute what is news in the batches that are whole when so many graphs were visited."""
        inner = self._inner
        while self._next_batch <= visited:
            inner.note_visited(self._next_batch)
            self._next_batch += BATCH
            yield from inner.execute(inner.survey.batch())
