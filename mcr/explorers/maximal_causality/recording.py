"""One execution of the program: a seed is enforced, everything is run to its end, and the events are recorded."""

from __future__ import annotations

from collections.abc import Iterator

from mcr.explorers.maximal_causality.observation import Observation, Observed, end_of
from replay.code.terminals import Blocked, Ended
from replay.machine.machine import Choice, Machine
from replay.machine.state import NOTHING, LocationId, State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel


class Recording:
    """A machine that records what happens on it."""

    def __init__(self, unfolding: Unfolding, model: MemoryModel) -> None:
        self.machine = Machine(unfolding, model)
        self.choices: list[Choice] = []
        self._events: list[Observed] = []
        self._buffered: dict[tuple[int, LocationId], list[int]] = {}
        self._ends: dict[int, tuple[State, int]] = {}
        self._moment = 0
        for thread in range(len(self.machine.states)):
            self._note_end(thread)

    def observation(self) -> Observation:
        """What was recorded so far."""
        unfolding, count = self.machine.unfolding, len(self._events)
        ends = (
            end_of(state, unfolding, count + number, moment)
            for number, (state, moment) in enumerate(self._ends.values())
        )
        return Observation(unfolding, (*self._events, *ends))

    def apply(self, choice: Choice) -> State:
        """Execute a choice that is possible; returns the thread's state after it."""
        machine, thread = self.machine, choice.thread
        before = machine.states[thread]
        self.choices.append(choice)
        self._moment += 1
        machine.apply(choice)
        after = machine.states[thread]
        if choice.commit == NOTHING:
            self._record(before, after)
        else:
            number = self._buffered[thread, choice.commit].pop(0)
            self._events[number] = self._events[number]._replace(moment=self._moment)
        self._note_end(thread)
        return after

    def _record(self, before: State, after: State) -> None:
        number = len(self._events)
        self._events.append(Observed(number, self._moment, before, after.entry.read, after.entry.wrote))
        buffer = self.machine.buffers[before.thread]
        if buffer and buffer[-1].depth == before.depth:
            self._buffered.setdefault((before.thread, before.loc), []).append(number)

    def _note_end(self, thread: int) -> None:
        state = self.machine.states[thread]
        if isinstance(state.terminal, Ended) and not self.machine.buffers[thread] and thread not in self._ends:
            self._moment += 1
            self._ends[thread] = (state, self._moment)

    # -- to the end ------------------------------------------------------------

    def finish(self) -> None:
        """Run until nothing can run any more, a thread as long as it can, then the next (4.4, "Termination").

        Stores reach memory at once, unless the seed left others waiting before
        them; those go when they must. Who waits for a condition looks last.
        """
        thread = 0
        while (choice := self._next(thread)) is not None:
            thread = choice.thread
            after = self.apply(choice)
            buffer = self.machine.buffers[thread]
            if len(buffer) == 1 and choice.commit == NOTHING and buffer[0].depth == after.depth - 1:
                self.apply(Choice(thread, buffer[0].location))

    def _next(self, turn: int) -> Choice | None:
        machine = self.machine
        runnable = [thread for thread in self._threads_from(turn) if machine.can_run(thread)]
        for thread in runnable:
            if not machine.states[thread].begins_wait:
                return self._run(thread)
        for thread in self._threads_from(turn):
            if machine.buffers[thread]:
                return Choice(thread, machine.committable(thread)[0])
        waiting = [thread for thread in runnable if self._wait_succeeds(thread)] or runnable
        return self._run(waiting[0]) if waiting else None

    def _threads_from(self, turn: int) -> Iterator[int]:
        count = len(self.machine.states)
        return ((turn + offset) % count for offset in range(count))

    def _run(self, thread: int) -> Choice:
        inputs = self.machine.states[thread].inputs
        return Choice(thread, chosen=inputs[0] if inputs else NOTHING)

    def _wait_succeeds(self, thread: int) -> bool:
        """Whether the condition that the thread waits for holds now."""
        trial = self.machine.copy()
        began = trial.states[thread].depth
        state = trial.states[thread]
        while state.operation is not None and state.operation.wait_from == began:
            state = trial.run(thread).after
        return not (isinstance(state.terminal, Blocked) and state.terminal.wait_from == began)
