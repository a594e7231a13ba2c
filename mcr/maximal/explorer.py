"""The loop of maximal causality reduction ([huang-2016] figure 2).

    run the program once
    while there is a seed:
        enforce it, and run everything to its end
        ask of the new trace which loads could have read other values

Each seed makes some load read a value that it did not read before. When no
trace has anything more to offer, the engine's formula is asked whether every
local state was seen, and with them every assertion; so *verified* does not
rest on the seeds alone.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from mcr.engine import Engine, OnFailure, Progress
from mcr.maximal.enforce import Seed, enforce
from mcr.maximal.execution import Execution
from mcr.maximal.observation import Observation
from mcr.maximal.program_order import COMPLETE, ENCODINGS, PAPER, ProgramOrder
from mcr.maximal.published import Published
from mcr.maximal.query import Solving, Tally
from mcr.maximal.questions import Asker
from mcr.maximal.races import RaceFinder
from mcr.maximal.report import save_contradiction
from mcr.maximal.tree import Tree
from mcr.options import Options
from mcr.verdict import Result, Statistics, Stop
from replay.errors import CheckerError, InternalError, ModelError
from replay.machine import Machine
from replay.memory_model import MemoryModel, memory_model
from replay.operation import Kind
from replay.program import Program
from replay.state import State
from replay.watchdog import LocalLoopError


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


@dataclass
class MaximalStatistics(Statistics):
    """What is counted beside the figures that all explorations have.

    tried        questions to the solver: can this load read that value?
    satisfiable  those that it answered with a seed
    skipped      seeds that were not run, because other executions had shown meanwhile what they lead to
    overlooked   executions that the engine's formula had to propose in the end
    races        data races seen: pairs of program lines that access a location without order between them
    """

    tried: int = 0
    satisfiable: int = 0
    skipped: int = 0
    overlooked: int = 0
    races: int = 0


class Search(Protocol):
    """Decides which seeds to run."""

    skipped: int

    def next_seed(self) -> Seed | None:
        """A seed to run; None if there is none."""

    def learn(self, seed: Seed, trace: Observation, stuck: list[State]) -> None:
        """Take in what the execution of a seed showed."""


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
        self.solving = Solving(ProgramOrder(model, own.encoding), own.solver)
        self.races = RaceFinder()
        self.classes: set[ClassKey] = set()
        asker = Asker(self.solving, model, self.check_time)
        self.search: Search = Published(asker) if own.keep_permutable else Tree(asker)
        self._evidence_folder = own.evidence
        self._encoding = own.encoding
        self._counted = Tally()

    def _cover(self) -> None:
        """The main loop."""
        seed: Seed | None = Seed()
        while seed is not None:
            self._check_executions()
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
            seed = self.search.next_seed() or self._overlooked()

    def _overlooked(self) -> Seed | None:
        """A seed to a local state that no question led to; None if every one that can be reached was reached.

        Seeds change one trace at a time, and that is not enough for every
        program (`tree`), so the formula of the engine has the last word. With
        the paper's encoding there is nothing to prove.
        """
        if self._is_partial():
            return None
        choices = self._next_seed()
        self.statistics.overlooked += choices is not None
        return None if choices is None else Seed(choices=tuple(choices))

    def _is_partial(self) -> bool:
        """Whether the encoding leaves out what the model allows."""
        return self._encoding == PAPER and self.model.forwards

    def _cut(self) -> Stop | None:
        if self._is_partial():
            return Stop("the paper's encoding leaves out store forwarding", "use --encoding complete")
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
        self.statistics.replaying += time.monotonic() - started
        key = class_of(execution.machine)
        self.statistics.redundant += key in self.classes
        self.classes.add(key)
        return execution

    def _update(self) -> None:
        super()._update()
        statistics, tally = self.statistics, self.solving.tally
        statistics.classes = len(self.classes)
        statistics.tried, statistics.satisfiable = tally.asked, tally.satisfiable
        for name in ("proposals", "cycles", "solving", "encoding"):  # the engine's formula counts there as well
            more = getattr(tally, name) - getattr(self._counted, name)
            setattr(statistics, name, getattr(statistics, name) + more)
        self._counted = replace(tally)
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
    try:
        return MaximalCausality(program, memory_model(model), options, on_progress, on_failure).explore()
    except LocalLoopError as error:  # it came when the thread had just reached an operation after all
        raise ModelError(str(error), f"{program.file}:{program.line}") from None
