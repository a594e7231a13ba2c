"""Histories that somebody else has seen, taken through an unfolding that merges them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any

from replay.code.terminals import Blocked
from replay.machine.code_runner import spawned_by
from replay.machine.spinning import SPIN
from replay.machine.state import NOTHING, Edge, State
from replay.machine.unfolding import Unfolding
from replay.world.operation import Kind, Operation
from replay.world.values import canonical_key

History = tuple[str, tuple[tuple[str, Any], ...]]
"""A thread, and each operation that it executed with what it read: a history where it was started."""


def merging_differences(
    unfolding: Unfolding,
    histories: Iterable[History],
    *,
    words: Callable[[Operation], str] = Operation.describe,
    value: Callable[[Operation, object], Hashable] = lambda _, read: canonical_key(read),
) -> Iterator[str]:
    """What an unfolding lacks of some histories, and which of its states belong to none of them.

    words  an operation as histories have it
    value  what an operation read, as histories have it
    """
    walk = Walk(unfolding, words, value)
    for history in histories:
        if walk.end(history) is None:
            yield f"the engine misses the history {history}"
    yield from (f"no history leads to {state}: {state.operation or state.terminal}" for state in walk.unreached())


class Walk:
    """known  by history where it leads, None if nowhere
    turns  states at the end of a turn that changed nothing
    """

    def __init__(
        self,
        unfolding: Unfolding,
        words: Callable[[Operation], str],
        value: Callable[[Operation, object], Hashable],
    ) -> None:
        self.known: dict[History, State | None] = {}
        self.turns: set[State] = set()
        self._unfolding = unfolding
        self._words = words
        self._value = value

    def end(self, history: History) -> State | None:
        """Where a history leads; one that goes round a loop and changes nothing, to where it began to do so."""
        if history not in self.known:
            self.known[history] = self._end(*history)
        return self.known[history]

    def _end(self, thread: str, steps: tuple[tuple[str, Any], ...]) -> State | None:
        if not steps:
            info = self._unfolding.thread(thread)
            return None if info is None else info.like.root
        edge = self._last(thread, steps)
        if edge is None or not spins(edge.after):
            return None if edge is None else edge.after
        assert isinstance(edge.after.terminal, Blocked)
        self.turns.add(edge.after)
        return self._begun(thread, steps[:-1], edge.after.terminal.wait_from)

    def _begun(self, thread: str, steps: tuple[tuple[str, Any], ...], depth: int) -> State | None:
        """The latest state of a history with so many operations before it."""
        state = self.end((thread, steps))
        while state is not None and state.depth != depth:
            steps = steps[:-1]
            state = self.end((thread, steps))
        return state

    def _last(self, thread: str, steps: tuple[tuple[str, Any], ...]) -> Edge | None:
        """The last step of a history."""
        before = self.end((thread, steps[:-1])) if steps else None
        if before is None or before.operation is None or self._words(before.operation) != steps[-1][0]:
            return None
        wanted = steps[-1][1]
        if before.operation.kind is Kind.START:
            spawner = self.end(wanted)
            wanted = None if spawner is None else spawned_by(spawner.number)
        possible = (wanted, self._owner_known_as(before.operation, wanted))
        return next((edge for edge in before.edges.values() if self._read(edge) in possible), None)

    def _owner_known_as(self, operation: Operation, wanted: Hashable) -> Hashable:
        """What a mutex holds for the unfolding if it is had by a thread that was taken for another one."""
        for info in self._unfolding.threads:
            if info.like is not info and wanted == self._value(operation, info.name):
                return self._value(operation, info.like.name)
        return wanted

    def unreached(self) -> list[State]:
        """The states where no history led that was asked for."""
        reached = {*self.known.values(), *self.turns}
        alike = {info.root for info in self._unfolding.threads if info.like is not info}
        return [state for state in self._unfolding.states if state not in reached and state not in alike]

    def _read(self, edge: Edge) -> Hashable:
        """What a step reads, as histories have it; of a start the value that the spawn left."""
        operation = edge.before.operation
        assert operation is not None
        if edge.read == NOTHING:
            return None
        read = self._unfolding.values[edge.read]
        return read if operation.kind is Kind.START else self._value(operation, read)  # type: ignore[return-value]


def spins(state: State) -> bool:
    """Whether a thread is blocked there that went round a loop and changed nothing."""
    return isinstance(state.terminal, Blocked) and state.terminal.reason == SPIN
