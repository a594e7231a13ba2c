"""Orders of sets whose members are hashed by their addresses: CPython goes through such a set in any order."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from replay.interpreter.identities import ONLY_HERE
from replay.interpreter.lookup import identity, lookup


def goes_by_address(things: Any, shared: Mapping[int, Any]) -> bool:
    """Returns whether all members of a set are shared objects, each equal to itself only: `shared` has them by
    identity."""
    return all(identity(each) in shared and lookup(type(each), "__hash__") is object.__hash__ for each in things)


class SetOrders:
    """Orders in which a thread has found sets. An order holds until its set has a member that is not in it."""

    def __init__(self, known: Iterable[tuple[Any, tuple[Any, ...]]] = ()) -> None:
        """`known` as `held` tells them."""
        self._sets: list[Any] = []
        self._orders: list[tuple[Any, ...]] = []
        for things, order in known:
            self.keep(things, order)

    def of(self, things: Any) -> tuple[Any, ...] | None:
        """Returns the order that a set was found in, with members that it has lost since; None if there is none."""
        return next((order for each, order in self.held() if each is things), None)

    def keep(self, things: Any, order: tuple[Any, ...]) -> None:
        """Let a set have this order from now on."""
        at = next((at for at, each in enumerate(self._sets) if each is things), len(self._sets))
        self._sets[at : at + 1], self._orders[at : at + 1] = [things], [order]

    def held(self) -> list[tuple[Any, tuple[Any, ...]]]:
        """Returns the sets that something else still holds, with their orders."""
        sets = self._sets
        gone = [at for at in range(len(sets)) if sys.getrefcount(sets[at]) == ONLY_HERE]
        for at in reversed(gone):
            del sets[at], self._orders[at]
        return list(zip(sets, self._orders, strict=True))
