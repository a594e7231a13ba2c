"""What threads ask for, held against each other: whether two runs of a thread did the same, and how to say that not."""

from __future__ import annotations

from replay.code.terminals import Blocked, Cut, Ended, Failed, Request
from replay.machine.state import State
from replay.world.operation import Operation, Source
from replay.world.shown import shown
from replay.world.values import same


def same_request(state: State, request: Request) -> bool:
    """Whether a run asks for what a state asks for."""
    known: Request | None = state.operation or state.terminal
    if isinstance(known, Operation) and isinstance(request, Operation):
        return known.same_request(request)
    return _same_end(known, request)


def same_future(state: State, request: Request, later: int) -> bool:
    """Whether another history asks for what a state asks for; it has so many operations more than that of the state."""
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
    """Whether two runs came to the same end: what a join or a reader of reports would see of it."""
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
    """What may be wrong with a thread that did two things on one history."""
    if describe(known) != describe(found):
        return "does it use state that is not declared as shared, time, random numbers, or `is` on what it read?"
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
