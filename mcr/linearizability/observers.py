"""Who judges histories of calls, for each level of consistency that an object may have."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple, TypeVar

from mcr.linearizability.specification import Orders
from replay.frontend.history import WRONG, Observer

NOT_MADE = ""
"""Stands for the result of a call that an order has not made."""

Explanation = tuple[int, tuple[str, ...]]
"""An order of calls that explains what was seen: its node, and what it lets calls return that have not ended yet, by
thread."""


class Seen(NamedTuple):
    """What is known of a history.

    pending       by thread, whether it is in a call
    explanations  all orders that explain the results, in the order of their nodes
    """

    pending: tuple[bool, ...]
    explanations: tuple[Explanation, ...]


class RealTime:
    """Linearizability (Herlihy and Wing 1990): calls take effect one after the other, each between its call and its
    return, and return what the specification returns then.

    What is kept beside a history is the set of all orders that explain it so far (Wing and Gong 1993; Lowe 2017): a
    call may take effect at the latest when it returns, so that is when orders grow.
    """

    def __init__(self, orders: Orders) -> None:
        self._orders = orders
        self.first: object = Seen((False,) * orders.threads, ((orders.first, (NOT_MADE,) * orders.threads),))
        self.called = cache(self._called)
        self.returned = cache(self._returned)

    def _called(self, seen: Seen, call: int) -> object:
        thread, _ = self._orders.calls[call]
        return seen._replace(pending=_with(seen.pending, thread, True))

    def _returned(self, seen: Seen, call: int, result: str) -> object:
        thread, _ = self._orders.calls[call]
        waiting, known = list(seen.explanations), set(seen.explanations)
        explaining = set[Explanation]()
        while waiting:
            node, returning = waiting.pop()
            if returning[thread] != NOT_MADE:
                if returning[thread] == result:
                    explaining.add((node, _with(returning, thread, NOT_MADE)))
                continue
            for other, (returns, after) in self._orders.steps(node).items():
                longer = after, _with(returning, other, returns)
                if seen.pending[other] and returning[other] == NOT_MADE and longer not in known:
                    known.add(longer)
                    waiting.append(longer)
        if not explaining:
            return WRONG
        return Seen(_with(seen.pending, thread, False), tuple(sorted(explaining)))


class ProgramOrder:
    """Sequential consistency of an object (Lamport 1979): the same, but calls of different threads may take effect in
    any order.

    What is kept is what each thread's calls returned; there has to be an order of all calls with these results.
    """

    def __init__(self, orders: Orders) -> None:
        self._orders = orders
        self.first: object = ((),) * orders.threads
        self.returned = cache(self._returned)

    def called(self, seen: object, call: int) -> object:
        return seen

    def _returned(self, seen: tuple[tuple[str, ...], ...], call: int, result: str) -> object:
        thread, _ = self._orders.calls[call]
        after = _with(seen, thread, (*seen[thread], result))
        return after if self._explains(self._orders.first, after) else WRONG

    def _explains(self, node: int, results: tuple[tuple[str, ...], ...]) -> bool:
        """Whether an order from a node on returns this, whatever calls return that have not ended."""
        waiting, known = [(node, results)], {(node, results)}
        while waiting:
            node, left = waiting.pop()
            if not any(left):
                return True
            for thread, (returns, after) in self._orders.steps(node).items():
                if left[thread] and left[thread][0] != returns:
                    continue
                longer = after, _with(left, thread, left[thread][1:])
                if longer not in known:
                    known.add(longer)
                    waiting.append(longer)
        return False


LINEARIZABLE, SEQUENTIAL = "linearizable", "sequentially consistent"

LEVELS: dict[str, Callable[[Orders], Observer]] = {LINEARIZABLE: RealTime, SEQUENTIAL: ProgramOrder}
"""Levels of consistency, the strongest first, and who judges."""

T = TypeVar("T")


def _with(items: tuple[T, ...], place: int, item: T) -> tuple[T, ...]:
    return (*items[:place], item, *items[place + 1 :])
