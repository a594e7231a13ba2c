"""Whether threads can wait for what never comes: one more question, when everything else was explored.

It is asked only where it is open: many explorers meet each deadlock on their way, and mostly the places where threads
wait say that they cannot wait for ever (`mcr.exploration.standstill`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from mcr.exploration.contract import Claim, Explorer, News, Work
from mcr.exploration.evidence import cut
from mcr.exploration.stage import Stage
from mcr.exploration.standstill import may_stand_still
from replay.errors import InternalError
from replay.machine.machine import Choice
from replay.traces.deadlock import find_deadlock


@dataclass(frozen=True, slots=True)
class _Deadlock:
    """Play these choices, and all who wait wait for ever."""

    choices: list[Choice]
    depth_first: ClassVar[bool] = False


class ThenDeadlocks:
    """What another explorer does, and then the question whether an execution of the complete unfolding is stuck."""

    def __init__(self, stage: Stage, first: Explorer) -> None:
        self._stage = stage
        self._first = first
        self._asked = False

    def begin(self) -> Iterable[Work]:
        return self._first.begin()

    def expand(self, work: Work) -> Iterator[News]:
        if isinstance(work, _Deadlock):
            run = self._stage.run(work.choices)
            if find_deadlock(run.machine) is None:
                raise InternalError(f"{self._stage.title}: a proposed deadlock is none")
            yield run
        else:
            yield from self._first.expand(work)

    def remaining(self) -> Work | None:
        work = self._first.remaining()
        if work is not None or self._asked or cut(self._stage.unfolding) is not None:
            return work
        self._asked = True
        choices = self._stuck() if self._is_open() else None
        return None if choices is None else _Deadlock(choices)

    def _is_open(self) -> bool:
        """Whether nobody knows yet."""
        stage = self._stage
        if self._first.claim().deadlocks or stage.statistics.deadlocks:
            return False
        with stage.timed("surveying"):
            return may_stand_still(stage.unfolding)

    def claim(self) -> Claim:
        return replace(self._first.claim(), deadlocks=True)

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
