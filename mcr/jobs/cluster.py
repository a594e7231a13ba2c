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
from dataclasses import dataclass
from typing import Any, Generic

from mcr.jobs.task import Answer, Display, Item, Outcome, Running, Task
from replay.errors import CheckerError, FormatError

_LOOK = 0.05
"""Seconds between two looks at what has arrived."""

_PATIENCE = 10
"""Seconds to find the scheduler, or to get an answer from the worker that has it."""

_TRIES = 6
"""How often an answer is asked for that does not come: what a dead worker had, another one has to find out again."""


@dataclass(frozen=True)
class Post(Generic[Item, Answer]):
    """How items are done far away.

    perform   makes the text of an answer of the text of a request: a function of a module, found by name there
    request   what to send
    answered  what came of an item, by its request and the answer; raises FormatError for what is no answer to it
    known     what is known of an item already; None if nothing is
    """

    perform: Callable[[str], str]
    request: Callable[[Item], str]
    answered: Callable[[Item, str, str], Outcome[Answer]]
    known: Callable[[Item], Outcome[Answer] | None]


class Cluster:
    """The workers of the scheduler at an address."""

    def __init__(self, address: str, display: type[Display]) -> None:
        """Raises CheckerError if distributed is not installed."""
        try:
            import distributed
        except ImportError:
            raise CheckerError("--cluster needs Dask: pip install 'mcr-checker[cluster]'") from None
        self._distributed: Any = distributed
        self._address = address
        self._display = display

    @contextmanager
    def start(
        self, task: Task[Item, Answer], items: Sequence[Item], post: Post[Item, Answer]
    ) -> Iterator[Afar[Item, Answer]]:
        """Begin with the items; those that still run when the block ends are cancelled.

        Raises CheckerError if there is no scheduler.
        """
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # it would tell of losses in its own words
        try:
            client = self._distributed.Client(self._address, timeout=_PATIENCE, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise CheckerError(f"--cluster {self._address}: there is no scheduler ({error})") from None
        with self._display(len(items)) as display:
            running = Afar(task, items, post, client, display)
            try:
                yield running
            finally:
                running.interrupt()
                client.close(timeout=1)


class Afar(Running[Item, Answer]):
    """Items that the workers of a cluster are doing."""

    def __init__(
        self, task: Task[Item, Answer], items: Sequence[Item], post: Post[Item, Answer], client: Any, display: Display
    ) -> None:
        super().__init__(task, items, display)
        self._post = post
        self._client = client
        self._sent: dict[int, tuple[Any, str]] = {}
        self._tries: Counter[int] = Counter()
        """By item, how often its answer was asked for, and did not come."""
        for number, item in enumerate(items):
            known = post.known(item)
            if known is not None:
                self._end(number, known)
                continue
            request = post.request(item)
            self._sent[number] = client.submit(post.perform, request, pure=False, priority=-number), request
            self._shown.began(str(item))

    def _wait_for(self, number: int) -> None:
        while number not in self._done and number in self._sent:
            try:
                time.sleep(_LOOK)
            except KeyboardInterrupt:
                self._take_in()
                self.interrupt()
            else:
                self._take_in()

    def skip(self, count: int) -> None:
        super().skip(count)
        self._cancel(self._forgotten & {*self._sent})

    def interrupt(self) -> None:
        self.interrupted = True
        self._cancel({*self._sent})

    def _cancel(self, numbers: set[int]) -> None:
        for number in numbers:
            future, _ = self._sent.pop(number)
            if self._client.status == "running":
                future.cancel()

    def _take_in(self) -> None:
        """Take in all that has arrived."""
        for number, (future, request) in [*self._sent.items()]:
            outcome = self._arrived(number, future, request)
            if outcome is not None:
                del self._sent[number]
                self._end(number, outcome)

    def _arrived(self, number: int, future: Any, request: str) -> Outcome[Answer] | None:
        """Returns the outcome of an item, if it has one; an item that was lost with its worker is done again by
        another."""
        if future.status == "error":
            return self._failed(number, future.exception())
        if future.status == "cancelled" or (future.status != "finished" and self._client.status == "closed"):
            return self._died(number, "the scheduler of the cluster is gone")
        if future.status != "finished":  # "pending", or "lost" for as long as nobody does it again
            return None
        try:
            return self._post.answered(self._items[number], request, str(future.result(timeout=_PATIENCE)))
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
