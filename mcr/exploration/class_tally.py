"""Counting the classes of the executions of an exploration, for the equivalence that is its objective."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import chain

from mcr.executions.causal_past import observe
from mcr.executions.class_counter import ClassCounter
from mcr.executions.execution import Execution
from mcr.exploration.contract import Run
from mcr.exploration.stage import Stage
from mcr.exploration.verdict import ClassCount
from replay.machine.machine import Choice


class ClassTally:
    """The classes seen, in the order in which they were."""

    def __init__(self, stage: Stage, *, keeps_executions: bool = False) -> None:
        """`keeps_executions` says whether somebody takes an execution of each class."""
        assert stage.goals.equivalence is not None
        self._keeps_executions = keeps_executions
        self.counter = ClassCounter(stage.goals.equivalence)
        self._stage = stage
        self._schedules: list[bytes] = []

    def count(self, run: Run) -> bool:
        """Count an execution; whether its class was not seen before."""
        statistics = self._stage.statistics
        execution = observe(self._stage.unfolding, self._stage.model, run.choices)
        if not self.counter.add(execution):
            statistics.redundant += 1
            return False
        if self._keeps_executions:
            self._schedules.append(_packed(run.choices))
        if execution.is_complete:
            statistics.classes += 1
        else:
            statistics.blocked_classes += 1
        return True

    def take_new(self) -> list[Execution]:
        """An execution of each class that was not taken yet."""
        schedules, self._schedules = self._schedules, []
        return [observe(self._stage.unfolding, self._stage.model, _unpacked(packed)) for packed in schedules]

    def counts(self) -> tuple[ClassCount, ...]:
        """How many classes were seen, of the finest equivalence first."""
        return tuple(ClassCount(*counted) for counted in self.counter.counts())


def _packed(choices: Iterable[Choice]) -> bytes:
    """A schedule, small: there is one for each class until somebody takes it."""
    return array("i", chain.from_iterable(choices)).tobytes()


def _unpacked(packed: bytes) -> list[Choice]:
    numbers = iter(array("i", packed))
    return [Choice(*choice) for choice in zip(numbers, numbers, numbers, strict=True)]
