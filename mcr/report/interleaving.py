"""A trace for a reader: its texts made printable, and a row for each thing that happened, commits at once in one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from mcr.report.printable import on_one_line, printable
from replay.code.terminals import ASSUMED
from replay.traces.trace import DEADLOCK, Event, Failure, Step, ThreadEnd, Trace
from replay.world.operation import Kind, Source

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
    """

    number: int
    thread: str
    event: int
    text: str
    line: Source | None
    commit: bool
    buffers: Buffers
    steps: int


def rows(trace: Trace) -> list[Row]:
    """The rows of a trace; a store whose commit is the next step is one row, the start of the final function none."""
    return list(_rows(trace))


def _rows(trace: Trace) -> Iterator[Row]:
    buffered: dict[str, list[Event]] = {}
    number = 0
    for place, step in enumerate(trace.steps):
        event = trace.events[step.event]
        if step.commit:
            buffered[step.thread].remove(event)
            if _is_folded(trace, place):
                continue
        elif event.kind == Kind.FINAL.value:
            continue
        elif event.is_buffered:
            buffered.setdefault(step.thread, []).append(event)
        number += 1
        text = f"~ {event.operation} reaches memory" if step.commit else operation_text(event, trace)
        shown, steps = buffered, place + 1
        if not step.commit and steps < len(trace.steps) and _is_folded(trace, steps):
            shown, steps = {**buffered, step.thread: buffered[step.thread][:-1]}, steps + 1
        line = None if step.commit else event.line
        yield Row(number, step.thread, event.id, text, line, step.commit, _contents(shown), steps)


def shown_trace(trace: Trace) -> Trace:
    """The trace with names, operations, values and messages made printable; places in files stay what they are."""
    name = _naming(trace)
    return replace(
        trace,
        program=replace(
            trace.program, name=on_one_line(trace.program.name), arguments=_values(trace.program.arguments)
        ),
        threads={name(thread): on_one_line(title) for thread, title in trace.threads.items()},
        initial={name(location): on_one_line(value) for location, value in trace.initial.items()},
        events=tuple(_shown_event(event, name) for event in trace.events),
        steps=tuple(replace(step, thread=name(step.thread)) for step in trace.steps),
        ends={name(thread): ThreadEnd(end.how, on_one_line(end.detail)) for thread, end in trace.ends.items()},
        failure=trace.failure and _shown_failure(trace.failure, name),
    )


def _naming(trace: Trace) -> Callable[[str], str]:
    """How threads and locations are shown: two that differ do not become one."""
    names = {*trace.threads, *trace.initial, *(event.location for event in trace.events)}
    if len({on_one_line(name) for name in names}) == len(names):
        return on_one_line
    return lambda name: on_one_line(name.replace("\\", "\\\\"))


def _values(texts: dict[str, str]) -> dict[str, str]:
    return {on_one_line(name): on_one_line(text) for name, text in texts.items()}


def _shown_event(event: Event, name: Callable[[str], str]) -> Event:
    return replace(
        event,
        thread=name(event.thread),
        operation=on_one_line(event.operation),
        location=name(event.location),
        read=None if event.read is None else on_one_line(event.read),
        written=None if event.written is None else on_one_line(event.written),
        call=event.call and event.call._replace(text=on_one_line(event.call.text)),
    )


def _shown_failure(failure: Failure, name: Callable[[str], str]) -> Failure:
    return replace(
        failure, thread=name(failure.thread), error=on_one_line(failure.error), message=printable(failure.message)
    )


def initial_values(trace: Trace) -> list[str]:
    """What the locations hold at first that the program reads or writes itself."""
    kinds = (Kind.LOAD.value, Kind.STORE.value, Kind.UPDATE.value)
    touched = dict.fromkeys(event.location for event in trace.events if event.kind in kinds)
    return [f"{name} = {trace.initial[name]}" for name in touched if name in trace.initial]


def first_repeated(trace: Trace, shown: Sequence[Row]) -> int | None:
    """The number of the row with which that begins that repeats for ever; None if nothing does."""
    if trace.repeats is None:
        return None
    return next((row.number for row in shown if row.steps > trace.repeats), None)


def waiting_threads(trace: Trace) -> dict[str, str]:
    """In a deadlock, what each thread waits for; where others are only stopped, what the one that waits does."""
    failure = trace.failure
    if failure is not None and failure.is_lasso and trace.repeats is None:
        return {failure.thread: trace.ends[failure.thread].detail}
    if failure is None or failure.error != DEADLOCK:
        return {}
    return {
        name: end.detail
        for name, end in trace.ends.items()
        if end.how == "running" or (end.how == "blocked" and end.detail != ASSUMED)
    }


def rows_before_failure(trace: Trace) -> int:
    """How many rows come before the failure: it happens when its thread has received its last value."""
    shown = rows(trace)
    failure = trace.failure
    if failure is None or trace.ends[failure.thread].how != "failed":
        return len(shown)
    return max((row.number for row in shown if row.thread == failure.thread and not row.commit), default=0)


def is_forwarded(event: Event, trace: Trace) -> bool:
    """Whether a load was served by a store of its own thread that was not in memory yet."""
    if event.source is None:
        return False
    source = trace.events[event.source]
    return source.thread == event.thread and (source.committed is None or source.committed > event.executed)


def _is_folded(trace: Trace, place: int) -> bool:
    """Whether a step commits what the step before it executed."""
    step = trace.steps[place]
    return step.commit and place not in (0, trace.repeats) and trace.steps[place - 1] == Step(step.thread, step.event)


def _contents(buffered: dict[str, list[Event]]) -> Buffers:
    return tuple((name, tuple(event.operation for event in events)) for name, events in buffered.items() if events)


def operation_text(event: Event, trace: Trace) -> str:
    """An executed operation with the value it got."""
    match event.kind:
        case Kind.LOAD.value:
            return f"load {event.location} -> {event.read}{' (own buffer)' if is_forwarded(event, trace) else ''}"
        case Kind.UPDATE.value:
            return f"{event.operation}{_outcome(event)}"
        case Kind.CHOOSE.value:
            return f"{event.operation} -> {event.read}"
        case Kind.JOIN.value if event.read != "None":
            return f"{event.operation} -> {event.read}"
    return event.operation


def _outcome(event: Event) -> str:
    """What came of a read-modify-write."""
    name = event.operation.removeprefix(f"{event.location}.").partition("(")[0]
    match name:
        case "wait" | "notify" | "notify_all":
            return ""
        case "try_lock":
            return " fails" if event.written is None else " succeeds"
        case "compare_exchange":
            return f" fails: it is {event.read}" if event.written is None else " succeeds"
        case "exchange" | "fetch_add":
            return f" -> {event.read}"
    return f" -> {event.read}, {'unchanged' if event.written is None else f'now {event.written}'}"


def _calls_as_one(trace: Trace, rows: Sequence[Row]) -> Iterator[Row]:
    """The rows, where what a thread does in one go in a call of Python's own library is one."""

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
            yield replace(others[-1], number=first.number, text=f"{event.call.text}{after}", line=first.line)


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
    """What a reader sees of a row, but for its number."""
    return (row.thread, row.text, row.line, row.commit, row.buffers)
