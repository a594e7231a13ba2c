"""Least hitting sets: of things that cost something, the cheapest that meet every demand.

PySAT's Hitman finds them, as MaxSAT by RC2 ([ignatiev-2019], "RC2: an efficient MaxSAT solver").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


class HittingSets:
    """Sets of numbered things that have something in common with each of some sets, the cheapest first."""

    def __init__(self, costs: Mapping[int, int]) -> None:
        """`costs` has all the things that there are, each with a cost above 0; its owner may add others."""
        self._costs = costs
        self._demands: list[tuple[int, ...]] = []
        self._refused: list[tuple[int, ...]] = []
        self._hitman: Any = None

    def demand(self, alternatives: Iterable[int]) -> None:
        """Every set has one of these from now on."""
        self._demands.append(tuple(sorted(alternatives)))
        if self._hitman is not None:
            self._hitman.hit(self._demands[-1], self._costs)

    def refuse(self, things: Iterable[int]) -> None:
        """No set has all of these from now on."""
        self._refused.append(tuple(sorted(things)))
        if self._hitman is not None:
            self._hitman.block(self._refused[-1])

    def cost(self, things: Iterable[int]) -> int:
        return sum(self._costs[thing] for thing in things)

    def least(self) -> tuple[int, ...] | None:
        """A set of least cost; None if there is none, as something is demanded and refused."""
        if not all(self._demands) or not all(self._refused):
            return None
        if not self._demands:
            return ()
        if self._hitman is None:
            self._hitman = self._new()
        found: Sequence[int] | None = self._hitman.get()
        return None if found is None else tuple(sorted(found))

    def _new(self) -> Any:
        from pysat.examples.hitman import Hitman  # late, as it takes long to import

        hitman = Hitman(bootstrap_with=self._demands, weights=self._costs, htype="sorted")
        for things in self._refused:
            hitman.block(things)
        return hitman
