"""Results of `id`: numbers that are the same in every run, where addresses are not."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from replay.interpreter.frame import NULL
from replay.interpreter.lookup import HEAP

_FIRST = 1 << 46
_SIZE = 16


class Identities:
    """The objects of a thread whose `id` was asked for. The number of one that nothing else holds is free again.

    Not so of strings, tuples and the like: copies of a thread have the same ones, so nobody could tell when.
    """

    def __init__(self, objects: Iterable[Any] = ()) -> None:
        """`objects` as `held` tells them."""
        self._objects: list[Any] = [*objects]

    def number(self, thing: Any) -> int:
        """The number of an object: the lowest free one if it has none yet."""
        self._forget()
        objects = self._objects
        places = [place for place, each in enumerate(objects) if each is thing]
        places += [place for place, each in enumerate(objects) if each is NULL]
        if not places:
            places = [len(objects)]
            objects.append(thing)
        objects[places[0]] = thing
        return _FIRST + _SIZE * places[0]

    def has(self, thing: Any) -> bool:
        """Returns whether an object has a number."""
        return any(each is thing for each in self._objects)

    def held(self) -> list[Any]:
        """The objects that have numbers, in the order of these; NULL for free numbers."""
        self._forget()
        return self._objects

    def _forget(self) -> None:
        objects = self._objects
        for place in range(len(objects)):
            if sys.getrefcount(objects[place]) == ONLY_HERE and _has_copies(objects[place]):
                objects[place] = NULL
        while objects and objects[-1] is NULL:
            objects.pop()


def _has_copies(thing: Any) -> bool:
    """Returns True for an object of which each copy of a thread has its own (`copying`)."""
    kind = type(thing)
    return kind in (list, dict, set) or bool(kind.__flags__ & HEAP)


ONLY_HERE = sys.getrefcount([object()][0]) + 1
"""The count of references to an object in a list, and nowhere else."""
