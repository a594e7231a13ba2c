"""Least hitting sets: of things that cost something, the cheapest that meet every demand.

PySAT's Hitman finds them, as MaxSAT by RC2 ([ignatiev-2019], "RC2: an efficient MaxSAT solver").
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Generic, TypeVar

Thing = TypeVar("Thing", bound=Hashable)


class HittingSets(Generic[Thing]):
    """Sets of things that have something in common with each of some sets, the cheapest first."""

    def __init__(self, cost: Callable[[Thing], int]) -> None:
        """`cost` says what a thing costs: more than 0."""
        self._cost = cost
        self._costs: dict[Thing, int] = {}
        self._demands: list[tuple[Thing, ...]] = []
        self._refused: list[tuple[Thing, ...]] = []
        self._hitman: Any = None

    def _in_order(self, things: Iterable[Thing]) -> tuple[Thing, ...]:
        """These things in the order in which they were met."""
        for thing in (wanted := tuple(things)):
            self._costs.setdefault(thing, self._cost(thing))
        return tuple(thing for thing in self._costs if thing in wanted)

    def demand(self, alternatives: Iterable[Thing]) -> None:
        """Every set has one of these from now on."""
        self._demands.append(self._in_order(alternatives))
        if self._hitman is not None:
            self._hitman.hit(self._demands[-1], self._costs)

    def refuse(self, things: Iterable[Thing]) -> None:
        """No set has all of these from now on."""
        self._refused.append(self._in_order(things))
        if self._hitman is not None:
            self._hitman.block(self._refused[-1])

    def least(self) -> tuple[Thing, ...] | None:
        """A set of least cost; None if there is none, as something is demanded and refused."""
        if not all(self._demands) or not all(self._refused):
            return None
        if not self._demands:
            return ()
        if self._hitman is None:
            self._hitman = self._new()
        found: Sequence[Thing] | None = self._hitman.get()
        return None if found is None else self._in_order(found)

    def _new(self) -> Any:
        from pysat.examples.hitman import Hitman  # late, as it takes long to import

        hitman = Hitman(bootstrap_with=self._demands, weights=self._costs, htype="sorted")
        for things in self._refused:
            hitman.block(things)
        return hitman
