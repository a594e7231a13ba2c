"""How a global state is one number, and which of them stands for others.

Each component has some of its bits. Component 0 of all is what a program begins with, so the first global state is
0, and a component that is met late was 0 in all states met before: they need
no change. Nor do they where a component gets more bits later, wherever these are. A step adds a number that depends on
the components which it looks at and changes, and on nothing else.

Threads that differ by their number only are interchangeable: of their orders one is enough. They are if

- the program declares them, and they begin in one local state: the same code at the same place, with the same things
  in its variables (`replay.local_state`), which is to say that the keys of their first states are equal;
- their code never asks which of them runs. Whatever could depend on that, the names of what a thread makes and of the
  threads that it starts included, is asked of one attribute (`RunningThread.name`), which notes it. The name that a
  mutex holds is seen by nobody: code sees whether there is one;
- nobody waits for one of them by name, or looks whether it has ended.

Then the code of the first of them is run for all, and exchanging two of them in a global state, with their buffers,
gives a state that goes on in the same way. Memory stays as it is: what threads write depends on their local states.
So each global state stands for all its permutations, and is written with its interchangeable threads in the order of
their numbers. The three conditions are looked at while the exploration runs; if one fails, the threads are told apart
from then on, and the exploration begins again. Besides, the code of each of them is run along ways of the first one
(`Stateful`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from replay.machine.local_graphs import LocalGraphs
from replay.machine.unfolding import ThreadInfo

GROWTH = 4
"""Bits that a component gets when it has used up those that it has."""


class Component:
    """A part of every global state: which process a thread is, or what a cell holds, as a number.

    mask  where its bits are in a global state
    bits  how many these are
    """

    __slots__ = ("_first", "_more", "_place", "bits", "mask")

    def __init__(self, place: int, bits: int) -> None:
        self.bits = bits
        self.mask = ((1 << bits) - 1) << place
        self._place = place
        self._first = (1 << bits) - 1
        """The bits of its numbers that it had first."""
        self._more: list[tuple[int, int, int]] = []
        """Those that it got later: as a mask, how many are lower, and where they are."""

    def grow(self, place: int, bits: int) -> None:
        """Take so many bits more, those from `place` on."""
        more = (1 << bits) - 1
        self._more.append((more << self.bits, self.bits, place))
        self.mask |= more << place
        self.bits += bits

    def pieces(self) -> list[tuple[int, int]]:
        """Returns the runs of bits that hold its numbers, the lowest first: the place of each, and its length."""
        first = self._first.bit_length()
        return [(self._place, first), *((place, bits.bit_length() - lower) for bits, lower, place in self._more)]

    def written(self, number: int) -> int:
        """One of its numbers as part of a global state."""
        found = (number & self._first) << self._place
        for bits, lower, place in self._more:
            found |= (number & bits) >> lower << place
        return found

    def read(self, state: int) -> int:
        """Its number in a global state."""
        found = state >> self._place & self._first
        for bits, lower, place in self._more:
            found |= state >> place << lower & bits
        return found


class StateLayout:
    """Places of the components in a global state. A global state that was written once keeps its meaning.

    components  in the order in which they were added
    bits        of a global state
    """

    def __init__(self) -> None:
        self.components: list[Component] = []
        self.bits = 0

    def add(self, bits: int) -> Component:
        """A new component, above all others."""
        component = Component(self.bits, bits)
        self.components.append(component)
        self.bits += bits
        return component

    def widen(self, component: Component) -> None:
        """Give a component more bits, which are 0 in all states so far, as its lower bits were enough for these."""
        component.grow(self.bits, GROWTH)
        self.bits += GROWTH

    def compact(self, states: Iterable[int]) -> Iterator[int]:
        """Global states with all bits of each component side by side, the components in their order."""
        moved: dict[int, int] = {}
        """By how many places they move down, the bits that do."""
        to = 0
        for component in self.components:
            for place, bits in component.pieces():
                moved[place - to] = moved.get(place - to, 0) | ((1 << bits) - 1) << place
                to += bits
        down = [(mask, by) for by, mask in moved.items() if by >= 0]
        up = [(mask, -by) for by, mask in moved.items() if by < 0]
        for state in states:
            found = 0
            for mask, by in down:
                found |= (state & mask) >> by
            for mask, by in up:
                found |= (state & mask) << by
            yield found


KEPT = 1 << 16
"""Orders of a group that are remembered."""


def interchangeable(graphs: LocalGraphs, told_apart: Collection[int]) -> list[list[int]]:
    """The declared threads that begin in one local state and were not told apart: groups of at least two numbers."""
    candidates: dict[object, list[ThreadInfo]] = {}
    """By what they ask for first, and where: keys, which say this and more, cost more."""
    for info in graphs.threads if graphs.options.merges else ():
        asked = info.root.operation
        if info.is_declared and info.index not in told_apart and asked is not None:
            candidates.setdefault((asked.kind, asked.where, asked.source, info.is_daemon), []).append(info)
    groups: dict[int, list[int]] = {}
    for infos in candidates.values():
        for info in infos if len(infos) > 1 else ():
            key = None if graphs.may_know_itself(info) else graphs.key(info.root)
            if isinstance(key, int):
                groups.setdefault(key, []).append(info.index)
    return [group for group in groups.values() if len(group) > 1]


class InterchangeableThreads:
    """Interchangeable threads.

    members     their numbers
    components  their components of a global state
    """

    def __init__(self, members: Sequence[int], components: Sequence[Component]) -> None:
        self.members = members
        self.components = components
        self._differences: dict[int, int] = {}
        self.look_at_bits()

    def look_at_bits(self) -> None:
        """To be called when components have got more bits."""
        self._mask = sum(component.mask for component in self.components)

    def order(self, state: int) -> list[int]:
        """The places in `members` whose components the sorted state holds, that of the first one first."""
        held = [component.read(state) for component in self.components]
        return sorted(range(len(held)), key=held.__getitem__, reverse=True)

    def sorted(self, state: int) -> int:
        """The global state that stands for one and all that differ from it by an exchange of these threads."""
        held = state & self._mask
        difference = self._differences.get(held)
        if difference is None:
            if len(self._differences) >= KEPT:
                self._differences.clear()
            numbers = [component.read(state) for component in self.components]
            numbers.sort(reverse=True)
            written = (each.written(number) for each, number in zip(self.components, numbers, strict=True))
            difference = self._differences[held] = sum(written) - held
        return state + difference
