"""What is of one thread at first and may become shared, of classes of ours: locks, and what else C has in Python."""

from __future__ import annotations

from typing import Any

from replay.code.ordinary import Unshared
from replay.frontend.ordinary.identity import Identity


class Own(Unshared):
    """Something of ours in the place of what Python has written in C. `identity` is None while nobody else has it."""

    __slots__ = ("identity",)
    identity: Identity | None

    def held(self) -> dict[str, Any]:
        """What it holds now, to begin with when it becomes shared."""
        raise NotImplementedError

    def become_shared(self, identity: Identity) -> None:
        """From now on it is in memory."""
        self.identity = identity
