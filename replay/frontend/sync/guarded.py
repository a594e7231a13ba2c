"""What all of this room are made of: one location, changed by atomic updates that may wait."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from types import TracebackType
from typing import Any, Self

from replay.code.running_thread import current_run, line_of_request
from replay.frontend.description import Thing
from replay.world.operation import Guard, Kind, Location, Operation
from replay.world.values import canonical_key

Change = Callable[[Any], object]


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
        """What reports call it."""
        return self.location.name

    def placed(self, name: str) -> Self:
        return type(self)(name, *self.settings)

    def locations(self) -> Iterator[Location]:
        yield self.location

    def _update(
        self,
        label: str,
        change: Change,
        ready: Guard | None = None,
        result: Change | None = None,
    ) -> Any:
        """Atomically change the state, as soon as it is `ready`; returns `result` of what it was, or that itself.

        `label` says which update of this thing it is, and what `change` and `result` depend on.
        """
        operation = Operation(
            Kind.UPDATE,
            self.location,
            update=change,
            ready=ready,
            result=result,
            label=label,
            source=line_of_request(),
        )
        return current_run().perform(operation)

    def _look(self) -> Any:
        """Load the state."""
        return current_run().perform(Operation(Kind.LOAD, self.location, source=line_of_request()))


class ByWith:
    """What a `with` statement acquires and releases."""

    __slots__ = ()

    def acquire(self, blocking: bool = True, timeout: float | None = None) -> bool:
        """Take it as soon as it can be had; returns whether it was taken."""
        raise NotImplementedError

    def release(self) -> None:
        """Give it back."""
        raise NotImplementedError

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.release()


class Acquired(ByWith, Guarded):
    """What is acquired and released, also by a `with` statement."""

    __slots__ = ()
    _instead = "{name}.acquire() and {name}.release(), or `with {name}:` is what it is for"


def waits(blocking: bool, timeout: float | None) -> bool:
    """Whether a call waits for ever. With a timeout it tries once: any delay before that is explored anyway."""
    return blocking and (timeout is None or timeout < 0)
