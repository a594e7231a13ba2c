"""Loops that only look at memory, and would go on for ever: `while owner.load() != ticket: pass`.

A thread that reads the same as in the turns before, and leaves memory as it
was, shows nothing new however often it goes round. When it has done so a few
times, its code is run on alone: if it would go on like this to the end of its
operations, the thread is cut right there, long before it gets that far. A loop
that ends by itself is left to end.
"""

from __future__ import annotations

from collections.abc import Sequence

from replay.machine.state import NOTHING, State
from replay.world.operation import READS, Kind, Operation

TURNS = 8
"""Equal turns after which a loop is looked at."""

_LONGEST = 8
"""Operations of the longest turn that is noticed."""

_HARMLESS = frozenset({Kind.LOAD, Kind.RMW, Kind.LOCK, Kind.UNLOCK, Kind.FENCE, Kind.STORE_FENCE})
"""What a turn may consist of; whether it leaves memory as it was, its values say."""


def repeated_turn(state: State, request: Operation) -> list[State]:
    """The states after each operation of the loop that a thread has just gone round for the last of `TURNS` times.

    Empty if it has not, or has done so before; `request` is what it asks for in `state`.
    """
    start = state
    for size in range(1, min(_LONGEST, state.depth // TURNS) + 1):
        assert start.parent is not None and start.parent.operation is not None
        start = start.parent
        if _same(start.operation, request) and _turns(state, size) == TURNS:
            turn = state.path()[-size:]
            return turn if _leaves_memory_alone(turn) else []
    return []


def _same(one: Operation | None, other: Operation | None) -> bool:
    """Whether two operations are the same, asked for by the same line."""
    return one is not None and other is not None and one.source == other.source and one.same_request(other)


def _turns(state: State, size: int) -> int:
    """How often the last operations of this number were done in a row with the same results; at most once too often."""
    earlier: State | None = state
    for _ in range(size):
        earlier = earlier and earlier.parent
    later: State | None = state
    equal = 0
    while earlier is not None and later is not None and equal <= size * TURNS and _same_step(earlier, later):
        earlier, later = earlier.parent, later.parent
        equal += 1
    return 1 + equal // size


def _same_step(one: State, other: State) -> bool:
    """Whether what led to the one state is what led to the other."""
    if one.parent is None or other.parent is None or (one.read, one.wrote) != (other.read, other.wrote):
        return False
    return _same(one.parent.operation, other.parent.operation)


def _leaves_memory_alone(turn: Sequence[State]) -> bool:
    """Whether each location holds after a turn what the turn found there."""
    found: dict[int, int] = {}
    left: dict[int, int] = {}
    for after in turn:
        before = after.parent
        assert before is not None and before.operation is not None
        kind = before.operation.kind
        if kind not in _HARMLESS:
            return False
        if kind in READS:
            found.setdefault(before.loc, after.read)
        if after.wrote != NOTHING:
            left[before.loc] = after.wrote
    return all(found.get(loc) == value for loc, value in left.items())
