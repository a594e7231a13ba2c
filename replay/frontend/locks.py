"""Mutexes and condition variables, and what all that threads wait at is made of: one location, changed by updates."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from types import TracebackType
from typing import Any, Self

from replay.code.running_thread import current_run, perform
from replay.frontend.description import T, Thing
from replay.world.operation import LOCK, UNWRITTEN, WAKE, Guard, Kind, Location
from replay.world.values import canonical_key

Change = Callable[[Any], object]

FREE = None
"""What the location of a mutex holds while nobody has it; else the owner's name."""

_IS_FREE = Guard(lambda owner: owner is FREE)


class ByWith:
    """A thing that a `with` statement acquires and releases."""

    __slots__ = ()

    def acquire(self, blocking: bool = True, timeout: float | None = None) -> bool:
        """Take it as soon as it can be had; returns whether it was taken."""
        raise NotImplementedError

    def release(self) -> None:
        """Give it back."""
        raise NotImplementedError

    def __enter__(self) -> Any:
        return self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.release()


class Guarded(Thing):
    """A thing whose whole state is in one location. `settings` are what it was made with, beside its name."""

    __slots__ = ("location", "settings")
    location: Location
    settings: tuple[Any, ...]

    def __init__(self, name: str, initial: object, *settings: object) -> None:
        object.__setattr__(self, "location", Location(name, initial))
        object.__setattr__(self, "settings", settings)

    def _key(self) -> Hashable:
        return self.name, canonical_key(self.location.initial), tuple(map(canonical_key, self.settings))

    @property
    def name(self) -> str:
        """The name in reports."""
        return self.location.name

    def locations(self) -> Iterator[Location]:
        yield self.location

    def placed(self, name: str) -> Self:
        return type(self)(name, *self.settings)

    def _update(self, label: str, change: Change, ready: Guard | None = None, result: Change | None = None) -> Any:
        """Atomically change the state, as soon as it is `ready`; returns `result` of what it was, or that itself.

        `label` says which update of this thing it is, and what `change` and `result` depend on.
        """
        return perform(Kind.UPDATE, self.location, update=change, ready=ready, result=result, label=label)

    def _change(self, label: str, change: Change, ready: Guard | None = None) -> None:
        """As `_update`, for a thread that does not need the old state."""
        self._update(label, change, ready, result=_nothing)

    def _look(self) -> Any:
        """Load the state."""
        return perform(Kind.LOAD, self.location)


def _nothing(_: object) -> None:
    """The result for a thread that asks for none."""


def waits(blocking: bool, timeout: float | None) -> bool:
    """Returns whether a call waits for ever. With a timeout it tries once: any delay before that is explored anyway."""
    return blocking and (timeout is None or timeout < 0)


class Mutex(ByWith, Guarded):
    """A lock; also usable as `with mutex:`. Not reentrant: locking twice blocks for good."""

    __slots__ = ()
    _is = "a mutex"
    _instead = "{name}.lock() and {name}.unlock(), `with {name}:` or {name}.try_lock() is what it is for"

    def __init__(self, name: str) -> None:
        super().__init__(name, FREE)

    def lock(self) -> None:
        """Wait until the mutex is free, and take it; waits for the thread's store buffer first."""
        take(self)
        current_run().held.append(self.location.name)

    def try_lock(self) -> bool:
        """Take the mutex if it is free; returns whether it was. Never waits."""
        run = current_run()
        taken: bool = self._update(
            "try_lock()",
            lambda owner: run.owner if owner is FREE else UNWRITTEN,
            result=lambda owner: owner is FREE,
        )
        if taken:
            run.held.append(self.name)
        return taken

    def unlock(self) -> None:
        """Give the mutex back, once the thread's stores are in memory.

        Raises RuntimeError in the thread if it does not hold it: that is a bug.
        """
        run, name = current_run(), self.location.name
        if name not in run.held:
            self.check_held()
        run.held.remove(name)
        perform(Kind.UNLOCK, self.location, value=FREE)

    def acquire(self, blocking: bool = True, timeout: float | None = None) -> bool:
        """`lock`, or `try_lock` if it shall not block or has a timeout; as of Python's locks."""
        if not waits(blocking, timeout):
            return self.try_lock()
        self.lock()
        return True

    def release(self) -> None:
        """`unlock`; as of Python's locks."""
        self.unlock()

    def locked(self) -> bool:
        """Returns whether a thread holds it now: a load."""
        return self._look() is not FREE

    def is_held(self) -> bool:
        """Returns whether the running thread holds it."""
        return self.location.name in current_run().held

    def check_held(self) -> None:
        """Raise RuntimeError unless the running thread holds the mutex."""
        if not self.is_held():
            raise RuntimeError(f"mutex {self.name} is not held by this thread")

    def __enter__(self) -> Mutex:
        self.lock()
        return self


def take(mutex: Mutex, *, gives_back: bool = False) -> None:
    """Let the running thread take a mutex as soon as it is free. It does not count as its holder yet."""
    run = current_run()  # which is asked for its name by the update: so it is not told from threads like it
    perform(Kind.UPDATE, mutex.location, update=lambda _: run.owner, ready=_IS_FREE, tag=LOCK, gives_back=gives_back)


class ReentrantLock(Mutex):
    """A mutex that its owner may take again, and gives back when it has released it as often.

    Only the first time and the last are operations: nobody else could notice the others.
    """

    __slots__ = ()
    _is = "a reentrant lock"

    def lock(self) -> None:
        """Take it once more, or wait until it is free."""
        if self.is_held():
            current_run().held.append(self.location.name)
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
        held, name = current_run().held, self.location.name
        if held.count(name) > 1:
            held.remove(name)
        else:
            super().unlock()


class Condition(ByWith, Guarded):
    """A condition variable of a mutex: no spurious wake-ups, and any waiter may be the one notified.

    Its location holds (waiting, signals): the names of the threads that wait
    and are not released, and for each undelivered notify the set of threads
    that were waiting then. The sets grow from left to right, so a thread that
    wakes takes the first signal that it may take.
    """

    __slots__ = ("mutex",)
    mutex: Mutex
    _is = "a condition variable"
    _instead = "{name}.wait(), {name}.notify() or {name}.notify_all() is what it is for, with its mutex held"

    def __init__(self, name: str, mutex: Mutex) -> None:
        super().__init__(name, ((), ()))
        object.__setattr__(self, "mutex", mutex if mutex.name or not name else mutex.placed(f"{name}.mutex"))

    def _key(self) -> Hashable:
        return self.location.name, self.mutex.name

    def placed(self, name: str) -> Condition:
        return Condition(name, self.mutex)

    def wait(self, timeout: float | None = None) -> bool:
        """Release the mutex, wait for a notification, take the mutex again; returns whether it was notified.

        Without a timeout it is. Raises RuntimeError in the thread if it does
        not hold the mutex.
        """
        self.mutex.check_held()
        run = current_run()
        me, depth = run.name, run.held.count(self.mutex.name)
        self._update("wait()", lambda state: ((*state[0], me), state[1]))
        for _ in range(depth):
            self.mutex.unlock()
        notified = self._woken(me, is_patient=timeout is None)
        for _ in range(depth):
            self.mutex.lock()
        return notified

    def _woken(self, me: str, *, is_patient: bool) -> bool:
        """End a wait as soon as there is a notification, or at any time; returns whether there was one."""
        notified: bool = perform(
            Kind.UPDATE,
            self.location,
            update=lambda state: _woken(state, me) if _may_wake(state, me) else _gone(state, me),
            ready=Guard(_may_wake, me) if is_patient else None,
            result=lambda state: _may_wake(state, me),
            tag=WAKE if is_patient else "",
            label="" if is_patient else "wait(timeout) ends",
        )
        return notified

    def wait_for(self, predicate: Callable[[], T], timeout: float | None = None) -> T:
        """Wait until `predicate` holds, testing it with the mutex held; returns what it returned last.

        With a timeout, it may give up whenever it is not notified.
        """
        while not (held := predicate()):
            if not self.wait(timeout):
                return predicate()
        return held

    def acquire(self, blocking: bool = True, timeout: float | None = None) -> bool:
        """Take the mutex."""
        return self.mutex.acquire(blocking, timeout)

    def release(self) -> None:
        """Give the mutex back."""
        self.mutex.release()

    def __enter__(self) -> Condition:
        self.mutex.lock()
        return self

    def notify(self, n: int = 1) -> None:
        """Wake as many of the threads that wait now, any of them; fewer if there are not so many."""
        for _ in range(n):
            self._update("notify()", _notified)

    def notify_all(self) -> None:
        """Wake all the threads that wait now."""
        self._update("notify_all()", lambda state: ((), ()) if state[0] else UNWRITTEN)


def _notified(state: Any) -> object:
    waiting, signals = state
    if len(signals) == len(waiting):
        return UNWRITTEN
    return (waiting, (*signals, frozenset(waiting)))


def _may_wake(state: Any, me: str) -> bool:
    waiting, signals = state
    return me not in waiting or any(me in signal for signal in signals)


def _woken(state: Any, me: str) -> object:
    waiting, signals = state
    if me not in waiting:
        return UNWRITTEN
    taken = next(index for index, signal in enumerate(signals) if me in signal)
    left = (signal - {me} for index, signal in enumerate(signals) if index != taken)
    return (tuple(name for name in waiting if name != me), tuple(left))


def _gone(state: Any, me: str) -> object:
    """A thread stops waiting that nobody notified: no signal is for it."""
    waiting, signals = state
    return (tuple(name for name in waiting if name != me), signals)
