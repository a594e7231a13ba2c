"""Questions about all that a program can do, asked when another explorer has shown every local state.

Whether threads wait for ever, whether accesses race, and whether the program does what SC does not: all that it can do
under a model is in the formula of its complete unfolding. If no execution of it has a cycle in po, rf, co and fr, the
program is robust: under that model it has the traces of SC and no others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from mcr.encoding.communication import Slot
from mcr.encoding.formula import Formula
from mcr.encoding.maximality import MaximalExecutions
from mcr.encoding.questions import Races, Racing, Unordered, require_deadlock
from mcr.encoding.seed import Candidate, GoalPast
from mcr.exploration.context import ExplorationContext
from mcr.exploration.contract import Claim, Explorer, News, Run, Work
from mcr.exploration.evidence import cut
from mcr.exploration.goals import AFTERWARDS, DEADLOCKS, RACES, ROBUSTNESS
from mcr.exploration.standstill import may_stand_still
from mcr.exploration.verdict import Stop
from mcr.explorers.cover.states import proposed
from replay.code.terminals import Blocked
from replay.errors import InternalError
from replay.machine.machine import Choice, Machine
from replay.machine.spinning import SPIN
from replay.traces.liveness import find_deadlock


@dataclass(frozen=True, slots=True)
class _Found:
    """Play these choices, and they show what was asked for."""

    choices: list[Choice]
    depth_first: ClassVar[bool] = False


class Afterwards(ABC):
    """Runs another explorer, and then executions that answer a question about the complete unfolding.

    `objective` names the question.
    """

    objective: ClassVar[str]

    def __init__(self, context: ExplorationContext, first: Explorer) -> None:
        self._context = context
        self._first = first
        self.unfolding = first.unfolding
        self._answers: Iterator[list[Choice]] | None = None

    @abstractmethod
    def _ask(self) -> Iterator[list[Choice]]:
        """Schedules that show what was asked for, as many as are needed; then it is proved that there is no other."""

    def begin(self) -> Iterable[Work]:
        return self._first.begin()

    def expand(self, work: Work) -> Iterator[News]:
        if isinstance(work, _Found):
            yield self._run(work.choices)
        else:
            yield from self._first.expand(work)

    def _run(self, choices: list[Choice]) -> Run:
        """An execution that stops where it shows enough."""
        machine = Machine(self.unfolding, self._context.model)
        for choice in choices:
            machine.apply(choice)
        return Run(choices, machine, shows=self.objective)

    def remaining(self) -> Work | None:
        work = self._first.remaining() if self._answers is None else None
        if work is not None or cut(self.unfolding) is not None:
            return work
        if self._answers is None:
            self._answers = self._ask()
        choices = next(self._answers, None)
        return None if choices is None else _Found(choices)

    def claim(self) -> Claim:
        return self._first.claim()


class ThenDeadlocks(Afterwards):
    """An execution in which threads wait for what never comes, if there is one.

    It is asked for only where it is open: many explorers meet each deadlock on their way, and mostly the places where
    threads wait say that they cannot wait for ever (`mcr.exploration.standstill`).
    """

    objective: ClassVar[str] = DEADLOCKS

    def _ask(self) -> Iterator[list[Choice]]:
        choices = self._stuck() if self._is_open() else None
        if choices is not None:
            yield choices

    def _is_open(self) -> bool:
        """Returns whether it is still unknown if a deadlock exists."""
        context = self._context
        if self._first.claim().deadlocks or context.statistics.deadlocks:
            return False
        with context.timed("surveying"):
            return may_stand_still(context.unfolding)

    def _stuck(self) -> list[Choice] | None:
        """The schedule of an execution that is stuck; None if there is none."""
        context = self._context
        executions = MaximalExecutions(context.unfolding, context.model, context.new_solver())
        executions.grow()
        require_deadlock(executions.formula, executions.maximality)
        return proposed(context, executions)

    def _run(self, choices: list[Choice]) -> Run:
        run = self._context.run(choices)
        if find_deadlock(run.machine) is None:
            raise InternalError(f"{self._context.title}: a proposed deadlock is none")
        return run

    def claim(self) -> Claim:
        return replace(super().claim(), deadlocks=True)


def _formula(context: ExplorationContext) -> Formula:
    """All that the threads can do, as far as anybody wants to look."""
    formula = Formula(context.unfolding, context.model, context.new_solver(), goals=False, final=False)
    with context.timed("encoding"):
        formula.grow()
    return formula


class ThenRaces(Afterwards):
    """Every two lines that race."""

    objective: ClassVar[str] = RACES

    def _ask(self) -> Iterator[list[Choice]]:
        formula = _formula(self._context)
        races = Races(formula, self.unfolding.plain or None)
        for one, other in races.pairs():
            racing = races.between(one, other)
            if racing.pairs:
                yield from self._between(formula, racing)

    def _between(self, formula: Formula, racing: Racing) -> Iterator[list[Choice]]:
        """Two schedules that end with a race; none, proved, if there is none."""
        context, solver = self._context, formula.solver
        while True:
            with context.asking():
                if not solver.propose((racing.some,)):
                    return
            first, second = next((one, two) for statement, one, two in racing.pairs if solver.holds(statement))
            past = GoalPast.of_events(Candidate(formula), (first, second))
            order = solver.sort(past.events)
            if order is not None:
                yield past.schedule(_ending(order, first.event, second.event))
                yield past.schedule(_ending(order, second.event, first.event))
                return
            context.statistics.cycles += 1


def _ending(order: list[int], *last: int) -> list[int]:
    """Moves these events to the end of the order: nothing depends on them."""
    return [*(event for event in order if event not in last), *last]


class ThenRobustness(Afterwards):
    """An execution that SC does not have, if there is one."""

    objective: ClassVar[str] = ROBUSTNESS
    _is_refuted = False

    def _ask(self) -> Iterator[list[Choice]]:
        context = self._context
        if context.model.buffers is None:
            return
        formula = _formula(self._context)
        unordered = Unordered(formula)
        while True:
            with context.asking():
                if not formula.solver.propose():
                    return
            past = _past(Candidate(formula), unordered.cycle())
            order = formula.solver.sort(past.events)
            if order is not None:
                self._is_refuted = True
                yield past.schedule(order)
                return
            context.statistics.cycles += 1

    def claim(self) -> Claim:
        """Nothing is proved of a wait_until whose failing evaluation makes several loads: what follows is not compared.

        Of a loop that waits a whole turn is kept (`replay.machine.spinning`).
        """
        claim = super().claim()
        if claim.stop is not None or self._is_refuted or self._context.model.buffers is None:
            return claim
        for state in self.unfolding.states:
            end = state.terminal
            if isinstance(end, Blocked) and end.reason != SPIN and 0 <= end.wait_from < state.depth - 1:
                reason = f"an evaluation of wait_until that fails makes several loads ({end.source})"
                return replace(claim, stop=Stop(reason, "write it as a loop: `while not (...): pass`"))
        return claim


def _past(candidate: Candidate, cycle: list[Slot]) -> GoalPast:
    """Returns the past of a cycle; its order of writes has those that its own threads read from their buffers."""
    sources = [source for slot in cycle if slot.reads and (source := candidate.source(slot)) is not None]
    return GoalPast.of_events(candidate, [*cycle, *sources])


def then(context: ExplorationContext, explorer: Explorer) -> Explorer:
    """The explorer with the questions of `context.goals` that are asked when everything else was explored."""
    if context.goals.deadlocks:
        explorer = ThenDeadlocks(context, explorer)
    for name in context.goals.afterwards:
        explorer = AFTERWARDS[name].explorer(context, explorer)
    return explorer
