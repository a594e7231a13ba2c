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

import functools
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from multiprocessing.connection import wait
from typing import Any, ClassVar

from mcr.exploration.contract import Claim, News, Run, Work
from mcr.exploration.limits import Stopped
from mcr.exploration.stage import Stage
from mcr.exploration.twins import Twin, Twins
from mcr.explorers.trust.exploration import ExploreGraphs
from mcr.explorers.trust.explorer import Fork
from mcr.explorers.trust.graph import Graph
from mcr.explorers.trust.helper import Helper, Packed
from mcr.explorers.trust.news import Found
from mcr.explorers.trust.survey import BATCH
from mcr.explorers.trust.travel import unpack_graph

WORTH = 0.15
"""Seconds that graphs are visited before the work is shared: by then, most programs are done."""

_LOOK = 0.05
"""Seconds between two looks at limits."""


class _Turn:
    """Work: what comes next."""

    depth_first: ClassVar[bool] = True


@dataclass(eq=False)
class _Piece:
    """A piece of work: the number of what waits here, or what a helper has parted with.

    found     what it has shown, and nobody has looked at yet
    graphs    those that were looked at, by how many had been visited
    visited   how many graphs it had, once it has ended
    """

    work: int | Packed
    found: deque[Found] = field(default_factory=deque)
    graphs: dict[int, Graph] = field(default_factory=dict)
    visited: int | None = None
    figures: dict[str, int] = field(default_factory=dict)
    is_taken: bool = False


@dataclass(eq=False)
class _Busy:
    """A helper; `piece` is what it is at, `asked` whether it was asked to part with some of it."""

    twin: Twin
    piece: _Piece | None = None
    asked: bool = False


class ExploreTogether:
    """Does what `inner` does; after a while, several processes visit its graphs."""

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
            yield from self._share()
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
        """Whether it has taken a while; and the last batch is whole, and dealt with.

        Threads that are spawned are numbered as they are met, and the order of graphs depends on their numbers.
        """
        survey = self._inner.survey
        if not all(info.is_declared or info.is_final for info in self._stage.unfolding.threads):
            return False
        if self._stage.statistics.surveying < WORTH or survey.visited % BATCH or survey.waits:
            return False
        return all(isinstance(work, Graph | Fork) for work in self._waiting)

    def _add(self, figures: dict[str, int]) -> None:
        """What a piece of work has cost counts as well."""
        self._figures.update(figures)
        statistics = self._stage.statistics
        for name, _ in self._inner.checks():
            setattr(statistics, name, getattr(statistics, name) + figures.get(name, 0))

    # -- together ------------------------------------------------------------

    def _share(self) -> Iterator[Run]:
        work = [piece for piece in self._waiting if isinstance(piece, Graph | Fork)]
        self._waiting.clear()
        self._next_batch = self._inner.survey.visited + BATCH
        sharing = _Sharing(self._stage, self._inner, work)
        try:
            for piece, base in sharing.pieces():
                yield from self._look_at(piece, base)
                self._add(piece.figures)
        finally:
            self.messages = sharing.given
            sharing.close()

    def _look_at(self, piece: _Piece, base: int) -> Iterator[Run]:
        """Do what a single process would have done, as far as is known; `base` graphs were visited before the piece."""
        stage, inner = self._stage, self._inner
        while piece.found:
            found = piece.found.popleft()
            visited = base + found.visited
            yield from self._execute_batches(visited - found.is_full)
            inner.note_visited(visited)
            if found.error is not None:
                raise found.error
            graph = piece.graphs[found.like] if found.like else unpack_graph(stage, inner.trust, found.graph)
            if not found.failed:
                piece.graphs[found.visited] = graph
                inner.survey.keep(graph)
                continue
            thread = stage.unfolding.thread(found.failed)
            assert thread is not None
            if not stage.bugs.knows(graph.ends[thread.index]):
                yield inner.run(graph)
        if piece.visited is not None:
            yield from self._execute_batches(base + piece.visited)
            inner.note_visited(base + piece.visited)

    def _execute_batches(self, visited: int) -> Iterator[Run]:
        """Execute what is news in the batches that are whole when so many graphs were visited."""
        inner = self._inner
        while self._next_batch <= visited:
            inner.note_visited(self._next_batch)
            self._next_batch += BATCH
            yield from inner.execute(inner.survey.batch())


class _Sharing:
    """Deals out pieces of work to helpers."""

    def __init__(self, stage: Stage, inner: ExploreGraphs, waiting: list[Graph | Fork]) -> None:
        self.given = 0
        self._stage = stage
        self._pieces = [_Piece(number) for number in reversed(range(len(waiting)))]
        self._twins = Twins()
        helper = Helper(stage, inner.trust, inner.survey.executed, lambda: (*inner.own_figures(), *inner.checks()))
        serve = functools.partial(helper.serve, waiting=waiting)
        self._helpers = [_Busy(self._twins.make(serve)) for _ in range(stage.options.jobs)]

    def close(self) -> None:
        """End all helpers, whatever they are at."""
        for helper in self._helpers:
            helper.twin.kill()
            helper.twin.how_it_ended()
        self._twins.close()

    def pieces(self) -> Iterator[tuple[_Piece, int]]:
        """The first piece that has not ended, whenever there is news of it, with how many graphs were visited before.

        A piece comes for the last time when it has ended. Raises Stopped, also if a helper dies.
        """
        base = self._stage.statistics.graphs
        while self._pieces:
            first = self._pieces[0]
            with self._stage.timed("surveying"):
                while not first.found and first.visited is None:
                    self._turn()
            yield first, base
            if first.visited is not None and not first.found:
                base += first.visited
                del self._pieces[0]

    def _turn(self) -> None:
        self._stage.limits.check()
        self._deal_out()
        lines = {helper.twin.line: helper for helper in self._helpers}
        for line in wait([*lines], _LOOK):
            helper = lines[line]  # type: ignore[index]
            try:
                kind, content = helper.twin.line.recv()
            except (EOFError, OSError):
                how = helper.twin.how_it_ended()
                raise Stopped(how, "where the system had no memory left, say --memory, or fewer --jobs") from None
            self._hear(helper, kind, content)

    def _deal_out(self) -> None:
        """Give work to those who have none; where there is none, ask somebody to part with some."""
        free = [helper for helper in self._helpers if helper.piece is None]
        for piece in self._pieces:
            if free and not piece.is_taken:
                helper = free.pop()
                piece.is_taken, helper.piece = True, piece
                helper.twin.send(piece.work)
        for helper in self._helpers:
            if free and helper.piece is not None and not helper.asked:
                free.pop()
                helper.asked = True
                helper.twin.send("give")

    def _hear(self, helper: _Busy, kind: str, content: Any) -> None:
        piece = helper.piece
        if kind == "stopped":
            raise Stopped(content.reason, content.remedy)
        if kind == "kept":
            helper.asked = False
        elif kind == "given":
            helper.asked = False
            self.given += 1
            assert piece is not None
            self._pieces.insert(self._pieces.index(piece) + 1, _Piece(content))
        elif kind == "found":
            assert piece is not None
            piece.found.extend(content)
        else:
            assert piece is not None
            found, visited, figures = content
            piece.found.extend(found)
            piece.visited, piece.figures, helper.piece = visited, figures, None
