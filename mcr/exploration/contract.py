"""The contract between a session and an algorithm, which turns work into news.

    for each piece of work that `begin` gives, and then, when none is left, that `remaining` gives:
        for each piece of news that `expand` makes of it:
            an execution is looked at, counted, and shown if it fails; further work waits for its turn

An explorer knows neither limits nor verdicts: it may be left alone between two pieces of news, and is, when a bug
was found or a limit was reached. What it keeps is its own. It works on the `ExplorationContext` that it was made with.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from mcr.exploration.verdict import ClassCount, Stop
from replay.machine.machine import Choice, Machine
from replay.machine.state import State
from replay.machine.unfolding import Unfolding


@dataclass(frozen=True, slots=True)
class Run:
    """News: an execution of the program, as far as it goes.

    choices  its schedule
    machine  where it ended: nothing can run there any more
    shows    the objective for which it was sought, as it shows a failure that no thread raises; it may go on
    repeats  how many choices come before those that repeat for ever, None if none do
    fewest   gives a schedule for a failure of it that nobody can make shorter; None if it takes too long to find
    """

    choices: list[Choice]
    machine: Machine
    shows: str = ""
    repeats: int | None = None
    fewest: Callable[[State], list[Choice] | None] = lambda _: None


class Work(Protocol):
    """News: something to do later.

    depth_first  whether it comes before everything that waits, so that little does, or after it
    """

    depth_first: ClassVar[bool]


class GoOn:
    """Work: whatever comes next; the explorer knows what that is."""

    depth_first: ClassVar[bool] = True


News = Run | Work


def enqueue(waiting: deque[Work], work: Iterable[Work]) -> None:
    """Put work where its turn comes."""
    for piece in work:
        if piece.depth_first:
            waiting.appendleft(piece)
        else:
            waiting.append(piece)


@dataclass(frozen=True, slots=True)
class Claim:
    """The claim of an explorer that has nothing left to do.

    taken         name of the algorithm that did it
    stop          why it is not everything, None if it is
    covers_final  whether the final function was run in all ways that memory allows
    deadlocks     whether it would have shown a deadlock, if there were one
    classes       classes of executions that were seen, the finest equivalence first
    figures       what the algorithm counts beside what all do, by what readers call it
    bound         what can be said of bugs that were missed, also where a limit ended it; "" for nothing
    certificate   makes what shows it to another program (docs/certificates.md); None if the algorithm has none.
                  It returns None if it fails
    """

    taken: str
    stop: Stop | None = None
    covers_final: bool = True
    deadlocks: bool = False
    classes: tuple[ClassCount, ...] = ()
    figures: tuple[tuple[str, int], ...] = ()
    bound: str = ""
    certificate: Callable[[], dict[str, Any] | None] | None = None


class Explorer(Protocol):
    """One algorithm, exploring one program under one memory model."""

    @property
    def unfolding(self) -> Unfolding:
        """The local states that it knows: those of its context, unless it has an unfolding of its own."""

    def begin(self) -> Iterable[Work]:
        """The work that there is at first. Called once."""

    def expand(self, work: Work) -> Iterator[News]:
        """Do a piece of work that this explorer has announced; it goes on when the news before was dealt with."""

    def remaining(self) -> Work | None:
        """Returns work when none waits; None, for good, if nothing is left to explore."""

    def claim(self) -> Claim:
        """Returns what has been shown, if nothing is left; what has been seen so far, if the session ended early."""


@dataclass(frozen=True)
class WhatIf:
    """A question: what if the load, event `load` of a trace file, read `value`, written as the trace writes values?

    model     its name, None for that of the trace
    asked     how the user named the load, such as "row 4"; "" for its number
    program   FILE::NAME, None for the one that the trace names
    announce  is told the file of the program that the trace names, before it is imported
    """

    trace: Path
    load: int
    value: str
    model: str | None = None
    asked: str = ""
    program: str | None = None
    solver: str = "minisat22"
    announce: Callable[[Path], None] | None = None
