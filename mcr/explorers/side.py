"""One of several explorers that take turns on the same program, with the work that it has announced."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Generic, TypeVar

from mcr.exploration.contract import Explorer, Work, enqueue

Of = TypeVar("Of", bound=Explorer, covariant=True)


class Side(Generic[Of]):
    """An explorer that has begun."""

    def __init__(self, explorer: Of) -> None:
        self.explorer = explorer
        self._waiting: deque[Work] = deque()
        self.announce(explorer.begin())

    def announce(self, work: Iterable[Work]) -> None:
        """More work for its turns to come."""
        enqueue(self._waiting, work)

    def take(self) -> Work | None:
        """The next piece of work; None if there is none left."""
        return self._waiting.popleft() if self._waiting else self.explorer.remaining()
