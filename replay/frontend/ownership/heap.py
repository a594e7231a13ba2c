"""The shared objects of one instance of a program whose code is interpreted: what becomes shared, and where.

An object becomes shared where it is. What it held is what memory holds at first; the object itself is emptied, so
that nobody who looks into it past the instructions can take what is there for what memory holds.
"""

from __future__ import annotations

import _random
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from types import CellType, FunctionType, ModuleType
from typing import Any

from replay.code.outside import LUCK
from replay.code.reachable import Global
from replay.code.running_thread import is_symbol, refuse, thread_here
from replay.code.user_code import stop_here
from replay.errors import TakenForConstant
from replay.frontend.ordinary.contents import LIMIT, base_of
from replay.frontend.ordinary.heap import Heap
from replay.frontend.ordinary.identity import KEY, Identity, is_bare
from replay.frontend.ordinary.own import ShareableBuiltin
from replay.frontend.ordinary.publication import is_constant
from replay.frontend.ordinary.values import Member, Reference
from replay.frontend.ownership.holders import Sharing
from replay.frontend.ownership.homes import Homes
from replay.frontend.ownership.host import name_of_host
from replay.frontend.ownership.made import is_made, made_again, parts_of
from replay.frontend.ownership.roots import share_roots
from replay.frontend.ownership.weak import check_weak_references
from replay.interpreter.lookup import ATOMS, identity
from replay.world.anatomy import is_written_in_python, slots_of
from replay.world.shown import full_name


class OwnedHeap(Heap):
    """The heap of a program whose threads run on the interpreter.

    changing   what threads of the program were seen to change; all else is constant (`key`)
    shared     the identities of shared objects, by `lookup.identity` of the object
    variables  those of variables of closures that are memory, by that of the cell
    kept       what must live as long as the heap
    no_memory  attributes that no class of an object of such a class has as memory
    titles     what the names of variables of functions begin with which the program shares, by `lookup.identity`
    roots      functions that threads run, or that these lead to, by `lookup.identity`
    homes      what the host has
    noted      what a thread has read that goes round and round; None while none does
    """

    def __init__(self, program: Any, like: OwnedHeap | None = None) -> None:
        super().__init__(program.function, like)
        self.changing: frozenset[str] = frozenset(program.changing) if like is None else like.changing
        self.variables: dict[int, Identity] = {}
        self.kept: list[Any] = []
        self.roots: set[int] = set()
        self.titles: dict[int, str] = {}
        self.no_memory: set[tuple[Any, str]] = set()
        self._bases: dict[Any, Any] = {}
        self.noted: set[str] | None = None
        self._stands_at: tuple[str, int] | None = None
        self.homes: Homes = Homes(self, None if like is None else like.homes)
        self.host_names = self.homes.names

    def look_at_home(self, module: object) -> None:
        """A module stays what it is."""

    # -- what becomes shared ------------------------------------------------------

    def share(self, thing: Any, name: str) -> Any:
        """Let an object, and all that it leads to, be shared under a name. Returns it. Refuses what cannot be."""
        known = self.shared.get(identity(thing))
        is_of_others = known is not None and (known.reference.member.lasts or not known.reference.group.is_declared)
        if isinstance(thing, FunctionType):
            self.titles.setdefault(identity(thing), f"{name.replace('#', ' ')}.")
            self.kept.append(thing)
            return thing
        if is_of_others:
            return thing
        return super().share(thing, name)

    def share_class(self, kind: Any) -> None:
        """A class is memory where threads change it."""

    def share_module(self, module: ModuleType) -> bool:
        """So is a module."""
        return False

    def is_asked_for(self, variable: Global) -> bool:
        """Returns True for a global variable that threads read only through this, which refuses what it cannot see."""
        return self.homes.of(variable.namespace) is not None

    def is_lasting(self, thing: object) -> bool:
        """Returns whether something is of the host, and must not be emptied."""
        return is_constant(thing)

    def other_name_of(self, thing: object, name: str) -> tuple[str, str] | None:
        """What the host has stands for itself nowhere."""
        return None

    def admit(self, function: FunctionType, slots: list[Any]) -> None:
        """Put in the place of default values of a function of the host what stands for them."""
        if identity(function) in self.homes.of_host:
            given = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
            for place, value in enumerate(slots):
                if type(value) not in ATOMS and any(value is each for each in given):
                    slots[place] = self.homes.standing_for(value, f"{function.__qualname__}.{place}")

    def admitted(self, found: Any, name: str) -> Any:
        """Returns what stands for an object of the host that a class has, and whose code computes an attribute."""
        return self.homes.standing_for(found, name)

    # -- what changes -------------------------------------------------------------

    def stand_in_of(self, thing: object) -> Any:
        """Returns what stands for a lock or counter of the host."""
        return self.stand_in(thing)

    def stand_in(self, thing: Any) -> Any:
        """Returns what stands for a lock or counter of the host, wherever code has found it."""
        return self.homes.standing_for(thing, name_of_host(thing))

    def key(self, member: Member, part: str) -> str:
        """What a part of an object is called in `changing`; "" for what is memory in any case."""
        kind = member.kind
        if not part:
            is_known = kind is CellType or (member.lasts and base_of(kind) is not None)
            return f"{member.name}[]" if is_known else ""
        return f"{member.name}.{part}" if member.lasts else f"{full_name(kind)}().{part}"

    def varies_in(self, member: Member, part: str) -> bool:
        """Returns whether threads were seen to change a part of an object."""
        key = self.key(member, part)
        return not key or key in self.changing

    def changes(self, function: FunctionType) -> bool:
        """Returns whether threads were seen to give an attribute to a function that they all have."""
        return f"{function.__qualname__}()" in self.changing

    def is_constant(self, known: Identity, part: str) -> bool:
        """Returns whether to read a part of an object is no operation."""
        if self.declaring:
            return thread_here() is None or not known.has_cell(part)
        found = known.plans.get(part)
        if found is None:
            found = known.plans[part] = not self.varies_in(known.reference.member, part)
        if found and self.noted is not None:
            self.note(self.key(known.reference.member, part))
        return bool(found)

    def note(self, key: str) -> None:
        """Note what is read that is no memory, if a thread is watched that goes round and round."""
        if self.noted is not None:
            self.noted.add(key)

    def overrun(self) -> None:
        """A thread jumps back and calls for long. If it waits for what is no memory, end the exploration."""
        thread = thread_here()
        at = None if thread is None else (thread.name, thread.performed)
        if at is None or at != self._stands_at:
            self._stands_at, self.noted = at, None
        elif self.noted is None:
            self.noted = set()
        elif self.noted:
            stop_here(TakenForConstant("\n".join(sorted(self.noted))))
        self.homes.forget()

    def check_change(self, known: Identity, part: str) -> None:
        """End the exploration if a thread changes what was taken for constant."""
        if not self.declaring and not self.varies_in(known.reference.member, part):
            stop_here(TakenForConstant(self.key(known.reference.member, part)))

    def cells(self) -> Iterator[tuple[Any, Identity]]:
        """All that has locations, and its identity; homes and variables of closures are None."""
        yield from ((self._objects.get(known.reference), known) for known in self.shared.values())
        yield from ((None, known) for known in (*self.homes.identities(), *self.variables.values()))

    def base_of(self, kind: Any) -> Any:
        """Returns the container that a class is made from, None if it is none."""
        if kind not in self._bases:
            self._bases[kind] = base_of(kind)
        return self._bases[kind]

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
            try:
                thing = object.__new__(kind)
            except TypeError:
                if issubclass(kind, _random.Random):
                    refuse(f"thread code uses {reference}, which draws numbers for all runs: {LUCK}")
                refuse(
                    f"{reference} is a {kind.__name__} of which there is one for all runs, and whose changes mcr "
                    "cannot see: let the program function make it, or use a list, a dict, or an object of a class"
                )
        self.enter(thing, reference)
        return thing

    def share_what_was_made(self, codes: Iterable[Callable[[], object]], named: Callable[[str], str]) -> None:
        """Share all that the program function has made and threads can reach."""
        share_roots(self, list(codes), named)

    def begin(self) -> None:
        """Threads begin: what the program function has made for classes and modules is shared as well."""
        self.homes.begin()

    def check(self) -> None:
        """There is nothing that could have been changed where nobody sees it."""


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
