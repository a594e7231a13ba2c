"""How many global states there are, guessed before all of them were seen.

`states_left` follows the numbers of states at each depth. Breadth first, so many states come at each depth: ever more,
then ever fewer, and by which factor they grow falls about evenly. So it is followed on until nothing is left. The first
guesses are rough; since they are made again and again, whoever trusts them spends what they said and no more.

`guess` tells users. Nobody knows a rule that is right for most programs. Three that err in different ways are asked,
and their mean is the guess: how growth bends; a curve through the logarithms that ends where random runs do; and how
often random runs meet at each depth, in the proportion to the number of states there that was seen so far. Where they
are far apart, or one does not know, nothing is told.

Random runs (`profile`) run in a system of their own, so that what an exploration finds does not depend on who asks how
far it is.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from mcr.exploration.verdict import Guess
from mcr.explorers.stateful.outcomes import Reopened
from mcr.explorers.stateful.system import System

if TYPE_CHECKING:
    from random import Random

LEAST = 4
"""Depths that are looked at before anything is guessed."""

MANY = 1e9
"""States beyond which their number is not asked for."""

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
    if bend == 0 and growth * DEEP > math.log(MANY / size):
        return math.inf  # ever more
    if growth == bend == 0:  # as many at each depth
        return size * DEEP if size * DEEP <= MANY else math.inf
    for _ in range(DEEP):
        growth += bend
        size *= math.exp(min(growth, 50.0))
        left += size
        if size < 1 or left > MANY:
            break
    return left if left <= MANY else math.inf


APART = 12
"""How many times the least guess the largest may be."""

LARGEST = 60.0
"""Logarithm of a number of states that is as good as none."""


def guess(levels: Sequence[int], runs: Sequence[float] | None) -> Guess | None:
    """How many states there are in all, those of the first depths being so many; `runs` are as `profile` says."""
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


RUNS = 4_000
STEPS = 200_000
"""Steps of all runs, at most."""

LEAST_RUNS = 200
"""Runs from which something can be told."""


def profile(system: System) -> list[float] | None:
    """For each depth, the logarithm of how many states there would be if runs came to all as often (collision entropy).

    None if runs go on for too long, so that nothing can be told. `system` is not begun.
    """
    import random  # late, as only what takes long is asked how far it is

    system.begin()
    while True:  # from the beginning, when what states mean has changed
        try:
            return _profile(system, random.Random(0))
        except Reopened:
            system.begin()


def _profile(system: System, rng: Random) -> list[float] | None:
    following: dict[int, list[int]] = {}
    met: list[Counter[int]] = []
    steps = runs = 0
    while runs < RUNS and steps < STEPS:
        state, depth = 0, 0
        runs += 1
        while True:
            if depth == len(met):
                met.append(Counter())
            met[depth][state] += 1
            after = following.get(state)
            if after is None:
                after = following[state] = _after(system, state)
            if not after or steps >= STEPS:
                break
            state = rng.choice(after)
            depth += 1
            steps += 1
    return [_entropy(states) for states in met] if runs >= LEAST_RUNS else None


def _after(system: System, state: int) -> list[int]:
    """Returns the global states to which a step leads from a global state."""
    sort = system.sorting()
    after = [after for _, after in system.steps(state)]
    if not after and (added := system.begin_final(state)):
        after = [state + added]
    system.news.clear()
    return after if sort is None else [*map(sort, after)]


def _entropy(states: Counter[int]) -> float:
    met = sum(math.comb(count, 2) for count in states.values())
    return math.log(math.comb(states.total(), 2) / met) if met else math.log(max(1, states.total()))
