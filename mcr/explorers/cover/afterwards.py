"""Questions about all that a program can do, asked when another explorer has shown every local state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from mcr.exploration.contract import Claim, Explorer, News, Run, Work
from mcr.exploration.evidence import cut
from mcr.exploration.goals import DEADLOCKS
from mcr.exploration.stage import Stage
from mcr.exploration.standstill import may_stand_still
from replay.errors import InternalError
from replay.machine.machine import Choice, Machine
from replay.traces.liveness import find_deadlock


@dataclass(frozen=True, slots=True)
class _Found:
    """Play these choices, and they show what was asked for."""

    choices: list[Choice]
    depth_first: ClassVar[bool] = False


class Afterwards(ABC):
    """What another explorer does, and then executions that answer a question about the complete unfolding.

    `objective` names the question.
    """

    objective: ClassVar[str]

    def __init__(self, stage: Stage, first: Explorer) -> None:
        self._stage = stage
        self._first = first
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
        machine = Machine(self._stage.unfolding, self._stage.model)
        for choice in choices:
            machine.apply(choice)
        return Run(choices, machine, shows=self.objective)

    def remaining(self) -> Work | None:
        work = self._first.remaining() if self._answers is None else None
        if work is not None or cut(self._stage.unfolding) is not None:
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
        """Whether nobody knows yet."""
        stage = self._stage
        if self._first.claim().deadlocks or stage.statistics.deadlocks:
            return False
        with stage.timed("surveying"):
            return may_stand_still(stage.unfolding)

    def _stuck(self) -> list[Choice] | None:
        """The schedule of an execution that is stuck; None if there is none."""
        from mcr.encoding.proposals import Executions  # late, as the question is open for few programs
        from mcr.encoding.standstill import require_deadlock
        from mcr.explorers.cover.states import proposed

        stage = self._stage
        executions = Executions(stage.unfolding, stage.model, stage.new_solver())
        executions.grow()
        require_deadlock(executions.formula, executions.maximality)
        return proposed(stage, executions)

    def _run(self, choices: list[Choice]) -> Run:
        run = self._stage.run(choices)
        if find_deadlock(run.machine) is None:
            raise InternalError(f"{self._stage.title}: a proposed deadlock is none")
        return run

    def claim(self) -> Claim:
        return replace(super().claim(), deadlocks=True)
