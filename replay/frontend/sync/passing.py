"""Things that hand values from thread to thread: queues as in Python's `queue`, futures, and what is done once."""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from replay.frontend.description import T
from replay.frontend.locks import Guarded, waits
from replay.world.operation import UNWRITTEN, Guard

Result = TypeVar("Result")

State = tuple[tuple[Any, ...], int]
"""Of a queue: what is in it, the oldest first, and how many items were put there and are not done."""


class Queue(Guarded, Generic[T]):
    """First in, first out; `put` waits while there are `maxsize` items, if that is above 0, and `get` for an item."""

    __slots__ = ()
    _is = "a queue"
    _instead = "{name}.put(v) and {name}.get() are what it is for, {name}.qsize() is its size"

    def __init__(self, name: str, maxsize: int = 0) -> None:
        super().__init__(name, ((), 0), maxsize)

    @property
    def maxsize(self) -> int:
        """How many items it may hold; as many as there are if it is not above 0."""
        return self.settings[0]  # type: ignore[no-any-return]

    def put(self, item: T, block: bool = True, timeout: float | None = None) -> None:
        """Add an item, as soon as there is room; without `block`, or with a timeout, queue.Full if there is none."""
        if waits(block, timeout):
            self._change("put()", lambda state: _added(state, item), Guard(_has_room, self.maxsize))
        else:
            self._change("put_nowait()", lambda state: self._added_if_room(state, item))

    def put_nowait(self, item: T) -> None:
        """Add an item; raises queue.Full if there is no room."""
        self.put(item, block=False)

    def get(self, block: bool = True, timeout: float | None = None) -> T:
        """Take the oldest item, as soon as there is one; without `block`, or with a timeout, perhaps queue.Empty."""
        if waits(block, timeout):
            return self._update("get()", _without_oldest, _HAS_ITEMS, _oldest)  # type: ignore[no-any-return]
        return self._update("get_nowait()", _without_oldest, result=_oldest)  # type: ignore[no-any-return]

    def get_nowait(self) -> T:
        """Take the oldest item; raises queue.Empty if there is none."""
        return self.get(block=False)

    def qsize(self) -> int:
        """How many items there are now: a load."""
        return len(self._look()[0])

    def empty(self) -> bool:
        """Returns whether there are none now: a load."""
        return not self._look()[0]

    def full(self) -> bool:
        """Returns whether there is no room now: a load."""
        return not _has_room(self._look(), self.maxsize)

    def task_done(self) -> None:
        """An item that was taken is done. Raises ValueError if all are."""
        self._change("task_done()", _done)

    def join(self) -> None:
        """Wait until all items that were put are done."""
        self._change("join()", lambda _: UNWRITTEN, _ALL_DONE)

    def _added_if_room(self, state: State, item: object) -> State:
        if not _has_room(state, self.maxsize):
            raise queue.Full
        return _added(state, item)


def _has_room(state: State, maxsize: int) -> bool:
    return not 0 < maxsize <= len(state[0])


_HAS_ITEMS = Guard(lambda state: bool(state[0]))
_ALL_DONE = Guard(lambda state: not state[1])


def _added(state: State, item: object) -> State:
    return (*state[0], item), state[1] + 1


def _without_oldest(state: State) -> State:
    items, unfinished = state
    if not items:
        raise queue.Empty
    return items[1:], unfinished


def _oldest(state: State) -> object:
    return state[0][0]


def _done(state: State) -> State:
    items, unfinished = state
    if not unfinished:
        raise ValueError("task_done() called too many times")
    return items, unfinished - 1


_IS_THERE = Guard(lambda state: state is not None)


class Future(Guarded, Generic[T]):
    """A value that will be there, as in Python's `concurrent.futures`. It holds None, or a pair of what and a value."""

    __slots__ = ()
    _is = "a future"
    _instead = "{name}.set_result(v) and {name}.result() are what it is for, {name}.done() asks"

    def __init__(self, name: str) -> None:
        super().__init__(name, None)

    def set_result(self, result: T) -> None:
        """Give a value to the threads that wait. Raises concurrent.futures.InvalidStateError if it was set before."""
        self._set("set_result()", ("result", result))

    def set_exception(self, exception: BaseException) -> None:
        """Let `result` raise an exception like this one: of its class, with its arguments, which must be values."""
        self._set("set_exception()", ("exception", type(exception), exception.args))

    def _set(self, label: str, state: tuple[object, ...]) -> None:
        def change(old: object) -> object:
            if old is not None:
                from concurrent.futures import InvalidStateError  # late: it takes a while to import

                raise InvalidStateError(f"{self} is set already")
            return state

        self._change(label, change)

    def result(self, timeout: float | None = None) -> T:
        """Wait for the value. Raises the exception that was set, and TimeoutError if a timeout is over."""
        state = self._wait("result", timeout)
        if state[0] == "exception":
            raise state[1](*state[2])
        return state[1]  # type: ignore[no-any-return]

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Wait until it is set; returns the exception, None if there is a value."""
        state = self._wait("exception", timeout)
        return state[1](*state[2]) if state[0] == "exception" else None

    def _wait(self, what: str, timeout: float | None) -> Any:
        if waits(True, timeout):
            return self._update(f"{what}()", lambda _: UNWRITTEN, _IS_THERE)
        state = self._update(f"{what}(timeout)", lambda _: UNWRITTEN)
        if state is None:
            raise TimeoutError
        return state

    def done(self) -> bool:
        """Returns whether it is set: a load."""
        return self._look() is not None


NEW, RUNNING = "new", "running"


_IS_IDLE = Guard(lambda state: state != RUNNING)


class Once(Guarded):
    """Something that the first thread does which asks for it; all others wait, and get what it returned."""

    __slots__ = ()
    _is = "something that is done once"
    _instead = "{name}.do(function) is what it is for"

    def __init__(self, name: str) -> None:
        super().__init__(name, NEW)

    def do(self, function: Callable[..., Result], *args: object) -> Result:
        """Call function(*args) if nobody has, wait if somebody does; returns what the call returned, a value.

        If it raises an exception, it was not done: the next one tries again.
        """
        state = self._update("do()", lambda state: RUNNING if state == NEW else UNWRITTEN, _IS_IDLE)
        if state != NEW:
            return state[1]  # type: ignore[no-any-return]
        try:
            result = function(*args)
        except BaseException:
            self._change("do() fails", lambda _: NEW)
            raise
        self._change("do() ends", lambda _: ("done", result))
        return result

    def done(self) -> bool:
        """Returns whether it was done: a load."""
        return self._look() not in (NEW, RUNNING)
