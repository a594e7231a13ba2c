"""The bugs that an exploration has found, each with a trace that shows it."""

from __future__ import annotations

from collections.abc import Callable

from replay.code.terminals import Failed
from replay.errors import InternalError
from replay.machine.machine import Choice, Machine
from replay.machine.state import State
from replay.machine.unfolding import Unfolding
from replay.traces.player import record
from replay.traces.trace import Failure, FailureIdentity, Trace
from replay.world.memory_model import MemoryModel

OnFailure = Callable[[Trace], None]
"""Called with the trace of every bug as soon as it is found, and once more when its schedule was made short."""


class Bugs:
    """No two of them are the same (`Failure.identity`), in the order in which they were found."""

    def __init__(self, model: MemoryModel, on_failure: OnFailure | None) -> None:
        self._model = model
        self._on_failure = on_failure
        self._traces: dict[object, Trace] = {}

    def __bool__(self) -> bool:
        return bool(self._traces)

    def traces(self) -> tuple[Trace, ...]:
        return tuple(self._traces.values())

    @staticmethod
    def identity(unfolding: Unfolding, failed: State) -> FailureIdentity:
        """Which bug it is that a thread failed in this local state."""
        assert isinstance(failed.terminal, Failed)
        return Failure.of(unfolding.thread_name(failed.thread), failed.terminal).identity

    def knows(self, unfolding: Unfolding, failed: State) -> bool:
        return self.identity(unfolding, failed) in self._traces

    def has(self, failure: Failure) -> bool:
        """Whether a failure like this one is known."""
        return failure.identity in self._traces

    def add(self, identity: object, trace: Trace) -> None:
        """Keep the trace of a bug; a second trace of the same one replaces the first."""
        self._traces[identity] = trace
        if self._on_failure is not None:
            self._on_failure(trace)

    def show(self, unfolding: Unfolding, failed: State, choices: list[Choice]) -> list[Choice]:
        """Keep the bug that an execution shows; returns the execution up to there."""
        unfolding.audit([(failed, failed.way())])
        evidence = self._evidence(unfolding, failed, choices)
        self.confirm(unfolding, evidence)
        self.add(self.identity(unfolding, failed), record(unfolding, self._model, evidence, failed=failed))
        return evidence

    def confirm(self, unfolding: Unfolding, choices: list[Choice]) -> None:
        """Run the code of an execution again. Raises WrongMerge if it leads across a merge that is none."""
        machine = Machine(unfolding, self._model)
        for choice in choices:
            machine.apply(choice)
        unfolding.confirm(machine.histories())

    def _evidence(self, unfolding: Unfolding, failed: State, choices: list[Choice]) -> list[Choice]:
        machine = Machine(unfolding, self._model)
        for count, choice in enumerate(choices):
            if machine.states[failed.thread] is failed:
                return choices[:count]
            machine.apply(choice)
        if machine.states[failed.thread] is not failed:
            raise InternalError("a failure was seen that its own execution does not show")
        return choices
