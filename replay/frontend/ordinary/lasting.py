"""Locks that outlive the runs of a program, since a class or a module holds them.

They were made before anybody knew of a model. In their place comes one that is
a lock of the model for code of a model, and the one that was there for others.
"""

from __future__ import annotations

import _thread
import functools
import sys
from collections.abc import Iterator
from types import ModuleType, TracebackType
from typing import Any

from greenlet import getcurrent

from replay.code.reachable import is_user_class
from replay.code.running_thread import current_run
from replay.frontend.locks import Mutex
from replay.frontend.ordinary.locks import EXPIRED, check_timeout, give_back
from replay.frontend.sync.owned import ReentrantLock

LOCK, RLOCK = type(_thread.allocate_lock()), type(_thread.RLock())


class LastingLock:
    """A lock that a class or a module holds by a name."""

    __slots__ = ("_mutex", "_original", "name")

    def __init__(self, name: str, original: Any) -> None:
        self.name = name
        self._original = original
        self._mutex = ReentrantLock(name) if isinstance(original, RLOCK) else Mutex(name)

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        if not _in_model():
            return self._original.acquire(blocking, timeout)  # type: ignore[no-any-return]
        if check_timeout(blocking, timeout):
            self._mutex.lock()
            return True
        taken = self._mutex.try_lock()
        current_run().locals[EXPIRED] = not taken
        return taken

    def release(self) -> None:
        if not _in_model():
            self._original.release()
        elif self._mutex.is_held():
            self._mutex.unlock()
        elif isinstance(self._mutex, ReentrantLock):
            raise RuntimeError("cannot release un-acquired lock")
        else:
            give_back(self._mutex)

    def locked(self) -> bool:
        return self._mutex.locked() if _in_model() else self._original.locked()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.release()

    def __deepcopy__(self, _: Any) -> LastingLock:
        return self

    def __repr__(self) -> str:
        return self.name


def _in_model() -> bool:
    return getattr(getcurrent(), "thread", None) is not None and getcurrent().heap is not None  # type: ignore[attr-defined]


@functools.cache
def look_for_lasting_locks(kind: Any) -> None:
    """Put such locks in the place of those that a class, its bases and the module of each hold."""
    for each in kind.__mro__:
        if is_user_class(each):
            for name, held in _held_by_class(each):
                if isinstance(held, LOCK | RLOCK):
                    type.__setattr__(each, name, LastingLock(f"{each.__name__}.{name}", held))
                elif type(held).__flags__ & _WRITTEN_IN_PYTHON and not isinstance(held, type):
                    _look_into(held, f"{each.__name__}.{name}")
            module = sys.modules.get(each.__module__)
            if isinstance(module, ModuleType):
                look_for_locks_of_module(module)


def _look_into(descriptor: Any, name: str) -> None:
    """The same for what a class has for an attribute, such as a `cached_property` with a lock."""
    for part, held in list(getattr(descriptor, "__dict__", {}).items()):
        if isinstance(held, LOCK | RLOCK):
            setattr(descriptor, part, LastingLock(f"{name}.{part}", held))


_WRITTEN_IN_PYTHON = 1 << 9
"""The flag of classes that were made at run time."""


def look_for_locks_of_module(module: ModuleType) -> None:
    """The same for the global variables of a module."""
    for name, held in list(vars(module).items()):
        if isinstance(held, LOCK | RLOCK):
            setattr(module, name, LastingLock(name, held))


def _held_by_class(kind: Any) -> Iterator[tuple[str, Any]]:
    yield from list(vars(kind).items())
