"""How a global state is one number: each component has some of its bits.

Component 0 of all is what a program begins with, so the first global state is
0, and a component that is met late was 0 in all states met before: they need
no change. A step adds a number that depends on the components which it looks
at and changes, and on nothing else.
"""

from __future__ import annotations

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
    """A component got more bits: global states are written otherwise from now on (`rewritten`)."""

    def __init__(self, at: int) -> None:
        """`at` is the bit above the component, where there is room now."""
        super().__init__()
        self._above = at
        self._below = (1 << at) - 1

    def rewritten(self, state: int) -> int:
        """A global state of before, as it is written now."""
        return (state & self._below) | (state >> self._above << (self._above + GROWTH))


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

    def widen(self, component: Component) -> Widened:
        """Give a component more bits; returns what is to be raised."""
        at = component.shift + component.mask.bit_length()
        for each in self._components:
            if each.shift >= at:
                each.shift += GROWTH
        component.mask = (component.mask + 1 << GROWTH) - 1
        self._bits += GROWTH
        return Widened(at)
