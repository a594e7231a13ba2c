"""Runs every thread to its end after a seed was played, and lets threads read what they never read before."""

from __future__ import annotations

from math import inf

from mcr.executions.schedule import strike_out
from replay.code.terminals import Blocked
from replay.machine.machine import Choice, Machine, make_choice
from replay.machine.state import NOTHING, State


class RunToEnd:
    """Runs a machine until nothing can run any more.

    A thread that would read a value which it never read in that state goes
    first. Otherwise a thread runs as long as it can, and its stores stay in
    the buffer until they have to commit. A thread whose wait failed tries again
    when memory has changed; the failed evaluation is then taken out of the
    schedule, since no other thread can have seen it. Without
    `retry_waits`, a wait that failed blocks its thread like an assumption.
    """

    def __init__(self, machine: Machine, *, retry_waits: bool = True) -> None:
        self._machine = machine
        self._retry_waits = retry_waits
        self._schedule: list[Choice] = []
        self._steps = 0
        """How many choices were made, those that were taken back included."""
        self._seen: list[list[int]] = [[] for _ in machine.states]
        """By thread and depth, how often memory had been written to when it executed its operation."""
        self._writes = 0

    def play(self, choice: Choice) -> None:
        """Make a choice that is possible."""
        if choice.commit == NOTHING:
            self._run(choice)
        else:
            self._commit(choice)

    def run(self, most: float = inf) -> list[Choice]:
        """Run to the end, or for so many steps; returns the whole schedule."""
        turn, end = 0, self._steps + most
        while True:
            self._machine.unfolding.check()
            thread = self._curious()
            if thread is None:
                thread = self._next(turn)
            if thread is None or self._steps > end:
                return self._schedule
            turn = thread

    def _curious(self) -> int | None:
        """Let a thread read something new, if one can."""
        machine = self._machine
        for thread, state in enumerate(machine.states):
            if state.reads and machine.visible(thread) not in state.edges and machine.can_run(thread):
                self._run(make_choice(thread))
                return thread
        return None

    def _next(self, turn: int) -> int | None:
        """One step of some thread, preferably of the one whose turn it is."""
        machine = self._machine
        count = len(machine.states)
        for offset in range(count):
            thread = (turn + offset) % count
            state = machine.states[thread]
            if state.operation is not None and machine.can_run(thread):
                self._run(make_choice(thread, NOTHING, _input(state)))
                return thread
            if machine.buffers[thread]:
                self._commit(make_choice(thread, machine.committable(thread)[0]))
                return thread
            if self._may_retry(thread):
                self._retry(thread)
                return thread
        return None

    def _run(self, choice: Choice) -> None:
        self._note(choice)
        step = self._machine.run(choice.thread, choice.chosen)
        self._seen += [[] for _ in self._machine.states[len(self._seen) :]]
        self._seen[choice.thread].append(self._writes)
        if step.wrote not in (NOTHING, step.read):
            self._writes += 1

    def _commit(self, choice: Choice) -> None:
        self._note(choice)
        self._machine.commit(choice.thread, choice.commit)
        self._writes += 1

    def _note(self, choice: Choice) -> None:
        self._schedule.append(choice)
        self._steps += 1

    def _may_retry(self, thread: int) -> bool:
        """Returns whether the thread's wait failed in a memory that has changed since its evaluation began."""
        state = self._machine.states[thread]
        terminal = state.terminal
        return (
            self._retry_waits
            and isinstance(terminal, Blocked)
            and 0 <= terminal.wait_from < state.depth
            and self._seen[thread][terminal.wait_from] < self._writes
        )

    def _retry(self, thread: int) -> None:
        """Take back the evaluation of a wait that failed."""
        for _ in self._machine.evaluation(thread):
            self._seen[thread].pop()
        strike_out(self._machine, thread, self._schedule)


def _input(state: State) -> int:
    """The value to choose at an input: one that was not tried yet, if there is one."""
    if not state.inputs:
        return NOTHING
    return next((value for value in state.inputs if value not in state.edges), state.inputs[0])
