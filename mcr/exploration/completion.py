"""Runs every thread to its end after a seed was played, and lets threads read what they never read before."""

from __future__ import annotations

from math import inf

from mcr.executions.schedule import strike_out
from replay.code.terminals import Blocked
from replay.machine.machine import Buffered, Choice, Machine, make_choice
from replay.machine.state import NOTHING, Edge, LocationId, State
from replay.world.values import ValueId


class RunToEnd:
    """Runs a machine until nothing can run any more.

    A thread that would read a value which it never read in that state goes
    first. Otherwise a thread runs as long as it can, and its stores stay in
    the buffer until they have to commit. A thread whose wait failed tries again
    when memory has changed; the failed evaluation is then taken out of the
    schedule, since no other thread can have seen it. Without
    `retry_waits`, a wait that failed blocks its thread like an assumption.
    Subclasses take other steps next (`_next`), and record what steps do (`_run`, `_commit`).

    choices  the schedule so far
    """

    def __init__(self, machine: Machine, *, retry_waits: bool = True) -> None:
        self.machine = machine
        self.choices: list[Choice] = []
        self._retry_waits = retry_waits
        self._steps = 0
        """How many choices were made, those that were taken back included."""
        self._seen: list[list[int]] = [[] for _ in machine.states]
        """By thread and depth, how often memory had been written to when it executed its operation."""
        self._writes = 0

    def play(self, choice: Choice) -> None:
        """Make a choice that is possible."""
        self.choices.append(choice)
        self._steps += 1
        if choice.commit == NOTHING:
            self._run(choice.thread, choice.chosen)
        else:
            self._commit(choice.thread, choice.commit)

    def run(self, most: float = inf) -> list[Choice]:
        """Run to the end, or for so many steps; returns the whole schedule."""
        turn: int | None = 0
        end = self._steps + most
        while turn is not None and self._steps <= end:
            self.machine.unfolding.check()
            turn = self._next(turn)
        return self.choices

    def _next(self, turn: int) -> int | None:
        """One step of some thread; returns which, None if none can do anything. `turn` took the step before."""
        thread = self._curious()
        if thread is None:
            return self._take_turn(turn)
        self.play(make_choice(thread))
        return thread

    def _curious(self) -> int | None:
        """Returns a thread that can read something new, if there is one."""
        machine = self.machine
        for thread, state in enumerate(machine.states):
            if state.reads and machine.visible(thread) not in state.edges and machine.can_run(thread):
                return thread
        return None

    def _take_turn(self, turn: int) -> int | None:
        """One step of some thread, preferably of the one whose turn it is."""
        machine = self.machine
        count = len(machine.states)
        for offset in range(count):
            thread = (turn + offset) % count
            if self._may_run(thread):
                self.play(make_choice(thread, NOTHING, _input(machine.states[thread])))
                return thread
            if machine.buffers[thread]:
                self.play(make_choice(thread, machine.committable(thread)[0]))
                return thread
            if self._may_retry(thread):
                self._retry(thread)
                return thread
        return None

    def _may_run(self, thread: int) -> bool:
        return self.machine.can_run(thread)

    def _run(self, thread: int, chosen: ValueId) -> Edge:
        step = self.machine.run(thread, chosen)
        self._seen += [[] for _ in self.machine.states[len(self._seen) :]]
        self._seen[thread].append(self._writes)
        if step.wrote not in (NOTHING, step.read):
            self._writes += 1
        return step

    def _commit(self, thread: int, location: LocationId) -> Buffered:
        self._writes += 1
        return self.machine.commit(thread, location)

    def _may_retry(self, thread: int) -> bool:
        """Returns whether the thread's wait failed in a memory that has changed since its evaluation began."""
        state = self.machine.states[thread]
        terminal = state.terminal
        return (
            self._retry_waits
            and isinstance(terminal, Blocked)
            and 0 <= terminal.wait_from < state.depth
            and self._seen[thread][terminal.wait_from] < self._writes
        )

    def _retry(self, thread: int) -> None:
        """Take back the evaluation of a wait that failed."""
        for _ in self.machine.evaluation(thread):
            self._seen[thread].pop()
        strike_out(self.machine, thread, self.choices)


def _input(state: State) -> int:
    """The value to choose at an input: one that was not tried yet, if there is one."""
    if not state.inputs:
        return NOTHING
    return next((value for value in state.inputs if value not in state.edges), state.inputs[0])
