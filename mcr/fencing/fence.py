"""Fences as `mcr repair` chooses them: a place in the program and a kind, which has a cost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from replay.code.fences import Line
from replay.world.memory_model import Access, MemoryModel
from replay.world.operation import Kind

COSTS = {Kind.STORE_FENCE: 1, Kind.FENCE: 2}
"""A full fence waits for the store buffer, a store fence for nothing: two of these cost what one of those does."""

_TWO_LOCATIONS = ("one", "two")


class Fence(NamedTuple):
    """A fence at a line, for all threads that come there."""

    line: Line
    kind: Kind

    @property
    def cost(self) -> int:
        return COSTS[self.kind]


FenceSet = frozenset[Fence]


def cost(fences: Iterable[Fence]) -> int:
    """What a set of fences costs."""
    return sum(fence.cost for fence in fences)


def in_order(fences: Iterable[Fence]) -> list[Fence]:
    """As they stand in the program."""
    return sorted(fences, key=lambda fence: (fence.line, fence.cost))


def kinds(model: MemoryModel) -> tuple[Kind, ...]:
    """The kinds of fences that do something under a model, the cheaper first."""
    if model.buffers is None:
        return ()
    if model.keeps(Access.STORE, Access.STORE, *_TWO_LOCATIONS):
        return (Kind.FENCE,)
    return (Kind.STORE_FENCE, Kind.FENCE)
