"""Threads as graphs of local states that tell states apart by what matters, whatever their depth.

A thread that comes back to a local state in which it was is in *the same*
state, so a loop is a circle, and a thread that runs for ever has finitely many
states if its variables have finitely many values. A wait that fails leads
back to where it began, which makes it a loop that only looks.

Where a state cannot be compared with others it is a history, as in every
unfolding, and histories are cut at the bound on operations: they would have no
end.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from replay.code.terminals import Blocked, Request, at_once
from replay.frontend.program import Program
from replay.machine.merges import ToldApart
from replay.machine.options import UnfoldingOptions
from replay.machine.spinning import SPIN
from replay.machine.state import Edge, State
from replay.machine.unfolding import ThreadInfo, Unfolding
from replay.world.operation import FREED, UPDATES, Operation
from replay.world.values import ValueId

_SINGLE = range(-5, 257)
"""Numbers of each of which CPython has one object."""


class LocalGraphs(Unfolding):
    """The local states of a program's threads, merged at any depth."""

    def __init__(
        self,
        program: Program,
        options: UnfoldingOptions,
        check: Callable[[], None],
        told_apart: ToldApart | None = None,
        *,
        shares: bool,
    ) -> None:
        """`options.bound` is for states that cannot be compared with others; without `merges` only turns of loops are
        compared, and without `compares` nothing is.

        `shares`: code is run once for all values of which the thread learns the same.
        """
        self._compared = False
        self._shares = shares
        self.runs = 0
        """Steps for which code was run."""
        self._by_learnt: dict[tuple[int, object], State] = {}
        """By number of a state and what the thread learns there, the state after that."""
        self._began: dict[int, State] = {}
        """By number of a state in the condition of a wait, the state in which that wait began."""
        super().__init__(program, options, check, told_apart)

    def after(self, edge: Edge) -> State:
        """Returns where a step leads: a wait that failed begins again, and so does the turn of a loop of histories."""
        end = edge.after.terminal
        if not isinstance(end, Blocked) or end.wait_from < 0:
            return edge.after
        if end.reason != SPIN:
            return self._began.get(edge.before.number, edge.after)
        return edge.after.path()[end.wait_from]

    def is_inside_wait(self, state: State) -> bool:
        """Returns whether a thread has begun to evaluate the condition of a wait, and not come to its end."""
        return self._began.get(state.number, state) is not state

    def goes_round(self, info: ThreadInfo) -> bool:
        """Returns whether a thread was seen to come back to an earlier state: if states without successors are
        removed again and again, a circle is left."""
        states = [state for state in self.states if state.thread == info.index]
        waiting = {state.number: len(state.edges) for state in states}
        behind = [state for state in states if not state.edges]
        while behind:
            for edge in behind.pop().entries:
                waiting[edge.before.number] -= 1
                if not waiting[edge.before.number]:
                    behind.append(edge.before)
        return any(waiting.values())

    def _grow(self, state: State, read: ValueId) -> Edge:
        """A step that was not known: code is run once for all values of which the thread learns the same."""
        learnt, wrote = self._learnt(state.operation, read)
        if learnt is None:
            self.runs += 1
            return super()._grow(state, read)
        known = self._by_learnt.get((state.number, learnt))
        if known is not None:
            return self._connect(state, read, self._written(state.asked, wrote), known)
        self.runs += 1
        edge = super()._grow(state, read)
        self._by_learnt[state.number, learnt] = edge.after
        return edge

    def _learnt(self, operation: Operation | None, read: ValueId) -> tuple[object, object]:
        """Returns what a thread learns of the value that an update finds, and what is written then; None if that
        may be more.

        An operation with a `result` gives the thread that and nothing else: both it and the update are functions of the
        checker, pure, of the value and of what the operation was made with. So the thread goes on alike, unless the
        update raises something. A result has to be one of which there is a single object, as code may tell equal ones
        apart by `is`.
        """
        if not self._shares or operation is None or operation.result is None or operation.kind not in UPDATES:
            return None, None
        seen = self.values[read]
        if seen is FREED:
            return None, None
        assert operation.update is not None
        try:
            result, wrote = operation.result(seen), operation.update(seen)
        except Exception:  # the code that runs on this value tells the user
            return None, None
        if result is None or type(result) is bool or (type(result) is int and result in _SINGLE):
            return (type(result), result), wrote
        return None, None

    def _plant(self, info: ThreadInfo) -> None:
        super()._plant(info)
        operation = info.root.operation
        if operation is not None and operation.wait_from >= 0:
            self._began[info.root.number] = info.root

    def _connect_to(self, state: State, read: ValueId, request: Request, wrote: ValueId) -> Edge:
        self._compared = False
        edge = super()._connect_to(state, read, request, wrote)
        if isinstance(request, Operation) and request.wait_from >= 0:
            self._began.setdefault(edge.after.number, self._beginning(state, request) or edge.after)
        return edge

    def _beginning(self, before: State, request: Request) -> State | None:
        """Returns where the wait began to which a request belongs; None if it begins one itself, or belongs to none."""
        if getattr(request, "wait_from", -1) in (-1, self._code.latest.thread.performed):
            return None
        return self._began.get(before.number)

    def _place(self, before: State, request: Request) -> Hashable | None:
        """Equal for states that have one future; a wait's condition belongs to the state in which it began."""
        key = self._code.latest_key()
        if key is None:
            return None
        self._compared = True
        began = self._beginning(before, request)
        reason = request.reason if isinstance(request, Blocked) else ""
        return before.thread, key, reason, began and began.number, at_once(request)

    def _ends_turns(self) -> bool:
        return not self.options.merges and self.options.compares

    def _is_bounded(self) -> bool:
        return not self._compared
