"""Things of C that one thread has until they are shared: locks, counters, queues."""

from __future__ import annotations

import _queue
import ast
import itertools
from collections.abc import Callable
from typing import Any, NoReturn

from replay.code.ordinary import Shareable
from replay.code.running_thread import current_run, heap_here, perform, refuse, thread_here
from replay.frontend.locks import ByWith, Mutex, ReentrantLock, take
from replay.frontend.ordinary.clock import note_wait, owe
from replay.frontend.ordinary.contents import DequeContent
from replay.frontend.ordinary.identity import Identity
from replay.interpreter.calls import on_values
from replay.world.operation import Guard, Kind
from replay.world.shown import shown


class ShareableBuiltin(Shareable):
    """An object of mcr in the place of one of C. `identity` is None while no other thread has it."""

    __slots__ = ()
    identity: Identity | None

    def held(self, freeze: Callable[[Any, str], Any], name: str) -> dict[str, Any]:
        """Returns what its parts hold when it becomes shared under a name.

        `freeze` returns what memory holds for a part, given its step in names.
        """
        raise NotImplementedError

    def private(self) -> tuple[object, ...]:
        """All that it holds while nobody else has it."""
        raise NotImplementedError

    def become_shared(self, identity: Identity) -> None:
        """From now on it is in memory."""
        raise NotImplementedError

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(f"cannot pickle {type(self).__name__!r} object")


def begun_with(counter: itertools.count[Any]) -> tuple[Any, ...]:
    """Returns the arguments with which `itertools.count` gives the numbers that this one has still to give.

    Python tells it by the text of a counter only. Raises ValueError for numbers that are no int or float.
    """
    numbers = repr(counter).partition("(")[2].removesuffix(")")
    try:
        return tuple(ast.literal_eval(f"({numbers},)"))
    except SyntaxError as error:
        raise ValueError(f"numbers of an unknown kind: {numbers}") from error


class SharedCount(ShareableBuiltin):
    """A counter, which gives one number after the other."""

    __slots__ = ("_at", "_step", "identity")
    _at: Any
    _step: Any

    def __init__(self, at: Any = 0, step: Any = 1) -> None:
        self.identity = None
        self._at, self._step = at, step

    def held(self, freeze: Callable[[Any, str], Any], name: str) -> dict[str, Any]:
        return {"": self._at, "step": self._step}

    def private(self) -> tuple[object, ...]:
        return self._at, self._step

    def become_shared(self, identity: Identity) -> None:
        self.identity = identity
        self._step = identity.content["step"]

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        refuse(f"{self!r} counts for others as well, and cannot be copied: make another one")

    def __iter__(self) -> SharedCount:
        return self

    def __next__(self) -> Any:
        step = self._step
        if self.identity is None:
            self._at += step
            return self._at - step
        self.identity.heap.check_change(self.identity, "")
        return perform(
            Kind.UPDATE, self.identity.cell(""), update=lambda at: at + step, result=lambda at: at, label="next()"
        )

    def __repr__(self) -> str:
        return str(self.identity)


Turn = tuple[int, int, tuple[int, ...]]
"""How far a cycle is: where it repeats, how many items of the first round it has given, and their places.

The first of these is -1 in the first round.
"""


def _is_first_round(turn: Turn, size: int) -> bool:
    return turn[0] < 0 and turn[1] < size


def _place(turn: Turn, size: int) -> int:
    """The place of the item that a cycle of so many gives next."""
    at, source, saved = turn
    return source if _is_first_round(turn, size) else saved[max(at, 0)]


def _next_turn(turn: Turn, size: int) -> Turn:
    at, source, saved = turn
    if _is_first_round(turn, size):
        return -1, source + 1, (*saved, source)
    return (max(at, 0) + 1) % len(saved), source, saved


class SharedCycle(ShareableBuiltin):
    """`itertools.cycle` of what never changes.

    Python's own takes no lock (its issue 123471): without the global lock, a thread looks where it is, and then writes
    where it is next.
    """

    __slots__ = ("_items", "_turn", "identity")
    _items: tuple[Any, ...]

    def __init__(self, items: Any = ()) -> None:
        self.identity = None
        self._items = tuple(items)
        self._turn: Turn = -1, 0, ()

    def held(self, freeze: Callable[[Any, str], Any], name: str) -> dict[str, Any]:
        return {"": self._turn, "items": freeze(self._items, ".items")}

    def private(self) -> tuple[object, ...]:
        return self._turn, self._items

    def become_shared(self, identity: Identity) -> None:
        self.identity = identity
        self._items = identity.heap.thaw(identity.content["items"])

    def __iter__(self) -> SharedCycle:
        return self

    def __next__(self) -> Any:
        if not self._items:
            raise StopIteration
        return self._items[self._taken(len(self._items))]

    def _taken(self, size: int) -> int:
        """The place of the next item, which is given."""
        if self.identity is None:
            turn, self._turn = self._turn, _next_turn(self._turn, size)
            return _place(turn, size)
        if current_run().global_lock is not None:
            taken: int = self._update(lambda turn: _next_turn(turn, size), lambda turn: _place(turn, size))
            return taken
        seen: Turn = self.identity.load("")
        given = seen[1]
        if _is_first_round(seen, size):
            self._update(lambda turn: (turn[0], given + 1, turn[2]))
            self._update(lambda turn: (turn[0], turn[1], (*turn[2], given)))
        else:
            at = _next_turn(seen, size)[0]
            self._update(lambda turn: (at, turn[1], turn[2]))
        return _place(seen, size)

    def _update(self, change: Callable[[Turn], Turn], result: Callable[[Turn], Any] = lambda turn: None) -> Any:
        assert self.identity is not None
        self.identity.heap.check_change(self.identity, "")
        return perform(Kind.UPDATE, self.identity.cell(""), update=change, result=result, label="next()")

    def __repr__(self) -> str:
        return str(self.identity)


class SimpleQueue(ShareableBuiltin):
    """First in, first out, without a limit. `items` are in it while it is private."""

    __slots__ = ("__weakref__", "identity", "items")
    items: list[Any]

    def __init__(self) -> None:
        self.identity = None
        self.items = []

    def held(self, freeze: Callable[[Any, str], Any], name: str) -> dict[str, Any]:
        return {"": DequeContent(freeze(item, f"[{place}]") for place, item in enumerate(self.items))}

    def private(self) -> tuple[object, ...]:
        return tuple(self.items)

    def become_shared(self, identity: Identity) -> None:
        self.identity = identity

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """Add an item. It never waits."""
        if self.identity is None:
            self.items.append(item)
            return
        frozen = self.identity.heap.freeze(item)
        self._update(f"put({shown(frozen)})", lambda held: DequeContent((*held, frozen)), lambda _: None)

    def put_nowait(self, item: Any) -> None:
        self.put(item)

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """Take the oldest item as soon as there is one; raises `queue.Empty` if it is not to wait, or not so long."""
        if timeout is not None and timeout < 0:
            raise ValueError("'timeout' must be a non-negative number")
        if self.identity is None:
            if self.items:
                return self.items.pop(0)
            if not block or timeout is not None:
                owe(timeout or 0.0)
                raise _queue.Empty
            heap: Any = heap_here()
            heap.freeze(self)
        assert self.identity is not None
        waits = block and timeout is None
        if not waits:
            note_wait(timeout or 0.0, expired=True)
        label = "get()" if waits else "get_nowait()"
        taken = self._update(label, _without_oldest, _oldest, ready=_HAS_ITEMS if waits else None)
        return self.identity.heap.thaw(taken)

    def get_nowait(self) -> Any:
        return self.get(block=False)

    def empty(self) -> bool:
        return not self.qsize()

    def qsize(self) -> int:
        return len(self.items if self.identity is None else self.identity.load(""))

    def _update(self, label: str, change: Any, result: Any, ready: Guard | None = None) -> Any:
        assert self.identity is not None
        return perform(Kind.UPDATE, self.identity.cell(""), update=change, result=result, ready=ready, label=label)


_HAS_ITEMS = Guard(lambda held: bool(held))


def _without_oldest(held: Any) -> DequeContent:
    if not held:
        raise _queue.Empty
    return DequeContent(held[1:])


def _oldest(held: Any) -> Any:
    return held[0]


def _me() -> str:
    """The thread that is running; "" in the program function."""
    thread = thread_here()
    return thread.name if thread is not None else ""


@on_values
def check_timeout(blocking: bool, timeout: float) -> bool:
    """Returns whether a call waits for ever; raises what Python raises."""
    if not blocking and timeout != -1:
        raise ValueError("can't specify a timeout for a non-blocking call")
    if timeout < 0 and timeout != -1:
        raise ValueError("timeout value must be a non-negative number")
    return blocking and timeout == -1


class _PythonLock(ByWith, ShareableBuiltin):
    """The common part of locks.

    owner  who has it while it is private, None while it is free
    count  how often
    """

    __slots__ = ("__weakref__", "_mutex", "count", "identity", "owner")
    _kind: type[Mutex]
    owner: str | None
    count: int

    def __init__(self) -> None:
        self.identity = None
        self.owner, self.count = None, 0

    def held(self, freeze: Callable[[Any, str], Any], name: str) -> dict[str, Any]:
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
        self._passed_on = False  # no other thread has it
        return None

    def _taken_of_memory(self, waits: bool) -> bool:
        if waits and self._passed_on:
            take(self._mutex, gives_back=True)
            return True
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
