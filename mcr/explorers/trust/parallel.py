"""TruSt by several processes: subtrees of all graphs are visited at once; what is made of them is that of one process.

The explorations of [kokologiannakis-2022] share no state (section 6.2), so any subtree may be visited elsewhere. What
subtrees show is looked at in the order in which one process would come to it, graph by graph: the same executions are
run as by one process, the same failure is found first, and the same counts come out, whoever visited what.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from mcr.exploration.contract import News, Run, Work
from mcr.explorers.trust.exploration import ExploreGraphs
from mcr.explorers.trust.explorer import Fork
from mcr.explorers.trust.graph import Graph
from mcr.explorers.trust.novelty import Found, NoveltyFilter
from mcr.explorers.trust.packing import pack, unpack_graph
from mcr.explorers.trust.subtrees import Visited, Visitor, visited_by_several
from mcr.explorers.trust.survey import BATCH

NEWS = 1
"""Steps that nobody knew, for each graph that showed them, from which on nothing is shared: each process would have to
run the same thread code."""


class _Turn:
    """Work: what comes next."""

    depth_first: ClassVar[bool] = True


class ExploreInParallel(ExploreGraphs):
    """Visits the graphs of a program; after a while, other processes do. No classes are counted."""

    def begin(self) -> Iterable[Work]:
        self._waiting: list[Work] = [*super().begin()]
        self._next_batch = 0
        return (_Turn(),)

    def expand(self, work: Work) -> Iterator[News]:
        if self._is_worth_sharing():
            yield from self._share()
            return
        for news in super().expand(self._waiting.pop()):
            if isinstance(news, Run):
                yield news
            else:
                self._waiting.append(news)

    def remaining(self) -> Work | None:
        if not self._waiting:
            work = super().remaining()
            if work is None:
                return None
            self._waiting.append(work)
        return _Turn()

    def _is_worth_sharing(self) -> bool:
        """Whether it has taken a while, graphs are many beside what they show, and no batch is under way."""
        stage, survey = self._stage, self.survey
        if not stage.may_share(stage.statistics.surveying) or survey.found >= NEWS * survey.visited:
            return False
        return survey.is_settled and all(isinstance(work, Graph | Fork) for work in self._waiting)

    def _share(self) -> Iterator[Run]:
        """Let others visit what waits, and do at each of their graphs what a single process would have done."""
        unfolding = self._stage.unfolding
        stack = [pack(unfolding, work) for work in self._waiting if isinstance(work, Graph | Fork)]
        self._waiting.clear()
        self._next_batch = self.survey.visited + BATCH
        visitor = Visitor(self._stage, self.trust, NoveltyFilter(self._stage, self.trust, self.survey.executed))
        with visited_by_several(visitor, stack, self._stage.limits.check) as subtrees:
            while (visited := self._next(subtrees)) is not None:
                yield from self._look_at(visited)

    def _next(self, subtrees: Iterator[Visited]) -> Visited | None:
        with self._stage.timed("surveying"):
            return next(subtrees, None)

    def _look_at(self, visited: Visited) -> Iterator[Run]:
        base, graphs = self.survey.visited, dict[int, Graph]()
        for found in visited.found:
            yield from self._execute_batches(base + found.visited - found.is_full)
            self.note_visited(base + found.visited)
            yield from self._look_at_one(found, graphs)
        yield from self._execute_batches(base + visited.graphs)
        self.note_visited(base + visited.graphs)

    def _look_at_one(self, found: Found, graphs: dict[int, Graph]) -> Iterator[Run]:
        """`graphs` are those of the same subtree, by how many had been visited."""
        if found.error is not None:
            raise found.error
        if found.like:
            graph = graphs[found.like]
        else:
            assert found.graph is not None
            graph = unpack_graph(self._stage.unfolding, self.trust, found.graph)
        if found.failed is not None:
            yield from self.failing(found.failed, graph)
            return
        graphs[found.visited] = graph
        self.survey.keep(graph)

    def _execute_batches(self, visited: int) -> Iterator[Run]:
        """Execute what is new in the batches that are whole when so many graphs were visited."""
        while self._next_batch <= visited:
            self.note_visited(self._next_batch)
            self._next_batch += BATCH
            yield from self.execute(self.survey.batch())
