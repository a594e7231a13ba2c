"""One item after the other, in this process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Generic

from mcr.exploration.verdict import Statistics
from mcr.jobs.display import Bar, Display
from mcr.jobs.task import Answer, Item, Task


class Here(Generic[Item, Answer]):
    """Tells those who are in this process."""

    def __init__(self, task: Task[Item, Answer], item: Item, bar: Bar) -> None:
        self._task = task
        self._item = item
        self._bar = bar

    def news(self, news: object) -> None:
        self._task.hear(self._item, news)

    def progress(self, statistics: Statistics) -> None:
        self._bar.update(statistics)


class InTurn(Generic[Item, Answer]):
    """Items that are done when it is asked what came of them."""

    def __init__(self, task: Task[Item, Answer], items: Sequence[Item], display: Display) -> None:
        self.interrupted = False
        self._task = task
        self._waiting = iter(items)
        self._display = display

    def take(self) -> Answer | None:
        item = next(self._waiting)
        if self.interrupted:
            return None
        with self._display.one(self._task.title(item)) as bar:
            return self._task.do(item, Here(self._task, item, bar))

    def skip(self, count: int) -> None:
        for _ in range(count):
            next(self._waiting)

    def interrupt(self) -> None:
        self.interrupted = True


class Serial:
    """Needs no other process."""

    jobs = 1

    def __init__(self, display: Display) -> None:
        self._display = display

    @contextmanager
    def start(self, task: Task[Item, Answer], items: Sequence[Item]) -> Iterator[InTurn[Item, Answer]]:
        """Begin with the items; what runs when the block ends is ended."""
        yield InTurn(task, items, self._display)
