"""The engine: cover the unfolding (docs/algorithms.md).

    run the program once
    while an execution offers a seed, or else the solver, told what was seen, proposes one:
        replay it, then run every thread to its end

A seed is the causal past of something new. Each round shows at least one local
state that was never seen. When the solver has nothing to propose, every
reachable local state was visited, and with it every assertion in thread code
and in the final function.

Where a program has few execution graphs, these are visited instead, and those
that show something new are executed (`mcr.explorers.survey`): at once if they are few
indeed, after 64 executions if they are few for what they show. When these were
all graphs, nothing is left for a solver to propose.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from mcr.encoding.formula import Formula
from mcr.encoding.seed import Candidate, Past, schedule
from mcr.exploration.bugs import Bugs
from mcr.exploration.bugs import OnFailure as OnFailure
from mcr.exploration.collector import fewer_collections
from mcr.exploration.completion import Completion
from mcr.exploration.evidence import cut, final_outcomes, stopped_at, unreached
from mcr.exploration.limits import Limits, Stopped
from mcr.exploration.options import Options as Options
from mcr.exploration.shorten import shorten
from mcr.exploration.strategy import AUTO, SOLVER
from mcr.exploration.verdict import INTERRUPTED, OUT_OF_MEMORY, Result, Statistics, Stop, decide
from mcr.explorers.cover.redirections import Redirections
from mcr.explorers.survey import FIRST_EXECUTIONS, LONGEST, Survey, is_small
from mcr.explorers.trust.graph import Graph
from mcr.explorers.trust.schedule import schedule as schedule_of
from replay.code.thread_run import Failed
from replay.errors import InternalError
from replay.frontend.program import Program
from replay.machine.machine import Choice, Machine
from replay.machine.state import State
from replay.machine.unfolding import Unfolding
from replay.traces.player import record
from replay.traces.trace import Trace
from replay.world.memory_model import MemoryModel
from solvers.interface import OrderSolver
from solvers.registry import make_solver

if TYPE_CHECKING:
    from mcr.executions.class_keys import Census

Progress = Callable[[Statistics], None]
"""Called after every execution."""


class Engine:
    """One exploration of one program under one memory model: the *states* objective.

    Other objectives derive from it (`mcr.explorers.objectives`): `_cover` is what they
    extend, `_observe` is called with the schedule of every execution.
    """

    objective = "states"
    retry_waits = True
    """Whether a wait that failed is evaluated again, or blocks like an assumption."""
    covers_final = True
    """Whether what the final function may see is explored."""

    def __init__(
        self,
        program: Program,
        model: MemoryModel,
        options: Options,
        on_progress: Progress | None = None,
        on_failure: OnFailure | None = None,
    ) -> None:
        self.program = program
        self.model = model
        self.options = options
        self.limits = Limits(options)
        self.statistics = Statistics()
        self.unfolding = self._new_unfolding()
        self.redirections = Redirections(self.unfolding, model)
        self._on_progress = on_progress
        self._looked_at = 0
        self._surveyed = False
        self._bugs = Bugs(self.unfolding, model, on_failure)
        self._census: Census | None = None
        self.witnesses: dict[str, Trace] = {}
        """One trace for each outcome, where outcomes are the objective."""

    @cached_property
    def formula(self) -> Formula:
        """Made when it is needed, as solvers are: to load one takes longer than the graphs of a small program."""
        return Formula(self.unfolding, self.model, self._new_solver(), final=self.covers_final)

    def _new_unfolding(self) -> Unfolding:
        return Unfolding(self.program, self.options.max_operations, self.limits.check)

    def _new_solver(self) -> OrderSolver:
        return make_solver(self.options.solver, self.limits.check)

    def explore(self) -> Result:
        """Explore until nothing is left, a bug is found, or a limit is reached."""
        stop: Stop | None = None
        try:
            with fewer_collections():
                self._cover()
            stop = self._cut()
        except Stopped as stopped:
            stop = stopped_at(stopped.stop, self.unfolding)
        except MemoryError:
            stop = OUT_OF_MEMORY
        except KeyboardInterrupt:
            stop = INTERRUPTED
        self._update()
        failures = self._bugs.traces()
        return Result(
            program=self.program.title,
            file=self.program.file,
            line=self.program.line,
            model=self.model.name,
            verdict=decide(failures, stop),
            statistics=self.statistics,
            failures=failures,
            objective=self.objective,
            outcomes=tuple(sorted(final_outcomes(self.unfolding))),
            witnesses=tuple(sorted(self.witnesses.items())),
            stop=stop,
            solver=self.options.solver,
            complete=stop is None and not self._is_done(),
            unreached=() if failures or stop else unreached(self.unfolding),
            census=() if self._census is None else tuple(self._census.classes().items()),
        )

    def _cover(self) -> None:
        """The main loop."""
        if self._survey():
            return
        self._extend([])
        while not self._is_done():
            if self._survey():
                return
            seed = self._next_seed()
            if seed is None:
                return
            before = len(self.unfolding.states)
            self._extend(seed)
            if len(self.unfolding.states) == before:
                raise InternalError(f"a seed for {self.program.title} under {self.model.name} showed nothing new")

    def _extend(self, seed: list[Choice]) -> None:
        """Play a seed to the end of the program, and look there for further seeds."""
        self.redirections.learn(self._complete(self._play(seed), seed))

    def _is_done(self) -> bool:
        """Whether a bug was found that ends the exploration."""
        sought = self.options.sought
        if sought is not None:
            return any(trace.failure and trace.failure.identity == sought for trace in self._bugs.traces())
        return bool(self._bugs) and not self.options.keep_going

    def _observe(self, machine: Machine, choices: list[Choice]) -> None:
        """Called at the end of every execution, with its schedule."""

    # -- graphs --------------------------------------------------------------

    def _survey(self) -> bool:
        """Visit execution graphs, if it is time for that; whether nothing is left to explore then.

        Called before and between executions; there is one survey at most.
        """
        strategy, executions = self.options.strategy, self.statistics.executions
        if self._surveyed or strategy == SOLVER:
            return False
        if strategy == AUTO and executions < self._executions_before_survey():
            return False
        self._surveyed = True
        if strategy == AUTO and max(state.depth for state in self.unfolding.states) > LONGEST:
            return False
        return self._visit(self._new_survey())

    def _executions_before_survey(self) -> int:
        return 0 if self._is_small else FIRST_EXECUTIONS

    @cached_property
    def _is_small(self) -> bool:
        """Found out by running the threads alone, in an unfolding of their own; it takes some milliseconds."""
        with self._surveying():
            return is_small(self._new_unfolding(), self.model)

    def _new_survey(self) -> Survey:
        executed = len(self.unfolding.states) if self.statistics.executions else 0
        return Survey(self.unfolding, self.model, self._play_failure, executed=executed, covers_final=self.covers_final)

    def _visit(self, survey: Survey) -> bool:
        """Visit graphs as long as that pays, and play those that show something new.

        Returns whether nothing is left to explore: these were all graphs, or a bug ends the exploration.
        """
        batches = survey.batches()
        while (batch := self._next_batch(batches)) is not None:
            self.statistics.graphs = survey.visited
            for graph in batch:
                while not self._is_done() and survey.is_news(graph):
                    choices = schedule_of(graph, self.model)
                    self._complete(self._play(choices), choices)
            if self._is_done():
                return True
            if self.options.strategy == AUTO and not survey.pays():
                return False
        return True

    def _next_batch(self, batches: Iterator[list[Graph]]) -> list[Graph] | None:
        with self._surveying():
            return next(batches, None)

    @contextmanager
    def _surveying(self) -> Iterator[None]:
        """Around visits to graphs; failures that are played meanwhile are not counted."""
        started, played = time.monotonic(), self.statistics.replaying
        try:
            yield
        finally:
            self.statistics.surveying += time.monotonic() - started - (self.statistics.replaying - played)

    def _play_failure(self, past: Graph, failed: State) -> None:
        """A thread failed in a graph: play its past, unless the bug is known."""
        if not self._is_done() and not self._bugs.knows(failed):
            choices = schedule_of(past, self.model)
            self._complete(self._play(choices), choices)

    # -- seeds ---------------------------------------------------------------

    def _next_seed(self) -> list[Choice] | None:
        """A schedule that shows something new; None if there is none."""
        self.limits.check()
        redirection = self.redirections.next()
        if redirection is not None:
            self.statistics.redirected += 1
            return redirection.seed()
        return self._solved_seed()

    def _solved_seed(self) -> list[Choice] | None:
        """A schedule that shows something new, from the solver; None, proved, if there is none."""
        while True:
            started = time.monotonic()
            self.formula.grow()
            self.statistics.encoding += time.monotonic() - started
            with self._solving():
                proposed = self.formula.solver.propose()
            if not proposed:
                return None
            seed = self._seed()
            if seed is not None:
                return seed
            self.statistics.cycles += 1

    @contextmanager
    def _solving(self) -> Iterator[None]:
        """Around every question to a solver."""
        started = time.monotonic()
        try:
            yield
        finally:
            self.statistics.solving += time.monotonic() - started
            self.statistics.proposals += 1

    def _seed(self) -> list[Choice] | None:
        """The schedule that the solver proposed, or None if its orders have a cycle."""
        candidate = Candidate(self.formula)
        alone = [[goal] for goal in candidate.goals]
        for goals in [candidate.goals, *alone] if len(alone) > 1 else alone:
            past = Past(candidate, goals)
            order = self.formula.solver.sort(past.events)
            if order is not None:
                return schedule(candidate, past, order)
        return None

    # -- executions ----------------------------------------------------------

    def _play(self, seed: list[Choice]) -> Machine:
        """Play a seed; whatever the machine refuses is a contradiction between solver and machine."""
        self.limits.check_executions(self.statistics.executions)
        started = time.monotonic()
        machine = Machine(self.unfolding, self.model)
        for choice in seed:
            if not machine.is_possible(choice):
                raise InternalError(
                    f"a seed for {self.program.title} under {self.model.name} is impossible: "
                    f"{choice}: {machine.why_not(choice.thread)}"
                )
            machine.apply(choice)
        self.statistics.replaying += time.monotonic() - started
        return machine

    def _complete(self, machine: Machine, seed: list[Choice]) -> list[Choice]:
        """Run a machine that has played `seed` to its end, look at what it showed, and return the whole schedule."""
        started = time.monotonic()
        choices = Completion(machine, seed, retry_waits=self.retry_waits).run()
        self.statistics.executions += 1
        self.statistics.blocked += not machine.all_ended()
        self.statistics.replaying += time.monotonic() - started
        if self.statistics.executions.bit_count() == 1:  # the first, the second, the fourth, ...
            self.unfolding.audit(machine.states)
        self._examine(choices)
        self._observe(machine, choices)
        self._look_for_failures(choices)
        self._update()
        if self._on_progress is not None:
            self._on_progress(self.statistics)
        return choices

    def _examine(self, choices: list[Choice]) -> None:
        """Hold an execution against the axioms of the memory model, and key it, where that is asked for.

        Raises InternalError for an execution that the model forbids.
        """
        if not (self.options.paranoid or self.options.census):
            return
        from mcr.consistency import check_trace
        from mcr.executions.class_keys import Census  # late, as nobody needs them who does not ask

        trace = record(self.unfolding, self.model, choices)
        if self.options.paranoid:
            check_trace(trace)
        if self.options.census:
            self._census = self._census or Census()
            self._census.add(trace)

    def _look_for_failures(self, choices: list[Choice]) -> None:
        states = self.unfolding.states
        new = states[self._looked_at :]
        self._looked_at = len(states)
        for state in new:
            if isinstance(state.terminal, Failed) and not self._bugs.knows(state):
                evidence = self._bugs.show(state, choices)
                if self.options.shorten:
                    self._shorten(evidence, state)
                if self._is_done():
                    return

    def _shorten(self, evidence: list[Choice], failed: State) -> None:
        started = time.monotonic()
        trace = shorten(self.unfolding, self.model, evidence, failed)
        self.statistics.shortening += time.monotonic() - started
        self._bugs.add(self._bugs.identity(failed), trace)

    # -- results ---------------------------------------------------------------

    def _cut(self) -> Stop | None:
        """Why the exploration is not complete although it ended."""
        return cut(self.unfolding)

    def _update(self) -> None:
        self.statistics.local_states = self.unfolding.local_states
        self.statistics.seconds = time.monotonic() - self.limits.started
