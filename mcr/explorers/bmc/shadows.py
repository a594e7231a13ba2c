"""Own stores that every later read of the thread sees through: what lies before them is never read again.

A thread that is in a certain state at some depth, whatever it does, and stores there, reads that store later or
something newer. So nothing that it stored earlier is read then, nor what memory held at first.
"""

from __future__ import annotations

from replay.machine.state import State
from replay.machine.unfolding import Unfolding
from replay.world.operation import Kind


class Shadows:
    """Which own stores hide earlier ones. What was said may become wrong when the unfolding grows: `are_valid`."""

    def __init__(self, unfolding: Unfolding) -> None:
        self._unfolding = unfolding
        self._states = 0
        self._at: dict[tuple[int, int], list[State]] = {}
        self._stores: dict[tuple[int, int], list[int]] = {}
        """By thread and location, the depths at which it stores there, whatever it does; ascending."""
        self._used: set[tuple[int, int]] = set()

    def grow(self) -> None:
        """Take in all that the unfolding gained."""
        states = self._unfolding.states[self._states :]
        if not states:
            return
        self._states += len(states)
        for state in states:
            self._at.setdefault((state.thread, state.depth), []).append(state)
        self._stores = {}
        for (thread, depth), found in sorted(self._at.items()):
            operation = found[0].operation
            if len(found) == 1 and operation is not None and operation.kind in (Kind.STORE, Kind.UNLOCK):
                self._stores.setdefault((thread, found[0].loc), []).append(depth)

    def hides(self, thread: int, depth: int, loc: int) -> int:
        """The depth of the latest store that is certain to precede a read, -1 if there is none."""
        found = max((each for each in self._stores.get((thread, loc), ()) if each < depth), default=-1)
        if found >= 0:
            self._used.add((thread, found))
        return found

    def forget(self) -> None:
        """Nobody relies on what was said before."""
        self._used = set()

    def are_valid(self) -> bool:
        """Whether all that was said still holds."""
        return all(len(self._at[place]) == 1 for place in self._used)
