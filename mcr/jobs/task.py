"""Tasks: what is done for each of some items, what comes of it, and what shows how far it is."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from mcr.exploration.options import Options
from mcr.exploration.verdict import Result, Statistics, Stop, decide
from replay.errors import CheckerError, InternalError
from replay.frontend.program import Program
from replay.traces.trace import Trace
from solvers.interface import SolverError

Item = TypeVar("Item")
ItemOf = TypeVar("ItemOf", contravariant=True)
Answer = TypeVar("Answer")
AnswerOf = TypeVar("AnswerOf", covariant=True)


class Tell(Protocol):
    """Whom to tell of what cannot wait for the end."""

    def news(self, news: object) -> None:
        """Something that must not be lost, whatever happens to this process: `Task.hear` hears of it at once."""

    def progress(self, statistics: Statistics) -> None:
        """How far it is; to be called often."""


class Task(Protocol[ItemOf, AnswerOf]):
    """Work on items that know nothing of each other."""

    def title(self, item: ItemOf) -> str:
        """What to call it while it runs."""

    def do(self, item: ItemOf, tell: Tell) -> AnswerOf:
        """Do it, in this process or in another one. Raises CheckerError; Ctrl-C may raise KeyboardInterrupt."""

    def hear(self, item: ItemOf, news: object) -> None:
        """Take in what `do` told, in whatever process it ran. Called in the process that began the task."""

    def died(self, item: ItemOf, how: str) -> AnswerOf:
        """What to say of an item whose process ended before it was done: `how` says what ended it."""


@dataclass(frozen=True)
class Outcome(Generic[Answer]):
    """What came of an item: an answer, or an error; None and None if Ctrl-C was quicker.

    said   what it wrote to standard output ("out") and standard error ("err")
    crash  what Python says of an exception that is a fault of ours
    """

    answer: Answer | None = None
    error: CheckerError | SolverError | None = None
    said: tuple[tuple[str, str], ...] = ()
    crash: str = ""

    def given(self) -> Answer | None:
        """Say what was said, now that its turn has come; then the answer. Raises CheckerError or SolverError."""
        for where, text in self.said:
            (sys.stdout if where == "out" else sys.stderr).write(text)
        if self.crash:
            raise InternalError(f"a process of ours failed:\n{self.crash}")
        if self.error is not None:
            raise self.error
        return self.answer


class Bars(Protocol):
    """Shows how far things are, one or several at once, to those who watch."""

    def began(self, title: str) -> None:
        """One more is being done."""

    def update(self, title: str, statistics: Statistics) -> None:
        """One of them is so far."""

    def ended(self, title: str) -> None:
        """One of them is done."""


class Running(ABC, Generic[Item, Answer]):
    """Items that are being done. Their outcomes are taken in the order of the items, however they were done.

    interrupted  whether Ctrl-C was heard
    """

    def __init__(self, task: Task[Item, Answer], items: Sequence[Item], bars: Bars) -> None:
        self.interrupted = False
        self._task = task
        self._items = items
        self._bars = bars
        self._next = 0
        self._done: dict[int, Outcome[Answer]] = {}
        self._forgotten: set[int] = set()

    def take(self) -> Answer | None:
        """What came of the next item; None if Ctrl-C ended everything before it was done. Raises CheckerError."""
        number = self._next
        self._next += 1
        self._wait_for(number)
        return self._done.pop(number, Outcome[Answer]()).given()

    @abstractmethod
    def _wait_for(self, number: int) -> None:
        """Until it is known what came of an item, or nobody will do it any more."""

    def skip(self, count: int) -> None:
        """Pass over the next items: their outcomes will not be asked for."""
        self._forgotten.update(range(self._next, self._next + count))
        self._next += count

    @abstractmethod
    def interrupt(self) -> None:
        """Begin nothing more; what is being done ends as Ctrl-C ends it."""

    def _end(self, number: int, outcome: Outcome[Answer]) -> None:
        """Something came of an item."""
        self._bars.ended(self._title(number))
        if number not in self._forgotten:
            self._done[number] = outcome

    def _title(self, number: int) -> str:
        return self._task.title(self._items[number])


Display = Callable[[int], AbstractContextManager[Bars]]
"""Shows so many things while they are done."""


class _Nobody:
    def began(self, title: str) -> None:
        pass

    def update(self, title: str, statistics: Statistics) -> None:
        pass

    def ended(self, title: str) -> None:
        pass


NOBODY = _Nobody()
"""Bars that show nothing."""


@contextmanager
def unwatched(count: int) -> Iterator[Bars]:
    """Shows nothing: whoever asked shows something better, or nobody watches."""
    yield NOBODY


def stop_of_the_dead(how: str) -> Stop:
    """`how` the process ended, and what may help."""
    return Stop(how, "where the system had no memory left, say --memory, or fewer --jobs")


def result_of_the_dead(
    program: Program,
    model: str,
    how: str,
    *,
    objective: str,
    algorithm: str,
    options: Options,
    failures: Sequence[Trace] = (),
) -> Result:
    """Incomplete; but what it had found until then is a bug all the same."""
    stop = stop_of_the_dead(how)
    return Result(
        program=program.title,
        file=program.file,
        line=program.line,
        model=model,
        verdict=decide(tuple(failures), stop),
        statistics=Statistics(),
        failures=tuple(failures),
        objective=objective,
        stop=stop,
        solver=options.solver,
        algorithm=algorithm,
    )
