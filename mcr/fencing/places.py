"""Where fences can be: after lines that store, or where the program has one now."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Protocol

from mcr.fencing.fence import Fence, FenceSet
from mcr.fencing.source import takes_fence_after
from replay.code.fences import Fences, Line, line_of
from replay.machine.state import State
from replay.traces.trace import Event
from replay.world.operation import KINDS, Kind


class Places(Protocol):
    """What a search chooses from.

    known  the lines where a fence may be, as far as they were met, each with the kinds that may be there, the
           cheapest first
    """

    known: dict[Line, tuple[Kind, ...]]

    def meet(self, states: Iterable[State]) -> None:
        """Take the places that these local states show."""

    def at(self, event: Event) -> Line | None:
        """Where a fence could directly follow an event, or stand in its place."""

    def fences(self, chosen: FenceSet) -> Fences:
        """What a program is given to have these, and no others that were chosen from."""


class AfterStores:
    """Fences beside those of the program: one directly after any line that stores and can be followed by one.

    unfit  lines that store, after which no line can be put
    """

    def __init__(self, kinds: tuple[Kind, ...]) -> None:
        self.known: dict[Line, tuple[Kind, ...]] = {}
        self.unfit: set[Line] = set()
        self._kinds = kinds

    def meet(self, states: Iterable[State]) -> None:
        for state in states:
            operation = state.operation
            if operation is not None and operation.kind is Kind.STORE and operation.source is not None:
                self._meet(line_of(operation.source))

    def _meet(self, line: Line) -> None:
        if line in self.known or line in self.unfit:
            return
        if takes_fence_after(line):
            self.known[line] = self._kinds
        else:
            self.unfit.add(line)

    def at(self, event: Event) -> Line | None:
        line = _line(event)
        if KINDS[event.kind] is not Kind.STORE or line is None:
            return None
        self._meet(line)
        return line if line in self.known else None

    def fences(self, chosen: FenceSet) -> Fences:
        return Fences(after={fence.line: fence.kind for fence in chosen})


class OwnFences:
    """The fences of the program itself: each can stay, be left out, or become a store fence if that does something."""

    def __init__(self, kinds: Collection[Kind]) -> None:
        self.known: dict[Line, tuple[Kind, ...]] = {}
        self._kinds = kinds

    def meet(self, states: Iterable[State]) -> None:
        for state in states:
            operation = state.operation
            if operation is None or operation.source is None:
                continue
            if operation.kind is Kind.FENCE:
                self._meet(line_of(operation.source), (Kind.STORE_FENCE, Kind.FENCE))
            elif operation.kind is Kind.STORE_FENCE:
                self._meet(line_of(operation.source), (Kind.STORE_FENCE,))

    def _meet(self, line: Line, kinds: tuple[Kind, ...]) -> None:
        self.known.setdefault(line, tuple(kind for kind in kinds if kind in self._kinds))

    def at(self, event: Event) -> Line | None:
        line = _line(event)
        return line if line in self.known else None

    def fences(self, chosen: FenceSet) -> Fences:
        kept: dict[Line, Kind | None] = dict.fromkeys(self.known)
        return Fences(instead={**kept, **{fence.line: fence.kind for fence in chosen}})


def _line(event: Event) -> Line | None:
    return event.line and line_of(event.line)


def strongest(places: Places, without: FenceSet) -> FenceSet:
    """At each place that is known the strongest fence that is not among these.

    A fence forbids all that a cheaper one at its place forbids, so where a fence is left out the dearer ones are.
    """
    found: set[Fence] = set()
    for line, kinds in places.known.items():
        allowed = [fence for kind in kinds if (fence := Fence(line, kind)) not in without]
        found.update(allowed[-1:])
    return frozenset(found)
