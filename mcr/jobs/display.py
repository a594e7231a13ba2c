"""How far everything is, for those who watch."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from mcr.exploration.verdict import Statistics


class Bar(Protocol):
    """One thing that takes long."""

    def update(self, statistics: Statistics) -> None:
        """It is so far."""


class Bars(Protocol):
    """Many things that take long, several at once."""

    def began(self, title: str) -> None:
        """One more is being done."""

    def update(self, title: str, statistics: Statistics) -> None:
        """One of them is so far."""

    def ended(self, title: str) -> None:
        """One of them is done."""


class Display(Protocol):
    """Shows it, if anybody watches."""

    def one(self, title: str) -> AbstractContextManager[Bar]:
        """While one thing is done."""

    def many(self, count: int) -> AbstractContextManager[Bars]:
        """While so many things are done, several at once."""


class _Nothing:
    """Nobody looks."""

    def update(self, *_: object) -> None:
        """No."""

    def began(self, title: str) -> None:
        """No."""

    def ended(self, title: str) -> None:
        """No."""


class Unwatched:
    """Shows nothing: whoever asked for it shows something better, or nobody watches."""

    def one(self, title: str) -> AbstractContextManager[Bar]:
        return nullcontext(_Nothing())

    def many(self, count: int) -> AbstractContextManager[Bars]:
        return nullcontext(_Nothing())
