"""A trace for a reader: its texts made printable, and a row for each thing that happened, commits at once in one."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from mcr.report.explanation import thread_words
from replay.code.terminals import ASSUMED
from replay.traces.trace import DEADLOCK, Step, Trace, TraceEvent
from replay.world.operation import LOCK, Kind, Source

Buffers = tuple[tuple[str, tuple[str, ...]], ...]
"""For each thread that has buffered stores: its name, and the stores, oldest first."""


@dataclass(frozen=True)
class Row:
    """One line of an interleaving.

    number   counts from 1
    event    id of the event that is executed here, or whose store reaches memory
    commit   a delayed store reaches memory
    buffers  what the store buffers hold afterwards
    steps    how many steps of the trace's schedule were made by then
    is_call  it stands for all steps of a call of Python's own library
    """

    number: int
    thread: str
    event: int
    text: str
    line: Source | None
    commit: bool
    buffers: Buffers
    steps: int
    is_call: bool = False


@dataclass(frozen=True)
class TraceState:
    """Memory and store buffers at one moment.

    memory   value (repr) by location
    buffers  by thread the ids of the stores in its buffer, in program order; threads that never had one are left out
    """

    memory: dict[str, str]
    buffers: dict[str, tuple[int, ...]]


def states(trace: Trace) -> list[TraceState]:
    """The state before the first step, and after each one."""
    memory = dict(trace.initial)
    buffers: dict[str, tuple[int, ...]] = {}
    found = [TraceState(dict(memory), {})]
    for step in trace.steps:
        event = trace.events[step.event]
        if step.commit:
            buffers[step.thread] = tuple(store for store in buffers[step.thread] if store != event.id)
        elif event.is_buffered:
            buffers[step.thread] = (*buffers.get(step.thread, ()), event.id)
        if event.written is not None and (step.commit or not event.is_buffered):
            memory[event.location] = event.written
        found.append(TraceState(dict(memory), dict(buffers)))
    return found


def rows(trace: Trace) -> list[Row]:
    """The rows of a trace; a store whose commit is the next step is one row, the start of the final function none."""
    return list(_rows(trace, states(trace)))


def _rows(trace: Trace, after: Sequence[TraceState]) -> Iterator[Row]:
    number = 0
    for place, step in enumerate(trace.steps):
        event = trace.events[step.event]
        if _is_folded(trace, place) or (event.kind == Kind.FINAL.value and not step.commit):
            continue
        number += 1
        steps = place + 2 if place + 1 < len(trace.steps) and _is_folded(trace, place + 1) else place + 1
        text = f"~ {event.operation} reaches memory" if step.commit else operation_text(event, trace)
        waiting = after[steps].buffers.items()
        buffers = tuple((name, tuple(trace.events[id].operation for id in ids)) for name, ids in waiting if ids)
        line = None if step.commit else event.line
        yield Row(number, step.thread, event.id, text, line, step.commit, buffers, steps)


def initial_values(trace: Trace, shown: Iterable[Row] | None = None) -> list[str]:
    """Lists the initial values of the locations that the program reads or writes itself.

    `shown`: only those that these rows name, and not what calls of Python's library use inside.
    """
    kinds = (Kind.LOAD.value, Kind.STORE.value, Kind.UPDATE.value)
    events = trace.events if shown is None else (trace.events[row.event] for row in shown if not row.is_call)
    touched = dict.fromkeys(event.location for event in events if event.kind in kinds)
    locks = mutexes(trace)
    return [shown_content(name, trace.initial[name], locks) for name in touched if name in trace.initial]


class Interleaving:
    """The rows of a trace, and where among them a failure shows.

    repeats  the number of the row with which that begins that repeats for ever; None if nothing does
    waiting  in a deadlock, what each thread waits for; where others are only stopped, what the one that waits does
    before   how many rows come before the failure: it happens when its thread has received its last value
    """

    def __init__(self, trace: Trace) -> None:
        self.rows = rows(trace)
        self.repeats: int | None = None
        if trace.repeats is not None:
            self.repeats = next((row.number for row in self.rows if row.steps > trace.repeats), None)
        self.waiting: dict[str, str] = {}
        self.before = len(self.rows)
        failure = trace.failure
        if failure is None:
            return
        if failure.is_lasso and trace.repeats is None:
            self.waiting = {failure.thread: trace.ends[failure.thread].detail}
        elif failure.error == DEADLOCK:
            waits = ((name, end) for name, end in trace.ends.items() if end.how in ("running", "blocked"))
            last = states(trace)[-1].memory
            self.waiting = {
                name: _notified_on(failure.message, name) or _with_holder(end.detail, last, trace)
                for name, end in waits
                if end.how == "running" or end.detail != ASSUMED
            }
        if trace.ends[failure.thread].how == "failed":
            own = (row.number for row in self.rows if row.thread == failure.thread and not row.commit)
            self.before = max(own, default=0)


def mutexes(trace: Trace) -> set[str]:
    """Returns the locations that threads lock."""
    locks = (LOCK, Kind.UNLOCK.value)
    return {
        event.location
        for event in trace.events
        if event.kind in locks or event.operation == f"{event.location}.try_lock()"
    }


def shown_content(location: str, value: str, locks: Container[str]) -> str:
    """Returns a cell with its value as readers see it: who holds it, for one of these locks."""
    return f"{location}: {_holder(value)}" if location in locks else f"{location} = {value}"


def shown_value(location: str, value: str, locks: Container[str]) -> str:
    """Returns the value of a cell; who holds it, for one of these locks."""
    return _holder(value) if location in locks else value


def _holder(value: str | None) -> str:
    return "free" if value in (None, "None") else f"held by {thread_words(str(value).strip(chr(39)))}"


def _notified_on(message: str, thread: str) -> str:
    """The words of a message on the condition on which a thread waits; "" if it waits for something else."""
    found = re.search(rf"thread {re.escape(thread)} waits (to be notified on [^,;]+)", message)
    return found[1] if found else ""


def _with_holder(waits: str, memory: Mapping[str, str], trace: Trace) -> str:
    """Adds to what a thread waits for the thread that holds it."""
    location = waits.removeprefix("lock ")
    known = location in mutexes(trace) and memory.get(location, "None") != "None"
    return f"{waits} ({_holder(memory[location])})" if known else waits


def is_forwarded(event: TraceEvent, trace: Trace) -> bool:
    """Returns whether a load was served by a store of its own thread that was not in memory yet."""
    if event.source is None:
        return False
    source = trace.events[event.source]
    return source.thread == event.thread and (source.committed is None or source.committed > event.executed)


def _is_folded(trace: Trace, place: int) -> bool:
    """Returns whether a step commits what the step before it executed."""
    step = trace.steps[place]
    return step.commit and place not in (0, trace.repeats) and trace.steps[place - 1] == Step(step.thread, step.event)


def operation_text(event: TraceEvent, trace: Trace) -> str:
    """An executed operation with the value it got."""
    match event.kind:
        case Kind.LOAD.value:
            return f"load {event.location} -> {event.read}{' (own buffer)' if is_forwarded(event, trace) else ''}"
        case Kind.UPDATE.value:
            return f"{event.operation}{outcome_of(event.operation, event.location, event.read, event.written)}"
        case Kind.CHOOSE.value:
            return f"{event.operation} -> {event.read}"
        case Kind.JOIN.value if event.read != "None":
            return f"{event.operation} -> {event.read}"
    return event.operation


def outcome_of(operation: str, location: str, read: str | None, written: str | None) -> str:
    """Describes the result of a read-modify-write."""
    name = operation.removeprefix(f"{location}.").partition("(")[0]
    match name:
        case "wait" | "notify" | "notify_all":
            return ""
        case "try_lock":
            return f" fails: {_holder(read)}" if written is None else " succeeds"
        case "compare_exchange":
            return f" fails: it is {read}" if written is None else " succeeds"
        case "exchange" | "fetch_add":
            return f" -> {read}"
    return f" -> {read}, {'unchanged' if written is None else f'now {written}'}"


def _calls_as_one(trace: Trace, rows: Sequence[Row]) -> Iterator[Row]:
    """The rows; those of one call of Python's own library that follow each other are joined into one."""

    def call(row: Row) -> tuple[object, ...]:
        found = None if row.commit else trace.events[row.event].call
        return (row.thread, found) if found else (row.number,)

    for _, group in groupby(rows, call):
        first, *others = group
        event = trace.events[first.event]
        if not others or event.call is None:
            yield first
        else:
            after = " goes on" if event.index > event.call.first else ""
            text = f"{event.call.text}{after}"
            yield replace(others[-1], number=first.number, text=text, line=first.line, is_call=True)


_LONGEST = 4
"""Rows that are looked for as a round."""

_FEWEST = 3
"""Rounds that are worth folding."""


@dataclass(frozen=True)
class Repetition:
    """Rounds of `length` rows that are like the one before them."""

    rounds: int
    length: int

    @property
    def text(self) -> str:
        return f"the same {'step' if self.length == 1 else f'{self.length} steps'} {self.rounds} times more"


def folded(trace: Trace, rows: Sequence[Row], cuts: Iterable[int]) -> Iterator[Row | Repetition]:
    """The rows; rounds that repeat the one before them as one thing, and so are calls, but not across these places."""
    for begin, end in pairwise([0, *sorted(cuts), len(rows)]):
        yield from _folded([*_calls_as_one(trace, rows[begin:end])])


def _folded(rows: Sequence[Row]) -> Iterator[Row | Repetition]:
    place = 0
    while place < len(rows):
        found = [Repetition(_rounds(rows, place, length), length) for length in range(1, _LONGEST + 1)]
        best = max(found, key=lambda each: (each.rounds * each.length, -each.length))
        if best.rounds < _FEWEST - 1:
            yield rows[place]
            place += 1
        else:
            yield from rows[place : place + best.length]
            yield best
            place += best.length * (best.rounds + 1)


def _rounds(rows: Sequence[Row], start: int, length: int) -> int:
    """How often the `length` rows from `start` come again right after them; 0 if that is too seldom to fold."""
    end = start + length
    while end < len(rows) and _look(rows[end]) == _look(rows[end - length]):
        end += 1
    rounds = (end - start) // length - 1
    return rounds if rounds >= _FEWEST - 1 else 0


def _look(row: Row) -> tuple[object, ...]:
    """Returns what a reader sees of a row, without its number."""
    return (row.thread, row.text, row.line, row.commit, row.buffers)
