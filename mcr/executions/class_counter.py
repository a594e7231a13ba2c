"""Counting the classes of executions, for one equivalence and all that are coarser."""

from __future__ import annotations

from mcr.executions.equivalence import EQUIVALENCES, Equivalence
from mcr.executions.execution import Execution


class ClassCounter:
    """Sorts executions into classes. Coarser equivalences come for the price of a key each."""

    def __init__(self, finest: Equivalence) -> None:
        self.finest = finest
        self._seen: dict[Equivalence, set[bytes]] = {
            equivalence: set() for equivalence in EQUIVALENCES if finest.refines(equivalence)
        }
        self._complete = dict.fromkeys(self._seen, 0)

    def add(self, execution: Execution) -> bool:
        """Count an execution; whether its class of the finest equivalence is new."""
        repeated: list[Equivalence] = []
        for equivalence, seen in self._seen.items():
            if repeated and any(known.refines(equivalence) for known in repeated):
                continue  # of one class there, so of one class for all that is coarser
            before = len(seen)
            seen.add(equivalence.key(execution))
            if len(seen) == before:
                repeated.append(equivalence)
            else:
                self._complete[equivalence] += execution.is_complete
        return self.finest not in repeated

    def knows(self, key: bytes) -> bool:
        """Whether an execution with this key of the finest equivalence was counted."""
        return key in self._seen[self.finest]

    def counts(self) -> list[tuple[str, int, int]]:
        """Name, complete classes and blocked classes of each equivalence, the finest first."""
        return [
            (equivalence.name, self._complete[equivalence], len(seen) - self._complete[equivalence])
            for equivalence, seen in self._seen.items()
        ]
