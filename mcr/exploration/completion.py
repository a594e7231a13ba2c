"""After a seed: run every thread to its end, and see as much that is new as comes for free."""

from __future__ import annotations

from replay.code.thread_run import Blocked
from replay.errors import InternalError
from replay.machine.machine import Choice, Machine, make_choice
from replay.machine.state import NOTHING, State


class Completion:
    """Runs a machine until nothing can run any more.

    Whoever would read something that it never read goes first; else threads
    run as long as they can, and stores stay buffered until they have to go. A
    thread whose wait failed tries again when memory has changed; the failed
    evaluation is then struck out of the schedule, as nobody saw it. Without
    `retry_waits`, a wait that failed blocks its thread like an assumption.
    """

    def __init__(self, machine: Machine, choices: list[Choice], *, retry_waits: bool = True) -> None:
        self._machine = machine
        self._retry_waits = retry_waits
        self._schedule: list[Choice | None] = list(choices)
        self._tried: dict[int, int] = {}
        self._writes = 0

    def run(self) -> list[Choice]:
        """Run to the end; returns the whole schedule."""
        turn = 0
        while True:
            self._machine.unfolding.check()
            thread = self._curious()
            if thread is None:
                thread = self._next(turn)
            if thread is None:
                return [choice for choice in self._schedule if choice is not None]
            turn = thread

    def _curious(self) -> int | None:
        """Let a thread read something new, if one can."""
        machine = self._machine
        for thread, state in enumerate(machine.states):
            if state.reads and machine.visible(thread) not in state.children and machine.can_run(thread):
                self._run(thread)
                return thread
        return None

    def _next(self, turn: int) -> int | None:
        """One step of some thread, preferably of the one whose turn it is."""
        machine = self._machine
        count = len(machine.states)
        for offset in range(count):
            thread = (turn + offset) % count
            if machine.states[thread].operation is not None and machine.can_run(thread):
                self._run(thread)
                return thread
            if machine.buffers[thread]:
                self._commit(thread)
                return thread
            if self._may_retry(thread):
                self._retry(thread)
                return thread
        return None

    def _run(self, thread: int) -> None:
        state = self._machine.states[thread]
        chosen = _input(state)
        self._schedule.append(make_choice(thread, NOTHING, chosen))
        after = self._machine.run(thread, chosen)
        if state.begins_wait:
            self._tried[thread] = self._writes
        if after.wrote != NOTHING:
            self._writes += 1

    def _commit(self, thread: int) -> None:
        location = self._machine.committable(thread)[0]
        self._schedule.append(make_choice(thread, location))
        self._machine.commit(thread, location)
        self._writes += 1

    def _may_retry(self, thread: int) -> bool:
        """Whether the thread's wait failed in a memory that has changed since its evaluation began."""
        state = self._machine.states[thread]
        terminal = state.terminal
        return (
            self._retry_waits
            and isinstance(terminal, Blocked)
            and 0 <= terminal.wait_from < state.depth
            and self._tried.get(thread, -1) < self._writes
        )

    def _retry(self, thread: int) -> None:
        """Take back the evaluation of a wait that failed."""
        state = self._machine.states[thread]
        terminal = state.terminal
        assert isinstance(terminal, Blocked)
        start: State = state
        place = len(self._schedule)
        while start.depth > terminal.wait_from:
            assert start.parent is not None
            start = start.parent
            place = self._latest_run(thread, place)
            self._schedule[place] = None
        self._machine.rewind(thread, start)

    def _latest_run(self, thread: int, end: int) -> int:
        """Where in the schedule, before `end`, the thread executed an operation last."""
        for place in range(end - 1, -1, -1):
            choice = self._schedule[place]
            if choice is not None and choice.thread == thread and choice.commit == NOTHING:
                return place
        raise InternalError(f"thread {thread} takes back more than it did")


def _input(state: State) -> int:
    """The value to choose at an input: one that was not tried yet, if there is one."""
    if not state.inputs:
        return NOTHING
    return next((value for value in state.inputs if value not in state.children), state.inputs[0])
