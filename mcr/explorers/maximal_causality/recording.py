"""One execution of the program: a seed is enforced, everything is run to its end, and the events are recorded.

Seeds are enforced on the store-buffer machine ([huang-2016] algorithms 1 to 3,
sections 4.3 to 4.5). The paper's interleaving says which thread accesses which
location next, and its replayer finds out from that whether to buffer or to
flush. Our machine takes commits as explicit choices, so both decisions are made
here, in advance:

* theorem 1: whatever stands in program order before the event that is due and
  has not run yet is a store (or a store fence); it runs and waits in the buffer;
* theorem 2: a store whose turn has come is committed; it is the oldest that
  its buffer may let go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from mcr.executions.schedule import schedule
from mcr.exploration.completion import RunToEnd
from replay.code.terminals import Blocked, Ended
from replay.machine.machine import Buffered, Choice, Machine, make_choice
from replay.machine.state import NOTHING, Edge, LocationId, State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import Access, MemoryModel
from replay.world.operation import Kind
from replay.world.values import ValueId

Goal = tuple[State, ValueId]
"""A local state, and the value that its operation is to read."""


def access(state: State) -> Access:
    """Classifies the state's operation by its access to memory.

    An input has no moment of its own, but what follows depends on it: it is
    kept in order as if it were a load. The end of a thread waits for its stores.
    """
    operation = state.operation
    if operation is None:
        return Access.BARRIER
    return Access.LOAD if operation.kind is Kind.CHOOSE else operation.access


class Observed(NamedTuple):
    """One event of a trace.

    id      position in the order of execution, as in `replay.traces.trace.TraceEvent`; ends of threads come last
    moment  when it happened: its execution or, for a plain store, its commit
    before  the local state that asked for it
    read    value id that it read or chose, NOTHING if it reads nothing
    wrote   value id that it wrote, NOTHING if it did not
    """

    id: int
    moment: int
    before: State
    read: ValueId = NOTHING
    wrote: ValueId = NOTHING

    @property
    def thread(self) -> int:
        return self.before.thread

    @property
    def depth(self) -> int:
        """Position in program order."""
        return self.before.depth

    @property
    def kind(self) -> Kind | None:
        """None for the end of a thread."""
        operation = self.before.operation
        return None if operation is None else operation.kind

    @property
    def tag(self) -> str:
        """Which update it is, "" if it is none with a name of its own."""
        operation = self.before.operation
        return "" if operation is None else operation.tag

    @property
    def access(self) -> Access:
        return access(self.before)

    @property
    def is_store(self) -> bool:
        """True if it is a plain store, whose moment is its commit."""
        return self.kind is Kind.STORE


class Observation:
    """The events of one trace, by thread and by location.

    events   in order of execution
    threads  in program order; a thread that ended has its end as the last event
    writes   by location
    """

    def __init__(self, unfolding: Unfolding, events: Iterable[Observed]) -> None:
        self.unfolding = unfolding
        self.events = {event.id: event for event in events}
        self.threads: dict[int, list[Observed]] = {}
        self.writes: dict[LocationId, list[Observed]] = {}
        for event in self.events.values():
            self.threads.setdefault(event.thread, []).append(event)
            if event.wrote != NOTHING:
                self.writes.setdefault(self.location(event), []).append(event)

    def __contains__(self, state: State) -> bool:
        """Returns whether the state's operation was executed."""
        return len(self.threads.get(state.thread, ())) > state.depth and self.event_at(state).before is state

    def location(self, event: Observed) -> LocationId:
        """The location an event accesses; the end of a thread writes where joins look."""
        return self.unfolding.threads[event.thread].end if event.kind is None else event.before.loc

    def reads(self) -> dict[State, ValueId]:
        """Returns the values read or chosen, in the order of execution, by local state."""
        return {event.before: event.read for event in self.events.values() if event.read != NOTHING}

    def other_values(self, state: State, known: Iterable[ValueId]) -> list[ValueId]:
        """The values that a state's operation might read, but for the known ones.

        They are initial, or written by anyone but the operation itself and what follows it.
        """
        if state.inputs:
            values: Iterable[ValueId] = state.inputs
        else:
            writes = self.writes.get(state.loc, ())
            before = (w.wrote for w in writes if w.thread != state.thread or w.depth < state.depth)
            values = (self.unfolding.initial[state.loc], *before)
        return [v for v in dict.fromkeys(values) if v not in known and self.unfolding.accepts(state, v)]

    def event_at(self, state: State) -> Observed:
        """The event that `state` asked for."""
        return self.threads[state.thread][state.depth]

    def retargeted(self, state: State, value: ValueId) -> Observation:
        """Returns a copy of the trace in which a state reads another value, after which its thread stops.

        A state whose operation was blocked to the end of the trace is given that operation.
        """
        thread = self.threads.get(state.thread, [])
        kept = [event for event in self.events.values() if event.thread != state.thread]
        return Observation(self.unfolding, sorted((*kept, *thread[: state.depth], self._changed(state, value))))

    def _changed(self, state: State, value: ValueId) -> Observed:
        """The event of the other value; one that is not of this trace comes after those that are."""
        wrote = self.unfolding.would_write(state, value)
        if state in self:
            return self.event_at(state)._replace(read=value, wrote=wrote)
        last = max((event.moment for event in self.events.values()), default=0)
        return Observed(max(self.events, default=-1) + 1, last + 1, state, value, wrote)


class Recording(RunToEnd):
    """A machine that records what happens on it.

    It runs until nothing can run any more, a thread as long as it can, then the next (4.4, "Termination"). Stores
    reach memory at once, unless the seed left others waiting before them; those go when they must. Threads that wait
    for a condition look last.
    """

    def __init__(self, unfolding: Unfolding, model: MemoryModel) -> None:
        super().__init__(Machine(unfolding, model), retry_waits=False)
        self._events: list[Observed] = []
        self._buffered: dict[tuple[int, LocationId], list[int]] = {}
        self._ends: dict[int, tuple[State, int]] = {}
        self._moment = 0
        for thread in range(len(self.machine.states)):
            self._note_end(thread)

    def observation(self) -> Observation:
        """Returns what was recorded so far, with an event for each thread that ended and whose stores are in memory."""
        unfolding = self.machine.unfolding
        ends = (
            Observed(number, moment, state, wrote=unfolding.returned(state))
            for number, (state, moment) in enumerate(self._ends.values(), len(self._events))
        )
        return Observation(unfolding, (*self._events, *ends))

    def play(self, choice: Choice) -> None:
        """Make a choice that is possible."""
        self._moment += 1
        super().play(choice)
        self._note_end(choice.thread)

    def _run(self, thread: int, chosen: ValueId) -> Edge:
        step = super()._run(thread, chosen)
        number, before = len(self._events), step.before
        self._events.append(Observed(number, self._moment, before, step.read, step.wrote))
        buffer = self.machine.buffers[thread]
        if buffer and buffer[-1].depth == before.depth:
            self._buffered.setdefault((thread, before.loc), []).append(number)
        return step

    def _commit(self, thread: int, location: LocationId) -> Buffered:
        number = self._buffered[thread, location].pop(0)
        self._events[number] = self._events[number]._replace(moment=self._moment)
        return super()._commit(thread, location)

    def _note_end(self, thread: int) -> None:
        state = self.machine.states[thread]
        if isinstance(state.terminal, Ended) and not self.machine.buffers[thread] and thread not in self._ends:
            self._moment += 1
            self._ends[thread] = (state, self._moment)

    # -- to the end ------------------------------------------------------------

    def _next(self, turn: int) -> int | None:
        choice = self._choice(turn)
        if choice is None:
            return None
        self.play(choice)
        thread = choice.thread
        buffer = self.machine.buffers[thread]
        if len(buffer) == 1 and choice.commit == NOTHING and buffer[0].depth == self.machine.states[thread].depth - 1:
            self.play(Choice(thread, buffer[0].location))
        return thread

    def _choice(self, turn: int) -> Choice | None:
        machine = self.machine
        runnable = [thread for thread in self._threads_from(turn) if machine.can_run(thread)]
        for thread in runnable:
            if not machine.states[thread].begins_wait:
                return self._running(thread)
        for thread in self._threads_from(turn):
            if machine.buffers[thread]:
                return Choice(thread, machine.committable(thread)[0])
        waiting = [thread for thread in runnable if self._wait_succeeds(thread)] or runnable
        return self._running(waiting[0]) if waiting else None

    def _threads_from(self, turn: int) -> Iterator[int]:
        count = len(self.machine.states)
        return ((turn + offset) % count for offset in range(count))

    def _running(self, thread: int) -> Choice:
        inputs = self.machine.states[thread].inputs
        return Choice(thread, chosen=inputs[0] if inputs else NOTHING)

    def _wait_succeeds(self, thread: int) -> bool:
        """Returns whether the condition that the thread waits for holds now."""
        trial = self.machine.copy()
        began = trial.states[thread].depth
        state = trial.states[thread]
        while state.operation is not None and state.operation.wait_from == began:
            state = trial.run(thread).after
        return not (isinstance(state.terminal, Blocked) and state.terminal.wait_from == began)


@dataclass(frozen=True)
class Seed:
    """A schedule prefix and what it promises.

    events    what happens, in order
    choices   the schedule
    promised  value that is read at a local state, for everything that reads or chooses
    """

    events: tuple[Observed, ...] = ()
    choices: tuple[Choice, ...] = ()
    promised: tuple[Goal, ...] = ()
    depth_first: ClassVar[bool] = True


def seed_of(trace: Observation, prefix: list[Observed], model: MemoryModel) -> Seed:
    """The seed that makes the events of a prefix happen in its order (algorithms 1 and 3)."""
    counts = [0] * len(trace.unfolding.threads)
    for event in prefix:
        counts[event.thread] = max(counts[event.thread], event.depth + 1)
    runs = [
        [
            make_choice(thread, NOTHING, event.read if event.before.inputs else NOTHING)
            for event in trace.threads.get(thread, ())[:count]
            if event.kind is not None
        ]
        for thread, count in enumerate(counts)
    ]
    choices = schedule(runs, (event.before for event in prefix), model)
    return Seed(tuple(prefix), tuple(choices), promised_by(prefix))


def promised_by(events: Iterable[Observed]) -> tuple[Goal, ...]:
    """Returns the values that are read or chosen if these events happen, each with its local state."""
    return tuple((event.before, event.read) for event in events if event.read != NOTHING)


def enforce(seed: Seed, execution: Recording) -> str:
    """Play a seed; returns how the outcome differs from what the solver promised, "" if it does not."""
    machine = execution.machine
    promised = dict(seed.promised)
    for number, choice in enumerate(seed.choices):
        if choice.commit == NOTHING:
            if not machine.can_run(choice.thread):
                return f"choice {number}, {choice}, is impossible: {machine.why_not(choice.thread)}"
            before = machine.states[choice.thread]
            read = machine.visible(choice.thread) if before.reads else choice.chosen
            execution.play(choice)
            if read != promised.pop(before, read):
                return f"choice {number}, {choice}, read another value than promised"
        elif choice.commit not in machine.committable(choice.thread):
            return f"choice {number}, {choice}, is impossible: no such store is next"
        else:
            execution.play(choice)
    return f"{len(promised)} of the promised reads did not happen" if promised else ""
