"""TruSt beside another algorithm, with a process that goes ahead.

Who visits graphs by turns with something else (`auto`) is told here what each
visit shows when its turn has come, as if it had happened then: the same steps
become known in the same order, the same graphs are executed, and the same is
guessed about how many are left. So whoever decides by that decides the same.
The process ahead knows less than this one, whose other algorithm learns as
well, so it tells of steps that may be known here.
"""

from __future__ import annotations

import functools
import math
from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, ClassVar

from mcr.exploration.contract import News, Run, Work
from mcr.exploration.limits import Stopped
from mcr.exploration.stage import Stage
from mcr.exploration.verdict import Stop
from mcr.explorers.trust.exploration import ExploreGraphs
from mcr.explorers.trust.explorer import Fork, Trust
from mcr.explorers.trust.graph import Graph
from mcr.explorers.trust.news import Found
from mcr.explorers.trust.sketch import Sketch, Sketched
from mcr.explorers.trust.survey import BATCH
from mcr.explorers.trust.travel import unpack_graph

if TYPE_CHECKING:
    from mcr.explorers.trust.scout import Scout, Visited

AHEAD = 5_000
_SHARE = 6
"""So many events it may be ahead, or a share of those that were taken: what nobody takes is in vain."""

_LOOK = 0.05
"""Seconds between two looks at limits."""


class _Turn:
    """Work: the next piece of it."""

    depth_first: ClassVar[bool] = True


class ExploreAhead(ExploreGraphs):
    """Visits the graphs of a program; after a while, another process does, ahead of it.

    helpers  how many processes were made
    """

    helpers = 0

    def begin(self) -> Iterable[Work]:
        self._waiting: list[Work] = [*super().begin()]
        self._ahead: Ahead | None = None
        self._events: float = 0
        self._left = self._left_then = math.inf
        return (_Turn(),)

    def expand(self, work: Work) -> Iterator[News]:
        if not isinstance(work, _Turn):
            yield from self._do(work)
            return
        try:
            yield from self._next()
        except BaseException:
            self.stop()
            raise
        if self._waiting or self._ahead is not None:
            yield _Turn()

    def stop(self) -> None:
        """Nobody will ask for more."""
        if self._ahead is not None:
            self._ahead.close()
            self._ahead = None

    def expect(self, events: float) -> None:
        if self._ahead is not None:
            self._ahead.allow(events)

    def cost(self, *, whole: bool = False) -> float:
        if not self.helpers:
            return super().cost(whole=whole)
        return self._events + (self._left if whole else 0)

    def _next(self) -> Iterator[Run]:
        """One piece of work, as a single process would take it."""
        if not self.helpers and self.may_be_handed_on(self._waiting):
            self._go_ahead()
        if self._waiting:
            yield from self._do(self._waiting.pop())
        elif self._ahead is not None:
            self._ahead.allow(self._events + max(AHEAD, self._events / _SHARE))
            with self._stage.timed("surveying"):
                visited = self._ahead.take()
            if visited is None:
                self.stop()
            else:
                yield from self._look_at(visited, self._ahead)

    def _do(self, work: Work) -> Iterator[Run]:
        """Do it here."""
        for news in super().expand(work):
            if isinstance(news, Run):
                yield news
            else:
                self._waiting.append(news)
        if not isinstance(work, Graph | Fork):  # it was a batch
            self._left = self._left_then

    def _go_ahead(self) -> None:
        self._events, self._left = super().cost(), super().cost(whole=True) - super().cost()
        stack = [work for work in self._waiting if isinstance(work, Graph | Fork)]
        self._ahead = Ahead(self._stage, self.scout(), stack)
        self._waiting = []
        self.helpers += 1
        self._ahead.allow(self._events + AHEAD)

    def _look_at(self, visited: Visited, ahead: Ahead) -> Iterator[Run]:
        self._events = visited.events
        if visited.left is not None:
            self._left_then = visited.left
        if ahead.note(self, visited):
            self._waiting.append(self.batch())
        yield from ahead.failures(self, visited)


class Ahead:
    """The other process, and what it has told."""

    def __init__(self, stage: Stage, scout: Scout, stack: list[Graph | Fork]) -> None:
        """It goes on with `stack`, the last one first."""
        from mcr.exploration.twins import Twins
        from mcr.explorers.trust.steps import Translation

        self.translation = Translation(stage.unfolding)
        self._stage = stage
        self._told: deque[Visited | None] = deque()
        self._graphs: dict[int, Graph | Sketch] = {}
        self._allowed = 0.0
        self._twins = Twins()
        self._twin = self._twins.make(functools.partial(scout.serve, stack=stack))

    def close(self) -> None:
        self._twin.kill()
        self._twin.how_it_ended()
        self._twins.close()

    def take(self) -> Visited | None:
        """What came of the next piece of work; None if there was none left. Raises Stopped, also if it dies."""
        while not self._told:
            self._stage.limits.check()
            if self._twin.line.poll(_LOOK):
                self._hear()
        return self._told.popleft()

    def allow(self, events: float) -> None:
        """Let it go on until graphs have had so many events; it is not told of each little step."""
        if events - self._allowed > AHEAD // 10:
            self._twin.send(events)
            self._allowed = events

    def note(self, explorer: ExploreGraphs, visited: Visited) -> bool:
        """Know what a visit showed, as if it had happened here; whether it is time to take a batch."""
        for step in visited.steps:
            self.translation.take(step)
        if not visited.is_full:
            return False
        survey, found = explorer.survey, [found for found in visited.found if not found.failed]
        is_time = survey.visit([self._graph(explorer.trust, each) for each in found])
        explorer.note_visited(survey.visited)
        return is_time

    def failures(self, explorer: ExploreGraphs, visited: Visited) -> Iterator[Run]:
        """The failures that a visit showed, and that are not known. Raises what the visit raised."""
        for each in visited.found:
            if each.error is not None:
                raise each.error
            if each.failed:
                yield from explorer.failing(each.failed, self._graph(explorer.trust, each))

    def _hear(self) -> None:
        try:
            told = self._twin.line.recv()
        except (EOFError, OSError):
            how = self._twin.how_it_ended()
            raise Stopped(how, "where the system had no memory left, say --memory, or fewer --jobs") from None
        if isinstance(told, Stop):
            raise Stopped(told.reason, told.remedy)
        self._told.extend(told)

    def _graph(self, trust: Trust, found: Found) -> Graph | Sketch:
        """The graph that was found."""
        if found.like:
            return self._graphs[found.like]
        told = found.graph
        graph = (
            unpack_graph(self._stage, trust, told) if not isinstance(told, Sketched) else self.translation.sketch(told)
        )
        if not found.failed:
            self._graphs[found.visited] = graph
            for old in [number for number in self._graphs if number <= found.visited - 2 * BATCH]:
                del self._graphs[old]
        return graph
