"""The loop of maximal causality reduction ([huang-2016] figure 2).

    run the program once
    while there is a seed:
        enforce it, and run everything to its end
        ask of the new trace which loads could have read other values

Each seed makes some load read a value that it did not read before. When no
trace has anything more to offer, a formula of all traces is asked whether
every values class was seen (`seeds.Closing`); if it proposes an execution of
another one, that is run and asked in its turn. So *verified* does not rest on
the seeds alone. With the paper's encoding the formula only judges.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mcr.executions.equivalence import VALUES, Execution
from mcr.exploration.contract import Claim, News, Run, Work
from mcr.exploration.stage import Stage
from mcr.exploration.verdict import ClassCount, Stop
from mcr.explorers.maximal_causality.enforce import Seed, enforce, save_contradiction
from mcr.explorers.maximal_causality.program_order import COMPLETE, PAPER, ProgramOrder
from mcr.explorers.maximal_causality.query import Solving
from mcr.explorers.maximal_causality.recording import Observation, Observed, Recording
from mcr.explorers.maximal_causality.seeds import Closing, Published, Question
from replay.errors import InternalError
from replay.machine.machine import Machine
from replay.machine.state import NOTHING, State
from replay.world.memory_model import Access
from replay.world.operation import Kind, Source

Race = tuple[str, Source | None, Source | None]
"""A location, and the two program lines that access it."""

Clock = dict[int, int]
"""By thread, how many of its events are known to come before."""


class RaceFinder:
    """Collects the races of all traces that it is shown.

    Two accesses race if they are of different threads, one of them is a plain
    store and the other a plain access, and no chain of program order and
    synchronisation (spawn, join, lock, rmw) leads from one to the other.
    """

    def __init__(self) -> None:
        self.found: dict[Race, None] = {}

    def look_at(self, trace: Observation) -> None:
        """Take in the races of one trace."""
        clocks = _clocks(trace)
        for events in _by_location(trace).values():
            for number, second in enumerate(events):
                for first in events[:number]:
                    if first.thread != second.thread and (first.is_store or second.is_store):
                        self._compare(trace, first, second, clocks[second.id])

    def _compare(self, trace: Observation, first: Observed, second: Observed, clock: Clock) -> None:
        if clock.get(first.thread, 0) <= first.depth:
            lines = sorted((_line(first), _line(second)), key=repr)
            self.found[trace.unfolding.locations[first.before.loc].name, lines[0], lines[1]] = None


def _by_location(trace: Observation) -> dict[int, list[Observed]]:
    found: dict[int, list[Observed]] = {}
    for event in trace.events.values():
        if event.access in (Access.LOAD, Access.STORE) and event.before.loc >= 0:
            found.setdefault(event.before.loc, []).append(event)
    return found


def _line(event: Observed) -> Source | None:
    return event.before.operation.source if event.before.operation else None


def _clocks(trace: Observation) -> dict[int, Clock]:
    """For each event what comes before it, own events apart; synchronisation passes clocks on through locations."""
    threads: dict[int, Clock] = {}
    passed: dict[int, Clock] = {}
    clocks: dict[int, Clock] = {}
    for event in trace.events.values():
        if event.kind is None:
            continue
        clock = threads.get(event.thread, {})
        for other in _acquired(trace, event, threads, passed):
            clock = _merged(clock, other)
        threads[event.thread] = clocks[event.id] = clock
        if event.access is Access.BARRIER and event.before.loc >= 0:
            released = _merged(clock, {event.thread: event.depth + 1})
            passed[event.before.loc] = _merged(passed.get(event.before.loc, {}), released)
    return clocks


def _acquired(
    trace: Observation, event: Observed, threads: dict[int, Clock], passed: dict[int, Clock]
) -> Iterator[Clock]:
    """The clocks that an event takes over."""
    if event.kind in (Kind.JOIN, Kind.FINAL):
        for end in trace.events.values():
            if end.kind is None and (event.kind is Kind.FINAL or trace.location(end) == event.before.loc):
                yield _merged(threads.get(end.thread, {}), {end.thread: end.depth})
    elif event.access is Access.BARRIER and event.before.loc in passed:
        yield passed[event.before.loc]


def _merged(clock: Clock, other: Clock) -> Clock:
    return {**clock, **{thread: max(count, clock.get(thread, 0)) for thread, count in other.items()}}


@dataclass(frozen=True)
class Variant:
    """How to explore by maximal causality.

    encoding         "complete", or "paper" for the published treatment of store buffers
    keep_permutable  run permutable seeds as published, although they lead to known classes (4.6)
    evidence         folder to write to if a replay contradicts the solver
    """

    encoding: str = COMPLETE
    keep_permutable: bool = False
    evidence: Path = Path("mcr-internal-error")


class MaximalCausality:
    """The published algorithm as an explorer.

    `expand` raises InternalError if a replay does not do what the solver promised.
    """

    def __init__(self, stage: Stage, variant: Variant | None = None) -> None:
        self._stage = stage
        self._variant = variant or Variant()
        encoding, model, solver = self._variant.encoding, stage.model, stage.options.solver
        self.solving = Solving(ProgramOrder(model, encoding), solver, stage.limits.check)
        self.races = RaceFinder()
        self.classes: dict[bytes, bool] = {}
        """The classes seen, the final function a thread as any other, and whether all ended in their executions."""
        self._counted: dict[bytes, bool] = {}
        """The same without the final function, as classes are counted everywhere."""
        # The formula knows store forwarding; a paper's execution is not to be continued by means of it.
        is_complete = encoding == COMPLETE or not model.forwards
        self._closing = Closing(stage.unfolding, model, stage.new_solver, steers=is_complete)
        self.search = Published(self.solving, None if self._variant.keep_permutable else self._closing)
        self.overlooked = 0
        """Executions that no seed led to: the closing formula proposed them."""
        self._is_left_over = False

    def begin(self) -> Iterable[Work]:
        return (Seed(),)

    def expand(self, work: Work) -> Iterator[News]:
        if isinstance(work, Question):
            seed = self.search.answer(work)
            if seed is not None:
                yield seed
            return
        assert isinstance(work, Seed)
        execution = self._execute(work)
        yield Run(execution.choices, execution.machine)
        self.races.look_at(execution.observation())
        yield from self.search.questions(work, execution)

    def remaining(self) -> Work | None:
        """A seed to a values class that no question led to; None if there is none.

        With the paper's encoding such classes are not run, so that the paper's executions are what is counted.
        """
        choices = self._closing.propose()
        if choices is None:
            return None
        if self._variant.encoding == PAPER:
            self._is_left_over = True
            return None
        self.overlooked += 1
        return Seed(choices=tuple(choices))

    def claim(self) -> Claim:
        stop = None
        if self._is_left_over:
            stop = Stop("the seeds of the paper's encoding do not lead to every execution", "use --algorithm mcr")
        return Claim("mcr", stop, classes=self._counts(), figures=self._figures())

    def _counts(self) -> tuple[ClassCount, ...]:
        if self._stage.goals.equivalence is None:
            return ()
        complete = sum(self._counted.values())
        return (ClassCount("values", complete, len(self._counted) - complete),)

    def _figures(self) -> tuple[tuple[str, int], ...]:
        """[huang-2016] tables 3 and 5."""
        return (
            ("redundant executions", self._stage.statistics.redundant),
            ("executions that no seed led to", self.overlooked),
            ("data races", len(self.races.found)),
            ("seeds tried", self.solving.tally.asked),
            ("seeds satisfiable", self.solving.tally.satisfiable),
            ("seeds skipped", self.search.skipped),
        )

    def _execute(self, seed: Seed) -> Recording:
        """Enforce a seed, and run everything to its end."""
        stage = self._stage
        stage.limits.check_executions(stage.statistics.executions)
        with stage.timed("replaying"):
            execution = Recording(stage.unfolding, stage.model)
            broken = enforce(seed, execution)
            if broken:
                where = save_contradiction(self._variant.evidence, seed, execution, broken)
                raise InternalError(f"{stage.title}: {broken}; see {where}")
            execution.finish()
        self._classify(execution.machine)
        self._add_up()
        return execution

    def _classify(self, machine: Machine) -> None:
        """Count the class of an execution that came to its end."""
        key = class_of(machine)
        if key in self.classes:
            self._stage.statistics.redundant += 1
            return
        self.classes[key] = machine.all_ended()
        final = self._stage.unfolding.final
        self._closing.exclude(_execution(state for state in machine.states if state is not (final and final.root)))
        execution = _execution(state for state in machine.states if state.thread != (final.index if final else NOTHING))
        self._counted[VALUES.key(execution)] = execution.is_complete
        self._stage.statistics.classes = len(self._counted)

    def _add_up(self) -> None:
        """What both formulas took, those of single traces and that of all."""
        for name in ("proposals", "cycles", "solving", "encoding"):
            total = getattr(self.solving.tally, name) + getattr(self._closing.tally, name)
            setattr(self._stage.statistics, name, total)


def class_of(machine: Machine) -> bytes:
    """The values class of an execution that came to its end."""
    return VALUES.key(_execution(machine.states))


def _execution(ends: Iterable[State]) -> Execution:
    """As far as classes of values tell executions apart: where their threads end."""
    return Execution(tuple(ends), {}, {})
