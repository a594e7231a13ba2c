"""Semaphores, events and barriers, as in Python's `threading`, and a lock that readers share."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any

from replay.code.running_thread import current_run
from replay.frontend.description import Description
from replay.frontend.locks import ByWith, Guarded, waits
from replay.world.operation import UNWRITTEN, Guard


class Semaphore(ByWith, Guarded):
    """A number that `acquire` waits to be above 0 and lowers, and `release` raises."""

    __slots__ = ()
    _is = "a semaphore"
    _instead = "{name}.acquire() and {name}.release(), or `with {name}:` is what it is for"

    def __init__(self, name: str, value: int = 1) -> None:
        if value < 0:
            raise ValueError("semaphore initial value must be >= 0")
        super().__init__(name, value, value)

    def acquire(self, blocking: bool = True, timeout: float | None = None) -> bool:
        """Lower the number by 1, as soon as it is above 0; returns whether that was done.

        With `blocking=False` or a timeout it is done at once or not at all.
        """
        if waits(blocking, timeout):
            self._change("acquire()", _one_less, _IS_ABOVE_0)
            return True
        label, lower = "acquire(blocking=False)", lambda value: _one_less(value) if value else UNWRITTEN
        return self._update(label, lower, result=_is_above_0)  # type: ignore[no-any-return]

    def release(self, n: int = 1) -> None:
        """Raise the number by `n`."""
        if n < 1:
            raise ValueError("n must be one or more")
        self._change("release()" if n == 1 else f"release({n})", lambda value: self._raised(value + n))

    def _raised(self, value: int) -> int:
        return value


class BoundedSemaphore(Semaphore):
    """A semaphore that raises ValueError when it is released more often than it was acquired."""

    __slots__ = ()

    def _raised(self, value: int) -> int:
        if value > self.settings[0]:
            raise ValueError("Semaphore released too many times")
        return value


def _one_less(value: int) -> int:
    return value - 1


def _is_above_0(value: int) -> bool:
    return value > 0


_IS_ABOVE_0 = Guard(_is_above_0)


class Event(Guarded):
    """A flag that threads wait for."""

    __slots__ = ()
    _is = "an event"
    _instead = "{name}.set(), {name}.wait() or {name}.is_set() is what it is for"

    def __init__(self, name: str) -> None:
        super().__init__(name, False)

    def is_set(self) -> bool:
        """Returns whether the flag is up: a load."""
        return self._look()  # type: ignore[no-any-return]

    def set(self) -> None:
        """Put the flag up: threads that wait for it go on."""
        self._change("set()", lambda _: True)

    def clear(self) -> None:
        """Take the flag down."""
        self._change("clear()", lambda _: False)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the flag is up; returns whether it is, which only a timeout leaves open."""
        if waits(True, timeout):
            return self._update("wait()", _nothing, _IS_SET)  # type: ignore[no-any-return]
        return self._update("wait(timeout)", _nothing)  # type: ignore[no-any-return]


_IS_SET = Guard(lambda flag: flag)


def _nothing(_: object) -> object:
    return UNWRITTEN


FILLING, DRAINING, RESETTING, BROKEN = "filling", "draining", "resetting", "broken"
"""Phases of a barrier: threads come; they leave; they leave with an error, and it begins anew; or for good."""


class Barrier(Guarded):
    """A place where threads wait until all that take part have come. It holds its phase, and how many are inside."""

    __slots__ = ("runs",)
    _is = "a barrier"
    _instead = "{name}.wait() is what it is for"

    def __init__(self, name: str, parties: int, action: Callable[[], object] | None = None) -> None:
        if parties < 1:
            raise ValueError("parties must be > 0")
        super().__init__(name, (FILLING, 0), parties)
        object.__setattr__(self, "runs", () if action is None else (action,))

    def placed(self, name: str) -> Barrier:
        return Barrier(name, self.parties, *self.runs)

    @property
    def parties(self) -> int:
        """How many threads it waits for."""
        return self.settings[0]  # type: ignore[no-any-return]

    @property
    def n_waiting(self) -> int:
        """How many threads wait now: a load."""
        phase, inside = self._look()
        return inside if phase == FILLING else 0

    @property
    def broken(self) -> bool:
        """True if it was aborted: a load."""
        return bool(self._look()[0] == BROKEN)

    def wait(self, timeout: float | None = None) -> int:
        """Wait until all have come; returns the number of this one, from 0. The last one runs the action first.

        Raises threading.BrokenBarrierError if the barrier is aborted or reset
        meanwhile, or when the timeout is over, which breaks it.
        """
        phase, number = self._update("wait()", self._entered, Guard(_may_enter, self.parties))
        if phase == BROKEN:
            raise threading.BrokenBarrierError
        if number + 1 == self.parties:
            self._open()
        else:
            _check(DRAINING, self._leave(waits(True, timeout)))
        return int(number)

    def _leave(self, is_patient: bool) -> tuple[str, int]:
        if is_patient:
            return self._update("wait() ends", _left, _MAY_LEAVE)  # type: ignore[no-any-return]
        return self._update("wait(timeout) ends", lambda state: _left(_broken_if_filling(state)))  # type: ignore[no-any-return]

    def _open(self) -> None:
        """The last one has come."""
        if not self.runs:
            return
        try:
            self.runs[0]()
        except BaseException:
            self._change("action fails", lambda state: (BROKEN, state[1] - 1))
            raise
        _check(FILLING, self._update("opens", lambda state: self._opened() if state[0] == FILLING else _left(state)))

    def _entered(self, state: tuple[str, int]) -> object:
        phase, inside = state
        if phase == BROKEN:
            return UNWRITTEN
        return self._opened() if inside + 1 == self.parties and not self.runs else (FILLING, inside + 1)

    def _opened(self) -> tuple[str, int]:
        """After the last one has left."""
        return (DRAINING, self.parties - 1) if self.parties > 1 else (FILLING, 0)

    def reset(self) -> None:
        """Begin anew; threads that wait get an error."""
        self._change("reset()", _reset)

    def abort(self) -> None:
        """Break it for good; threads that wait, and those that come, get an error."""
        self._change("abort()", lambda state: (BROKEN, state[1]))


def _check(phase: str, state: tuple[str, int]) -> None:
    if state[0] != phase:
        raise threading.BrokenBarrierError


def _left(state: tuple[str, int]) -> tuple[str, int]:
    phase, inside = state
    return (FILLING, 0) if inside == 1 and phase != BROKEN else (phase, inside - 1)


def _may_enter(state: tuple[str, int], parties: int) -> bool:
    return state[0] == BROKEN or (state[0] == FILLING and state[1] < parties)


_MAY_LEAVE = Guard(lambda state: state[0] != FILLING)


def _broken_if_filling(state: tuple[str, int]) -> tuple[str, int]:
    return (BROKEN, state[1]) if state[0] == FILLING else state


def _reset(state: tuple[str, int]) -> Any:
    phase, inside = state
    if inside == 0:
        return (FILLING, 0)
    return UNWRITTEN if phase == DRAINING else (RESETTING, inside)


State = tuple[bool, int]
"""Of a lock for readers and writers: whether a writer has it, and how many readers."""


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
