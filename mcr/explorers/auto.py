"""The default: find out which of three algorithms serves a program, cover, trust or bmc.

A program that has few execution graphs needs no solver: they are visited at
once. Any other program is covered; when it is not done after some executions,
its graphs are visited as well, for as long as they show enough, or seem to be
nearly done for what the cover has cost so far. Both work on one unfolding, and
know what the other has shown; who first has nothing left to do ends it. What
they cost is counted in steps, not seconds, and whatever the program, graphs
that lead to nothing never cost more than the cover did. Where nothing is asked
for but whether anything fails, both take turns with a third (`on_terms`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import ClassVar

from mcr.executions.equivalence import TRACES
from mcr.exploration.class_tally import ClassTally
from mcr.exploration.contract import Claim, Explorer, News, Run, Work
from mcr.exploration.stage import Paused, Stage
from mcr.explorers.on_terms import OnTerms
from mcr.explorers.side import Side
from mcr.explorers.trust.exploration import ExploreGraphs
from mcr.explorers.trust.explorer import TooLong, Trust
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel

SMALL = 50
"""Graphs of a program that are visited at once. It then needs no solver, and hardly an execution in vain."""

FIRST_EXECUTIONS = 32
"""Executions of any other program before its graphs: many are done by then, with fewer executions than graphs."""

LONGEST = 200
"""Operations of a thread beyond which no graphs are visited, as each costs more than its length."""

PROPAGATIONS = 12
"""What a solver does in the time that an event of a graph takes."""

EVENT = 20
"""The same as `PROPAGATIONS` with what becomes of graphs, their executions apart."""

EXECUTION = 4_000
"""What a solver does in the time that an execution takes."""


def is_small(unfolding: Unfolding, model: MemoryModel) -> bool:
    """Whether a program has few graphs, and no long thread.

    The unfolding then has local states that nothing executed.
    """
    try:
        for number, _ in enumerate(Trust(unfolding, model, longest=LONGEST).graphs(), 1):
            if number > SMALL:
                return False
    except TooLong:
        return False
    return True


class _Turn:
    """Work: the next piece of one of them."""

    depth_first: ClassVar[bool] = True


class Auto:
    """Covers a program, visits its graphs, looks at it on terms, or all of it."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._tally = ClassTally(stage, keeps_executions=True) if stage.goals.equivalence else None
        self._executions_before_graphs = 0
        self._by_graphs: Side[ExploreGraphs] | None = None
        self._had_its_visit = False
        self._ended = False
        self._on_terms = OnTerms(stage, self._cost)
        self._latest: OnTerms | Side[Explorer] | None = None

    @cached_property
    def _by_cover(self) -> Side[Explorer]:
        """Made when it is needed: a small program does without, and without all that this imports."""
        from mcr.explorers.cover.room import covering

        return Side(covering(self._stage, self._tally))

    def begin(self) -> Iterable[Work]:
        self._executions_before_graphs = self._first_executions()
        return (_Turn(),)

    def _first_executions(self) -> int:
        """How many executions of the program are run before its graphs are visited."""
        if self._stage.goals.equivalence is TRACES:  # every graph is a class
            return 1
        stage = self._stage
        with stage.timed("surveying"):  # the threads alone, in an unfolding of their own; it takes some milliseconds
            small = is_small(stage.new_unfolding(), stage.model)
        return 0 if small else FIRST_EXECUTIONS

    def _begin_graphs(self) -> None:
        """The first graph, unless a thread is too long for that."""
        self._had_its_visit = True
        if max(state.depth for state in self._stage.unfolding.states) <= LONGEST:
            self._by_graphs = Side(ExploreGraphs(self._stage, self._tally))

    @property
    def _graphs(self) -> ExploreGraphs | None:
        return None if self._by_graphs is None else self._by_graphs.explorer

    def _next(self) -> Side[Explorer]:
        """Whose turn it is."""
        if not self._had_its_visit and self._stage.statistics.executions >= self._executions_before_graphs:
            self._begin_graphs()
        return self._by_graphs if self._by_graphs is not None and self._graphs_pay() else self._by_cover

    def _graphs_pay(self) -> bool:
        graphs = self._graphs
        assert graphs is not None
        return graphs.pays() or graphs.cost(whole=True) <= self._effort() / PROPAGATIONS

    def _effort(self) -> int:
        """What the cover's solvers have searched, in propagations."""
        return self._stage.effort() - self._on_terms.effort()

    def _cost(self) -> float:
        """What cover and trust have cost, in propagations."""
        graphs = 0 if self._graphs is None else self._graphs.cost() * EVENT
        return self._effort() + graphs + self._stage.statistics.executions * EXECUTION

    def expand(self, work: Work) -> Iterator[News]:
        if self._on_terms.is_due():
            yield from self._expand_on_terms()
            return
        side = self._latest = self._next()
        try:
            with self._stage.patient(self._on_terms.others_may_go_on):
                piece = side.take()
        except Paused:
            return
        if piece is None:
            self._ended = True
            piece = None if self._graphs is None else self._graphs.remaining()  # visited, and not executed
            if piece is None:
                return
            assert self._by_graphs is not None
            side = self._by_graphs
        for news in side.explorer.expand(piece):
            if not isinstance(news, Run):
                side.announce((news,))
                continue
            if self._graphs is not None and side is not self._by_graphs:
                self._graphs.learn(news)
            yield news

    def _expand_on_terms(self) -> Iterator[Run]:
        self._latest = self._on_terms
        for run in self._on_terms.turn():
            if self._graphs is not None:
                self._graphs.learn(run)
            yield run

    def remaining(self) -> Work | None:
        return None if self._ended or self._on_terms.ended else _Turn()

    def claim(self) -> Claim:
        if isinstance(self._latest, OnTerms):
            return self._latest.claim()
        return (self._latest or self._next()).explorer.claim()
