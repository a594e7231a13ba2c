"""Random runs over global states: how long they are, and how often two of them meet.

They run in a system of their own, so that what an exploration finds does not depend on who asks how far it is.
"""

from __future__ import annotations

import math
import random
from collections import Counter

from mcr.explorers.stateful.layout import Widened
from mcr.explorers.stateful.system import Reopened, System

RUNS = 4_000
STEPS = 200_000
"""Steps of all runs, at most."""

LEAST = 200
"""Runs from which something can be told."""


def profile(system: System) -> list[float] | None:
    """For each depth, the logarithm of how many states there would be if runs came to all as often (collision entropy).

    None if runs go on for too long, so that nothing can be told. `system` is not begun.
    """
    system.begin()
    while True:  # from the beginning, when what states mean has changed
        try:
            return _profile(system, random.Random(0))
        except Widened:
            continue
        except Reopened:
            system.begin()


def _profile(system: System, rng: random.Random) -> list[float] | None:
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
    return [_entropy(states) for states in met] if runs >= LEAST else None


def _after(system: System, state: int) -> list[int]:
    """What a global state leads to, in a step."""
    sort = system.sorting()
    after = [after for _, after in system.steps(state)]
    if not after and (added := system.begin_final(state)):
        after = [state + added]
    system.news.clear()
    return after if sort is None else [*map(sort, after)]


def _entropy(states: Counter[int]) -> float:
    met = sum(math.comb(count, 2) for count in states.values())
    return math.log(math.comb(states.total(), 2) / met) if met else math.log(max(1, states.total()))
