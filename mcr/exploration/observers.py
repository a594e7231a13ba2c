"""Observers: they look at every execution of an exploration, whichever algorithm runs it."""

from __future__ import annotations

from collections.abc import Callable

from mcr.executions.equivalence import ClassCounter
from mcr.exploration.context import ExplorationContext
from mcr.exploration.contract import Run
from mcr.exploration.verdict import ClassCount
from replay.code.terminals import Ended
from replay.traces.player import record
from replay.traces.trace import Trace
from replay.world.shown import shown

Observer = Callable[[Run], object]
"""Looks at executions, in the order in which they are run."""


def hold_against_axioms(run: Run) -> None:
    """Raises InternalError for an execution that the axioms of the memory model forbid."""
    from mcr.consistency.check import check_trace  # late, as nobody needs it who does not ask

    check_trace(trace_of(run))


class Witnesses:
    """Keeps one trace for each outcome."""

    def __init__(self, context: ExplorationContext) -> None:
        self._context = context
        self.traces: dict[str, Trace] = {}

    def see(self, run: Run) -> None:
        final = run.machine.unfolding.final
        assert final is not None
        terminal = run.machine.states[final.index].terminal
        if not isinstance(terminal, Ended) or shown(terminal.value) in self.traces:
            return
        choices = run.choices
        if self._context.invents_final:  # a replay of the user's program knows nothing of it
            choices = [choice for choice in choices if choice.thread != final.index]
        self.traces[shown(terminal.value)] = record(run.machine.unfolding, run.machine.model, choices)
        self._context.statistics.classes += self._context.goals.equivalence is None


def trace_of(run: Run) -> Trace:
    """Records an execution as plain data."""
    return record(run.machine.unfolding, run.machine.model, run.choices)


class ClassTally:
    """The classes seen, in the order in which they were; nothing is counted where they are not the objective.

    counter  counts them, None if nobody does
    """

    def __init__(self, context: ExplorationContext) -> None:
        finest = context.goals.equivalence
        self.counter = None if finest is None else ClassCounter(finest)
        self._context = context

    def count(self, run: Run) -> bool:
        """Count an execution; whether its class was not seen before, as far as anybody knows."""
        if self.counter is None:
            return True
        from mcr.executions.causal_past import observe  # late, as few count classes

        statistics = self._context.statistics
        execution = observe(self._context.unfolding, self._context.model, run.choices)
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
        return tuple(ClassCount(*counted) for counted in self.counter.counts()) if self.counter else ()
