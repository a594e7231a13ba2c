"""How many global states there are, guessed from how many there are at each depth and from random runs.

Nobody knows a rule that is right for most programs. Three that err in different ways are asked, and their mean is the
guess: how growth bends (`outlook.py`); a curve through the logarithms that ends where random runs do; and how often
random runs meet at each depth, in the proportion to the number of states there that was seen so far. Where they are far
apart, or one does not know, nothing is told.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from mcr.exploration.outlook import Guess
from mcr.explorers.stateful.outlook import states_left

APART = 12
"""How many times the least guess the largest may be."""

LARGEST = 60.0
"""Logarithm of a number of states that is as good as none."""


def guess(levels: Sequence[int], runs: Sequence[float] | None) -> Guess | None:
    """How many states there are in all, those of the first depths being so many; `runs` are as `runs.profile` says."""
    if runs is None or len(levels) < 4 or not levels[-1]:
        return None
    seen = sum(levels)
    left = (states_left(levels), _along_a_curve(levels, len(runs)), _as_runs_meet(levels, runs))
    guesses = [seen + each for each in left]
    if max(guesses) > APART * min(guesses):
        return None
    return Guess(math.exp(sum(map(math.log, guesses)) / len(guesses)), min(guesses), max(guesses))


def _along_a_curve(levels: Sequence[int], depth: int) -> float:
    """As if the logarithm of a number, x of the way down, were (1 - x)(ux + v): least squares over the latter half."""
    last = len(levels) - 1
    if depth <= last:
        return math.inf
    points = [(at / depth, math.log(max(1, levels[at]))) for at in range(max(1, last // 2), last + 1)]
    rows = [(x * (1 - x), 1 - x, y) for x, y in points]
    a, b, c = (sum(row[i] * row[j] for row in rows) for i, j in ((0, 0), (0, 1), (1, 1)))
    p, q = (sum(row[i] * row[2] for row in rows) for i in (0, 1))
    spread = a * c - b * b
    if abs(spread) < 1e-12:
        return math.inf
    u, v = (p * c - b * q) / spread, (a * q - b * p) / spread

    def curve(x: float) -> float:
        return (1 - x) * (u * x + v)

    x, y = points[-1]
    return _sum(curve(at / depth) + (y - curve(x)) * (1 - at / depth) / (1 - x) for at in range(last + 1, depth + 1))


def _as_runs_meet(levels: Sequence[int], runs: Sequence[float]) -> float:
    """As if the logarithms were in one proportion to those of `runs`: least squares over the last third."""
    last = len(levels) - 1
    known = range(max(1, last * 2 // 3), last + 1)
    squares = sum(runs[at] ** 2 for at in known) if last < len(runs) - 1 else 0.0
    if not squares:
        return math.inf
    times = sum(math.log(max(1, levels[at])) * runs[at] for at in known) / squares
    error = math.log(levels[-1]) - times * runs[last]
    rest = len(runs) - last
    return _sum(times * runs[at] + error * (len(runs) - at) / rest for at in range(last + 1, len(runs)))


def _sum(logarithms: Iterable[float]) -> float:
    return sum(math.exp(min(each, LARGEST)) for each in logarithms)
