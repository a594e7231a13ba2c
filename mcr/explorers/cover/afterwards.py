"""Questions about all that a program can do, asked when another explorer has shown every local state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from mcr.encoding.formula import Formula
from mcr.exploration.contract import Claim, Explorer, News, Run, Work
from mcr.exploration.evidence import cut
from mcr.exploration.stage import Stage
from replay.machine.machine import Choice, Machine


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

    def _formula(self) -> Formula:
        """All that the threads can do, as far as anybody wants to look."""
        stage = self._stage
        formula = Formula(stage.unfolding, stage.model, stage.new_solver(), goals=False, final=False)
        with stage.timed("encoding"):
            formula.grow()
        return formula

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
