"""Preserved program order of one thread (docs/semantics.md 4)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import NamedTuple

from replay.world.memory_model import Access, MemoryModel

Pair = tuple[int, int]


class Placed(NamedTuple):
    """What preserved program order needs to know of an operation."""

    access: Access
    where: str


class Preserved(NamedTuple):
    """ppo of one thread, by position.

    pairs   (earlier, later) without most that others imply, by the later position, the nearest earlier one first
    before  by position all those before it, as bits
    """

    pairs: Sequence[Pair]
    before: Sequence[int]


def preserved(line: Sequence[Placed], model: MemoryModel) -> Preserved:
    """ppo of a thread's operations; explorers ask for the same ones again and again."""
    return _preserved(tuple(line), model)


@functools.lru_cache(1 << 10)
def _preserved(line: tuple[Placed, ...], model: MemoryModel) -> Preserved:
    pairs: list[Pair] = []
    befores: list[int] = []
    for later, after in enumerate(line):

        def keeps(earlier: int, after: Placed = after) -> bool:
            first = line[earlier]
            return model.keeps(first.access, after.access, first.where, after.where)

        direct, before = preceding(befores, keeps)
        pairs.extend((earlier, later) for earlier in direct)
        befores.append(before)
    return Preserved(pairs, befores)


def preceding(before: Sequence[int], keeps: Callable[[int], bool]) -> tuple[list[int], int]:
    """What comes directly before the next position, nearest first, and all that comes before it, as bits.

    before  the latter, by earlier position
    keeps   whether an earlier position is ordered before the next one by itself
    """
    direct: list[int] = []
    implied = 0
    for earlier in range(len(before) - 1, -1, -1):
        if not implied >> earlier & 1 and keeps(earlier):
            direct.append(earlier)
            implied |= before[earlier] | 1 << earlier
    return direct, implied
