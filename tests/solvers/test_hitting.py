"""Least hitting sets are those that trying every set finds."""

from __future__ import annotations

import itertools
import random

from solvers.hitting import HittingSets


def test_they_are_the_cheapest_and_all_of_them() -> None:
    rng = random.Random(1)
    for _ in range(30):
        costs = {thing: rng.randint(1, 3) for thing in range(1, 7)}
        demands = [rng.sample(sorted(costs), rng.randint(1, 3)) for _ in range(rng.randint(1, 6))]
        assert _all_least(costs, demands) == _by_trying(costs, demands)


def _all_least(costs: dict[int, int], demands: list[list[int]]) -> set[frozenset[int]]:
    """The last demand comes late."""
    sets, found = HittingSets(costs.__getitem__), set()
    for demand in demands[:-1]:
        sets.demand(demand)
    sets.least()
    sets.demand(demands[-1])
    least = None
    while (things := sets.least()) is not None and least in (None, sum(map(costs.__getitem__, things))):
        least = sum(map(costs.__getitem__, things))
        found.add(frozenset(things))
        sets.refuse(things)
    return found


def _by_trying(costs: dict[int, int], demands: list[list[int]]) -> set[frozenset[int]]:
    subsets = [frozenset(each) for size in range(7) for each in itertools.combinations(costs, size)]
    hitting = [each for each in subsets if all(each.intersection(demand) for demand in demands)]
    least = min(sum(costs[thing] for thing in each) for each in hitting)
    return {each for each in hitting if sum(costs[thing] for thing in each) == least}


def test_what_cannot_be_met_is_none() -> None:
    sets = HittingSets[int](lambda _: 1)
    assert sets.least() == ()
    sets.demand([1])
    assert sets.least() == (1,)
    sets.refuse([1])
    assert sets.least() is None
