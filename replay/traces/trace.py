"""The record of one execution: events with their relations, and the steps that made them.

A trace is plain data: it can be written to a file, read back, drawn, and
checked for consistency without the program that produced it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from replay.announced import Displayed
from replay.sentences import counted
from replay.world.operation import Kind, LibraryCall, Source

if TYPE_CHECKING:
    from replay.code.terminals import Failed

FREE_THREADED, GIL = "free-threaded", "gil"
"""Kinds of Python: without its global lock, and with it."""

DEADLOCK = "Deadlock"
"""What a `Failure` says instead of the name of an exception: threads wait for what never comes."""

LIVELOCK = "Livelock"
"""The same: threads go on for ever, and none of them comes to its end."""

STARVATION = "Starvation"
"""The same: threads never come to their end while others serve for ever."""

NOT_ROBUST = "NotRobust"
"""The same: SC does not have the execution."""

DATA_RACE = "DataRace"
"""The same: the execution ends with two accesses of a plain cell that nothing orders."""

NOT_FREE = {
    "obstruction-freedom": "NotObstructionFree",
    "lock-freedom": "NotLockFree",
    "wait-freedom": "NotWaitFree",
}
"""The same, by the objective: others may keep threads from completing what they call."""

SOUGHT_FOR = {
    DEADLOCK: "deadlocks",
    LIVELOCK: "progress",
    STARVATION: "progress",
    NOT_ROBUST: "robustness",
    DATA_RACE: "races",
    **{error: objective for objective, error in NOT_FREE.items()},
}
"""The objective for which that is looked for which no thread raises."""

_READ_NO_MEMORY = (Kind.JOIN.value, Kind.CHOOSE.value)

FailureIdentity = tuple[str, str, str, int]
"""What a reader calls "the same bug": error, message, file and line."""


@dataclass(frozen=True)
class TraceEvent:
    """One executed operation.

    id         position among the trace's events, in order of execution
    thread     name of the thread
    index      program order: position among the events of its thread, from 0
    kind       value of `replay.world.operation.Kind`
    operation  the operation as readers see it, e.g. "x.fetch_add(1)"
    location   name of the location it accesses, "" if none
    read       repr of the value read, None if it reads nothing
    written    repr of the value written, None if it writes nothing
    source     rf: id of the event it reads from, None for the initial value (or if it reads nothing)
    executed   the step in which it was executed
    committed  the step in which its store reached memory, None if it never did or it writes nothing
    line       the line of the program that asked for it
    call       the call of Python's own library that it is part of; known where it was replayed, and in no file
    """

    id: int
    thread: str
    index: int
    kind: str
    operation: str
    location: str = ""
    read: str | None = None
    written: str | None = None
    source: int | None = None
    executed: int = 0
    committed: int | None = None
    line: Source | None = None
    call: LibraryCall | None = field(default=None, compare=False)

    @property
    def moment(self) -> float:
        """The step in which it takes effect: in which its store reached memory, infinity if that never did."""
        if self.written is None:
            return self.executed
        return math.inf if self.committed is None else self.committed

    @property
    def is_buffered(self) -> bool:
        """True if another step came between execution and commit, or it never committed."""
        return self.written is not None and self.committed != self.executed

    @property
    def reads_memory(self) -> bool:
        """True if it reads a location that others may write (a choice and a join do not)."""
        return self.read is not None and self.location != "" and self.kind not in _READ_NO_MEMORY


def as_played(trace: Trace, played: Trace) -> Trace:
    """The trace with what a replay of it has shown: calls of Python's own library, and variables of the test."""
    pairs = zip(trace.events, played.events, strict=True)
    events = tuple(replace(event, call=again.call) for event, again in pairs)
    return replace(trace, events=events, variables=played.variables)


def without_calls(trace: Trace) -> Trace:
    """The trace as one whose every step is to be seen, also in calls of Python's own library."""
    return replace(trace, events=tuple(replace(event, call=None) for event in trace.events))


@dataclass(frozen=True)
class Step:
    """One step of a schedule: thread `thread` executes event `event`, or commits its store."""

    thread: str
    event: int
    commit: bool = False


@dataclass(frozen=True)
class ThreadEnd:
    """How a thread ended: "ended", "blocked", "failed", "cut" or "running"; detail says more."""

    how: str
    detail: str = ""


@dataclass(frozen=True)
class Failure:
    """An exception that left a thread: its type, its message, and the active lines of user code, innermost first.

    Or what else was looked for; `error` says what instead of naming a type.
    """

    thread: str
    error: str
    message: str
    stack: tuple[Source, ...] = ()

    @classmethod
    def of(cls, thread: str, end: Failed) -> Failure:
        """How the thread of that name came to its end."""
        return cls(thread, end.error, end.message, end.stack)

    def __str__(self) -> str:
        return f"{self.error}: {self.message}" if self.message else self.error

    @property
    def is_raised(self) -> bool:
        """True if a thread raised it; else its lines are those that it concerns."""
        return self.error not in SOUGHT_FOR

    @property
    def is_lasso(self) -> bool:
        """True if it says that a run goes on for ever: the trace shows what repeats, if anything happens in it."""
        return self.error in (LIVELOCK, STARVATION, *NOT_FREE.values())

    @property
    def line(self) -> Source | None:
        """The line that raised it: the innermost line of the program; None if there is none."""
        return self.stack[0] if self.stack else None

    @property
    def identity(self) -> FailureIdentity:
        """Equal for two failures that a reader would call the same bug; all deadlocks are one: one is looked for.

        So are all livelocks, all starvations, and so on.
        """
        if self.error == DEADLOCK or self.is_lasso:
            return (self.error, "", "", 0)
        line = self.line
        return (self.error, self.message, line.file if line else "", line.line if line else 0)


@dataclass(frozen=True)
class ProgramReference:
    """How to find a program again: file, name and arguments (as Python literals); fingerprint of its text."""

    file: str
    name: str
    arguments: dict[str, str] = field(default_factory=dict)
    fingerprint: str = ""

    @property
    def title(self) -> str:
        if not self.arguments:
            return self.name
        return f"{self.name}({', '.join(f'{key}={value}' for key, value in self.arguments.items())})"


@dataclass(frozen=True)
class Trace(Displayed):
    """One execution of a program under a memory model.

    threads  title by thread name, in order of declaration
    initial  repr of the initial value of each location that occurs
    ends     how each thread ended
    failure  an exception that left a thread, if any: the one that the trace is kept for
    repeats  the step with which that part begins that repeats for ever, up to the last one; None if none does
    global_lock  True if threads ran as in CPython with its global lock: one at a time, switched at calls only
    changing  what threads were seen to change of ordinary objects, which is memory for that reason (`Program.changing`)
    variables  what the variables of a test call objects, by their names; known where it was replayed, and in no file
    """

    program: ProgramReference
    model: str
    threads: dict[str, str]
    initial: dict[str, str]
    events: tuple[TraceEvent, ...]
    steps: tuple[Step, ...]
    ends: dict[str, ThreadEnd]
    failure: Failure | None = None
    repeats: int | None = None
    global_lock: bool = False
    changing: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict, compare=False)

    def __repr__(self) -> str:
        """Describes the trace in a line; the fields have the rest."""
        steps = counted(len(self.steps), "step")
        ends = "no failure" if self.failure is None else str(self.failure)
        return f"<Trace of {self.program.title} under {self.model.upper()}: {steps}, {ends}>"

    def of_thread(self, thread: str) -> Iterator[TraceEvent]:
        """The events of one thread, in program order."""
        return (event for event in self.events if event.thread == thread)

    def is_delayed(self, event: TraceEvent) -> bool:
        """Returns whether some thread executed something while the event's store was in its buffer."""
        if event.written is None:
            return False
        end = len(self.steps) if event.committed is None else event.committed
        return any(not step.commit for step in self.steps[event.executed + 1 : end])

    def coherence(self) -> dict[str, tuple[int, ...]]:
        """co: per location the ids of the writes that reached memory, in that order."""
        order: dict[str, list[tuple[int, int]]] = {}
        for event in self.events:
            if event.written is not None and event.committed is not None:
                order.setdefault(event.location, []).append((event.committed, event.id))
        return {location: tuple(id for _, id in sorted(writes)) for location, writes in order.items()}
