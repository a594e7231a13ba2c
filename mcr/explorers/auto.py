"""The default: find out which of two algorithms serves a program, cover or trust.

A program that has few execution graphs needs no solver: they are visited at
once. Any other program is covered; when it is not done after some executions,
its graphs are visited for as long as they show enough. If these were all
graphs, nothing is left; if not, the solver goes on from what was found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from mcr.executions.equivalence import TRACES
from mcr.exploration.class_tally import ClassTally
from mcr.exploration.contract import Claim, Explorer, News, Work
from mcr.exploration.stage import Stage
from mcr.explorers.trust.exploration import ExploreGraphs
from mcr.explorers.trust.explorer import TooLong, Trust
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel

SMALL = 50
"""Graphs of a program that are visited at once. It then needs no solver, and hardly an execution in vain."""

FIRST_EXECUTIONS = 64
"""Executions of any other program before its graphs: many are done by then, with fewer executions than graphs."""

LONGEST = 200
"""Operations of a thread beyond which no graphs are visited, as each costs more than its length."""


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


class Auto:
    """Covers a program, or visits its graphs, or both."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._tally = ClassTally(stage) if stage.goals.equivalence else None
        self._executions_before_graphs = 0
        self._graphs: ExploreGraphs | None = None
        self._visits = False
        self._had_its_visit = False
        self._saw_all_graphs = False
        self._covers = False

    @cached_property
    def _cover(self) -> Explorer:
        """Made when it is needed: a small program does without, and without all that this imports."""
        from mcr.explorers.cover.room import covering

        return covering(self._stage, self._tally)

    def begin(self) -> Iterable[Work]:
        self._executions_before_graphs = self._first_executions()
        return (self._begin_graphs() if self._executions_before_graphs == 0 else None) or self._begin_cover()

    def _first_executions(self) -> int:
        """How many executions of the program are run before its graphs are visited."""
        if self._stage.goals.equivalence is TRACES:  # every graph is a class
            return 1
        stage = self._stage
        with stage.timed("surveying"):  # the threads alone, in an unfolding of their own; it takes some milliseconds
            small = is_small(stage.new_unfolding(), stage.model)
        return 0 if small else FIRST_EXECUTIONS

    def _begin_cover(self) -> Iterable[Work]:
        self._covers = True
        return self._cover.begin()

    def _begin_graphs(self) -> Iterable[Work]:
        """The first graph, unless a thread is too long for that."""
        self._had_its_visit = True
        if max(state.depth for state in self._stage.unfolding.states) > LONGEST:
            return ()
        self._graphs = ExploreGraphs(self._stage, self._tally)
        self._visits = True
        return self._graphs.begin()

    def expand(self, work: Work) -> Iterator[News]:
        if self._graphs is not None and self._graphs.owns(work):
            self._visits = self._visits and self._graphs.pays()
            return self._graphs.expand(work) if self._visits else iter(())
        return iter(()) if self._saw_all_graphs else self._expand_cover(work)

    def _expand_cover(self, work: Work) -> Iterator[News]:
        yield from self._cover.expand(work)
        if not self._had_its_visit and self._stage.statistics.executions >= self._executions_before_graphs:
            yield from self._begin_graphs()

    def remaining(self) -> Work | None:
        self._visits = self._visits and self._graphs is not None and self._graphs.pays()
        if self._visits:
            assert self._graphs is not None
            batch = self._graphs.remaining()
            self._saw_all_graphs = batch is None
            return batch
        if not self._covers:
            (seed,) = self._begin_cover()
            return seed
        return self._cover.remaining()

    def claim(self) -> Claim:
        if self._visits and self._graphs is not None:
            return self._graphs.claim()
        return self._cover.claim()
