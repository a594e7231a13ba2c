"""How many global states are left, as far as the numbers of those at each depth can tell.

Breadth first, so many states come at each depth: ever more, then ever fewer, and by which factor they grow falls about
evenly. So it is followed on until nothing is left. The first guesses are rough; since they are made again and again,
whoever trusts them spends what they said and no more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

LEAST = 4
"""Depths that are looked at before anything is guessed."""

MANY = 1e9
"""States beyond which nobody asks how many."""

DEEP = 10_000
"""Depths that a guess follows at most."""


def states_left(levels: Sequence[int]) -> float:
    """How many states may come after those of these depths, the first one first; infinite where nothing can be told."""
    span = len(levels) // 3
    if len(levels) < LEAST or not levels[-1]:
        return math.inf if levels[-1] else 0
    logarithms = [math.log(levels[index]) for index in (-1, -1 - span, -1 - 2 * span)]
    growth = (logarithms[0] - logarithms[1]) / span
    bend = min(0.0, (growth - (logarithms[1] - logarithms[2]) / span) / span)
    growth += bend * span / 2
    size, left = float(levels[-1]), 0.0
    for _ in range(DEEP):
        growth += bend
        size *= math.exp(min(growth, 50.0))
        left += size
        if size < 1 or left > MANY:
            break
    return left if left <= MANY else math.inf
