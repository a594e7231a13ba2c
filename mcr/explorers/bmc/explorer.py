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

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import ClassVar, NoReturn

from mcr.encoding.seed import Candidate, GoalPast
from mcr.executions.schedule import NamedSchedule
from mcr.exploration.context import ExplorationContext
from mcr.exploration.contract import Claim, GoOn, News, Run, Work
from mcr.exploration.standstill import may_stand_still
from mcr.exploration.verdict import Stop
from mcr.explorers.bmc.formula import TermFormula, TooNarrow
from mcr.explorers.bmc.growth import TermGrowth
from mcr.explorers.bmc.numbers import Numbers, Shadows
from mcr.explorers.bmc.sought import Sought
from mcr.explorers.bmc.valuation import Prediction, Valuation
from replay.errors import AskOthers, BeyondTerms, ModelError, ScheduleError
from replay.machine.machine import Choice
from replay.machine.state import State
from replay.machine.unfolding import Unfolding
from replay.on_terms.frames import on_terms
from replay.on_terms.symbols import EVERYTHING
from replay.world.terms import Table, Term, known_terms

SETTLED = 8
"""Terms that are settled one by one, each by beginning anew, before all are."""


STEP = 10_000
"""What a solver propagates in the time that a step on terms takes, with what it adds to the formula."""

MOST_CASES = 10_000
"""Steps of one operation: where numbers are tried one by one, nobody waits for more."""


class _TooMany(Exception):
    """An operation has more steps than that."""


@dataclass(frozen=True, slots=True)
class Shows:
    """Why a schedule is played: what terms say of it, and the ends of threads that it is to show.

    unfolding   the one on terms
    struck_out  turns of loops were left out, as values tell that they only look
    """

    unfolding: Unfolding
    prediction: Prediction
    ends: tuple[State, ...]
    struck_out: bool


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """Play these choices, and run every thread to its end."""

    choices: list[Choice]
    shows: Shows | None = None
    depth_first: ClassVar[bool] = True


class BMC:
    """Asks one formula whether the program can fail."""

    def __init__(self, context: ExplorationContext, *, alone: bool = True) -> None:
        """`alone`: no other explorer takes turns, so what cannot be done on terms is done on values."""
        self._context = context
        self.unfolding = context.unfolding
        self._alone = alone
        self._terms: Table = {}
        self._settled: dict[Term, None] = {}
        """Terms that thread code is told before it gets them, as it might tell them from numbers."""
        self._by_value = False
        """Whether all terms are settled, and numbers are read as any other value is."""
        self._sought = Sought(context)
        self._stop: Stop | None = None
        self._why = ""
        """Why a term was settled last."""
        self._steps_before = self._steps_told = 0
        self._begin_anew()

    def _begin_anew(self) -> None:
        with self._on_terms():
            self._symbolic = self._context.new_unfolding(merges=self._context.merges)
        self._growth = TermGrowth(self._symbolic, by_value=self._by_value)
        self._numbers = Numbers(self._symbolic, Shadows(self._symbolic), by_value=self._by_value)
        self._formula: TermFormula | None = None
        self._sought.begin_anew()
        self._missing: tuple[int, Callable[[], object]] | None = None
        """How many steps there were when the solver said that one is missing, and what takes that step."""

    def _on_terms(self) -> AbstractContextManager[None]:
        """Around all that runs thread code on terms."""
        terms = EVERYTHING if self._by_value else self._settled
        return on_terms(self._terms, terms)

    def begin(self) -> Iterable[Work]:
        return (PlannedRun([]),)

    def expand(self, work: Work) -> Iterator[News]:
        if isinstance(work, PlannedRun):
            run = self._context.run(work.choices)
            yield run  # before anything of it counts as seen
            self.see(run)
            if work.shows is not None:
                self._compare(run, work.shows)

    def _compare(self, run: Run, shows: Shows) -> None:
        """Note that a run showed what it was to show; if it did something else, terms are no good for it."""
        if shows.unfolding is not self._symbolic:
            return
        line = shows.prediction.difference(run.machine, struck_out=shows.struck_out)
        if line is None:
            self._sought.show(shows.ends)
        else:
            self._fall_back(BeyondTerms("the program does not do what it does on terms", line))

    def remaining(self) -> Work | None:
        """Returns what the solver finds; None if it proved that there is nothing."""
        while self._stop is None:
            try:
                with known_terms(self._terms):
                    return self._asked()
            except BeyondTerms as beyond:
                self._fall_back(beyond)
            except _TooMany as many:
                self._stop = Stop(str(many), "take an input from fewer numbers, or write that line otherwise")
        return None

    def _fall_back(self, beyond: BeyondTerms) -> None:
        """Begin anew: code is told the terms at which it could not go on, or all of them if there are many.

        Raises the error where somebody else explores the program, on values.
        """
        new = [term for term in beyond.terms if term not in self._settled]
        if self._by_value:
            self._stop = Stop(str(beyond), "write that line otherwise, or check a smaller program")
            return
        self._why = str(beyond)
        if new and len(self._settled) < SETTLED:
            self._settled.update(dict.fromkeys(new))
        elif self._alone:
            self._by_value = True
        else:
            raise beyond
        self._steps_before += len(self._symbolic.edges)
        self._begin_anew()

    def _asked(self) -> Work | None:
        context = self._context
        with context.timed("encoding"), self._on_terms():
            formula = self._encoded()
        with context.asking():
            proposed = formula.solver.propose()
        if not proposed:
            if context.goals.deadlocks and may_stand_still(self._symbolic):
                self._stop = Stop(
                    "whether threads wait for ever is not asked about values as terms",
                    "use --algorithm cover, or --allow-deadlock if that is no bug",
                )
            return None
        return self._use(formula, Candidate(formula))

    def _encoded(self) -> TermFormula:
        """The formula of all that is known; a new one if numbers have outgrown their bits."""
        try:
            if self._missing is not None and self._missing[0] == len(self._symbolic.edges):
                self._missing[1]()  # the execution that was to show it read values that may have come otherwise
            self._missing = None
            self._growth.grow()
        except ModelError as error:
            self._refuse(error)
        self._context.spend((self.steps - self._steps_told) * STEP)
        self._steps_told = self.steps
        while True:
            if self._formula is None:
                self._numbers.forget()
                self._formula = TermFormula(
                    self._symbolic,
                    self._context.model,
                    self._context.new_solver(),
                    self._numbers,
                    by_value=self._by_value,
                )
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
        shown = self._sought.reached(candidate)
        goals = [] if shown else candidate.goals
        past = GoalPast(candidate, goals[:1], shown)
        order = formula.solver.sort(past.events)
        if order is None:
            self._context.statistics.cycles += 1
            return GoOn()
        valuation = Valuation(formula, candidate, past)
        if not shown:
            self._missing = len(self._symbolic.edges), self._step(formula, candidate, goals[0], valuation)
        return self._played(valuation, shown, order)

    def _step(
        self, formula: TermFormula, candidate: Candidate, thread: int, valuation: Valuation
    ) -> Callable[[], object]:
        """Takes the step that a thread lacks, as an assignment has it."""
        state = candidate.paths[thread][-1]
        slot = formula.slot(state)
        if len(state.edges) >= MOST_CASES:
            why = self._why or "an input has to be known"
            raise _TooMany(f"{why}, and there are more than {MOST_CASES} numbers")
        base, decisions = valuation.read(slot, state), valuation.frozen()
        return lambda: self._growth.take(state, base, decisions)

    def _played(self, valuation: Valuation, ends: list[State], order: Sequence[int]) -> PlannedRun:
        context, steps = self._context, valuation.schedule(order)
        try:
            choices = NamedSchedule(tuple(steps)).choices(context.unfolding, context.model)
        except ScheduleError as error:
            raise BeyondTerms("the program does not do what it does on terms", error.where) from None
        shows = Shows(self._symbolic, valuation.prediction(ends), tuple(ends), len(choices) < len(steps))
        return PlannedRun(choices, shows)

    def see(self, run: Run) -> None:
        """Take the steps of an execution, and note what it showed."""
        self._sought.see(run)
        try:
            with self._on_terms():
                self._growth.follow(run.machine)
        except ModelError as error:
            self._fall_back(self._beyond(error))

    def _refuse(self, error: ModelError) -> NoReturn:
        """Code that was run on terms has a fault; raises BeyondTerms if the same may be right on values."""
        raise self._beyond(error) from None

    def _beyond(self, error: ModelError) -> BeyondTerms:
        """The reason to run code on values that had a fault on terms. Raises the error if it ran on values."""
        if isinstance(error, AskOthers) or (self._by_value and not isinstance(error, BeyondTerms)):
            raise error
        return error if isinstance(error, BeyondTerms) else BeyondTerms(error.message, error.where)

    @property
    def steps(self) -> int:
        """Steps on terms so far."""
        return self._steps_before + len(self._symbolic.edges)

    def claim(self) -> Claim:
        return Claim("bmc", self._stop, deadlocks=True, figures=self._figures())

    def _figures(self) -> tuple[tuple[str, int], ...]:
        """The size of what was asked."""
        steps = (("states on terms", len(self._symbolic.states)), ("steps on terms", self.steps))
        return steps if self._formula is None else (*steps, *self._formula.sizes())
