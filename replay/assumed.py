"""Assumptions about code that has run: a verdict on it names them."""

from __future__ import annotations


class Assumed:
    """Assumptions about the code of one thread, or of several.

    vouched  the names of functions for which the user vouched, and which the code has called
    ending  the names of classes with a `__del__` of which it has made objects: CPython itself runs that when an object
             goes, so it is no step of a thread
    numbers  whether it has asked for the number of a shared object
    orders   whether it has gone through a set of shared objects in one order of many
    """

    def __init__(self) -> None:
        self.vouched: set[str] = set()
        self.ending: set[str] = set()
        self.numbers = self.orders = False

    def add(self, other: Assumed) -> None:
        """Take over what is assumed of other code."""
        self.vouched |= other.vouched
        self.ending |= other.ending
        self.numbers |= other.numbers
        self.orders |= other.orders
