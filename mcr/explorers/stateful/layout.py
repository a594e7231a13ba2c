"""How a global state is one number, and which of them stands for others.

Each component has some of its bits. Component 0 of all is what a program begins with, so the first global state is
0, and a component that is met late was 0 in all states met before: they need
no change. A step adds a number that depends on the components which it looks
at and changes, and on nothing else.

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
(`Stateful`, with the audits of merges).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from replay.machine.local_graphs import LocalGraphs
from replay.machine.unfolding import ThreadInfo

GROWTH = 4
"""Bits that a component gets when it has used up those that it has."""


class Component:
    """A part of every global state: which process a thread is, or what a cell holds.

    shift  its lowest bit
    mask   its largest number
    """

    __slots__ = ("mask", "shift")

    def __init__(self, shift: int, bits: int) -> None:
        self.shift = shift
        self.mask = (1 << bits) - 1

    def of(self, state: int) -> int:
        """The component of a global state."""
        return (state >> self.shift) & self.mask


class Widened(Exception):
    """Components got more bits: global states are written otherwise from now on (`rewritten`)."""

    def __init__(self, places: Sequence[int]) -> None:
        """`places` are the bits above the components, the highest one first, where there is room now."""
        super().__init__()
        self._places = places

    def rewritten(self, state: int) -> int:
        """A global state of before, as it is written now."""
        for place in self._places:
            state = (state & ((1 << place) - 1)) | (state >> place << (place + GROWTH))
        return state


class Layout:
    """Where the components of a global state are."""

    def __init__(self) -> None:
        self._components: list[Component] = []
        self._bits = 0

    def add(self, bits: int) -> Component:
        """A new component, above all others."""
        component = Component(self._bits, bits)
        self._components.append(component)
        self._bits += bits
        return component

    def widen(self, components: Iterable[Component]) -> Widened:
        """Give components more bits; returns what is to be raised."""
        widened = sorted(components, key=lambda each: -each.shift)
        places = [component.shift + component.mask.bit_length() for component in widened]
        for component, place in zip(widened, places, strict=True):
            for each in self._components:
                if each.shift >= place:
                    each.shift += GROWTH
            component.mask = (component.mask + 1 << GROWTH) - 1
            self._bits += GROWTH
        return Widened(places)


KEPT = 1 << 16
"""Orders of a group that are remembered."""


def interchangeable(graphs: LocalGraphs, told_apart: Collection[int]) -> list[list[int]]:
    """The declared threads that begin in one local state and were not told apart: groups of at least two numbers."""
    candidates: dict[object, list[ThreadInfo]] = {}
    """By what they ask for first, and where: keys, which say this and more, cost more."""
    for info in graphs.threads if graphs.merges else ():
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


class Group:
    """Interchangeable threads; their components are neighbours of one width, the first one lowest.

    members     their numbers
    components  their components of a global state
    """

    def __init__(self, members: Sequence[int], components: Sequence[Component]) -> None:
        self.members = members
        self.components = components

    def order(self, state: int) -> list[int]:
        """The places in `members` whose components the sorted state holds, that of the first one first."""
        held = [component.of(state) for component in self.components]
        return sorted(range(len(held)), key=held.__getitem__, reverse=True)

    def sorting(self) -> Callable[[int], int]:
        """A function from a global state to the one that stands for it, as long as no component gets more bits."""
        first = self.components[0]
        shift, mask, bits = first.shift, first.mask, first.mask.bit_length()
        whole = (1 << bits * len(self.components)) - 1
        differences: dict[int, int] = {}

        def sort(state: int) -> int:
            held = (state >> shift) & whole
            difference = differences.get(held)
            if difference is None:
                if len(differences) >= KEPT:
                    differences.clear()
                packed = 0
                for number in sorted((held >> place) & mask for place in range(0, bits * len(self.components), bits)):
                    packed = packed << bits | number
                difference = differences[held] = packed - held << shift
            return state + difference

        return sort
