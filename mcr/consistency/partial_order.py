"""A partial order that grows, kept transitively closed as bit sets."""

from __future__ import annotations

from collections.abc import Iterator


class PartialOrder:
    """A strict partial order on 0..size-1.

    before[e], after[e]  bit sets of what is ordered before and after e
    added                pairs in the order in which they were added, without those already implied
    """

    def __init__(self, size: int) -> None:
        self.before = [0] * size
        self.after = [0] * size
        self.added: list[tuple[int, int]] = []

    def has(self, earlier: int, later: int) -> bool:
        return bool(self.before[later] >> earlier & 1)

    def add(self, earlier: int, later: int) -> bool:
        """Order the pair, and all that follows; False, changing nothing, if that closes a cycle."""
        if earlier == later or self.has(later, earlier):
            return False
        if not self.has(earlier, later):
            self.added.append((earlier, later))
            lower = self.before[earlier] | 1 << earlier
            upper = self.after[later] | 1 << later
            for event in members(upper):
                self.before[event] |= lower
            for event in members(lower):
                self.after[event] |= upper
        return True

    def copy(self) -> PartialOrder:
        twin = PartialOrder(0)
        twin.before, twin.after, twin.added = self.before[:], self.after[:], self.added[:]
        return twin


def members(bits: int) -> Iterator[int]:
    """The elements of a bit set, smallest first."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def bit_set(elements: Iterator[int] | tuple[int, ...] | list[int]) -> int:
    bits = 0
    for element in elements:
        bits |= 1 << element
    return bits
