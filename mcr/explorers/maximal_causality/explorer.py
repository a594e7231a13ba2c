"""The loop of maximal causality reduction ([huang-2016] figure 2).

    run the program once
    while there is a seed:
        enforce it, and run everything to its end
        ask of the new trace which loads could have read other values

Each seed makes some load read a value that it did not read before. When no
trace has anything more to offer, a formula of all traces is asked whether
every values class was seen (`closing`); if it proposes an execution of
another one, that is run and asked in its turn. So *verified* does not rest on
the seeds alone. With the paper's encoding the formula only judges.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from mcr.exploration.engine import Engine, OnFailure, Progress
from mcr.exploration.options import Options
from mcr.exploration.verdict import Result, Stop
from mcr.explorers.maximal_causality.closing import Closing
from mcr.explorers.maximal_causality.enforce import Seed, enforce
from mcr.explorers.maximal_causality.execution import Execution
from mcr.explorers.maximal_causality.program_order import COMPLETE, ENCODINGS, PAPER, ProgramOrder
from mcr.explorers.maximal_causality.published import Published
from mcr.explorers.maximal_causality.query import Solving
from mcr.explorers.maximal_causality.questions import Asker
from mcr.explorers.maximal_causality.races import RaceFinder
from mcr.explorers.maximal_causality.report import save_contradiction
from mcr.explorers.maximal_causality.statistics import MaximalStatistics
from replay.code.user_code import exploring
from replay.errors import CheckerError, InternalError
from replay.frontend.program import Program
from replay.machine.machine import Machine
from replay.machine.state import State
from replay.world.memory_model import MemoryModel, memory_model
from replay.world.operation import Kind


@dataclass(frozen=True)
class MaximalOptions(Options):
    """How to explore by maximal causality.

    encoding         "complete", or "paper" for the published treatment of store buffers
    keep_permutable  run permutable seeds as published, although they lead to known classes (4.6)
    evidence         folder to write to if a replay contradicts the solver

    Raises CheckerError for an unknown encoding.
    """

    encoding: str = COMPLETE
    keep_permutable: bool = False
    evidence: Path = Path("mcr-internal-error")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.encoding not in ENCODINGS:
            raise CheckerError(f"unknown encoding {self.encoding!r}; there are {', '.join(ENCODINGS)}")


ClassKey = tuple[tuple[int, int], ...]
"""A values class: the last local state of each thread that did anything, which determines all that it read."""


class MaximalCausality(Engine):
    """One exploration of one program under one memory model, by the published algorithm.

    Of the engine it takes limits, failures and results; `_cover` is its own.
    `explore` raises InternalError if a replay does not do what the solver promised.
    """

    objective = "values"
    retry_waits = False

    def __init__(
        self,
        program: Program,
        model: MemoryModel,
        options: Options | None = None,
        on_progress: Progress | None = None,
        on_failure: OnFailure | None = None,
    ) -> None:
        own = options if isinstance(options, MaximalOptions) else MaximalOptions(**vars(options or Options()))
        super().__init__(program, model, own, on_progress, on_failure)
        self.statistics: MaximalStatistics = MaximalStatistics()
        self.solving = Solving(ProgramOrder(model, own.encoding), own.solver, self.limits.check)
        self.races = RaceFinder()
        self.classes: set[ClassKey] = set()
        # The formula knows store forwarding; a paper's execution is not to be continued by means of it.
        is_complete = own.encoding == COMPLETE or not model.forwards
        self._closing = Closing(self.unfolding, model, self._new_solver, steers=is_complete)
        asker = Asker(self.solving, model, self.limits.check)
        self.search = Published(asker, None if own.keep_permutable else self._closing)
        self._evidence_folder = own.evidence
        self._encoding = own.encoding
        self._is_left_over = False

    def _cover(self) -> None:
        """The main loop."""
        seed: Seed | None = Seed()
        while seed is not None:
            self.limits.check_executions(self.statistics.executions)
            execution = self._execute(seed)
            self._look_for_failures(execution.choices)
            self._update()
            if self._on_progress is not None:
                self._on_progress(self.statistics)
            if self._is_done():
                return
            trace = execution.observation()
            self.races.look_at(trace)
            self.search.learn(seed, trace, stuck_states(execution.machine))
            seed = self._next()

    def _next(self) -> Seed | None:
        """The next seed to run; None when everything was seen."""
        return self.search.next_seed() or self._overlooked()

    def _overlooked(self) -> Seed | None:
        """A seed to a values class that no question led to; None if there is none.

        With the paper's encoding such classes are not run, so that the paper's executions are what is counted.
        """
        self.limits.check()
        choices = self._closing.propose()
        if choices is None:
            return None
        if self._encoding == PAPER:
            self._is_left_over = True
            return None
        self.statistics.overlooked += 1
        return Seed(choices=tuple(choices))

    def _cut(self) -> Stop | None:
        if self._is_left_over:
            return Stop("the seeds of the paper's encoding do not lead to every execution", "use --encoding complete")
        return super()._cut()

    def _execute(self, seed: Seed) -> Execution:
        """Enforce a seed, and run everything to its end."""
        started = time.monotonic()
        execution = Execution(self.unfolding, self.model)
        broken = enforce(seed, execution)
        if broken:
            where = save_contradiction(self._evidence_folder, self.unfolding, self.model, seed, execution, broken)
            raise InternalError(f"a seed for {self.program.title} under {self.model.name}: {broken}; see {where}")
        execution.finish()
        self._examine(execution.choices)
        self.statistics.executions += 1
        self.statistics.blocked += not execution.machine.all_ended()
        self.statistics.replaying += time.monotonic() - started
        self._classify(execution.machine)
        return execution

    def _classify(self, machine: Machine) -> None:
        """Count the class of an execution that came to its end."""
        key = class_of(machine)
        if key in self.classes:
            self.statistics.redundant += 1
        else:
            self.classes.add(key)
            self._closing.exclude(machine)

    def _update(self) -> None:
        super()._update()
        statistics, tally = self.statistics, self.solving.tally
        statistics.classes = len(self.classes)
        statistics.tried, statistics.satisfiable = tally.asked, tally.satisfiable
        for name in ("proposals", "cycles", "solving", "encoding"):
            setattr(statistics, name, getattr(tally, name) + getattr(self._closing.tally, name))
        statistics.skipped = self.search.skipped
        statistics.races = len(self.races.found)


def class_of(machine: Machine) -> ClassKey:
    """The values class of an execution that came to its end."""
    return tuple((thread, state.number) for thread, state in enumerate(machine.states) if state.parent is not None)


def stuck_states(machine: Machine) -> list[State]:
    """The states whose operation waits for something that will not come."""
    return [
        state
        for state in machine.states
        if state.reads and state.operation is not None and state.operation.kind is not Kind.START
    ]


def check_maximal(
    program: Program,
    model: str = "sc",
    *,
    options: Options | None = None,
    on_progress: Progress | None = None,
    on_failure: OnFailure | None = None,
) -> Result:
    """Explore a program by maximal causality; like `mcr.check` with objective "values".

    Raises ModelError if the program is broken, CheckerError for an unknown model.
    """
    with exploring(program.place):
        return MaximalCausality(program, memory_model(model), options, on_progress, on_failure).explore()
