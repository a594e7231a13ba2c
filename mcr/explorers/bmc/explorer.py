"""Partial-order bounded model checking, [alglave-2013] section 3 and 4: the whole program as one formula, on terms.

Thread code runs on terms (`growth`), and what its unfolding shows becomes a
formula in which values flow as bits (`formula`). A solver looks for an
execution that fails, or that goes where no step is known:

    run the program once
    while the solver finds a step that is missing, or a failure:
        take the step; run the failure
    nothing fails, and no step is missing: the program is verified

Deviations from the paper. (1) Order is what the solver interface has, any two
events that matter being ordered by a statement of their own, in place of
clocks (section 4.2). (2) A read has one step for all numbers, but one for each
value that is no number. (3) Loops are not unrolled to a bound that somebody
gives: the solver says which steps are missing, until none is, or the bound on
operations is met. (4) Threads may stop anywhere: an execution that fails need
not be complete. (5) What is stored has as many bits as its range needs, which is
computed, so nothing overflows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from mcr.encoding.seed import Candidate, Past
from mcr.executions.names import NamedChoice, NamedSchedule
from mcr.exploration.contract import Claim, News, Run, Work
from mcr.exploration.stage import Stage
from mcr.exploration.travel import pack_schedule, unpack_schedule
from mcr.exploration.verdict import Stop
from mcr.explorers.bmc.formula import TermFormula, TooNarrow
from mcr.explorers.bmc.growth import Growth
from mcr.explorers.bmc.numbers import Numbers, TooWide
from mcr.explorers.bmc.shadows import Shadows
from mcr.explorers.bmc.sought import Sought
from mcr.explorers.bmc.valuation import Valuation
from replay.code.beyond_terms import look_for_what_is_beyond_terms
from replay.code.symbols import functions_on_terms
from replay.machine.machine import Choice
from replay.world.terms import Table, known_terms
from solvers.interface import OrderSolver


@dataclass(frozen=True, slots=True)
class Schedule:
    """Play these choices, and run every thread to its end."""

    choices: list[Choice]
    depth_first: ClassVar[bool] = True


_AGAIN = "again"


class _Again:
    """Ask again: the formula has grown, or the solver has learned of a cycle."""

    depth_first: ClassVar[bool] = True


def _look_at(stage: Stage) -> None:
    """Raise ModelError for thread code that cannot run on terms."""
    for code in stage.program.instance().all_code:
        look_for_what_is_beyond_terms(code)


class BMC:
    """Asks one formula whether the program can fail."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        _look_at(stage)
        self._unfolding = stage.new_unfolding(merges=stage.merges)
        self._terms: Table = {}
        self._growth = Growth(self._unfolding)
        self._numbers = Numbers(self._unfolding, Shadows(self._unfolding))
        self._formula: TermFormula | None = None
        self._solvers: list[OrderSolver] = []
        self._sought = Sought(stage)
        self._missing: tuple[int, Callable[[], object]] | None = None
        """How many steps there were when the solver said that one is missing, and what takes that step."""
        self._stop: Stop | None = None

    def begin(self) -> Iterable[Work]:
        return (Schedule([]),)

    def expand(self, work: Work) -> Iterator[News]:
        if isinstance(work, Schedule):
            run = self._stage.run(work.choices)
            self.see(run)
            yield run

    def remaining(self) -> Work | None:
        """What the solver finds, or None, proved, if there is nothing."""
        with known_terms(self._terms):
            return self._asked()

    def _asked(self) -> Work | None:
        stage = self._stage
        try:
            with stage.timed("encoding"):
                formula = self._encoded()
        except TooWide:
            self._stop = Stop("a number may need thousands of bits", "use --algorithm cover")
            return None
        with stage.asking():
            proposed = formula.solver.propose()
        if not proposed:
            return None
        return self._use(formula, Candidate(formula))

    def _encoded(self) -> TermFormula:
        """The formula of all that is known; a new one if numbers have outgrown their bits."""
        with functions_on_terms():
            if self._missing is not None and self._missing[0] == len(self._unfolding.edges):
                self._missing[1]()  # the execution that was to show it read values that may have come otherwise
            self._missing = None
            self._growth.grow()
        while True:
            if self._formula is None:
                self._numbers.forget()
                solver = self._stage.new_solver()
                self._solvers.append(solver)
                self._formula = TermFormula(self._unfolding, self._stage.model, solver, self._numbers)
                self._sought.begin(self._formula)
            try:
                self._formula.grow()
            except TooNarrow:
                self._formula = None
                continue
            self._sought.grow()
            return self._formula

    def _use(self, formula: TermFormula, candidate: Candidate) -> Work:
        """Run what an assignment shows, or take the steps that it misses."""
        valuation = Valuation(formula, candidate)
        shown = self._sought.reached(candidate)
        goals = [] if shown else candidate.goals
        past = Past(candidate, goals[:1], shown)
        order = formula.solver.sort(past.events)
        if order is None:
            self._stage.statistics.cycles += 1
            return _Again()
        if shown:
            self._sought.show(shown)
        else:
            self._missing = len(self._unfolding.edges), self._step(formula, candidate, goals[0], valuation)
        return self._played(valuation.schedule(past, order))

    def _step(
        self, formula: TermFormula, candidate: Candidate, thread: int, valuation: Valuation
    ) -> Callable[[], object]:
        """Takes the step that a thread lacks, as an assignment has it."""
        state = candidate.paths[thread][-1]
        slot = formula.slot_of[state.number]
        assert slot is not None
        base, decisions = valuation.read(slot, state), valuation.frozen()
        return lambda: self._growth.take(state, base, decisions)

    def _played(self, steps: list[NamedChoice]) -> Schedule:
        stage = self._stage
        return Schedule(NamedSchedule(tuple(steps)).choices(stage.unfolding, stage.model))

    def pack(self, work: Work) -> object:
        """A schedule by names."""
        return pack_schedule(self._stage, work.choices) if isinstance(work, Schedule) else _AGAIN

    def unpack(self, packed: object) -> Work:
        return _Again() if packed == _AGAIN else Schedule(unpack_schedule(self._stage, packed))

    def see(self, run: Run) -> None:
        """Take the steps of an execution, and note what it showed."""
        self._sought.see(run)
        with known_terms(self._terms), functions_on_terms():
            self._growth.follow(run.machine)

    def effort(self) -> int:
        """How much its solvers have searched so far, in propagations."""
        return sum(solver.effort for solver in self._solvers)

    @property
    def steps(self) -> int:
        """Steps on terms so far."""
        return len(self._unfolding.edges)

    def claim(self) -> Claim:
        return Claim("bmc", self._stop, figures=self._figures())

    def _figures(self) -> tuple[tuple[str, int], ...]:
        """The size of what was asked."""
        steps = (("states on terms", len(self._unfolding.states)), ("steps on terms", self.steps))
        return steps if self._formula is None else (*steps, *self._formula.sizes())
