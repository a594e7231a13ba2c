"""Several processes at pieces of one work; who made them looks at what they tell in the order of a single process.

Pieces have an order: the one in which a single process would come to them.
Helpers do them as they come, and part with what they would do last when
somebody has nothing to do: that is a piece of its own, and the next one in
order.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, Protocol, TypeVar

from mcr.exploration.limits import Stopped
from mcr.exploration.stage import Stage
from mcr.exploration.twins import Twin, Twins

Told = TypeVar("Told")

_LOOK = 0.05
"""Seconds between two looks at limits."""

_EVERY = 0.02
"""Seconds between two looks of a helper at its line."""

_GIVE, _STOP = "give", "stop"
"""Ask a helper to part with work, and to end its piece at once."""


class Helper(Protocol[Told]):
    """Does pieces of work, in a twin of the process that deals them out: it knows all that was known there."""

    def take(self, work: Any) -> None:
        """Begin a piece: the number of what waited when the twin was made, or what some helper has given."""

    @property
    def is_done(self) -> bool:
        """Whether nothing of the piece is left."""

    def step(self) -> None:
        """Do what comes next. Raises Stopped."""

    def told(self) -> list[Told]:
        """What it has shown since it was asked last."""

    def give(self) -> object | None:
        """Part with what would be done last, by names; None if there is but one way to go on."""

    def figures(self) -> dict[str, int]:
        """What the piece has cost, at its end."""


@dataclass(eq=False)
class Piece(Generic[Told]):
    """A piece of work.

    work     the number of what waits here, or what a helper has given
    giver    the piece that it was part of; None for what waits here
    told     what it has shown, and nobody has looked at yet
    figures  what it has cost; None until it has ended
    """

    work: Any
    giver: Piece[Told] | None = None
    told: deque[Told] = field(default_factory=deque)
    figures: dict[str, int] | None = None
    is_taken: bool = False


@dataclass(eq=False)
class _Busy(Generic[Told]):
    """A helper as others see it; `piece` is what it is at, `asked` whether it was asked to part with some of it."""

    twin: Twin
    piece: Piece[Told] | None = None
    asked: bool = False


class Crew(Generic[Told]):
    """The helpers of one exploration.

    pieces  those that the user has not put away, in their order
    given   how many pieces travelled from one helper to another
    """

    def __init__(self, stage: Stage, waiting: int, make: Callable[[], Helper[Told]]) -> None:
        """So many pieces wait, the last one being the first in order; `make` is called in each new process."""
        self.given = 0
        self.pieces = [Piece[Told](number) for number in reversed(range(waiting))]
        self._check = stage.limits.check
        self._twins = Twins()
        self._helpers = [
            _Busy[Told](self._twins.make(lambda line: _serve(make(), line))) for _ in range(stage.options.jobs)
        ]

    def close(self) -> None:
        """End all helpers, whatever they are at."""
        for helper in self._helpers:
            helper.twin.kill()
            helper.twin.how_it_ended()
        self._twins.close()

    def skip_to(self, piece: Piece[Told]) -> None:
        """Put away the pieces before this one: nobody is interested in them any more."""
        skipped = self.pieces[: self.pieces.index(piece)]
        del self.pieces[: len(skipped)]
        for helper in self._helpers:
            if helper.piece in skipped:
                helper.twin.send(_STOP)

    def wait(self) -> None:
        """Deal out what can be, and listen for a moment. Raises Stopped, also if a helper dies."""
        self._check()
        self._deal_out()
        lines = {helper.twin.line: helper for helper in self._helpers}
        for line in wait([*lines], _LOOK):
            helper = lines[line]  # type: ignore[index]
            try:
                kind, content = helper.twin.line.recv()
            except (EOFError, OSError):
                how = helper.twin.how_it_ended()
                raise Stopped(how, "where the system had no memory left, say --memory, or fewer --jobs") from None
            self._hear(helper, kind, content)

    def _deal_out(self) -> None:
        """Give work to those who have none; where there is none, ask somebody to part with some."""
        free = [helper for helper in self._helpers if helper.piece is None]
        for piece in self.pieces:
            if free and not piece.is_taken:
                helper = free.pop()
                piece.is_taken, helper.piece = True, piece
                helper.twin.send(piece.work)
        for helper in self._helpers:
            if free and helper.piece is not None and not helper.asked:
                free.pop()
                helper.asked = True
                helper.twin.send(_GIVE)

    def _hear(self, helper: _Busy[Told], kind: str, content: Any) -> None:
        piece = helper.piece
        if kind == "stopped":
            raise Stopped(content.reason, content.remedy)
        if kind == "kept":
            helper.asked = False
            return
        assert piece is not None
        if kind == "given":
            helper.asked = False
            if piece in self.pieces:
                self.given += 1
                self.pieces.insert(self.pieces.index(piece) + 1, Piece(content, piece))
        elif kind == "told":
            piece.told.extend(content)
        else:
            told, piece.figures = content
            piece.told.extend(told)
            helper.piece = None


def _serve(helper: Helper[Told], line: Connection) -> None:
    """Do the pieces that come along the line."""
    while True:
        message = line.recv()
        if message == _GIVE:
            line.send(("kept", None))
        elif message != _STOP:
            try:
                _do(helper, message, line)
            except Stopped as stopped:
                line.send(("stopped", stopped.stop))


def _do(helper: Helper[Told], work: object, line: Connection) -> None:
    helper.take(work)
    next_look = time.monotonic() + _EVERY
    while not helper.is_done:
        helper.step()
        if time.monotonic() >= next_look:
            line.send(("told", helper.told()))
            while line.poll():
                if line.recv() == _STOP:
                    line.send(("ended", ([], {})))
                    return
                given = helper.give()
                line.send(("kept", None) if given is None else ("given", given))
            next_look = time.monotonic() + _EVERY
    line.send(("ended", (helper.told(), helper.figures())))
