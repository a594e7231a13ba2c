"""Cover the unfolding (docs/algorithms.md, "Cover").

    run the program once
    while an execution offers a seed, or else the solver, told what was seen, proposes one:
        replay it, then run every thread to its end

A seed is the causal past of something new. Each round shows at least one local
state that was never seen. When the solver has nothing to propose, every
reachable local state was visited, and with it every assertion in thread code
and in the final function.

Where classes are counted, one execution of each is run (`EnumerateClasses`). Every proposal is a maximal execution of
a class that was not seen, or reads something new, which is such a class too; so no execution is wasted, and to find
any unseen class is easier than to find a new local state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from mcr.encoding.formula import Formula
from mcr.encoding.maximality import MaximalExecutions
from mcr.encoding.seed import Candidate, GoalPast
from mcr.executions.causal_past import observe
from mcr.executions.equivalence import Equivalence
from mcr.exploration.context import ExplorationContext
from mcr.exploration.contract import Claim, Explorer, GoOn, News, Work
from mcr.exploration.observers import ClassTally
from mcr.exploration.verdict import Outlook
from mcr.explorers.cover.foresight import Foresight
from mcr.explorers.cover.redirections import Redirection, Redirections
from replay.errors import InternalError
from replay.machine.machine import Choice


@dataclass(frozen=True, slots=True)
class CoverSeed:
    """Play these choices, and run every thread to its end.

    insists  that it shows something new: it was made from all that is known here
    """

    choices: list[Choice]
    insists: bool = True
    depth_first: ClassVar[bool] = False


class CoverStates:
    """Shows every local state that can be reached, each by some execution."""

    def __init__(self, context: ExplorationContext) -> None:
        self._context = context
        self.unfolding = context.unfolding
        self._redirections = Redirections(context.unfolding, context.model)
        self._foresight = Foresight(context.unfolding, final=context.goals.decides_final)
        context.outlook = self._outlook

    def _outlook(self) -> Outlook:
        """Its goals are the operations that may have results that they never had."""
        goals = len(self._formula.fresh) if "_formula" in vars(self) else None
        return Outlook("local states", "cover", self.unfolding.local_states, None, goals)

    @cached_property
    def _formula(self) -> Formula:
        """Made when it is needed, as solvers are."""
        context = self._context
        return Formula(context.unfolding, context.model, context.new_solver(), final=context.goals.decides_final)

    def begin(self) -> Iterable[Work]:
        return (CoverSeed([], insists=False),)

    def expand(self, work: Work) -> Iterator[News]:
        if isinstance(work, GoOn):
            return
        if isinstance(work, Redirection):
            if not work.is_news():
                return
            self._context.statistics.redirected += 1
            work = CoverSeed(work.seed())
        assert isinstance(work, CoverSeed)
        known = len(self.unfolding.edges)
        run = self._context.run(work.choices)
        if work.insists and len(self.unfolding.edges) == known:
            raise InternalError(f"{self._context.title} showed nothing new")
        yield run
        self._foresight.grow()
        yield from self._redirections.of(run.choices)

    def remaining(self) -> Work | None:
        """A seed that shows something new, from the solver, or a cycle that it proposed; None, proved, if neither."""
        context = self._context
        with context.timed("encoding"):
            self._formula.grow()
        with context.asking():
            proposed = self._formula.solver.propose()
        if not proposed:
            return None
        choices = self._seed()
        if choices is not None:
            return CoverSeed(choices)
        context.statistics.cycles += 1
        return GoOn()

    def claim(self) -> Claim:
        from mcr.explorers.cover.certificate import certificate  # late, as few ask for one

        final = self._context.goals.decides_final
        return Claim("cover", covers_final=final, certificate=lambda: certificate(self._context))

    def _seed(self) -> list[Choice] | None:
        """The schedule that the solver proposed, or None if its orders have a cycle."""
        candidate = Candidate(self._formula)
        alone = [[goal] for goal in candidate.goals]
        for goals in [candidate.goals, *alone] if len(alone) > 1 else alone:
            past = GoalPast(candidate, goals)
            order = self._formula.solver.sort(past.events)
            if order is not None:
                return past.schedule(order)
        return None


class EnumerateClasses:
    """Runs one execution of each class of the equivalence that is the objective."""

    def __init__(self, context: ExplorationContext, finest: Equivalence) -> None:
        self._context = context
        self.unfolding = context.unfolding
        self._finest = finest
        self._tally = ClassTally(context)
        self._executions: MaximalExecutions | None = None
        self._latest: list[Choice] | None = None
        """The schedule of the latest execution, as long as its class may still be proposed."""

    def begin(self) -> Iterable[Work]:
        return (CoverSeed([]),)

    def expand(self, work: Work) -> Iterator[News]:
        assert isinstance(work, CoverSeed)
        run = self._context.run(work.choices)
        if not self._tally.count(run):
            raise InternalError(f"{self._context.title}: a class was proposed twice")
        self._latest = run.choices
        yield run

    def remaining(self) -> Work | None:
        context, finest = self._context, self._finest
        if self._executions is None:
            self._executions = MaximalExecutions(
                context.unfolding, context.model, context.new_solver(), one_source=finest.sources
            )
        self._executions.grow()
        if self._latest is not None:
            self._executions.exclude(observe(context.unfolding, context.model, self._latest), finest)
            self._latest = None
        choices = proposed(context, self._executions)
        return None if choices is None else CoverSeed(choices)

    def claim(self) -> Claim:
        return Claim("cover", covers_final=self._context.goals.decides_final, classes=self._tally.counts())


def proposed(context: ExplorationContext, executions: MaximalExecutions) -> list[Choice] | None:
    """The schedule of a maximal execution that is not excluded; None if there is none."""
    while True:
        with context.asking():
            candidate = executions.propose()
        if candidate is None:
            return None
        choices = executions.schedule(candidate)
        if choices is not None:
            return choices
        context.statistics.cycles += 1


def covering(context: ExplorationContext) -> Explorer:
    """The explorer that covers local states or, where they are the objective, classes."""
    finest = context.goals.equivalence
    return CoverStates(context) if finest is None else EnumerateClasses(context, finest)
