"""A cheapest way to a goal, among nodes that tell what comes next.

Two searches for short schedules use it. `shorten` goes along local states that are known, and stops at a bound;
`fewest` runs whatever the machine can do. `mcr/explorers/stateful/shortest.py` does not use it: its global states are
numbers, it looks for the fewest operations first, and counts switches only along those ways.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Node = TypeVar("Node")


def cheapest(
    start: Node,
    *,
    following: Callable[[Node], Iterable[Node]],
    is_goal: Callable[[Node], bool],
    price: Callable[[Node], Any],
    key: Callable[[Node], object],
    effort: int,
) -> Node | None:
    """Returns a goal that the search finds first; None if there is none among the first `effort` nodes.

    It goes on from the node of the least price, among equals from the one that was met first. So the goal is a cheapest
    one where no node has a greater price than what comes after it.

    price  the price of the way to a node, with an estimate of the way that is left if there is one
    key    equal for two nodes only if the same comes after both
    """
    ties = itertools.count()
    waiting = [(price(start), next(ties), start)]
    done: set[object] = set()
    while waiting and len(done) < effort:
        _, _, node = heapq.heappop(waiting)
        if is_goal(node):
            return node
        name = key(node)
        if name not in done:
            done.add(name)
            for each in following(node):
                heapq.heappush(waiting, (price(each), next(ties), each))
    return None
