"""TruSt by several processes: subtrees of all graphs are visited at once; what is made of them is that of one process.

The explorations of [kokologiannakis-2022] share no state (section 6.2), so any subtree may be visited elsewhere. What
subtrees show is looked at in the order in which one process would come to it, graph by graph: the same executions are
run as by one process, the same failure is found first, and the same counts come out, whoever visited what.

A subtree is what comes of a stack of work. A process visits it until it is done, or until there is a reason to stop:
another process has nothing to do, a thread has failed, or it has found much. What is left of the stack are subtrees of
their own, which come after it in order.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from mcr.exploration.contract import GoOn, News, Run, Work
from mcr.exploration.forking import forked
from mcr.exploration.stage import Stage
from mcr.explorers.trust.exploration import ExploreGraphs
from mcr.explorers.trust.explorer import Fork, Trust
from mcr.explorers.trust.graph import Graph
from mcr.explorers.trust.novelty import Found, NoveltyFilter, Position
from mcr.explorers.trust.packing import Packed, pack, unpack, unpack_graph
from mcr.explorers.trust.survey import BATCH
from replay.errors import CheckerError

_LOOK = 0.05
"""Seconds between two looks at limits."""

_LEAST = 0.02
"""Seconds that a subtree is visited before it is divided for those who have nothing to do."""

_MUCH = 500
"""So many things are found at most before somebody looks at them: they take memory."""

_GO_ON, _DIVIDE, _END = range(3)
"""What the processes are asked for: to go on, to divide what they are at, to end it."""


class Visited(NamedTuple):
    """What came of a subtree, as far as it was visited.

    graphs  how many full graphs there were
    found   what they have shown
    left    the stacks of what is left, in order
    """

    graphs: int
    found: list[Found]
    left: list[list[Packed]]


class Visitor:
    """Visits subtrees, in processes that were forked from the one that deals them out.

    asked  what the processes are asked for, in memory that they share
    """

    def __init__(self, stage: Stage, trust: Trust, novelty: NoveltyFilter) -> None:
        self.asked: Any = multiprocessing.get_context("fork").RawValue("i", _GO_ON)
        self.jobs = stage.options.jobs
        self._unfolding = stage.unfolding
        self._trust = trust
        self._novelty = novelty

    def work_here(self) -> None:
        """Be the one that visits in this process."""
        global _visitor
        _visitor = self

    def visit(self, position: Position, packed: Sequence[Packed]) -> Visited:
        """Visit a subtree. Raises Stopped, and WrongMerge, as only this process knows all that was merged here."""
        stack = [unpack(self._unfolding, self._trust, work) for work in packed]
        graphs, found = 0, list[Found]()
        self._novelty.begin(position)
        started = time.monotonic()
        while stack:
            try:
                full = self._trust.advance(stack.pop())
                stack += self._trust.aside
                self._trust.aside.clear()
                graphs += full is not None
                found += self._novelty.found(graphs, full)
            except CheckerError as error:
                found.append(Found(graphs, False, error=error))
                stack.clear()
            if self._is_to_end(found, started):
                break
        self._unfolding.audit_merges()
        return Visited(graphs, found, self._left(stack))

    def _is_to_end(self, found: list[Found], started: float) -> bool:
        if len(found) >= _MUCH or (found and found[-1].failed):
            return True
        asked = self.asked.value
        return asked == _END or (asked == _DIVIDE and time.monotonic() - started > _LEAST)

    def _left(self, stack: list[Graph | Fork]) -> list[list[Packed]]:
        """What comes last is most of it: for others, the lowest pieces of work on a stack are subtrees of their own."""
        work = [pack(self._unfolding, each) for each in stack]
        lowest = self.jobs if self.asked.value == _DIVIDE else 0
        return [each for each in (work[lowest:], *([each] for each in reversed(work[:lowest]))) if each]


_visitor: Visitor
"""The one of this process."""


def _visit(position: Position, packed: Sequence[Packed]) -> Visited:
    return _visitor.visit(position, packed)


@contextmanager
def visited_by_several(
    visitor: Visitor, stack: Sequence[Packed], check: Callable[[], None]
) -> Iterator[Iterator[Visited]]:
    """What comes of a stack, in the order in which one process would visit it; `check` is called while nothing comes.

    What the processes are at when the block ends, they end. Raises Stopped.
    """
    with forked(visitor.jobs, visitor.work_here) as pool:
        try:
            yield _joined(visitor, pool, stack, check)
        finally:
            visitor.asked.value = _END


@dataclass(eq=False, slots=True)
class _Subtree:
    """A subtree that was dealt out; `is_joined` when what is left of it was, too."""

    position: Position
    future: Future[Visited]
    is_joined: bool = False


def _joined(
    visitor: Visitor, pool: ProcessPoolExecutor, stack: Sequence[Packed], check: Callable[[], None]
) -> Iterator[Visited]:
    order = _dealt_out(pool, (), [[work] for work in reversed(stack)])
    while order:
        for subtree in order[::-1]:
            if subtree.future.done() and not subtree.is_joined:
                subtree.is_joined = True
                after = order.index(subtree) + 1
                order[after:after] = _dealt_out(pool, subtree.position, subtree.future.result().left)
        under_way = [subtree.future for subtree in order if not subtree.is_joined]
        visitor.asked.value = _DIVIDE if len(under_way) < visitor.jobs else _GO_ON
        if order[0].is_joined:
            yield order.pop(0).future.result()
        else:
            wait(under_way, _LOOK, FIRST_COMPLETED)
            check()


def _dealt_out(pool: ProcessPoolExecutor, position: Position, stacks: Sequence[list[Packed]]) -> list[_Subtree]:
    """Subtrees that come one after the other, below a position."""
    numbered = [((*position, number), stack) for number, stack in enumerate(stacks)]
    return [_Subtree(each, pool.submit(_visit, each, stack)) for each, stack in numbered]


NEWS = 1
"""Steps that nobody knew, for each graph that showed them, from which on nothing is shared: each process would have to
run the same thread code."""


class ExploreInParallel(ExploreGraphs):
    """Visits the graphs of a program; after a while, other processes do. No classes are counted."""

    def begin(self) -> Iterable[Work]:
        self._waiting: list[Work] = [*super().begin()]
        self._next_batch = 0
        return (GoOn(),)

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
        return GoOn()

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
