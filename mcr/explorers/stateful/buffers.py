"""Contents of a thread's store buffers, as a value: equal if and only if the stores will do the same.

A thread's stores wait in queues, first in, first out each (docs/semantics.md 3). Queues are independent of each
other, so their order says nothing, but a store fence separates what is before it from what comes after: contents are
a list of such groups, the oldest first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from replay.machine.state import NOTHING, LocationId
from replay.world.memory_model import Access, MemoryModel
from replay.world.operation import Location
from replay.world.values import ValueId


class WaitingStore(NamedTuple):
    """A store on its way to memory."""

    location: LocationId
    value: ValueId


Queue = tuple[str, tuple[WaitingStore, ...]]
"""The name of a queue, and what waits in it, the oldest first."""

Group = tuple[Queue, ...]
"""Queues by name, none of them empty."""

Contents = tuple[Group, ...]
"""Only the last group may be empty, and then it is not the only one: a store fence has separated it."""

EMPTY: Contents = ()


class StoreBuffers:
    """The store buffers of a memory model."""

    def __init__(self, model: MemoryModel, locations: Sequence[Location]) -> None:
        self._model = model
        self._locations = locations
        self.exist = model.buffers is not None

    def queue(self, location: LocationId) -> str:
        """The name of the queue in which stores to a location wait."""
        assert self._model.buffers is not None
        return self._model.buffers.key(self._locations[location].name)

    def add(self, contents: Contents, store: WaitingStore) -> Contents:
        """After a store."""
        queue = self.queue(store.location)
        queues = dict(contents[-1]) if contents else {}
        queues[queue] = (*queues.get(queue, ()), store)
        return (*contents[:-1], tuple(sorted(queues.items())))

    def fence(self, contents: Contents) -> Contents:
        """After a store fence."""
        return (*contents, ()) if contents and contents[-1] else contents

    def commits(self, contents: Contents) -> Iterator[tuple[WaitingStore, Contents]]:
        """The stores that may commit, and what is left then."""
        for place, (queue, stores) in enumerate(contents[0] if contents else ()):
            rest: Group = ((queue, stores[1:]),) if len(stores) > 1 else ()
            group = (*contents[0][:place], *rest, *contents[0][place + 1 :])
            later = contents[1:]
            yield stores[0], (group, *later) if group else () if later == ((),) else later

    def forwarded(self, contents: Contents, location: LocationId) -> ValueId:
        """The newest value stored to a location; NOTHING if no store to it waits."""
        for group in reversed(contents):
            for _, stores in group:
                for store in reversed(stores):
                    if store.location == location:
                        return store.value
        return NOTHING

    def delay(self, contents: Contents, where: str) -> bool:
        """Returns whether a load of a location has to wait for stores of its own thread."""
        names = (self._locations[store.location].name for group in contents for _, stores in group for store in stores)
        return any(self._model.keeps(Access.STORE, Access.LOAD, name, where) for name in names)


def size(contents: Contents) -> int:
    """How many stores wait."""
    return sum(len(stores) for group in contents for _, stores in group)
