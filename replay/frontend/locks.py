"""Mutexes and condition variables. Like variables they are descriptions: a name and a location."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any

from replay.code.thread_run import current_run, line_of_request
from replay.frontend.description import Description
from replay.world.operation import UNWRITTEN, Kind, Location, Operation

FREE = None
"""What the location of a mutex holds while nobody has it; else the owner's name."""


class Mutex(Description):
    """A lock; also usable as `with mutex:`. Not reentrant: locking twice blocks for good."""

    __slots__ = ("location",)
    location: Location

    _is = "a mutex"
    _instead = "{name}.lock() and {name}.unlock(), `with {name}:` or {name}.try_lock() is what it is for"

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "location", Location(name, FREE))

    def _key(self) -> object:
        return self.location.name

    @property
    def name(self) -> str:
        """What reports call it."""
        return self.location.name

    def lock(self) -> None:
        """Wait until the mutex is free, and take it; waits for the thread's store buffer first."""
        run = current_run()
        run.perform(
            Operation(
                Kind.LOCK,
                self.location,
                update=lambda _: run.name,
                ready=lambda owner: owner is FREE,
                source=line_of_request(),
            )
        )
        run.held.append(self.name)

    def try_lock(self) -> bool:
        """Take the mutex if it is free; returns whether it was. Never waits."""
        run = current_run()
        taken: bool = run.perform(
            Operation(
                Kind.RMW,
                self.location,
                update=lambda owner: run.name if owner is FREE else UNWRITTEN,
                result=lambda owner: owner is FREE,
                label="try_lock()",
                source=line_of_request(),
            )
        )
        if taken:
            run.held.append(self.name)
        return taken

    def unlock(self) -> None:
        """Give the mutex back, once the thread's stores are in memory.

        Raises RuntimeError in the thread if it does not hold it: that is a bug.
        """
        run = current_run()
        self.check_held()
        run.held.remove(self.name)
        run.perform(Operation(Kind.UNLOCK, self.location, value=FREE, source=line_of_request()))

    def check_held(self) -> None:
        """Raise RuntimeError unless the running thread holds the mutex."""
        if self.name not in current_run().held:
            raise RuntimeError(f"mutex {self.name} is not held by this thread")

    def __enter__(self) -> Mutex:
        self.lock()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.unlock()

    def __repr__(self) -> str:
        return self.location.name


class Condition(Description):
    """A condition variable of a mutex: no spurious wake-ups, and any waiter may be the one notified.

    Its location holds (waiting, signals): the names of the threads that wait
    and are not released, and for each undelivered notify the set of threads
    that were waiting then. The sets grow from left to right, so a thread that
    wakes takes the first signal that it may take.
    """

    __slots__ = ("location", "mutex")
    location: Location
    mutex: Mutex

    _is = "a condition variable"
    _instead = "{name}.wait(), {name}.notify() or {name}.notify_all() is what it is for, with its mutex held"

    def __init__(self, name: str, mutex: Mutex) -> None:
        object.__setattr__(self, "location", Location(name, ((), ())))
        object.__setattr__(self, "mutex", mutex)

    def _key(self) -> object:
        return self.location.name

    @property
    def name(self) -> str:
        """What reports call it."""
        return self.location.name

    def wait(self) -> None:
        """Release the mutex, wait for a notification, take the mutex again.

        Raises RuntimeError in the thread if it does not hold the mutex.
        """
        self.mutex.check_held()
        me = current_run().name
        self._update("wait()", lambda state: ((*state[0], me), state[1]))
        self.mutex.unlock()
        current_run().perform(
            Operation(
                Kind.WAKE,
                self.location,
                update=lambda state: _woken(state, me),
                ready=lambda state: _may_wake(state, me),
                source=line_of_request(),
            )
        )
        self.mutex.lock()

    def wait_for(self, predicate: Callable[[], object]) -> None:
        """Wait until `predicate` holds, testing it with the mutex held."""
        while not predicate():
            self.wait()

    def notify(self) -> None:
        """Wake one of the threads that wait now, any of them; nothing if there is none."""
        self._update("notify()", _notified)

    def notify_all(self) -> None:
        """Wake all the threads that wait now."""
        self._update("notify_all()", lambda state: ((), ()) if state[0] else UNWRITTEN)

    def _update(self, label: str, function: Callable[[Any], object]) -> None:
        source = line_of_request()
        current_run().perform(Operation(Kind.RMW, self.location, update=function, label=label, source=source))

    def __repr__(self) -> str:
        return self.location.name


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
