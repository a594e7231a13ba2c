"""The context of an explorer: a program under a memory model, and what is known of it so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from mcr.exploration.completion import RunToEnd
from mcr.exploration.contract import Run
from mcr.exploration.evidence import Bugs, OnFailure
from mcr.exploration.goals import AFTERWARDS, Goals
from mcr.exploration.limits import Limits, Stopped
from mcr.exploration.options import Options
from mcr.exploration.verdict import Outlook, Statistics
from replay.errors import InternalError
from replay.frontend.program import Program
from replay.machine.machine import Choice, Machine
from replay.machine.merges import ToldApart, WrongMerge
from replay.machine.options import UnfoldingOptions
from replay.machine.unfolding import Unfolding
from replay.sentences import counted
from replay.world.memory_model import MemoryModel
from solvers.interface import OrderSolver
from solvers.registry import make_solver

STEP = 500
"""What a solver propagates in the time that an operation takes in an execution, with what is made of it."""

WORTH = 0.15
"""Seconds that one process works before it shares: by then, most programs are done."""


class Paused(Exception):
    """A question to a solver takes longer than `ExplorationContext.patient` allows; asked again, it goes on."""


class ExplorationContext:
    """The state of one exploration, shared with its explorer, which runs the program by it.

    program     the program; where outcomes are the objective, with a final function that returns what threads return
    unfolding   the local states seen so far, for explorers that need no unfolding of their own
    bugs        the bugs found so far
    limits      of time and executions
    statistics  the figures so far
    told_apart  histories that were merged, and found to differ
    outlook     says how far the explorer is that was made last of those that can tell
    """

    def __init__(
        self,
        program: Program,
        model: MemoryModel,
        goals: Goals,
        options: Options,
        on_failure: OnFailure | None = None,
        *,
        merges: bool = False,
        on_terms: bool = False,
    ) -> None:
        """`on_terms` says that the explorer runs thread code on terms, so inputs need not be few.

        `merges` says whether the explorer can do with local states instead of histories.

        Classes of executions are about histories, and never merge.
        """
        self.invents_final = goals.outcomes and program.known(program.instance).final_code is None
        self.program = program.returning_results() if goals.outcomes else program
        self.model = model
        self.goals = goals
        self.options = options
        self.merges = merges and options.merge and goals.equivalence is None
        self.limits = Limits(options)
        self.statistics = Statistics()
        self._patience: Callable[[], bool] | None = None
        self._asks = False
        self._on_terms = on_terms
        self._solvers: list[OrderSolver] = []
        self._told_effort = 0
        self.told_apart = ToldApart()
        self._unfolding: Unfolding | None = None
        self.outlook: Callable[[], Outlook | None] = lambda: None
        self._on_failure = on_failure
        self.bugs = Bugs(model, on_failure)

    @property
    def unfolding(self) -> Unfolding:
        """Made when it is asked for first: to make one looks at all code of the program."""
        if self._unfolding is None:
            self._unfolding = self.new_unfolding(merges=self.merges)
        return self._unfolding

    def begin_again(self, wrong: WrongMerge) -> None:
        """Forget what was explored, as histories were merged that differ; limits go on, and bugs are what they are."""
        self.told_apart.add(wrong.differences)
        self._begin_again()

    def forget(self) -> None:
        """Forget what was explored, bugs included, as more is memory than was known; limits go on."""
        self._begin_again()
        self.bugs = Bugs(self.model, self._on_failure)

    def _begin_again(self) -> None:
        self.limits.begin_again(self.statistics.executions)
        self.statistics = Statistics()
        self._solvers = []
        self._told_effort = 0
        self._unfolding = None
        self.outlook = lambda: None

    def check_lasting(self, explored: Unfolding) -> None:
        """Raise ModelError if code of threads has changed what outlives the runs of the program.

        Both unfoldings look: what ran for the first may have changed what the second finds, and leave it so.
        """
        for unfolding in dict.fromkeys((self._unfolding, explored)):
            if unfolding is not None:
                unfolding.check_lasting()

    @property
    def can_merge(self) -> bool:
        """Returns whether histories share local states: this is wanted, and this Python lets them be compared."""
        if not self.merges:
            return False
        from replay.local_state.layouts import why_unreadable  # late, as those who do not merge do without

        return not why_unreadable()

    def new_unfolding(self, *, merges: bool = False, operations: int | None = None) -> Unfolding:
        """One of the program that knows nothing yet; threads are cut after so many operations, or as options say."""
        options = UnfoldingOptions(
            operations or self.options.max_operations,
            keeps_turns=max((AFTERWARDS[name].keeps_turns for name in self.goals.afterwards), default=0),
            merges=merges,
            compares=self.options.compares,
            samples=self._on_terms,
            follows_calls=False,
        )
        return Unfolding(self.program, options, self.limits.check, self.told_apart)

    def new_solver(self) -> OrderSolver:
        """A solver as the user wants it; to load one takes longer than to explore a small program without."""
        solver = make_solver(self.options.solver, self._check_question)
        self._solvers.append(solver)
        return solver

    def may_share(self, seconds: float) -> bool:
        """Returns whether work that has taken so long may be shared among processes.

        Threads that are spawned are numbered as they are met, and the order of work depends on their numbers.
        """
        return seconds >= WORTH and all(info.is_declared or info.is_final for info in self.unfolding.threads)

    def _check_question(self) -> None:
        self.limits.check()
        if self._asks and self._patience is not None and not self._patience():
            raise Paused

    def effort(self) -> int:
        """Returns the work done so far, in propagations of a solver: counted, so that the same input takes the same
        way."""
        return self._told_effort + sum(solver.effort for solver in self._solvers)

    def check(self) -> None:
        """Raises Stopped if time is up, too much memory taken, or too much work done."""
        self.limits.check()
        limit = self.options.effort
        if limit is not None and self.effort() >= limit:
            raise Stopped(f"the limit of {counted(limit, 'step')} of work was reached", "check that model by itself")

    def spend(self, effort: int) -> None:
        """Something else was done for which a solver would propagate so often."""
        self._told_effort += effort

    def run(self, seed: Sequence[Choice]) -> Run:
        """Play a seed, then run every thread to its end.

        Raises InternalError if the seed is impossible, Stopped if there were executions enough.
        """
        self.limits.check_executions(self.statistics.executions)
        started = time.monotonic()
        machine = Machine(self.unfolding, self.model)
        # Where classes are counted, a wait that fails blocks its thread like an assumption.
        completion = RunToEnd(machine, retry_waits=self.goals.equivalence is None)
        for choice in seed:
            if not machine.is_possible(choice):
                raise InternalError(f"{self.title} is impossible: {choice}: {machine.why_not(choice.thread)}")
            completion.play(choice)
        choices = completion.run()
        self.spend(STEP * sum(state.depth for state in machine.states))
        self.statistics.replaying += time.monotonic() - started
        return Run(choices, machine)

    @property
    def title(self) -> str:
        """How messages about contradictions of the checker begin."""
        return f"a seed for {self.program.title} under {self.model.name}"

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        """Add the time that the block takes to one of the statistics' times."""
        started = time.monotonic()
        try:
            yield
        finally:
            setattr(self.statistics, what, getattr(self.statistics, what) + time.monotonic() - started)

    def checked(self, ask: Callable[[], list[Choice] | None]) -> list[Choice] | None:
        """Ask whether something is consistent: for a schedule that shows it, None if there is none."""
        self.statistics.checks += 1
        with self.timed("checking"):
            found = ask()
        self.statistics.realizable += found is not None
        return found

    @contextmanager
    def patient(self, patience: Callable[[], bool]) -> Iterator[None]:
        """In the block, a question to a solver ends with Paused when `patience` says so; asked again, it goes on.

        It is asked between slices of the search, where the solver has them.
        """
        self._patience = patience
        try:
            yield
        finally:
            self._patience = None

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Around every question to a solver."""
        self._asks = True
        try:
            with self.timed("solving"):
                yield
            self.statistics.proposals += 1
        finally:
            self._asks = False
