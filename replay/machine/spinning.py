"""Loops that only look at memory: `while owner.load() != ticket: pass`.

A thread that is back in a local state in which it was, and has left memory
alone since, has done nothing that anybody could see. It waits, as in
`wait_until`: it need not go round again unless memory changes, and then it may
as well begin in the state in which it was. So its turn ends there, blocked.

Where local states cannot be compared, a thread that has read the same for some
turns is run on alone: if it would go on like this to the end of its
operations, it is cut right there, long before it gets that far. A loop that
ends by itself is left to end.

Who asks for cycles of events asks what comes *after* a turn, too: for
robustness, one whole turn is kept before a thread is cut, at the third time in
one state. One is enough. A smallest cycle in po and conflicts enters a thread
at some event a and leaves it at some b, a in program order before b or the
same (Shasha and Snir 1988). What the thread did before a, and between a and b,
may be reduced: whole turns are left out until none is left. They leave memory
alone, so what remains is an execution too; its events have the order that they
had, and the cycle is still there. A reduced way is in each state once, as long
as the thread only looks, so one before a and one after it are in none three
times.

A turn of one step needs not be kept. It would be a, and the next step out of
its state asks for the same location again, and reads another value, which is
news that came to memory after what a read or wrote: whatever had to be before
a is before that step, which serves in place of a.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from replay.code.terminals import Blocked
from replay.machine.state import NOTHING, Edge, State
from replay.world.operation import READS, WAKE, Kind, Operation
from replay.world.values import ValueId

SPIN = "spin"
"""The reason why a thread is blocked that goes round a loop and waits for memory to change."""

_LOOKS = frozenset({Kind.LOAD, Kind.UPDATE, Kind.FENCE, Kind.STORE_FENCE})
"""What leaves memory alone, if it writes nothing or what is there already."""

_WIDEST = 100
"""Local states of the largest turn that is noticed."""


def looks_only(before: State, read: ValueId, wrote: ValueId) -> bool:
    """Returns whether a step leaves memory as it is at every moment."""
    operation = before.operation
    if operation is None or operation.tag == WAKE:  # what wakes a thread is news
        return False
    if operation.kind not in _LOOKS and (operation.spans or len(operation.choices) != 1):  # one value is no choice
        return False
    return wrote in (NOTHING, read)


def ends_turn(edge: Edge) -> bool:
    """Returns whether a thread is back where it was after this step, and has only looked: it is blocked there."""
    end = edge.after.terminal
    return isinstance(end, Blocked) and end.reason == SPIN


def turn_of(last: Edge) -> list[Edge]:
    """The steps from where a thread was to where it is back, this one being the last."""
    end = last.after.terminal
    begun = end.wait_from if isinstance(end, Blocked) else last.after.depth
    return [*last.before.way()[begun:], last]


def continues_in(edge: Edge) -> State:
    """The state from which a thread goes on after a step: at the end of a turn, that in which the turn began."""
    return turn_of(edge)[0].before if ends_turn(edge) else edge.after


class _Turn(NamedTuple):
    """One turn of a loop: the state where it begins, and the numbers of those that it comes by then."""

    begun: State
    inside: dict[int, None]


class SpinDetector:
    """Finds the turns of loops that only look at memory, in an unfolding that grows.

    States inside of a turn are guarded: whoever comes to them has to come by the state where the turn began.
    """

    def __init__(self, key: Callable[[State], Hashable | None], keeps: int = 0) -> None:
        """`key` says which states are the same, whatever their depth; None if a state cannot be compared.

        keeps  how many turns of several steps come before the one that ends
        """
        self._key = key
        self._keeps = keeps
        self._asked: dict[Hashable, int] = {}
        self._guards: dict[int, set[int]] = {}

    def note(self, state: State, request: Operation) -> None:
        """Somebody asks for `request` in `state`: the least depth is kept, whichever history was met first."""
        gist = _gist(state.thread, request)
        self._asked[gist] = min(state.depth, self._asked.get(gist, state.depth))

    def begin(self, before: State, request: Operation, key: Callable[[], Hashable | None]) -> State | None:
        """The state where the turn began that ends with a step from `before`, which only looked; None if none ends.

        request  what the thread asks for after that step
        key      which local state it is in
        """
        if self._asked.get(_gist(before.thread, request), before.depth + 1) > before.depth:
            return None
        here = functools.cache(key)
        turn = self._turn([before], request, here)
        turns = [] if turn is None else [turn]
        while turn is not None and turns[0].inside and len(turns) <= self._keeps:
            entries = turn.begun.entries
            ends = [edge.before for edge in entries] if all(map(_looks, entries)) else []
            turn = self._turn(ends, request, here)
            turns += [] if turn is None else [turn]
        if turn is None:
            return None
        for later, each in zip([None, *turns], turns, strict=False):
            for number in (*each.inside, *([later.begun.number] if later else [])):
                self._guards.setdefault(number, set()).add(each.begun.number)
        return turns[0].begun

    def _turn(self, ends: list[State], request: Operation, here: Callable[[], Hashable | None]) -> _Turn | None:
        """The only turn whose last steps are from `ends`, if it only looks; None if there are several, or none."""
        inside: dict[int, None] = {}
        found: State | None = None
        todo = list(ends)
        while todo:
            state = todo.pop()
            if state is found or state.number in inside:
                continue
            if state.operation is not None and state.operation.same_request(request):
                key = here()
                if key is None:
                    return None
                if self._key(state) == key:
                    if found is not None:
                        return None
                    found = state
                    continue
            inside[state.number] = None
            entries = state.entries
            if len(inside) > _WIDEST or not entries or not all(map(_looks, entries)):
                return None
            todo += [edge.before for edge in entries]
        return None if found is None else _Turn(found, inside)

    def may_enter(self, before: State, read: ValueId, wrote: ValueId, after: State) -> bool:
        """Returns whether a step may lead to a known state: not into a turn from outside."""
        guards = self._guards.get(after.number)
        if guards is None:
            return True
        known = self._guards.get(before.number, set())
        return looks_only(before, read, wrote) and all(guard in known or guard == before.number for guard in guards)


def _looks(edge: Edge) -> bool:
    return looks_only(edge.before, edge.read, edge.wrote)


def _gist(thread: int, request: Operation) -> Hashable:
    return thread, request.kind, request.where


# -- without keys -------------------------------------------------------------------

TURNS = 8
"""Equal turns after which a loop is looked at."""

_LONGEST = 8
"""Operations of the longest turn that is noticed."""

_HARMLESS = frozenset({Kind.LOAD, Kind.UPDATE, Kind.UNLOCK, Kind.FENCE, Kind.STORE_FENCE})
"""What a turn may consist of; whether it leaves memory as it was, its values say."""


def repeated_turn(state: State, request: Operation) -> list[Edge]:
    """The steps of the loop that a thread has just gone round for the last of `TURNS` times.

    Empty if it has not, or has done so before; `request` is what it asks for in `state`.
    """
    way = state.way(last=_LONGEST * (TURNS + 1) + 1)
    for size in range(1, min(_LONGEST, state.depth // TURNS) + 1):
        if _same(way[-size].before.operation, request) and _turns(way, size) == TURNS:
            turn = way[-size:]
            return turn if _leaves_memory_alone(turn) else []
    return []


def _same(one: Operation | None, other: Operation | None) -> bool:
    """Returns whether two operations are the same, asked for by the same line."""
    return one is not None and other is not None and one.source == other.source and one.same_request(other)


def _turns(way: Sequence[Edge], size: int) -> int:
    """How often the last `size` operations were done in a row with the same results, up to TURNS and one more."""
    equal = 0
    longest = min(len(way) - size, size * TURNS + 1)
    while equal < longest and _same_step(way[-1 - equal - size], way[-1 - equal]):
        equal += 1
    return 1 + equal // size


def _same_step(one: Edge, other: Edge) -> bool:
    return (one.read, one.wrote) == (other.read, other.wrote) and _same(one.before.operation, other.before.operation)


def _leaves_memory_alone(turn: Sequence[Edge]) -> bool:
    """Returns whether each location holds after a turn what the turn found there."""
    found: dict[int, int] = {}
    left: dict[int, int] = {}
    for edge in turn:
        before, operation = edge.before, edge.before.asked
        if operation.kind not in _HARMLESS or operation.tag == WAKE:  # what wakes a thread is news
            return False
        if operation.kind in READS:
            found.setdefault(before.loc, edge.read)
        if edge.wrote != NOTHING:
            left[before.loc] = edge.wrote
    return all(found.get(loc) == value for loc, value in left.items())
