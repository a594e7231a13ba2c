"""What declares the things of this room."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from replay.frontend.description import Thing
from replay.frontend.sync.counting import Barrier, BoundedSemaphore, Event, Semaphore
from replay.frontend.sync.owned import ReadersWriterLock, ReentrantLock
from replay.frontend.sync.passing import Future, Once, Queue

Made = TypeVar("Made", bound=Thing)


class Synchronisation:
    """The part of `p` that makes what threads wait at; each method raises ModelError like `p.mutex`."""

    def _made(self, make: Callable[[str], Made], name: str | None) -> Made:
        raise NotImplementedError

    def rlock(self, *, name: str | None = None) -> ReentrantLock:
        """A lock that its owner may take again, as `threading.RLock`."""
        return self._made(ReentrantLock, name)

    def semaphore(self, value: int = 1, *, name: str | None = None) -> Semaphore:
        """A semaphore, as `threading.Semaphore`."""
        return self._made(lambda name: Semaphore(name, value), name)

    def bounded_semaphore(self, value: int = 1, *, name: str | None = None) -> BoundedSemaphore:
        """A semaphore that must not be released more often than acquired, as `threading.BoundedSemaphore`."""
        return self._made(lambda name: BoundedSemaphore(name, value), name)

    def event(self, *, name: str | None = None) -> Event:
        """A flag to wait for, as `threading.Event`."""
        return self._made(Event, name)

    def barrier(self, parties: int, action: Callable[[], object] | None = None, *, name: str | None = None) -> Barrier:
        """A barrier for so many threads, as `threading.Barrier`."""
        return self._made(lambda name: Barrier(name, parties, action), name)

    def queue(self, maxsize: int = 0, *, name: str | None = None) -> Queue[Any]:
        """A queue that holds `maxsize` items, any number if that is not above 0, as `queue.Queue`."""
        return self._made(lambda name: Queue(name, maxsize), name)

    def rwlock(self, *, name: str | None = None) -> ReadersWriterLock:
        """A lock for many readers or one writer: `with lock.reader:`, `with lock.writer:`."""
        return self._made(ReadersWriterLock, name)

    def future(self, *, name: str | None = None) -> Future[Any]:
        """A value that will be there, with the methods of `concurrent.futures.Future`."""
        return self._made(Future, name)

    def once(self, *, name: str | None = None) -> Once:
        """Something that is done by the first who asks: `once.do(function)`."""
        return self._made(Once, name)
