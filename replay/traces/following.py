"""A recorded schedule, followed on its program again, and held against what was recorded step by step.

Where a thread changes what was taken for constant when it was recorded, which the program of then did not do on this
way, that is memory now. Loads of it are steps that the record has not; a thread takes them as soon as it comes to them,
and reads what it read before. All else that does not fit is an error, which names the step.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace

from replay.code.library_calls import recording
from replay.errors import ScheduleError
from replay.frontend.program import Program
from replay.machine.machine import Choice, Machine
from replay.machine.options import DEFAULT_BOUND, UnfoldingOptions
from replay.machine.unfolding import Unfolding
from replay.traces.player import Player, end_of, where_at
from replay.traces.trace import DEADLOCK, SOUGHT_FOR, Step, Trace, TraceEvent
from replay.world.memory_model import MemoryModel
from replay.world.operation import Kind


def replay(program: Program, model: MemoryModel, trace: Trace, times: int = 1) -> Trace:
    """Play a recorded trace's schedule on `program` again, from user code alone; returns the new trace.

    What repeats in it is played so many times. Every step is compared with what was recorded. Raises ScheduleError at
    the first that differs, with the line of the program that it concerns.
    """
    if trace.repeats is not None:
        trace = replace(trace, steps=(*trace.steps, *trace.steps[trace.repeats :] * (times - 1)))
    own = as_recorded(program, trace)
    return own.known(lambda: _replayed(own, model, trace))


def _replayed(program: Program, model: MemoryModel, trace: Trace) -> Trace:
    error = trace.failure.error if trace.failure else ""
    stuck = error == DEADLOCK
    with recording() as known:  # threads come to their first operation at once
        bound = len(trace.steps) + DEFAULT_BOUND
        unfolding = Unfolding(program, UnfoldingOptions(bound, cuts_spins=stuck, samples=True))
        player = Player(unfolding, model)
        for _ in follow(player, trace):
            pass
    if stuck:
        player.find_deadlock()
    player.end_round(SOUGHT_FOR.get(error, ""))
    played = player.trace(trace.failure.thread if trace.failure else "")
    events = tuple(replace(event, call=known.calls.get((event.thread, event.index))) for event in played.events)
    return replace(played, events=events, variables=known.variables.names())


def as_recorded(program: Program, trace: Trace) -> Program:
    """Returns the program for the kind of Python under which a trace was recorded. Raises CheckerError for none.

    What threads changed then is memory from the beginning, and nothing else is: each step is that of then.
    """
    program = program.apart(trace.changing)
    return program.under_global_lock() if trace.global_lock else program


def follow(player: Player, trace: Trace) -> Iterator[Choice]:
    """Play a recorded trace's schedule, telling each choice. Raises ScheduleError at the first step that differs."""
    is_more = player.unfolding.program.changing > {*trace.changing}
    others = _Unrecorded(player.machine, trace) if is_more else None
    for number, step in enumerate(trace.steps):
        if others is not None:
            yield from others.play(player)
        if number == trace.repeats:
            player.begin_round()
        expected = trace.events[step.event]
        choice = _choice(player.machine, step, expected, number)
        _compare(number, step, expected, player.play(choice))
        if others is not None:
            others.note(step)
        yield choice
    if others is not None:
        yield from others.play(player)


class _Unrecorded:
    """Loads of what is memory now and was none when the trace was recorded."""

    def __init__(self, machine: Machine, trace: Trace) -> None:
        self._machine = machine
        self._ends = {name: end.how for name, end in trace.ends.items()}
        self._waiting: dict[str, deque[str]] = {}
        """By thread, the operations that are recorded of it and were not yet played."""
        for step in trace.steps:
            if not step.commit:
                self._waiting.setdefault(step.thread, deque()).append(trace.events[step.event].operation)

    def note(self, step: Step) -> None:
        """A step of the record was played."""
        if not step.commit:
            self._waiting[step.thread].popleft()

    def play(self, player: Player) -> Iterator[Choice]:
        """Let each thread go on to what is recorded of it, telling each choice."""
        for thread in range(len(self._machine.states)):
            name = self._machine.unfolding.threads[thread].name
            while self._stands_before(thread, name):
                choice = Choice(thread)
                player.play(choice)
                yield choice

    def _stands_before(self, thread: int, name: str) -> bool:
        operation, waiting = self._machine.states[thread].operation, self._waiting.get(name)
        if operation is None or operation.kind is not Kind.LOAD:
            return False
        return operation.describe() != waiting[0] if waiting else self._ends.get(name, "running") != "running"


def _choice(machine: Machine, step: Step, expected: TraceEvent, number: int) -> Choice:
    unfolding = machine.unfolding
    info = unfolding.thread(step.thread)
    if info is None or info.index >= len(machine.states):
        known = ", ".join(info.name for info in unfolding.threads)
        raise ScheduleError(number, f"a thread called {step.thread}", f"threads {known}")
    state = machine.states[info.index]
    if step.commit:
        names = {unfolding.locations[loc].name: loc for loc in machine.committable(info.index)}
        if expected.location in names:
            return Choice(info.index, names[expected.location])
        found = f"only stores to {', '.join(names)} that may" if names else "no store in its buffer"
        raise ScheduleError(number, f"thread {step.thread} to commit '{expected.operation}'", found, where_at(state))
    if state.operation is None or state.operation.describe() != expected.operation:
        found = f"'{state.operation.describe()}'" if state.operation else f"that it {end_of(state).how}"
        raise ScheduleError(number, f"thread {step.thread} to execute '{expected.operation}'", found, where_at(state))
    if state.operation.kind is Kind.CHOOSE:
        if values := unfolding.input_shown_as(state, expected.read):
            return Choice(info.index, chosen=values[0])
        raise ScheduleError(number, f"a choice of {expected.read}", f"'{state.operation.describe()}'", where_at(state))
    return Choice(info.index)


def _compare(number: int, step: Step, expected: TraceEvent, found: TraceEvent) -> None:
    for what, old, new in (("read", expected.read, found.read), ("write", expected.written, found.written)):
        if old != new:
            expectation = f"thread {step.thread} at '{expected.operation}' to {what} {old}"
            raise ScheduleError(number, expectation, str(new), str(found.line or ""))
