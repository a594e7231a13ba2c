"""Locks with owners: reentrant ones, and those that readers share."""

from __future__ import annotations

from collections.abc import Hashable

from replay.code.running_thread import current_run
from replay.frontend.description import Description
from replay.frontend.locks import ByWith, Mutex
from replay.frontend.sync.guarded import Guarded, waits
from replay.world.operation import UNWRITTEN, Guard

State = tuple[bool, int]
"""Of a lock for readers and writers: whether a writer has it, and how many readers."""


class ReentrantLock(Mutex):
    """A mutex that its owner may take again, and gives back when it has released it as often.

    Only the first time and the last are operations: nobody else could notice the others.
    """

    __slots__ = ()
    _is = "a reentrant lock"

    def lock(self) -> None:
        """Take it once more, or wait until it is free."""
        if self.is_held():
            current_run().held.append(self.name)
        else:
            super().lock()

    def try_lock(self) -> bool:
        """Take it once more, or if it is free; returns whether it was taken."""
        if self.is_held():
            current_run().held.append(self.name)
            return True
        return super().try_lock()

    def unlock(self) -> None:
        """Give it back once. Raises RuntimeError in the thread if it does not hold it."""
        self.check_held()
        held = current_run().held
        if held.count(self.name) > 1:
            held.remove(self.name)
        else:
            super().unlock()


class ReadersWriterLock(Guarded):
    """A lock that many readers may have, or one writer: `with lock.reader:`, `with lock.writer:`."""

    __slots__ = ()
    _is = "a lock for readers and writers"
    _instead = "`with {name}.reader:` and `with {name}.writer:` are what it is for"

    def __init__(self, name: str) -> None:
        super().__init__(name, (False, 0))

    @property
    def reader(self) -> Side:
        """The lock as readers have it: they wait for the writer to leave."""
        return Side(self, writes=False)

    @property
    def writer(self) -> Side:
        """The lock as a writer has it: it waits for all others to leave."""
        return Side(self, writes=True)


class Side(ByWith, Description):
    """One of the two ways to have a lock for readers and writers."""

    __slots__ = ("lock", "writes")
    lock: ReadersWriterLock
    writes: bool
    _is = "one side of a lock"
    _instead = "`with {name}:`, or {name}.acquire() and {name}.release() is what it is for"

    def __init__(self, lock: ReadersWriterLock, *, writes: bool) -> None:
        object.__setattr__(self, "lock", lock)
        object.__setattr__(self, "writes", writes)

    def _key(self) -> Hashable:
        return self.lock._key(), self.writes

    def acquire(self, blocking: bool = True, timeout: float | None = None) -> bool:
        """Take it as soon as it can be had, or at once or not at all; returns whether it was taken."""
        side = self._called
        if waits(blocking, timeout):
            self.lock._change(f"{side}.acquire()", self._taken, Guard(_is_free, self.writes))
        elif not self.lock._update(
            f"{side}.acquire(blocking=False)", self._taken_if_free, result=lambda state: _is_free(state, self.writes)
        ):
            return False
        current_run().held.append(repr(self))
        return True

    def release(self) -> None:
        """Give it back. Raises RuntimeError in the thread if it does not have it."""
        held = current_run().held
        if repr(self) not in held:
            raise RuntimeError(f"{self} is not held by this thread")
        held.remove(repr(self))
        self.lock._change(f"{self._called}.release()", self._given_back)

    @property
    def _called(self) -> str:
        return "writer" if self.writes else "reader"

    def _taken(self, state: State) -> State:
        return (True, 0) if self.writes else (False, state[1] + 1)

    def _taken_if_free(self, state: State) -> object:
        return self._taken(state) if _is_free(state, self.writes) else UNWRITTEN

    def _given_back(self, state: State) -> State:
        return (False, 0) if self.writes else (False, state[1] - 1)

    def __repr__(self) -> str:
        return f"{self.lock}.{self._called}"


def _is_free(state: State, writes: bool) -> bool:
    written, readers = state
    return not written and not (writes and readers)
