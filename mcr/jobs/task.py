"""Tasks: what is done for each of some items, what comes of it, and what shows how far it is."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from mcr.exploration.verdict import Statistics
from replay.errors import CheckerError, InternalError
from solvers.interface import SolverError

Item = TypeVar("Item")
Answer = TypeVar("Answer")


class Tell(Protocol):
    """A receiver for messages that cannot wait for the end."""

    def news(self, news: object) -> None:
        """Sends what must not be lost if this process dies; `Task.hear` gets it at once."""

    def progress(self, statistics: Statistics) -> None:
        """How far it is; to be called often."""


class Task(NamedTuple, Generic[Item, Answer]):
    """The work on each of some items, which are independent of each other; an item's text names it.

    do    does it, in this process or in another one; raises CheckerError; Ctrl-C may raise KeyboardInterrupt
    died  what to say of an item whose process ended before it was done, and of what ended it
    hear  takes in what `do` told, in whatever process it ran; called in the process that began the task
    prepare  imports what each item needs, before processes are made that would import it once more each
    """

    do: Callable[[Item, Tell], Answer]
    died: Callable[[Item, str], Answer]
    hear: Callable[[Item, object], None] = lambda item, news: None
    prepare: Callable[[], None] = lambda: None


class Outcome(NamedTuple, Generic[Answer]):
    """The outcome of an item: an answer, or an error; None and None if Ctrl-C was quicker.

    said   what it wrote to standard output ("out") and standard error ("err")
    crash  what Python says of an exception that is a fault of ours
    news   what it told, and nobody has heard yet
    """

    answer: Answer | None = None
    error: CheckerError | SolverError | None = None
    said: tuple[tuple[str, str], ...] = ()
    crash: str = ""
    news: tuple[object, ...] = ()

    def given(self) -> Answer | None:
        """Say what was said, now that its turn has come; then the answer. Raises CheckerError or SolverError."""
        for where, text in self.said:
            (sys.stdout if where == "out" else sys.stderr).write(text)
        if self.crash:
            raise InternalError(f"a process of ours failed:\n{self.crash}")
        if self.error is not None:
            raise self.error
        return self.answer


class Display:
    """Shows how far so many things are, one or several at once, while its `with` block lasts: this one nothing."""

    def __init__(self, count: int) -> None:
        self._count = count

    def __enter__(self) -> Display:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def began(self, title: str) -> None:
        """One more is being done."""

    def update(self, title: str, statistics: Statistics) -> None:
        """Shows the figures of an item that is being done."""

    def ended(self, title: str) -> None:
        """Ends the display of an item."""


class Running(ABC, Generic[Item, Answer]):
    """Items that are being done. Their outcomes are taken in the order of the items, however they were done.

    interrupted  whether Ctrl-C was heard
    """

    def __init__(self, task: Task[Item, Answer], items: Sequence[Item], display: Display) -> None:
        self.interrupted = False
        self._task = task
        self._items = items
        self._shown = display
        self._next = 0
        self._done: dict[int, Outcome[Answer]] = {}
        self._forgotten: set[int] = set()

    def take(self) -> Answer | None:
        """Returns the answer for the next item; None if Ctrl-C ended everything before it was done. Raises
        CheckerError."""
        number = self._next
        self._next += 1
        self._wait_for(number)
        return self._done.pop(number, Outcome[Answer]()).given()

    @abstractmethod
    def _wait_for(self, number: int) -> None:
        """Until it is known what came of an item, or it will not be done any more."""

    def skip(self, count: int) -> None:
        """Pass over the next items: their outcomes will not be asked for."""
        self._forgotten.update(range(self._next, self._next + count))
        self._next += count

    @abstractmethod
    def interrupt(self) -> None:
        """Begin nothing more; what is being done ends as Ctrl-C ends it."""

    def _end(self, number: int, outcome: Outcome[Answer]) -> None:
        """Something came of an item."""
        self._shown.ended(str(self._items[number]))
        if number not in self._forgotten:
            self._done[number] = outcome
            for news in outcome.news:
                self._task.hear(self._items[number], news)

    def _died(self, number: int, how: str) -> Outcome[Answer]:
        return Outcome(self._task.died(self._items[number], how))
