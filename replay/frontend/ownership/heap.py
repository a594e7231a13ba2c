"""The shared objects of one instance of a program whose code is interpreted: what becomes shared, and where.

An object becomes shared where it is. What it held is what memory holds at first; the object itself is emptied, so
that nobody who looks into it past the instructions can take what is there for what memory holds.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from types import CellType, FunctionType, ModuleType
from typing import Any

from replay.code.ordinary import HAS_MODELS
from replay.code.running_thread import is_symbol, refuse
from replay.frontend.ordinary.class_cells import may_change
from replay.frontend.ordinary.contents import LIMIT, base_of
from replay.frontend.ordinary.heap import Heap
from replay.frontend.ordinary.identity import KEY, Identity, is_bare
from replay.frontend.ordinary.kinds import is_shared
from replay.frontend.ordinary.own import Count, ShareableBuiltin, begun_with
from replay.frontend.ordinary.values import Reference
from replay.frontend.ownership.holders import Sharing
from replay.frontend.ownership.homes import Homes
from replay.frontend.ownership.host import name_of_host
from replay.frontend.ownership.made import is_made, made_again, parts_of
from replay.frontend.ownership.roots import share_roots
from replay.frontend.ownership.weak import check_weak_references
from replay.interpreter.lookup import ATOMS, identity
from replay.world.anatomy import is_written_in_python, slots_of


class OwnedHeap(Heap):
    """The heap of a program whose threads run on the interpreter.

    shared     the identities of shared objects, by `lookup.identity` of the object
    variables  those of variables of closures that threads assign, by that of the cell
    kept       what must live as long as the heap
    no_memory  attributes that no class of an object of such a class has as memory
    roots      functions that threads run, or that these lead to, by `lookup.identity`
    homes      what classes and modules hold
    """

    def __init__(self, function: Callable[..., object], like: OwnedHeap | None = None) -> None:
        super().__init__(function, like)
        self.homes = Homes(function, self.classes)
        self.variables: dict[int, Identity] = {}
        self.kept: list[Any] = []
        self.roots: set[int] = set()
        self.no_memory: set[tuple[Any, str]] = set()
        self._bases: dict[Any, Any] = {}
        self._varies: dict[tuple[Any, str], bool] = {}
        self._outside: dict[int, tuple[Any, Any]] = {}

    def look_at_home(self, module: object) -> None:
        """A module stays what it is."""

    # -- what becomes shared ------------------------------------------------------

    def share(self, thing: Any, name: str) -> Any:
        """Let an object, and all that it leads to, be shared under a name. Returns it. Refuses what cannot be."""
        return thing if isinstance(thing, FunctionType) else super().share(thing, name)

    def share_class(self, kind: Any) -> None:
        """A class is memory where threads change it."""

    def share_module(self, module: ModuleType) -> bool:
        """So is a module."""
        return False

    def admit_defaults(self, function: FunctionType, slots: list[Any]) -> None:
        """Put in the place of default values what stands for them in this instance of the program."""
        given = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
        for place, value in enumerate(slots):
            if type(value) not in ATOMS and any(value is each for each in given) and self._is_outside(value):
                slots[place] = self._standing_for_outside(value, f"{function.__qualname__}.{place}")

    def admitted(self, found: Any, name: str) -> Any:
        """Returns what stands for an object of the host that a class has, and whose code computes an attribute."""
        if identity(found) in self.shared or not may_change(found, is_changed=False):
            return found
        return self._standing_for_outside(found, name)

    def _is_outside(self, value: Any) -> bool:
        if identity(value) in self.shared:
            return False
        kind = type(value)
        return kind in HAS_MODELS or base_of(kind) is not None or may_change(value, is_changed=False)

    def stand_in_of(self, thing: object) -> Any:
        """Returns what stands for a lock or counter of the host; None if it may be made while the program declares."""
        if identity(thing) not in self._outside and self.declaring:
            return None
        return self.stand_in(thing)

    def note_stand_in(self, thing: object, made: object) -> None:
        """From now on something stands for a lock or counter of the host."""
        self._outside[identity(thing)] = thing, made
        self.classes.note_copy(thing, made)

    def stand_in(self, thing: Any) -> Any:
        """Returns what stands for a lock or counter of the host, wherever code has found it."""
        _, made = self._outside.get(identity(thing), (None, None))
        return made if made is not None and is_shared(made) else self._standing_for_outside(thing, name_of_host(thing))

    def _standing_for_outside(self, value: Any, name: str) -> Any:
        """Returns what stands for something that the host has: a copy, which threads share under this name."""
        if identity(value) not in self._outside:
            copied = self.classes.copied(value)
            made = Count(*begun_with(copied)) if type(copied) is itertools.count else copied
            self._outside[identity(value)] = value, made
        made = self._outside[identity(value)][1]
        if not self.declaring and not is_shared(made):
            made = self.thaw(self.freeze(made, named=name))
            self._outside[identity(value)] = value, made
        return made

    def base_of(self, kind: Any) -> Any:
        """Returns the container that a class is made from, None if it is none."""
        if kind not in self._bases:
            self._bases[kind] = base_of(kind)
        return self._bases[kind]

    def varies(self, kind: Any, name: str) -> bool:
        """Returns whether an attribute of objects of a class may change."""
        key = (kind, name)
        if key not in self._varies:
            self._varies[key] = super().varies(kind, name)
        return self._varies[key]

    def stored(self, value: Any, part: str = "") -> Any:
        """Returns what memory holds for a value that code stores: a number that is not known yet stays what it is."""
        return value if is_symbol(value) else self.freeze(value, part)

    def is_object(self, value: Any) -> bool:
        """Returns whether a value is a function, an exception or the like, which is itself and no other one."""
        return is_made(value)

    def parts_of(self, value: Any, frozen: Callable[[Any, str], Any]) -> dict[str, Any]:
        """Returns what memory holds for what it is made of."""
        return parts_of(value, frozen)

    def check_class(self, kind: Any) -> None:
        """Any class will do, as its objects stay what they are."""

    def look_at_class(self, kind: Any) -> None:
        """A class stays what it is."""

    def look_at_code(self, codes: Iterable[Callable[[], object]]) -> None:
        """Nothing has to be put in the place of anything."""

    def enter(self, thing: Any, reference: Reference) -> None:
        """An object becomes the shared one that a reference names."""
        known = Identity(self, reference)
        self._objects[reference] = thing
        self.shared[identity(thing)] = known
        self.kept.append(thing)
        if type(thing) is CellType:
            self.variables[identity(thing)] = known
        elif isinstance(thing, ShareableBuiltin):
            thing.become_shared(known)
        elif not is_bare(type(thing)):
            Sharing(thing, known).replace()
            _empty(thing, known)
            check_weak_references(thing, known)

    def _standing_for(self, reference: Reference) -> Any:
        """A new object for one that another instance made."""
        kind: Any = reference.member.kind
        base: Any = base_of(kind)
        if kind is CellType or kind is FunctionType or kind is partial or issubclass(kind, BaseException):
            content = reference.member.content
            return made_again(kind, content, self.thaw, lambda made: self.enter(made, reference))
        if issubclass(kind, ShareableBuiltin):
            thing: Any = kind()
        elif base is not None:
            thing = base.__new__(kind)
            if base is deque:
                deque.__init__(thing, (), reference.member.content[LIMIT])
        else:
            thing = object.__new__(kind)
        self.enter(thing, reference)
        return thing

    def share_what_was_made(self, codes: Iterable[Callable[[], object]], named: Callable[[str], str]) -> None:
        """Share all that the program function has made and threads can reach."""
        share_roots(self, list(codes), named)

    def check(self) -> None:
        """There is nothing that could have been changed where nobody sees it."""

    def check_varies(self, known: Identity, name: str) -> None:
        """Refuse to set an attribute that no code was seen to set."""
        kind = known.reference.member.kind
        if not self.varies(kind, name):
            refuse(
                f"{known}.{name} is set by code that was not seen to set it: assign it as `self.{name} = ...` "
                f"in a method of class {kind.__name__} other than __init__, or in the file of the program"
            )


def _empty(thing: Any, known: Identity) -> None:
    """Let a shared object hold nothing but its identity, which refuses whoever looks into it."""
    base: Any = base_of(type(thing))
    for slot in slots_of(type(thing)):
        if is_written_in_python(slot.__objclass__):
            try:
                slot.__delete__(thing)
            except AttributeError:
                continue
    if type(thing).__dictoffset__:
        object.__getattribute__(thing, "__dict__").clear()
    if base is not None:
        base.clear(thing)
        if issubclass(base, dict):
            base.__setitem__(thing, KEY, known)
        else:
            (set.add if base is set else base.append)(thing, known)
