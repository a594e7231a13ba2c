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

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mcr.executions.equivalence import VALUES
from mcr.executions.execution import Execution
from mcr.exploration.contract import Claim, News, Run, Work
from mcr.exploration.stage import Stage
from mcr.exploration.verdict import ClassCount, Stop
from mcr.explorers.maximal_causality.closing import Closing
from mcr.explorers.maximal_causality.enforce import Seed, enforce, save_contradiction
from mcr.explorers.maximal_causality.program_order import COMPLETE, PAPER, ProgramOrder
from mcr.explorers.maximal_causality.query import Solving
from mcr.explorers.maximal_causality.races import RaceFinder
from mcr.explorers.maximal_causality.recording import Recording
from mcr.explorers.maximal_causality.seeds import Published, Question
from replay.errors import InternalError
from replay.machine.machine import Machine
from replay.machine.state import NOTHING, State


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
