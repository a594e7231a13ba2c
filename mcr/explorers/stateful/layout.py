"""How a global state is one number: each component has some of its bits.

Component 0 of all is what a program begins with, so the first global state is
0, and a component that is met late was 0 in all states met before: they need
no change. A step adds a number that depends on the components which it looks
at and changes, and on nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
