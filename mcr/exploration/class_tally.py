"""Counting the classes of the executions of an exploration, for the equivalence that is its objective."""

from __future__ import annotations

from mcr.executions.causal_past import observe
from mcr.executions.class_counter import ClassCounter
from mcr.exploration.contract import Run
from mcr.exploration.stage import Stage
from mcr.exploration.verdict import ClassCount


class ClassTally:
    """The classes seen, in the order in which they were."""

    def __init__(self, stage: Stage) -> None:
        assert stage.goals.equivalence is not None
        self.counter = ClassCounter(stage.goals.equivalence)
        self._stage = stage

    def count(self, run: Run) -> bool:
        """Count an execution; whether its class was not seen before."""
        statistics = self._stage.statistics
        execution = observe(self._stage.unfolding, self._stage.model, run.choices)
        if not self.counter.add(execution):
            statistics.redundant += 1
            return False
        if execution.is_complete:
            statistics.classes += 1
        else:
            statistics.blocked_classes += 1
        return True

    def counts(self) -> tuple[ClassCount, ...]:
        """How many classes were seen, of the finest equivalence first."""
        return tuple(ClassCount(*counted) for counted in self.counter.counts())
