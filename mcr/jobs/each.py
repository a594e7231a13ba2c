"""One function for each of many items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic

from mcr.jobs.executor import Executor
from mcr.jobs.task import Answer, Item, Task, Tell


@dataclass(frozen=True)
class Each(Generic[Item, Answer]):
    """A task of short items, that tells nothing before its end.

    function  does it
    dead      what to answer for an item whose process ended, and how it did
    """

    function: Callable[[Item], Answer]
    dead: Callable[[Item, str], Answer]

    def title(self, item: Item) -> str:
        return str(item)

    def do(self, item: Item, tell: Tell) -> Answer:
        return self.function(item)

    def hear(self, item: Item, news: object) -> None:
        """There is none."""

    def died(self, item: Item, how: str) -> Answer:
        return self.dead(item, how)


def answers(task: Task[Item, Answer], items: Sequence[Item], executor: Executor) -> Iterator[Answer | None]:
    """What comes of the items, in their order; None for those that Ctrl-C came before.

    Raises the first CheckerError; after Ctrl-C, KeyboardInterrupt at the end.
    """
    with executor.start(task, items) as running:
        for _ in items:
            yield running.take()
        if running.interrupted:
            raise KeyboardInterrupt
