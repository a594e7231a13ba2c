"""What all of this room are made of: one location, changed by atomic updates that may wait."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Self

from replay.code.running_thread import perform
from replay.frontend.description import Located
from replay.frontend.locks import ByWith
from replay.world.operation import Guard, Kind, Location
from replay.world.values import canonical_key

Change = Callable[[Any], object]


class Guarded(Located):
    """A thing whose whole state is in one location. `settings` are what it was made with, beside its name."""

    __slots__ = ("settings",)
    settings: tuple[Any, ...]

    def __init__(self, name: str, initial: object, *settings: object) -> None:
        object.__setattr__(self, "location", Location(name, initial))
        object.__setattr__(self, "settings", settings)

    def _key(self) -> Hashable:
        return self.name, canonical_key(self.location.initial), tuple(map(canonical_key, self.settings))

    def placed(self, name: str) -> Self:
        return type(self)(name, *self.settings)

    def _update(self, label: str, change: Change, ready: Guard | None = None, result: Change | None = None) -> Any:
        """Atomically change the state, as soon as it is `ready`; returns `result` of what it was, or that itself.

        `label` says which update of this thing it is, and what `change` and `result` depend on.
        """
        return perform(Kind.UPDATE, self.location, update=change, ready=ready, result=result, label=label)

    def _change(self, label: str, change: Change, ready: Guard | None = None) -> None:
        """The same for whom what the state was is all one."""
        self._update(label, change, ready, result=_nothing)

    def _look(self) -> Any:
        """Load the state."""
        return perform(Kind.LOAD, self.location)


def _nothing(_: object) -> None:
    """What somebody learns who does not ask."""


class Acquired(ByWith, Guarded):
    """What is acquired and released, also by a `with` statement."""

    __slots__ = ()
    _instead = "{name}.acquire() and {name}.release(), or `with {name}:` is what it is for"


def waits(blocking: bool, timeout: float | None) -> bool:
    """Whether a call waits for ever. With a timeout it tries once: any delay before that is explored anyway."""
    return blocking and (timeout is None or timeout < 0)
