"""The copier of objects, and the registry of how objects of each type are copied.

A copy shares with its original what cannot change, and what is not the thread's own: modules, classes, functions that
hold nothing, and whatever `is_shared` says.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any

from replay.interpreter.frame import NULL, Mark, held_in
from replay.interpreter.lookup import identity
from replay.interpreter.origins import is_of_host
from replay.interpreter.set_orders import goes_by_address


class Uncopyable(Exception):
    """An execution holds an object of which no copy can be made; the argument says which."""


CopyOf = Callable[["Copier", Any], Any]

SHARED = frozenset(
    {
        int, str, bool, float, complex, bytes, type(None), Mark, types.CodeType, types.ModuleType, range,
        types.EllipsisType, types.NotImplementedType, types.MethodDescriptorType, types.WrapperDescriptorType,
        types.MemberDescriptorType, types.GetSetDescriptorType, types.ClassMethodDescriptorType, property,
        types.GenericAlias, types.UnionType,
    }
)  # fmt: skip
"""Types of what a copy shares: it does not change, or it is not the thread's own."""

COPIES: dict[type, CopyOf] = {}
"""By exact type, how a copy is made; that of `object` is for objects of all other types."""


def copies(*kinds: type) -> Callable[[CopyOf], CopyOf]:
    """Registers what makes a copy of an object of these classes."""

    def register(copy: CopyOf) -> CopyOf:
        COPIES.update(dict.fromkeys(kinds, copy))
        return copy

    return register


def stays(*kinds: type) -> None:
    """Registers classes whose objects never change, nor what they hold: a copy of one is the same object."""
    COPIES.update(dict.fromkeys(kinds, itself))


def itself(_: Copier, value: Any) -> Any:
    return value


class Copier:
    """Makes one copy. `copies` are those made so far, by identity of the original."""

    def __init__(
        self,
        is_shared: Callable[[Any], bool],
        shared: Mapping[int, Any] = {},
        host_cells: Mapping[int, Any] | None = None,
    ) -> None:
        """`shared` are objects that several threads have, by identity, beside those of which `is_shared` says so.

        `host_cells` are variables of closures that were there before any thread, as functions and classes of the host
        were; None where nobody tells the host from what threads have made.
        """
        self.copies: dict[int, Any] = {}
        self.empty_cells: list[tuple[types.CellType, types.CellType]] = []
        self.is_shared = is_shared
        self._shared = shared
        self._host_cells = host_cells

    def copy(self, value: Any) -> Any:
        """The copy of an object, or the object itself if it is shared. Raises Uncopyable."""
        kind = type(value)
        if kind in SHARED:
            return value
        key = identity(value)
        found = self.copies.get(key, self)
        if found is not self:
            return found
        if key in self._shared:
            return value
        made = (COPIES.get(kind) or COPIES[object])(self, value)
        self.copies[key] = made
        return made

    def is_of_all(self, value: Any) -> bool:
        """Returns whether an object is one that several threads have."""
        return identity(value) in self._shared

    def has_all(self, things: set[Any]) -> bool:
        """Returns whether a set holds objects that several threads have, and is in no order of its own."""
        return goes_by_address(things, self._shared)

    def stays(self, thing: Any) -> bool:
        """Returns whether a function, a class or a variable of a closure is of the host, which all threads have."""
        if self._host_cells is None:
            return False
        return identity(thing) in self._host_cells if type(thing) is types.CellType else is_of_host(thing)

    def all(self, values: Any) -> list[Any]:
        """The copies of several objects."""
        return [value if type(value) in SHARED else self.copy(value) for value in values]

    def fill_cells(self) -> None:
        """Put into new cells what theirs hold."""
        while self.empty_cells:
            original, copy = self.empty_cells.pop()
            held = held_in(original)
            if held is not NULL:
                copy.cell_contents = self.copy(held)

    def made(self, original: Any, copy: Any) -> Any:
        """Note a copy before what it holds is copied, which may hold it."""
        self.copies[identity(original)] = copy
        return copy
