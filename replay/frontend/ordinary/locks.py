"""The locks of Python's `threading` that are written in C: private at first, and in memory once they are shared."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from greenlet import getcurrent

from replay.code.running_thread import RunningThread, current_run, line_of_request
from replay.frontend.locks import Mutex
from replay.frontend.ordinary.identity import Identity
from replay.frontend.ordinary.own import Own
from replay.frontend.sync.owned import ReentrantLock
from replay.world.operation import GIVE_BACK, Kind, Operation

EXPIRED = ("", "a wait has timed out")
"""Where a thread notes whether its last wait with a timeout came to nothing (`RunningThread.locals`)."""


def _me() -> str:
    """The thread that is running; "" in the program function."""
    thread: RunningThread | None = getattr(getcurrent(), "thread", None)
    return thread.name if thread is not None else ""


def _located(mutex: Mutex, identity: Identity) -> None:
    object.__setattr__(mutex, "location", identity.cell(""))


def check_timeout(blocking: bool, timeout: float) -> bool:
    """Whether a call waits for ever; raises what Python raises."""
    if not blocking and timeout != -1:
        raise ValueError("can't specify a timeout for a non-blocking call")
    if timeout < 0 and timeout != -1:
        raise ValueError("timeout value must be a non-negative number")
    return blocking and timeout == -1


class Lock(Own):
    """`threading.Lock`. `owner` is the thread that has it while it is private, None while it is free."""

    __slots__ = ("_mutex", "_passed_on", "owner")
    owner: str | None

    def __init__(self) -> None:
        self.identity = None
        self.owner = None
        _made(self)

    def held(self) -> dict[str, Any]:
        return {"": self.owner}

    def become_shared(self, identity: Identity) -> None:
        self.identity = identity
        self._mutex = Mutex("")
        _located(self._mutex, identity)
        self._passed_on = identity.content[""] is not None
        """Who has it when it is shared waits for others to release it: `release` has to look."""

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        waits = check_timeout(blocking, timeout)
        if self.identity is None:
            if self.owner is None:
                self.owner = _me()
                return True
            if not waits:
                return False
            current_run()
            _share(self)
        run = current_run()
        if waits:
            self._mutex.lock()
            taken = True
        else:
            taken = self._mutex.try_lock()
            run.locals[EXPIRED] = not taken
        if taken and self._passed_on:
            run.held.remove(self._mutex.name)
        return taken

    def release(self) -> None:
        if self.identity is None:
            if self.owner is None:
                raise RuntimeError("release unlocked lock")
            self.owner = None
        elif self._mutex.is_held():
            self._mutex.unlock()
        else:
            give_back(self._mutex)

    def locked(self) -> bool:
        return self.owner is not None if self.identity is None else self._mutex.locked()

    acquire_lock, release_lock, locked_lock = acquire, release, locked

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.release()

    def _at_fork_reinit(self) -> None:
        self.owner = None

    def __repr__(self) -> str:
        return str(self.identity) if self.identity is not None else "a lock"


class RLock(Own):
    """`threading.RLock`. `owner` and `count` say who has it, and how often, while it is private."""

    __slots__ = ("_mutex", "count", "owner")
    owner: str | None

    def __init__(self) -> None:
        self.identity = None
        self.owner, self.count = None, 0
        _made(self)

    def held(self) -> dict[str, Any]:
        return {"": self.owner}

    def become_shared(self, identity: Identity) -> None:
        self.identity = identity
        self._mutex = ReentrantLock("")
        _located(self._mutex, identity)
        if self.count:
            current_run().held.extend([self._mutex.name] * self.count)

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        waits = check_timeout(blocking, timeout)
        if self.identity is None:
            self.owner, self.count = _me(), self.count + 1
            return True
        if waits:
            self._mutex.lock()
            return True
        taken = self._mutex.try_lock()
        current_run().locals[EXPIRED] = not taken
        return taken

    def release(self) -> None:
        self._check_owned("cannot release un-acquired lock")
        if self.identity is None:
            self.count -= 1
            self.owner = self.owner if self.count else None
        else:
            self._mutex.unlock()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.release()

    def locked(self) -> bool:
        return bool(self.count) if self.identity is None else self._mutex.locked()

    def _at_fork_reinit(self) -> None:
        self.owner, self.count = None, 0

    # What `threading.Condition` asks of it.

    def _is_owned(self) -> bool:
        return self.owner == _me() if self.identity is None else self._mutex.is_held()

    def _recursion_count(self) -> int:
        return self.count if self.identity is None else current_run().held.count(self._mutex.name)

    def _release_save(self) -> int:
        self._check_owned("cannot release un-acquired lock")
        count = self._recursion_count()
        if self.identity is None:
            self.owner, self.count = None, 0
        else:
            for _ in range(count):
                self._mutex.unlock()
        return count

    def _acquire_restore(self, count: int) -> None:
        for _ in range(count):
            self.acquire()

    def _check_owned(self, message: str) -> None:
        if not self._is_owned():
            raise RuntimeError(message)

    def __repr__(self) -> str:
        return str(self.identity) if self.identity is not None else "a reentrant lock"


def give_back(mutex: Mutex) -> None:
    """Release what another thread may have, or none."""
    source = line_of_request()
    current_run().perform(Operation(Kind.UPDATE, mutex.location, update=_given_back, label=GIVE_BACK, source=source))


def _given_back(owner: object) -> None:
    if owner is None:
        raise RuntimeError("release unlocked lock")


def _made(lock: Own) -> None:
    """A lock that the program function makes is shared at its end, if it is not before."""
    heap: Any = getattr(getcurrent(), "heap", None)
    if heap is not None and heap.declaring:
        heap.made.append(lock)


def _share(lock: Lock) -> None:
    """A lock of one thread, which waits for itself, gets a place in memory, so that it is seen to wait."""
    heap: Any = getcurrent().heap  # type: ignore[attr-defined]
    heap.freeze(lock)
