"""The locks of Python's `threading` that are written in C: private at first, and in memory once they are shared."""

from __future__ import annotations

from typing import Any

from greenlet import getcurrent

from replay.code.running_thread import RunningThread, current_run, perform
from replay.frontend.locks import ByWith, Mutex, ReentrantLock
from replay.frontend.ordinary.clock import note_wait, owe
from replay.frontend.ordinary.identity import Identity
from replay.frontend.ordinary.own import ShareableBuiltin
from replay.world.operation import Kind


def _me() -> str:
    """The thread that is running; "" in the program function."""
    thread: RunningThread | None = getattr(getcurrent(), "thread", None)
    return thread.name if thread is not None else ""


def check_timeout(blocking: bool, timeout: float) -> bool:
    """Whether a call waits for ever; raises what Python raises."""
    if not blocking and timeout != -1:
        raise ValueError("can't specify a timeout for a non-blocking call")
    if timeout < 0 and timeout != -1:
        raise ValueError("timeout value must be a non-negative number")
    return blocking and timeout == -1


class _PythonLock(ByWith, ShareableBuiltin):
    """What the locks have in common.

    owner  who has it while it is private, None while it is free
    count  how often
    """

    __slots__ = ("_mutex", "count", "owner")
    _kind: type[Mutex]
    owner: str | None
    count: int

    def __init__(self) -> None:
        """A lock that the program function makes is shared at its end, if it is not before."""
        self.identity = None
        self.owner, self.count = None, 0
        heap: Any = getattr(getcurrent(), "heap", None)
        if heap is not None and heap.declaring:
            heap.made.append(self)

    def held(self) -> dict[str, Any]:
        return {"": self.owner}

    def private(self) -> tuple[object, ...]:
        return self.owner, self.count

    def become_shared(self, identity: Identity) -> None:
        self.identity = identity
        self._mutex = self._kind("")
        object.__setattr__(self._mutex, "location", identity.cell(""))

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:  # type: ignore[override]
        waits = check_timeout(blocking, timeout)
        if self.identity is None and (taken := self._taken_alone(waits)) is not None:
            if not taken:
                owe(timeout)
            return taken
        taken = self._taken_of_memory(waits)
        if not waits:
            note_wait(timeout, expired=not taken)
        return taken

    def _taken_alone(self, waits: bool) -> bool | None:
        """Take it while it is private; returns whether it was taken, None if its thread waits for itself."""
        raise NotImplementedError

    def _taken_of_memory(self, waits: bool) -> bool:
        """Take it when it is shared; returns whether it was taken."""
        if waits:
            self._mutex.lock()
            return True
        return self._mutex.try_lock()

    def locked(self) -> bool:
        return bool(self.count) if self.identity is None else self._mutex.locked()

    def _at_fork_reinit(self) -> None:
        self.owner, self.count = None, 0

    def __repr__(self) -> str:
        return str(self.identity) if self.identity is not None else "a lock"


class Lock(_PythonLock):
    """`threading.Lock`."""

    __slots__ = ("_passed_on",)
    _kind = Mutex

    def become_shared(self, identity: Identity) -> None:
        super().become_shared(identity)
        self._passed_on = identity.content[""] is not None
        """Whether it was taken when it became shared: then another thread is to release it, and nobody is its owner."""

    def _taken_alone(self, waits: bool) -> bool | None:
        if self.owner is None:
            self.owner, self.count = _me(), 1
            return True
        if not waits:
            return False
        current_run().heap.freeze(self)  # type: ignore[union-attr]  # in memory it is seen to wait
        return None

    def _taken_of_memory(self, waits: bool) -> bool:
        taken = super()._taken_of_memory(waits)
        if taken and self._passed_on:
            current_run().held.remove(self._mutex.name)
        return taken

    def release(self) -> None:
        if self.identity is None:
            if self.owner is None:
                raise RuntimeError("release unlocked lock")
            self.owner, self.count = None, 0
        elif self._mutex.is_held():
            self._mutex.unlock()
        else:
            give_back(self._mutex)

    acquire_lock, release_lock, locked_lock = _PythonLock.acquire, release, _PythonLock.locked


class RLock(_PythonLock):
    """`threading.RLock`."""

    __slots__ = ()
    _kind = ReentrantLock

    def become_shared(self, identity: Identity) -> None:
        super().become_shared(identity)
        if self.count:
            current_run().held.extend([self._mutex.name] * self.count)

    def _taken_alone(self, waits: bool) -> bool | None:
        self.owner, self.count = _me(), self.count + 1
        return True

    def release(self) -> None:
        self._check_owned()
        if self.identity is None:
            self.count -= 1
            self.owner = self.owner if self.count else None
        else:
            self._mutex.unlock()

    # What `threading.Condition` asks of it.

    def _is_owned(self) -> bool:
        return self.owner == _me() if self.identity is None else self._mutex.is_held()

    def _recursion_count(self) -> int:
        return self.count if self.identity is None else current_run().held.count(self._mutex.name)

    def _release_save(self) -> int:
        self._check_owned()
        count = self._recursion_count()
        for _ in range(count):
            self.release()
        return count

    def _acquire_restore(self, count: int) -> None:
        for _ in range(count):
            self.acquire()

    def _check_owned(self) -> None:
        if not self._is_owned():
            raise RuntimeError("cannot release un-acquired lock")


def give_back(mutex: Mutex) -> None:
    """Release what another thread may have, or none."""
    perform(Kind.UPDATE, mutex.location, update=_given_back, label="release()", gives_back=True)


def _given_back(owner: object) -> None:
    if owner is None:
        raise RuntimeError("release unlocked lock")
