"""A process that visits all execution graphs ahead of another one, in the same order, and tells what it saw."""

from __future__ import annotations

import contextlib
import threading
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from queue import SimpleQueue

from mcr.exploration.limits import Stopped
from mcr.exploration.stage import Stage
from mcr.explorers.trust.explorer import Fork, Trust
from mcr.explorers.trust.graph import Graph
from mcr.explorers.trust.news import Found, Teller
from mcr.explorers.trust.progress import Progress
from mcr.explorers.trust.steps import Step, Steps
from mcr.explorers.trust.survey import BATCH
from replay.errors import CheckerError

_EVERY = 0.02
"""Seconds between two tellings, at least."""


@dataclass(slots=True)
class Visited:
    """What came of one piece of work.

    steps    those that nobody knew
    found    what it has shown
    is_full  whether it led to a full graph
    events   those that all graphs until now had (`Progress.events`)
    left     `Progress.left` when the next batch will have been executed, if this fills one; or was the last piece
    """

    steps: list[Step]
    found: list[Found]
    is_full: bool = False
    events: int = 0
    left: float | None = None


class Saying:
    """Says things along a line, whether or not the other end listens just now."""

    def __init__(self, line: Connection) -> None:
        self._line = line
        self._things: SimpleQueue[object] = SimpleQueue()
        self._thread = threading.Thread(target=self._send, name="mcr-saying", daemon=True)
        self._thread.start()

    def say(self, thing: object) -> None:
        self._things.put(thing)

    def end(self) -> None:
        """Wait until all was said. The other end may still talk, and must not wait for a listener before it listens."""
        self._things.put(None)
        while self._thread.is_alive():
            with contextlib.suppress(EOFError, OSError):
                while self._line.poll():
                    self._line.recv()
            self._thread.join(_EVERY)

    def _send(self) -> None:
        with contextlib.suppress(OSError):  # nobody wants to know any more
            while (thing := self._things.get()) is not None:
                self._line.send(thing)


class Scout:
    """It is a twin of the process that it goes ahead of, and knows all that was known there."""

    def __init__(self, stage: Stage, trust: Trust, teller: Teller, progress: Progress, visited: int) -> None:
        """`visited` graphs were visited before."""
        self._trust = trust
        self._teller = teller
        self._progress = progress
        self._visited = visited
        self._steps = Steps(stage.unfolding)

    def serve(self, line: Connection, stack: list[Graph | Fork]) -> None:
        """Do the work, until graphs have had as many events as the line allows, which brings larger numbers."""
        saying = Saying(line)
        try:
            self._serve(line, stack, saying)
        except Stopped as stopped:
            saying.say(stopped.stop)
        saying.end()

    def _serve(self, line: Connection, stack: list[Graph | Fork], saying: Saying) -> None:
        allowed, told = 0.0, list[Visited | None]()
        next_time = 0.0
        while stack:
            if told and self._progress.events >= allowed:
                saying.say(told)
                told = []
            while self._progress.events >= allowed:
                allowed = line.recv()
            told.append(self._visit(stack))
            if time.monotonic() >= next_time:
                saying.say(told)
                told, next_time = [], time.monotonic() + _EVERY
        saying.say([*told, None])

    def _visit(self, stack: list[Graph | Fork]) -> Visited:
        trust, progress = self._trust, self._progress
        work = stack.pop()
        told = Visited([], [])
        try:
            part = progress.take(work)
            full = trust.advance(work)
            aside, trust.aside = trust.aside, []
            progress.note(part, work, aside, full)
            stack += aside
            told.is_full = full is not None
            self._visited += told.is_full
            told.steps = self._steps.gained()
            told.found = [*self._teller.told(self._visited, full)]
        except CheckerError as error:
            told.steps = self._steps.gained()
            told.found = [Found(self._visited, False, error=error)]
            stack.clear()
        told.events = progress.events
        if (told.is_full and self._visited % BATCH == 0) or not stack:
            progress.mark()
            told.left = progress.left()
        return told
