"""Judges of histories of calls, for each level of consistency that an object may have."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from functools import cache, partial
from typing import Generic, NamedTuple, TypeVar

from mcr.linearizability.results import Pairing, matched
from mcr.linearizability.specification import NOT_MADE, Orders, Point
from replay.frontend.history import WRONG, Observer

NOTHING = -1
"""Stands for the operation of a thread that is in no call."""

Explanation = tuple[int, tuple[str, ...], Pairing]
"""An order of calls that explains what was seen: its node, what it lets calls return that have not ended yet, by
thread, and which of its objects are those of the history."""

Thought = TypeVar("Thought", bound=Hashable)


class _Held(Generic[Thought]):
    """A thought as a value of memory: one object for each, so that its contents are never compared."""

    __slots__ = ("_judge", "thought")

    def __init__(self, judge: _Judge[Thought], thought: Thought) -> None:
        self._judge = judge
        self.thought = thought

    @property
    def may_wait(self) -> bool:
        return self._judge.may_wait(self.thought)

    def __repr__(self) -> str:
        return repr(self.thought)


class _Judge(ABC, Generic[Thought]):
    """An observer, by what it thinks."""

    def __init__(self, first: Thought) -> None:
        hold = cache(partial(_Held[Thought], self))

        def judged(judge: Callable[..., Thought | None], seen: _Held[Thought], *told: object) -> object:
            thought = judge(seen.thought, *told)
            return WRONG if thought is None else hold(thought)

        self.first: object = hold(first)
        self.called = cache(partial(judged, self._called))
        self.returned = cache(partial(judged, self._returned))

    def may_wait(self, seen: Thought) -> bool:
        """Returns whether calls that have not ended may wait for ever."""
        return True

    @abstractmethod
    def _called(self, seen: Thought, thread: int, operation: int) -> Thought:
        """Returns the knowledge after a thread has called an operation."""

    @abstractmethod
    def _returned(self, seen: Thought, thread: int, operation: int, result: str) -> Thought | None:
        """Returns the knowledge after that call has returned; None if nothing explains it."""


class HistoryKnowledge(NamedTuple):
    """The knowledge about a history.

    pending       by thread, the operation that it calls, NOTHING if it is in no call
    explanations  all orders that explain the results, in the order of their nodes
    """

    pending: tuple[int, ...]
    explanations: tuple[Explanation, ...]


class RealTime(_Judge[HistoryKnowledge]):
    """Linearizability (Herlihy and Wing 1990): calls take effect one after the other, each between its call and its
    return, and return what the specification returns then.

    What is kept beside a history is the set of all orders that explain it so far (Wing and Gong 1993; Lowe 2017): a
    call may take effect at the latest when it returns, so that is when orders grow.
    """

    def __init__(self, orders: Orders) -> None:
        self._orders = orders
        none = (NOTHING,) * orders.threads, (NOT_MADE,) * orders.threads
        super().__init__(HistoryKnowledge(none[0], ((orders.first, none[1], ()),)))

    def may_wait(self, seen: HistoryKnowledge) -> bool:
        """Returns whether each call that waits would do so after some order of the others that explains what these
        returned (Line-Up: Burckhardt et al. 2010)."""
        return all(
            any(
                returning[call[0]] == NOT_MADE and call not in self._orders.steps(node)
                for node, returning, _ in seen.explanations
            )
            for call in enumerate(seen.pending)
            if call[1] != NOTHING
        )

    def _called(self, seen: HistoryKnowledge, thread: int, operation: int) -> HistoryKnowledge:
        return seen._replace(pending=_with(seen.pending, thread, operation))

    def _returned(self, seen: HistoryKnowledge, thread: int, operation: int, result: str) -> HistoryKnowledge | None:
        waiting, known = list(seen.explanations), set(seen.explanations)
        explaining = set[Explanation]()
        while waiting:
            node, returning, pairing = waiting.pop()
            if returning[thread] != NOT_MADE:
                if (longer_pairing := matched(returning[thread], result, pairing)) is not None:
                    explaining.add((node, _with(returning, thread, NOT_MADE), longer_pairing))
                continue
            for (other, called), step in self._orders.steps(node).items():
                if seen.pending[other] != called or returning[other] != NOT_MADE:
                    continue
                longer = step.after, _with(returning, other, step.result), pairing
                if longer not in known:
                    known.add(longer)
                    waiting.append(longer)
        return HistoryKnowledge(_with(seen.pending, thread, NOTHING), tuple(sorted(explaining))) if explaining else None


Told = tuple[tuple[tuple[int, str], ...], ...]
"""By thread, its calls: operation, and result, NOT_MADE if it has not ended."""


class Sequential(_Judge[Told]):
    """Sequential consistency of an object (Lamport 1979): the same, but calls of different threads may take effect in
    any order.

    What is kept is what each thread's calls returned; there has to be an order of all calls with these results.
    """

    def __init__(self, orders: Orders) -> None:
        self._orders = orders
        super().__init__(((),) * orders.threads)

    def _called(self, seen: Told, thread: int, operation: int) -> Told:
        return _with(seen, thread, (*seen[thread], (operation, NOT_MADE)))

    def _returned(self, seen: Told, thread: int, operation: int, result: str) -> Told | None:
        after = _with(seen, thread, (*seen[thread][:-1], (operation, result)))
        return after if self._explains(after) else None

    def _explains(self, told: Told) -> bool:
        """Returns whether an order returns this, whatever calls do that have not ended, or not begun."""
        waiting: list[tuple[int, Told, Pairing]] = [(self._orders.first, told, ())]
        known = set(waiting)
        while waiting:
            node, left, pairing = waiting.pop()
            if all(not calls or calls[0][1] == NOT_MADE for calls in left):
                return True
            for (thread, operation), step in self._orders.steps(node).items():
                after: Pairing | None = pairing
                if left[thread]:
                    called, result = left[thread][0]
                    if called != operation:
                        continue
                    after = pairing if result == NOT_MADE else matched(step.result, result, pairing)
                if after is None:
                    continue
                longer = step.after, _with(left, thread, left[thread][1:]), after
                if longer not in known:
                    known.add(longer)
                    waiting.append(longer)
        return False


class Quiet(NamedTuple):
    """The knowledge about a history, whose last stretch without a moment of quiescence is still open.

    pending  by thread, the operation that it calls, NOTHING if it is in no call
    before   the nodes of all orders that explain what returned before that stretch, with their pairings of objects
    returned the calls that have returned in it, and what
    """

    pending: tuple[int, ...]
    before: tuple[tuple[int, Pairing], ...]
    returned: tuple[tuple[int, str], ...]


class Quiescence(_Judge[Quiet]):
    """Quiescent consistency (Aspnes, Herlihy and Shavit 1994): calls may take effect in any order, whatever threads
    make them, but not before one that has returned before a moment at which nobody was in a call.

    What is kept is the set of orders up to the last such moment, and what was returned since then, by whomever.
    """

    def __init__(self, orders: Orders) -> None:
        self._orders = orders.of_anybody()
        super().__init__(Quiet((NOTHING,) * orders.threads, ((self._orders.first, ()),), ()))

    def may_wait(self, seen: Quiet) -> bool:
        """Returns whether what has returned is explained, whichever of the other calls took effect."""
        pending = (operation for operation in seen.pending if operation != NOTHING)
        return bool(self._after(seen.before, seen.returned, tuple(sorted(pending))))

    def _called(self, seen: Quiet, thread: int, operation: int) -> Quiet:
        return seen._replace(pending=_with(seen.pending, thread, operation))

    def _returned(self, seen: Quiet, thread: int, operation: int, result: str) -> Quiet | None:
        pending = _with(seen.pending, thread, NOTHING)
        returned = tuple(sorted((*seen.returned, (operation, result))))
        if any(each != NOTHING for each in pending):
            return Quiet(pending, seen.before, returned)
        after = self._after(seen.before, returned, ())
        return Quiet(pending, after, ()) if after else None

    def _after(
        self, before: tuple[tuple[int, Pairing], ...], returned: tuple[tuple[int, str], ...], pending: tuple[int, ...]
    ) -> tuple[tuple[int, Pairing], ...]:
        """The nodes after all orders of what was returned, among which some of the pending calls may stand."""
        waiting = [(node, returned, pending, pairing) for node, pairing in before]
        known, after = set(waiting), set[tuple[int, Pairing]]()
        while waiting:
            node, left, open_ones, pairing = waiting.pop()
            if not left:
                after.add((node, pairing))
                continue
            for (_, operation), step in self._orders.steps(node).items():
                longer = [
                    (step.after, _without(left, call), open_ones, pairs)
                    for call in dict.fromkeys(left)
                    if call[0] == operation and (pairs := matched(step.result, call[1], pairing)) is not None
                ]
                if operation in open_ones:
                    longer.append((step.after, left, _without(open_ones, operation), pairing))
                waiting += (each for each in longer if each not in known)
                known.update(longer)
        return tuple(sorted(after))


class Exceptions(_Judge[tuple[int, ...]]):
    """No call raises an exception that one thread alone would not see, or waits for ever though it never would.

    What is kept is the operation that each thread calls.
    """

    def __init__(self, orders: Orders) -> None:
        super().__init__((NOTHING,) * orders.threads)
        self._allowed = orders.results()

    def may_wait(self, seen: tuple[int, ...]) -> bool:
        return all(operation == NOTHING or (operation, NOT_MADE) in self._allowed for operation in seen)

    def _called(self, seen: tuple[int, ...], thread: int, operation: int) -> tuple[int, ...]:
        return _with(seen, thread, operation)

    def _returned(self, seen: tuple[int, ...], thread: int, operation: int, result: str) -> tuple[int, ...] | None:
        if result.startswith("raises ") and (operation, result) not in self._allowed:
            return None
        return _with(seen, thread, NOTHING)


Alone = tuple[tuple[Point, Pairing], ...]
"""By thread, what its calls leave behind if it is the only one."""


class Apart(_Judge[Alone]):
    """Each thread gets what it would get if it were the only one."""

    def __init__(self, orders: Orders) -> None:
        self._specification = orders.specification
        super().__init__(((self._specification.first, ()),) * orders.threads)

    def _called(self, seen: Alone, thread: int, operation: int) -> Alone:
        return seen

    def _returned(self, seen: Alone, thread: int, operation: int, result: str) -> Alone | None:
        point, pairing = seen[thread]
        called = self._specification.call(point, operation)
        after = None if called is None else matched(called[0], result, pairing)
        return None if called is None or after is None else _with(seen, thread, (called[1], after))


LINEARIZABLE, SEQUENTIAL, SAFE = "linearizable", "sequentially consistent", "safe"

QUIESCENT = "quiescently consistent"

DISTINCT, LOCKED = "distinct", "locked"
"""Of clients whose threads use an object each, and a lock around each call."""

LEVELS: dict[str, Callable[[Orders], Observer]] = {
    LINEARIZABLE: RealTime, SEQUENTIAL: Sequential, QUIESCENT: Quiescence,
}  # fmt: skip
"""Levels of consistency, and who judges: the first one implies the others, which do not imply each other."""

JUDGES = {**LEVELS, SAFE: Exceptions, DISTINCT: Apart, LOCKED: RealTime}

Each = TypeVar("Each")


def _without(values: tuple[Each, ...], value: Each) -> tuple[Each, ...]:
    place = values.index(value)
    return (*values[:place], *values[place + 1 :])


def _with(values: tuple[Each, ...], place: int, value: Each) -> tuple[Each, ...]:
    return (*values[:place], value, *values[place + 1 :])
