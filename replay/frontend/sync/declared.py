"""Declarations of the things of this room, each of which is loaded when the first one of its kind is declared."""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from replay.frontend.description import Thing

if TYPE_CHECKING:
    from replay.frontend.locks import ReentrantLock
    from replay.frontend.sync.counting import Barrier, BoundedSemaphore, Event, ReadersWriterLock, Semaphore
    from replay.frontend.sync.passing import Future, Once, Queue

Made = TypeVar("Made", bound=Thing)


Declared = TypeVar("Declared", bound=Callable[..., Thing])


def _name_may_come_first(declare: Declared) -> Declared:
    """Let a declaration be given a name before all else, as `p.mutex` and `p.var` are: `p.semaphore("free", 2)`."""

    @functools.wraps(declare)
    def declaring(self: Any, *given: Any, **named: Any) -> Thing:
        if given and isinstance(given[0], str):
            return declare(self, *given[1:], **{**named, "name": given[0]})
        return declare(self, *given, **named)

    return declaring  # type: ignore[return-value]


class Synchronisation:
    """The part of `p` that makes what threads wait at; each method raises ModelError like `p.mutex`.

    All take a name, by `name=` or before everything else.
    """

    def _made(self, make: Callable[[str], Made], name: str | None) -> Made:
        raise NotImplementedError

    def _made_late(self, kind: str, name: str | None, *settings: object) -> Any:
        """A thing of a class of this room, which is loaded now."""
        module, _, title = kind.rpartition(".")
        made = getattr(import_module(f"replay.frontend.{module}"), title)
        return self._made(lambda name: made(name, *settings), name)

    @_name_may_come_first
    def rlock(self, *, name: str | None = None) -> ReentrantLock:
        """A lock that its owner may take again, as `threading.RLock`."""
        return self._made_late("locks.ReentrantLock", name)  # type: ignore[no-any-return]

    @_name_may_come_first
    def semaphore(self, value: int = 1, *, name: str | None = None) -> Semaphore:
        """A semaphore, as `threading.Semaphore`."""
        return self._made_late("sync.counting.Semaphore", name, value)  # type: ignore[no-any-return]

    @_name_may_come_first
    def bounded_semaphore(self, value: int = 1, *, name: str | None = None) -> BoundedSemaphore:
        """A semaphore that must not be released more often than acquired, as `threading.BoundedSemaphore`."""
        return self._made_late("sync.counting.BoundedSemaphore", name, value)  # type: ignore[no-any-return]

    @_name_may_come_first
    def event(self, *, name: str | None = None) -> Event:
        """A flag to wait for, as `threading.Event`."""
        return self._made_late("sync.counting.Event", name)  # type: ignore[no-any-return]

    @_name_may_come_first
    def barrier(self, parties: int, action: Callable[[], object] | None = None, *, name: str | None = None) -> Barrier:
        """A barrier for so many threads, as `threading.Barrier`."""
        return self._made_late("sync.counting.Barrier", name, parties, action)  # type: ignore[no-any-return]

    @_name_may_come_first
    def queue(self, maxsize: int = 0, *, name: str | None = None) -> Queue[Any]:
        """A queue that holds `maxsize` items, any number if that is not above 0, as `queue.Queue`."""
        return self._made_late("sync.passing.Queue", name, maxsize)  # type: ignore[no-any-return]

    @_name_may_come_first
    def rwlock(self, *, name: str | None = None) -> ReadersWriterLock:
        """A lock for many readers or one writer: `with lock.reader:`, `with lock.writer:`."""
        return self._made_late("sync.counting.ReadersWriterLock", name)  # type: ignore[no-any-return]

    @_name_may_come_first
    def future(self, *, name: str | None = None) -> Future[Any]:
        """A value that will be there, with the methods of `concurrent.futures.Future`."""
        return self._made_late("sync.passing.Future", name)  # type: ignore[no-any-return]

    @_name_may_come_first
    def once(self, *, name: str | None = None) -> Once:
        """Something that the first thread does which asks for it: `once.do(function)`."""
        return self._made_late("sync.passing.Once", name)  # type: ignore[no-any-return]
