"""The least set of fences with which a program is verified, by implicit hitting sets ([chandrasekaran-2011]).

    while the cheapest set of fences that meets all demands leaves the program failing:
        demand one of the fences that would have forbidden the failing execution

Each demand is met by every set that repairs the program, so the first set that is verified costs the least. Before
a failing execution becomes a demand, it is sought again in the program with all other fences, until there is none
that demands less: few demands then do.

A demand is the fences that would forbid a failing execution: a repair needs one of them. A fence between two parts of
a thread forbids an execution in which something of the later part takes effect before a store of the earlier part is
in memory. Where nothing does, the execution stays possible with the fence in it: stores that come after the fence can
enter the buffer when they are needed, and what they become is the same. So a set of fences, none of which forbids the
execution, leaves the failure in.
"""

from __future__ import annotations

import enum
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mcr.api import open_session
from mcr.exploration.options import Options
from mcr.exploration.verdict import INTERRUPTED, Result, Stop, Verdict
from mcr.fencing.places import (
    AfterStores,
    FencePlaces,
    FenceSet,
    OwnFences,
    PlacedFence,
    cost,
    in_order,
    kinds,
    strongest,
)
from replay.code.fences import Line
from replay.errors import InternalError
from replay.frontend.program import Program
from replay.traces.trace import Trace, TraceEvent
from replay.world.memory_model import MemoryModel
from replay.world.memory_models import MODELS
from replay.world.operation import KINDS, Kind
from solvers.hitting import HittingSets


def forbidding(trace: Trace, places: FencePlaces) -> FenceSet:
    """The fences at these places that forbid the execution, each by itself."""
    found: set[PlacedFence] = set()
    for thread in trace.threads:
        events = list(trace.of_thread(thread))
        for count, event in enumerate(events, start=1):
            if (line := places.at(event)) is not None:
                kinds = (kind for kind in places.known[line] if _forbids(kind, events[:count], events[count:]))
                found.update(PlacedFence(line, kind) for kind in kinds)
    return frozenset(found)


def _forbids(kind: Kind, before: Sequence[TraceEvent], after: Sequence[TraceEvent]) -> bool:
    """Returns whether something after the fence takes effect before a store that it waits for is in memory."""
    last = max((event.moment for event in before if _is_store(event)), default=-math.inf)
    later = filter(_is_store if kind is Kind.STORE_FENCE else _takes_effect, after)
    return any(event.moment < last for event in later)


def _is_store(event: TraceEvent) -> bool:
    return KINDS[event.kind] is Kind.STORE


def _takes_effect(event: TraceEvent) -> bool:
    return KINDS[event.kind] not in (Kind.CHOOSE, Kind.STORE_FENCE)


class FenceAnswer(enum.Enum):
    """The outcome of a search."""

    NONE_NEEDED = "none needed"
    """The program is verified without any."""
    FOUND = "found"
    """The sets are verified, and no cheaper one is."""
    NONE_HELPS = "none helps"
    """The program fails whatever fences are chosen."""
    INCOMPLETE = "incomplete"
    """A limit was reached."""


@dataclass(frozen=True)
class LeastFences:
    """The fences that a program needs under a model.

    sets      sets of least cost, each verified; all of them if they were asked for and `answer` is not INCOMPLETE
    places    the lines where fences were tried
    unfit     lines that store where none could be put
    failure   what is left to fail if no fence helps
    stop      why the search ended early
    checks    explorations of the program, each with other fences
    seconds   all of it
    """

    program: Program
    model: str
    answer: FenceAnswer
    sets: tuple[tuple[PlacedFence, ...], ...] = ()
    places: tuple[Line, ...] = ()
    unfit: tuple[Line, ...] = ()
    failure: Trace | None = None
    stop: Stop | None = None
    checks: int = 0
    seconds: float = 0.0

    @property
    def cost(self) -> int:
        return cost(self.sets[0]) if self.sets else 0


class _Cut(Exception):
    """An exploration was not complete."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(stop.reason)
        self.stop = stop


class FenceSearch:
    """One search; `run` is called once."""

    def __init__(self, program: Program, model: MemoryModel, places: FencePlaces, options: Options) -> None:
        self._program = program
        self._model = model
        self._places = places
        self._options = options
        self._hitting = HittingSets[PlacedFence](lambda fence: fence.cost)
        self._checks = 0
        self._started = time.monotonic()
        self._sets: list[tuple[PlacedFence, ...]] = []

    def run(self, *, every: bool) -> LeastFences:
        """Find a least set of fences, or `every` one."""
        try:
            failure = self._find(every=every)
        except _Cut as cut:
            return self._finding(FenceAnswer.INCOMPLETE, stop=cut.stop)
        if failure is not None:
            return self._finding(FenceAnswer.NONE_HELPS, failure=failure)
        return self._finding(FenceAnswer.FOUND if self._sets[0] else FenceAnswer.NONE_NEEDED)

    def _find(self, *, every: bool) -> Trace | None:
        """Collect sets; the failure against which no fence helps, if there is one."""
        failure = self._failure(MODELS["sc"], frozenset()) if self._model.buffers is not None else None
        while failure is None:
            least = self._hitting.least()
            if least is None or (self._sets and cost(self._sets[0]) < cost(least)):
                return None
            fences = frozenset(least)
            failing = self._failure(self._model, fences)
            if failing is None:
                self._sets.append(tuple(in_order(fences)))
                if not every or not fences:
                    return None
                self._hitting.refuse(least)
            else:
                failure = self._demand(failing, fences)
        return failure

    def _demand(self, failing: Trace, fences: FenceSet) -> Trace | None:
        """Demand a fence against a failure that these fences leave; the failure, if none forbids it."""
        demanded = forbidding(failing, self._places)
        if demanded & fences:
            raise InternalError("an execution was found that a fence in it forbids")
        if not demanded:
            return failing
        for smaller, failing in self._less_and_less(demanded):
            demanded = smaller
            if not demanded:
                return failing
        self._hitting.demand(in_order(demanded))
        return None

    def _less_and_less(self, demanded: FenceSet) -> Iterator[tuple[FenceSet, Trace]]:
        """Demands, each smaller than the one before, of failures that the program has with all other fences."""
        failing = self._failure(self._model, strongest(self._places, demanded))
        if failing is None:
            raise InternalError("a fence that does not forbid an execution has forbidden it")
        tried: set[PlacedFence] = set()
        demanded = forbidding(failing, self._places)
        yield demanded, failing
        while untried := [fence for fence in in_order(demanded) if fence not in tried]:
            tried.add(untried[0])
            fewer = self._failure(self._model, strongest(self._places, demanded - {untried[0]}))
            if fewer is not None:
                demanded = forbidding(fewer, self._places)
                yield demanded, fewer

    def _failure(self, model: MemoryModel, fences: FenceSet) -> Trace | None:
        """How the program fails with these fences; None, proved, if it does not. Raises _Cut."""
        self._checks += 1
        program = self._program.fenced(self._places.fences(fences))
        session = open_session(program, model, options=self._left())
        result = session.explore()
        self._places.meet(session.unfolding.states)
        return _failure_of(result)

    def _left(self) -> Options:
        """The options, with the time that is left."""
        timeout = self._options.timeout
        if timeout is None:
            return self._options
        spent = time.monotonic() - self._started
        if spent >= timeout:
            raise _Cut(Stop(f"the time limit of {timeout:g} s was reached", "raise --timeout"))
        return replace(self._options, spent=spent)

    def _finding(self, answer: FenceAnswer, *, failure: Trace | None = None, stop: Stop | None = None) -> LeastFences:
        return LeastFences(
            self._program,
            self._model.name,
            answer,
            tuple(self._sets),
            tuple(sorted(self._places.known)),
            tuple(sorted(self._places.unfit)),
            failure,
            stop,
            self._checks,
            time.monotonic() - self._started,
        )


def _failure_of(result: Result) -> Trace | None:
    if result.stop is INTERRUPTED:
        raise KeyboardInterrupt
    if result.verdict is Verdict.INCOMPLETE:
        assert result.stop is not None
        raise _Cut(result.stop)
    return result.failures[0] if result.failures else None


def repair(program: Program, model: MemoryModel, *, every: bool = False, options: Options | None = None) -> LeastFences:
    """The least fences to add, each directly after a line that stores, with which a program is verified.

    Raises ModelError if the program is broken.
    """
    return FenceSearch(program, model, AfterStores(kinds(model)), options or Options()).run(every=every)


def needed(program: Program, model: MemoryModel, *, every: bool = False, options: Options | None = None) -> LeastFences:
    """The least of the program's own fences with which it is verified: the others are redundant.

    A full fence where a store fence does counts as a dearer one. Raises ModelError if the program is broken.
    """
    return FenceSearch(program, model, OwnFences(kinds(model)), options or Options()).run(every=every)
