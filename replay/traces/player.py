"""The deterministic replayer: schedule in, trace out.

A schedule that does not fit the program is an error that names the step; it
is never patched over.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from replay.code.terminals import Blocked, Cut, Ended, Failed
from replay.errors import ScheduleError
from replay.frontend.program import Program
from replay.machine.machine import Choice, Machine
from replay.machine.state import NOTHING, Edge, LocationId, State, source
from replay.machine.unfolding import Unfolding
from replay.traces.liveness import Round, find_deadlock
from replay.traces.trace import (
    NOT_FREE,
    Failure,
    ProgramReference,
    Step,
    ThreadEnd,
    Trace,
    TraceEvent,
)
from replay.world.memory_model import MemoryModel
from replay.world.operation import Kind, Operation
from replay.world.shown import shown
from replay.world.values import ValueId


def reference(program: Program) -> ProgramReference:
    """How to find `program` again."""
    arguments = {name: shown(value) for name, value in program.arguments.items()}
    return ProgramReference(program.file, program.name, arguments, program.fingerprint())


class Player:
    """Plays choices on a fresh machine and records what happens."""

    def __init__(self, unfolding: Unfolding, model: MemoryModel) -> None:
        self.unfolding = unfolding
        self.model = model
        self.machine = Machine(unfolding, model)
        self._events: list[TraceEvent] = []
        self._steps: list[Step] = []
        self._ids: dict[tuple[int, int], int] = {}
        """By thread and depth, of events."""
        self._writer: dict[LocationId, int] = {}
        self._initial: dict[str, ValueId] = {}
        """By name what the locations of this execution hold at first; elsewhere a record may begin otherwise."""
        self._failures: dict[str, Failure] = {}
        self._repeats: int | None = None
        self._round: Round | None = None
        for info in unfolding.threads:
            self._note_failure(self.machine.states[info.index])

    def play(self, choice: Choice) -> TraceEvent:
        """Execute one choice; returns the event it executed or committed. Raises ScheduleError if it is impossible."""
        return self._run(choice) if choice.commit == NOTHING else self._commit(choice)

    def find_deadlock(self) -> None:
        """Let the trace end in the failure that threads wait for ever, if they do."""
        deadlock = find_deadlock(self.machine)
        if deadlock is not None:
            self._failures[deadlock.thread] = deadlock

    def begin_round(self) -> None:
        """Begins the part of the trace that may be repeated for ever."""
        self._repeats, self._round = len(self._steps), Round(self.machine)

    def end_round(self, objective: str) -> None:
        """Let the trace end in the failure that the run goes on for ever as that objective forbids, if it can.

        Where no round began, nothing moves in what repeats."""
        if self._round is not None or objective in NOT_FREE:
            failure = (self._round or Round(self.machine)).failure(objective)
            if failure is not None:
                self._failures[failure.thread] = failure

    def trace(self, failed: str = "") -> Trace:
        """Returns what was recorded so far. If several threads failed, `failed` names the one that matters, else
        the last."""
        unfolding = self.unfolding
        took_part = [
            info for info in unfolding.threads if info.is_declared or self.machine.states[info.index].depth > 0
        ]
        return Trace(
            program=reference(unfolding.program),
            model=self.model.name,
            threads={info.name: info.title for info in took_part},
            initial={name: shown(unfolding.values[value]) for name, value in self._initial.items()},
            events=tuple(self._events),
            steps=tuple(self._steps),
            ends={info.name: end_of(self.machine.states[info.index]) for info in took_part},
            failure=self._failures.get(failed) or next(reversed(self._failures.values()), None),
            repeats=self._repeats,
            global_lock=unfolding.program.global_lock,
            changing=tuple(sorted(unfolding.program.changing)),
        )

    def _run(self, choice: Choice) -> TraceEvent:
        machine, thread = self.machine, choice.thread
        if not machine.can_run(thread):
            info, where = self.unfolding.threads[thread], where_at(machine.states[thread])
            found = "other threads that have not ended" if info.is_final else f"that {machine.why_not(thread)}"
            raise ScheduleError(len(self._steps), f"thread {info.name} to run", found, where)
        before = machine.states[thread]
        read_from = self._source(thread, before)
        step = machine.run(thread, choice.chosen)
        if self._round is not None:
            self._round.note(choice, step)
        event = self._event(thread, step, read_from)
        self._events.append(event)
        self._steps.append(Step(event.thread, event.id))
        self._ids[thread, before.depth] = event.id
        if event.committed is not None:
            self._writer[before.loc] = event.id
        self._note_failure(step.after)
        return event

    def _note_failure(self, state: State) -> None:
        """Keep a failure; one may occur before any operation."""
        failed = state.terminal
        if isinstance(failed, Failed):
            name = self.unfolding.thread_name(state.thread)
            self._failures[name] = Failure.of(name, failed)

    def _event(self, thread: int, edge: Edge, read_from: int | None) -> TraceEvent:
        before, values = edge.before, self.unfolding.values
        operation = before.asked
        if operation.location is not None:
            self._initial[operation.location.name] = self.unfolding.initial[before.loc]
        buffer = self.machine.buffers[thread]
        at_once = edge.wrote != NOTHING and not (buffer and buffer[-1].depth == before.depth)
        return TraceEvent(
            id=len(self._events),
            thread=self.unfolding.thread_name(thread),
            index=before.depth,
            kind=operation.called,
            operation=operation.describe(),
            location=operation.where,
            read=shown_value(operation, values[edge.read]) if edge.read != NOTHING else None,
            written=shown_value(operation, values[edge.wrote]) if edge.wrote != NOTHING else None,
            source=read_from,
            executed=len(self._steps),
            committed=len(self._steps) if at_once else None,
            line=operation.source,
        )

    def _source(self, thread: int, state: State) -> int | None:
        """The event that the thread's next operation reads from."""
        if not state.reads:
            return None
        for store in reversed(self.machine.buffers[thread]):
            if store.location == state.loc:
                return self._ids[thread, store.depth]
        return self._writer.get(state.loc)

    def _commit(self, choice: Choice) -> TraceEvent:
        machine, thread = self.machine, choice.thread
        if choice.commit not in machine.committable(thread):
            name, location = self.unfolding.thread_name(thread), self.unfolding.locations[choice.commit].name
            found = ", ".join(self.unfolding.locations[loc].name for loc in machine.committable(thread))
            raise ScheduleError(
                len(self._steps),
                f"thread {name} to commit {location}",
                f"stores to {found} that may commit" if found else "no store that may commit",
            )
        event = self._events[self._ids[thread, machine.commit(thread, choice.commit).depth]]
        if self._round is not None:
            self._round.note(choice, None)
        self._events[event.id] = event = replace(event, committed=len(self._steps))
        self._writer[choice.commit] = event.id
        self._steps.append(Step(event.thread, event.id, commit=True))
        return event


def shown_value(operation: Operation, value: object) -> str:
    """A value as text; what spawns and joins pass through memory is ours, so show what it means."""
    if operation.kind in (Kind.SPAWN, Kind.START):
        return "code"
    if operation.kind is Kind.JOIN:
        _, value = value  # type: ignore[misc]
    return shown(value)


def end_of(state: State) -> ThreadEnd:
    match state.terminal:
        case Ended(value):
            return ThreadEnd("ended", shown(value))
        case Blocked(reason):
            return ThreadEnd("blocked", reason)
        case Failed() as failed:
            return ThreadEnd("failed", str(failed))
        case Cut():
            return ThreadEnd("cut", f"after {state.depth} operations")
    return ThreadEnd("running", state.asked.describe())


def record(
    unfolding: Unfolding,
    model: MemoryModel,
    choices: Iterable[Choice],
    *,
    failed: State | None = None,
    deadlocks: bool = False,
    objective: str = "",
    repeats: int | None = None,
) -> Trace:
    """The trace of a schedule on a program whose unfolding may already be known.

    If several threads fail in it, the trace tells of the one that came to `failed`.
    With `deadlocks`, a configuration at the end in which threads wait for ever is a failure; with an objective that
    forbids it, that what begins with step `repeats` can be repeated for ever.
    """
    player = Player(unfolding, model)
    for number, choice in enumerate(choices):
        if number == repeats:
            player.begin_round()
        player.play(choice)
    if deadlocks:
        player.find_deadlock()
    player.end_round(objective)
    return player.trace(unfolding.thread_name(failed.thread) if failed else "")


def where_at(state: State) -> str:
    """The line of user code at which a thread stands."""
    return str(source(state.operation or state.terminal) or "")
