"""From a trace to an instance, and from a witness back to a schedule of the trace."""

from __future__ import annotations

from dataclasses import replace

from mcr.consistency.instance import INITIAL, NOWHERE, Instance, InstanceAction, Witness, WitnessMove
from replay.frontend.threads import end_location
from replay.traces.files import check_well_formed
from replay.traces.trace import Step, Trace, TraceEvent
from replay.world.memory_model import Access
from replay.world.operation import KINDS, Kind


def instance_of(trace: Trace) -> Instance:
    """The events of a trace and their reads-from map. Raises MalformedTraceError if they make no sense.

    Action i is event i. The end of each thread that somebody waits for becomes
    one more action, a fence: a join waits until the buffers are empty, too.
    """
    check_well_formed(trace)
    return _Reader(trace).read()


class _Reader:
    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._threads = {thread: number for number, thread in enumerate(trace.threads)}
        self._locations: dict[str, int] = {}
        self._lengths = dict.fromkeys(trace.threads, 0)
        for event in trace.events:
            self._lengths[event.thread] += 1
        self._ends: dict[str, InstanceAction] = {}

    def read(self) -> Instance:
        actions = [self._action(event) for event in self._trace.events]
        good: dict[int, tuple[int, ...]] = {
            event.id: (INITIAL if event.source is None else event.source,)
            for event in self._trace.events
            if event.reads_memory
        }
        ordered = sorted((*actions, *self._ends.values()), key=lambda action: action.id)
        return Instance(tuple(ordered), good)

    def _action(self, event: TraceEvent) -> InstanceAction:
        is_read = event.reads_memory
        writes = event.written is not None
        return InstanceAction(
            id=event.id,
            thread=self._threads[event.thread],
            index=event.index,
            access=KINDS[event.kind].access,
            location=self._location(event.location) if is_read or writes else NOWHERE,
            reads=is_read,
            writes=writes,
            after=self._after(event),
            name=event.location,
        )

    def _location(self, name: str) -> int:
        return self._locations.setdefault(name, len(self._locations))

    def _after(self, event: TraceEvent) -> tuple[int, ...]:
        """The ends that a join, or the final function, waits for."""
        if event.kind == Kind.FINAL.value:
            return tuple(self._end(thread).id for thread in self._busy_threads() if thread != event.thread)
        if event.kind != Kind.JOIN.value:
            return ()
        for thread in self._trace.threads:
            if end_location(thread).name == event.location:
                return (self._end(thread).id,) if self._lengths[thread] else ()
        return ()

    def _busy_threads(self) -> list[str]:
        return [thread for thread, length in self._lengths.items() if length]

    def _end(self, thread: str) -> InstanceAction:
        if thread not in self._ends:
            id = len(self._trace.events) + len(self._ends)
            self._ends[thread] = InstanceAction(id, self._threads[thread], self._lengths[thread], Access.BARRIER)
        return self._ends[thread]


def steps_of(trace: Trace, witness: Witness) -> tuple[Step, ...]:
    """A witness of a trace's instance as a schedule that `replay.traces.player` plays; ends are no steps."""
    events = trace.events
    return tuple(
        Step(events[move.action].thread, move.action, move.commit) for move in witness if move.action < len(events)
    )


def rescheduled(trace: Trace, witness: Witness, model: str) -> Trace:
    """The trace with the witness as its schedule, under that model; events are numbered in the new order."""
    executed: dict[int, int] = {}
    committed: dict[int, int] = {}
    steps = steps_of(trace, witness)
    for number, step in enumerate(steps):
        if not step.commit:
            executed[step.event] = number
        if trace.events[step.event].written is not None:
            committed[step.event] = number
    names = {id: name for name, id in enumerate(executed)}
    events = tuple(
        replace(
            trace.events[id],
            id=name,
            source=None if (source := trace.events[id].source) is None else names[source],
            executed=executed[id],
            committed=committed.get(id),
        )
        for id, name in names.items()
    )
    steps = tuple(replace(step, event=names[step.event]) for step in steps)
    return replace(trace, model=model, events=events, steps=steps)


def recorded_witness(trace: Trace, instance: Instance) -> Witness:
    """The trace's own schedule; threads end when another one waits for that, and buffered stores commit last."""
    moves: list[WitnessMove] = []
    ended: set[int] = set()
    for step in trace.steps:
        waits = [end for end in instance.actions[step.event].after if end not in ended]
        ended.update(waits)
        moves.extend(WitnessMove(end) for end in waits)
        moves.append(WitnessMove(step.event, step.commit))
    pending = [event for event in trace.events if event.written is not None and event.committed is None]
    moves.extend(WitnessMove(event.id, commit=True) for event in sorted(pending, key=lambda event: event.executed))
    return tuple(moves)
