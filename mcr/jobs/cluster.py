"""Items done by the workers of a Dask cluster, which has its own ways to deal them out and to bear losses.

What travels are texts: a request for each item, and an answer. A worker that
dies is replaced by another one, which begins its item anew; one that comes
later gets its share. When the scheduler is gone, so is what the workers were
at: it is told of as incomplete.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any, Protocol

from mcr.jobs.task import Answer, Bars, Display, Item, ItemOf, Outcome, Running, Task
from replay.errors import CheckerError, FormatError

_LOOK = 0.05
"""Seconds between two looks at what has arrived."""

_PATIENCE = 10
"""Seconds to find the scheduler, or to get an answer from the worker that has it."""

_TRIES = 6
"""How often an answer is asked for that does not come: what a dead worker had, another one has to find out again."""


class Posted(Task[ItemOf, Answer], Protocol[ItemOf, Answer]):
    """A task whose items can be done far away."""

    def performer(self) -> Callable[[str], str]:
        """What makes the text of an answer of the text of a request: a function of a module, found by name there."""

    def request(self, item: ItemOf) -> str:
        """What to send."""

    def answered(self, item: ItemOf, request: str, text: str) -> Outcome[Answer]:
        """What came of it, news included. Raises FormatError for what is no answer to the request."""

    def recall(self, item: ItemOf) -> Outcome[Answer] | None:
        """What is known already; None if nothing is."""


class Cluster:
    """The workers of the scheduler at an address."""

    jobs = 1  # of this machine, for all that it knows

    def __init__(self, address: str, display: Display) -> None:
        """Raises CheckerError if distributed is not installed."""
        try:
            import distributed
        except ImportError:
            raise CheckerError("--cluster needs Dask: pip install 'mcr-checker[cluster]'") from None
        self._distributed: Any = distributed
        self._address = address
        self._display = display

    @contextmanager
    def start(self, task: Posted[Item, Answer], items: Sequence[Item]) -> Iterator[Afar[Item, Answer]]:
        """Begin with the items; those that still run when the block ends are cancelled.

        Raises CheckerError if there is no scheduler.
        """
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # it would tell of losses in its own words
        try:
            client = self._distributed.Client(self._address, timeout=_PATIENCE, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise CheckerError(f"--cluster {self._address}: there is no scheduler ({error})") from None
        with self._display(len(items)) as bars:
            running = Afar(task, items, client, bars)
            try:
                yield running
            finally:
                running.close()


class Afar(Running[Item, Answer]):
    """Items that the workers of a cluster are doing."""

    def __init__(self, task: Posted[Item, Answer], items: Sequence[Item], client: Any, bars: Bars) -> None:
        super().__init__(task, items, bars)
        self._posted = task
        self._client = client
        self._sent: dict[int, tuple[Any, str]] = {}
        self._tries: Counter[int] = Counter()
        """By item, how often its answer was asked for, and did not come."""
        for number, item in enumerate(items):
            known = task.recall(item)
            if known is not None:
                self._done[number] = known
            else:
                self._send(number, task.request(item))

    def _send(self, number: int, request: str) -> None:
        future = self._client.submit(self._posted.performer(), request, pure=False, priority=-number)
        self._sent[number] = (future, request)
        self._bars.began(self._title(number))

    def _wait_for(self, number: int) -> None:
        while number not in self._done and number in self._sent:
            self._look()

    def skip(self, count: int) -> None:
        super().skip(count)
        for number in self._forgotten & {*self._sent}:
            self._cancel(number)

    def interrupt(self) -> None:
        self.interrupted = True
        for number in [*self._sent]:
            self._cancel(number)

    def close(self) -> None:
        """Take back what is not done, and leave the cluster."""
        self.interrupt()
        self._client.close(timeout=1)

    def _cancel(self, number: int) -> None:
        future, _ = self._sent.pop(number)
        if self._client.status == "running":
            future.cancel()

    def _look(self) -> None:
        """Take in all that has arrived after a moment."""
        try:
            time.sleep(_LOOK)
        except KeyboardInterrupt:
            self._take_in()
            self.interrupt()
            return
        self._take_in()

    def _take_in(self) -> None:
        for number, (future, request) in [*self._sent.items()]:
            if future.status == "finished":
                outcome = self._read(number, future, request)
                if outcome is not None:
                    del self._sent[number]
                    self._end(number, outcome)
            elif future.status == "error":
                del self._sent[number]
                self._end(number, self._failed(number, future.exception()))
            elif future.status == "cancelled" or self._client.status == "closed":  # "lost": it will be done again
                del self._sent[number]
                self._end(number, self._died(number, "the scheduler of the cluster is gone"))

    def _read(self, number: int, future: Any, request: str) -> Outcome[Answer] | None:
        """The answer; None if it went with the worker that held it, so that another one does the item again."""
        try:
            return self._posted.answered(self._items[number], request, str(future.result(timeout=_PATIENCE)))
        except FormatError as error:
            return Outcome(error=error)
        except (OSError, TimeoutError, CancelledError) as error:
            self._tries[number] += 1
            if self._tries[number] < _TRIES:
                return None
            return self._died(number, f"its answer was lost ({type(error).__name__})")

    def _failed(self, number: int, error: BaseException) -> Outcome[Answer]:
        if isinstance(error, CheckerError):
            return Outcome(error=error)
        if type(error).__name__ == "KilledWorker":
            return self._died(number, "several workers of the cluster died of it")
        return self._died(number, f"a worker of the cluster could not do it ({type(error).__name__}: {error})")

    def _died(self, number: int, how: str) -> Outcome[Answer]:
        return Outcome(self._task.died(self._items[number], how))
