"""A partial order that grows, kept transitively closed as bit sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


class PartialOrder:
    """A strict partial order on 0..size-1.

    before[e], after[e]  bit sets of what is ordered before and after e
    added                pairs in the order in which they were added; later ones are not implied by those before
    """

    def __init__(self, size: int) -> None:
        self.before = [0] * size
        self.after = [0] * size
        self.added: list[tuple[int, int]] = []

    @classmethod
    def of(cls, size: int, pairs: Iterable[tuple[int, int]]) -> PartialOrder | None:
        """The least one with all these pairs; None if they have a cycle. Faster than to add one by one."""
        order = cls(size)
        order.added.extend(pairs)
        above: list[list[int]] = [[] for _ in range(size)]
        below: list[list[int]] = [[] for _ in range(size)]
        for earlier, later in order.added:
            above[later].append(earlier)
            below[earlier].append(later)
        _close(order.before, above, range(size))
        if any(earlier >> event & 1 for event, earlier in enumerate(order.before)):
            return None
        _close(order.after, below, range(size - 1, -1, -1))
        return order

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


def _close(found: list[int], neighbours: list[list[int]], elements: Iterable[int]) -> None:
    """Add to each element its neighbours, and what they have; the elements come in nearly the right order."""
    changed = True
    while changed:
        changed = False
        for element in elements:
            reached = known = found[element]
            for neighbour in neighbours[element]:
                reached |= found[neighbour] | 1 << neighbour
            if reached != known:
                found[element] = reached
                changed = True


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
