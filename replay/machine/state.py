"""Local states, which are the nodes of the unfolding, and comparisons of what threads ask for there."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any, Protocol

from replay.code.terminals import Blocked, Cut, Ended, Failed, Request, Terminal
from replay.machine.options import UnfoldingOptions
from replay.world.operation import SCHEDULING, Operation, Source
from replay.world.shown import shown
from replay.world.values import ValueId, ValueTable, same

NOTHING = -1
"""Stands for "no value" and "no location" where ids are expected."""

LocationId = int


@dataclass(slots=True, eq=False, repr=False)
class Edge:
    """One step of a thread: from a local state, by what its operation reads, to the next.

    number  position in the order of discovery
    before  the state that asks for the operation
    read    value id that the operation reads (or chooses), else NOTHING
    wrote   value id that it then writes, else NOTHING
    after   the state that the thread is in then; several edges may lead to one
    """

    number: int
    before: State
    read: ValueId
    wrote: ValueId
    after: State

    @property
    def joins(self) -> bool:
        """True if it leads to a state that was met before, on another way."""
        return self.after.entries[0] is not self

    def __repr__(self) -> str:
        return f"<edge {self.number}: {self.before} reads {self.read}, to {self.after}>"


@dataclass(slots=True, eq=False, repr=False)
class State:
    """One local state: what a thread may be in after some number of operations, whatever it did before.

    number     position in the order of discovery
    thread     index of the thread
    depth      operations executed so far
    entries    the edges that lead here, in the order of discovery; none for a root
    operation  what the thread asks for next, None if it came to its end
    terminal   how it came to its end, None if it did not
    edges      the steps that lead on, by value read; NOTHING is the key where nothing is read

    The rest repeats what `operation` says, as small integers and flags:
    loc, reads, drains (waits for the thread's buffer), stored (value id that a
    plain store will write), inputs (value ids to choose from).
    """

    number: int
    thread: int
    depth: int
    entries: list[Edge] = field(default_factory=list)
    operation: Operation | None = None
    terminal: Terminal | None = None
    edges: dict[ValueId, Edge] = field(default_factory=dict)
    loc: LocationId = NOTHING
    reads: bool = False
    drains: bool = False
    stored: ValueId = NOTHING
    inputs: tuple[ValueId, ...] = ()

    @property
    def begins_wait(self) -> bool:
        """True if the next operation is the first load of a wait_until."""
        return self.operation is not None and self.operation.wait_from == self.depth

    @property
    def is_waiting(self) -> bool:
        """True if the thread stopped in a wait whose condition failed, or goes round a loop that only looks."""
        return isinstance(self.terminal, Blocked) and self.terminal.wait_from >= 0

    @property
    def reads_memory(self) -> bool:
        """True if the next operation reads what an access to memory wrote: no choice does, nor a start or a join."""
        return self.reads and self.operation is not None and self.operation.kind not in SCHEDULING

    @property
    def asked(self) -> Operation:
        """The next operation of a thread that has not come to its end."""
        assert self.operation is not None, "a thread that came to its end has no next state"
        return self.operation

    @property
    def entry(self) -> Edge:
        """The edge by which the state was met first; it has one unless it is a root."""
        return self.entries[0]

    def root(self) -> State:
        """The state in which the thread began."""
        state = self
        while state.entries:
            state = state.entries[0].before
        return state

    def way(self, last: float = inf) -> list[Edge]:
        """A way from the root of the thread to this state, the one on which it was met first; its last edges."""
        edges: list[Edge] = []
        state = self
        while state.entries and len(edges) < last:
            edges.append(state.entries[0])
            state = state.entries[0].before
        edges.reverse()
        return edges

    def path(self) -> list[State]:
        """The states on that way, from the root to this one, both included."""
        return [*(edge.before for edge in self.way()), self]

    def __repr__(self) -> str:
        return f"<state {self.number}: thread {self.thread} after {self.depth} operations>"


def same_request(state: State, request: Request) -> bool:
    """Returns whether a run asks for what a state asks for."""
    known: Request | None = state.operation or state.terminal
    if isinstance(known, Operation) and isinstance(request, Operation):
        return known.same_request(request)
    return _same_end(known, request)


def same_future(state: State, request: Request, later: int) -> bool:
    """Returns whether a history that is `later` operations longer than that of a state asks for the same as the
    state."""
    known: Request | None = state.operation or state.terminal
    match known:
        case Cut():  # its code would go on
            return isinstance(request, Operation)
        case Failed():
            return known == request
        case Blocked():  # a wait that fails begins again, however long it took to find out
            return isinstance(request, Blocked) and (known.reason, known.source) == (request.reason, request.source)
        case Operation(wait_from=began) if began >= 0:
            return same_request(state, request) and began + later == getattr(request, "wait_from", -1)
    return same_request(state, request) and getattr(request, "wait_from", -1) < 0


def _same_end(known: Request | None, found: Request | None) -> bool:
    """Returns whether two runs came to the same end: what a join or a reader of reports would see of it."""
    match known, found:
        case Ended(), Ended():
            return same(known.value, found.value)
        case Failed(), Failed():
            return (known.error, known.message, known.source) == (found.error, found.message, found.source)
        case Blocked(), Blocked():
            return known == found
    return type(known) is type(found) and not isinstance(known, Operation)


def describe(request: Request | None) -> str:
    """A request as messages show it."""
    match request:
        case Operation():
            return request.describe()
        case Failed():
            return f"exception {request}"
        case Blocked():
            return f"{request.reason} at {request.source}"
        case Ended(None):
            return "its end"
        case Ended():
            return f"its end, returning {shown(request.value)}"
    return "its end"


def cause(known: Request | None, found: Request | None) -> str:
    """Says what may be wrong with a thread that did two things on one history."""
    if describe(known) != describe(found):
        return (
            "does it use state that is not declared as shared, time, random numbers, the order of a set of objects, or "
            "`is` on what it read?"
        )
    if isinstance(known, Failed):
        return f"at {source(known)} and at {source(found)}"
    kind = type(getattr(known, "value", None)).__name__
    return (
        f"the two are written alike, but not equal: does each run make a new object of type {kind!r}, which is equal "
        "to itself only? Use a tuple, a frozen data class or a record, or make the object outside of the program"
    )


def source(request: Request | None) -> Source | None:
    """The line that asked, or where the thread ended; None if nobody knows."""
    return getattr(request, "source", None)


class Known(Protocol):
    """An unfolding as its parts need to know it (`replay.machine.unfolding.Unfolding`)."""

    options: UnfoldingOptions
    ordinary: bool
    values: ValueTable
    states: list[State]

    def thread(self, name: str) -> Any: ...

    def thread_name(self, index: int) -> str: ...

    def child_of_spawn(self, state: State) -> Any: ...
