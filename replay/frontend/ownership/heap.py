"""The shared objects of one instance of a program whose code is interpreted: what becomes shared, and where.

An object becomes shared where it is. What it held is what memory holds at first; the object itself is emptied, so
that nobody who looks into it past the instructions can take what is there for what memory holds.
"""

from __future__ import annotations

import _random
import hashlib
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from datetime import tzinfo
from functools import partial
from types import CellType, FunctionType, SimpleNamespace
from typing import Any

from replay.code.ordinary import LOCAL
from replay.code.running_thread import current_run, is_symbol, refuse, thread_here
from replay.code.user_code import EMPTIED, stop_here
from replay.code.variables import Global
from replay.code.watchdog import look
from replay.errors import TakenForConstant
from replay.frontend.ordinary.byte_arrays import empty_bytes
from replay.frontend.ordinary.constants import is_constant
from replay.frontend.ordinary.contents import LIMIT, base_of
from replay.frontend.ordinary.generators import share
from replay.frontend.ordinary.identity import KEY, Identity, is_bare
from replay.frontend.ordinary.kinds import identity_of, is_shared
from replay.frontend.ordinary.own import ShareableBuiltin
from replay.frontend.ordinary.plain import is_plain, name_of_constant
from replay.frontend.ordinary.publication import SharingTransaction
from replay.frontend.ordinary.valued import VALUE, with_value
from replay.frontend.ordinary.values import Built, Member, Reference
from replay.frontend.ordinary.wholes import is_itself
from replay.frontend.ownership.built import build
from replay.frontend.ownership.holders import Sharing
from replay.frontend.ownership.homes import Homes
from replay.frontend.ownership.host import name_of_host
from replay.frontend.ownership.made import is_made, made_again, parts_of
from replay.frontend.ownership.outcomes import outcome
from replay.frontend.ownership.roots import share_roots
from replay.frontend.ownership.weak import check_weak_references
from replay.frontend.threads import FINAL
from replay.interpreter.lookup import ATOMS, identity, is_a
from replay.interpreter.origins import is_of_host
from replay.world.anatomy import is_written_in_python, slots_of
from replay.world.shown import full_name, shown
from replay.world.values import canonical_key

_MAKERS: tuple[Any, ...] = (SimpleNamespace, tzinfo, _random.Random, LOCAL, object)
"""Classes whose `__new__` makes an object that stands for a shared one; the first that fits."""

_LONG = 10
"""So many times a thread may overrun without an operation until what it reads is noted: a tenth of a second."""


class Heap:
    """The shared objects of one instance of a program.

    declaring  whether the program function is running
    declare    declares a thread of the program
    program    the function of the program
    has_main   whether thread 0 is the main thread, which starts all others
    main       the object that stands for it; None unless code asks for it
    names      of objects that are shared
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

    def __init__(self, program: Any, like: Heap | None = None) -> None:
        """`like` is the heap of the first instance."""
        self.program: FunctionType = program.function
        self.changing: frozenset[str] = frozenset(program.changing) if like is None else like.changing
        self.has_main: bool = program.has_main
        self.main: Any = None
        self.declaring = True
        self.declare: Callable[..., Any] = refuse
        self.names: set[str] = set()
        self.lasting_references: dict[int, Reference] = {}
        self.shared: dict[int, Identity] = {}
        self.variables: dict[int, Identity] = {}
        self.kept: list[Any] = []
        self.roots: set[int] = set()
        self.titles: dict[int, str] = {}
        self.no_memory: set[tuple[Any, str]] = set()
        self.noted: set[str] | None = None
        self._objects: dict[Reference, Any] = {}
        self._built: dict[Built, Any] = {}
        self._wholes: dict[int, tuple[Any, Built]] = {}
        self._known: dict[Hashable, Any] = {}
        self._numbered: dict[int, tuple[Any, int]] = {}
        self._bases: dict[Any, Any] = {}
        self._stands_at: tuple[str, int] | None = None
        self._overruns = 0
        self.homes: Homes = Homes(self, None if like is None else like.homes)
        self.host_names = self.homes.names

    # -- what becomes shared ------------------------------------------------------

    def share(self, thing: Any, name: str) -> Any:
        """Let an object, and all that it leads to, be shared under a name. Returns it. Refuses what cannot be."""
        known = self.shared.get(identity(thing))
        is_of_others = known is not None and (known.reference.member.lasts or not known.reference.group.is_declared)
        if is_a(thing, FunctionType):
            self.titles.setdefault(identity(thing), f"{name.replace('#', ' ')}.")
            self.kept.append(thing)
            return thing
        if is_of_others:
            return thing
        if known is not None:
            refuse(f"{known} is shared already")
        if not is_plain(thing) and is_constant(thing):
            refuse(
                f"{name} was made before the program function was called, and there is one for all runs: "
                "make it in the program function"
            )
        if is_plain(thing) or not isinstance(self.freeze(thing, named=name), Reference):
            refuse(f"share() takes an object of a class, a list, a dict, a set or a deque, not {shown(thing)}")
        return thing

    def is_asked_for(self, variable: Global) -> bool:
        """Returns True for a global variable that threads read only through this, which refuses what it cannot see."""
        return self.homes.of(variable.namespace) is not None

    def admit(self, function: FunctionType, slots: list[Any]) -> None:
        """Put in the place of default values of a function of the host what stands for them."""
        if is_of_host(function):
            self.homes.admit(function)
            given = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
            for place, value in enumerate(slots):
                if type(value) not in ATOMS and any(value is each for each in given):
                    slots[place] = self.homes.standing_for(value, f"{function.__qualname__}.{place}")

    def admitted(self, found: Any, name: str) -> Any:
        """Returns what stands for an object of the host that a class has, and whose code computes an attribute."""
        return self.homes.standing_for(found, name)

    def freeze(self, value: Any, part: str = "", *, named: str = "") -> Any:
        """Returns what memory holds for a value that a thread has; objects that were its own become shared.

        `part` is where it is stored, for errors. `named` is what a new object is called.
        """
        if type(value) in (int, str, bool, float, type(None)):
            return value
        publication = SharingTransaction(self, named, part)
        frozen = publication.frozen(value)
        publication.complete()
        if is_a(frozen, tuple | frozenset):
            self._one(frozen, value)
        return frozen

    def returned(self, value: Any, thread: str) -> Any:
        """Returns the result of a thread as a join finds it, or as an outcome."""
        return outcome(value, self.freeze) if thread == FINAL else self.freeze(value)

    def next_name(self, kind: Any) -> str:
        """Returns what tells an object that a thread shares from all others of an execution."""
        run = current_run()
        return f"{kind.__name__}#{run.name}.{run.next_number('record')}"

    # -- what memory holds, and the way back --------------------------------------

    def thaw(self, frozen: Any) -> Any:
        """Returns what a thread of this instance has for what memory holds."""
        kind = type(frozen)
        if kind is Reference:
            found = self._objects.get(frozen)
            return self._standing_for(frozen) if found is None else found
        if kind is Built:
            if frozen not in self._built:
                self.remember(frozen, build(frozen, self.thaw))
            return self._built[frozen]
        if is_a(frozen, tuple) and frozen:
            return self._one(frozen, self._thawed_tuple(frozen))
        if kind is frozenset:
            return self._one(frozen, frozenset(map(self.thaw, frozen)))
        return frozen

    def remember(self, frozen: Built, thing: Any) -> None:
        """Give this to threads of this instance that read the value. One with an identity is what was made last."""
        if is_itself(frozen):
            self._built[frozen] = thing
            self._wholes[identity(thing)] = thing, frozen
        self._built.setdefault(frozen, thing)

    def built_of(self, value: Any) -> Built | None:
        """Returns what memory holds for a value that has an identity, and is known; None for others."""
        found = self._wholes.get(identity(value))
        return None if found is None else found[1]

    def _one(self, frozen: Any, thing: Any) -> Any:
        """A tuple or frozenset that has shared objects: one for all equal ones, as memory has."""
        return thing if thing is frozen else self._known.setdefault(canonical_key(frozen), thing)

    def _thawed_tuple(self, frozen: tuple[Any, ...]) -> tuple[Any, ...]:
        thawed = tuple(map(self.thaw, frozen))
        if all(one is two for one, two in zip(thawed, frozen, strict=True)):
            return frozen
        return thawed if type(frozen) is tuple else tuple.__new__(type(frozen), thawed)

    def name_of(self, thing: Any) -> str:
        """Returns the name of a shared object; "" for one that is not shared."""
        return str(identity_of(thing)) if is_shared(thing) else ""

    def number_of(self, thing: Any) -> int | None:
        """Returns the `id` of an object, the same in all instances and runs; None where no number is.

        Objects that the program function asks it of have one in the order in which it asks, all other shared ones one
        made of their name. So it is the same before and after they become shared. What a module has by a name has one
        made of that.
        """
        if id(thing) not in self._numbered and self.declaring and not is_shared(thing):
            self._numbered[id(thing)] = thing, _number(f"asked {len(self._numbered)}")
        if id(thing) in self._numbered:
            return self._numbered[id(thing)][1]
        if is_shared(thing):
            return _number(f"shared {identity_of(thing)}")
        name = name_of_constant(thing)
        return _number(name) if name else None

    # -- what changes -------------------------------------------------------------

    def stand_in_of(self, thing: object) -> Any:
        """Returns what stands for a lock or counter of the host."""
        return self.stand_in(thing)

    def variable_of_host(self, cell: CellType, name: str) -> Any:
        """Returns what stands for a variable of a closure of the host; None for one of the model."""
        return self.homes.standing_for(cell, name) if self.homes.has(cell) else None

    def stand_in(self, thing: Any) -> Any:
        """Returns what stands for a lock or counter of the host, wherever code has found it."""
        return self.homes.standing_for(thing, name_of_host(thing))

    def key(self, member: Member, part: str) -> str:
        """Returns the name of an object's part in `changing`; "" for what is memory in any case."""
        kind = member.kind
        if not part:
            is_known = kind is CellType or (member.lasts and base_of(kind) is not None)
            return f"{member.name}[]" if is_known else ""
        return f"{member.name}.{part}" if member.lasts else f"{full_name(kind)}().{part}"

    def varies_in(self, member: Member, part: str) -> bool:
        """Returns whether threads were seen to change a part of an object."""
        key = self.key(member, part)
        return not key or key in self.changing

    def varying(self, kind: type) -> set[str]:
        """The names of attributes of objects of a class that threads were seen to change."""
        prefix = f"{full_name(kind)}()."
        return {key.removeprefix(prefix) for key in self.changing if key.startswith(prefix)}

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
        look()
        thread = thread_here()
        at = None if thread is None else (thread.name, thread.performed)
        if at is None or at != self._stands_at:
            self._stands_at, self._overruns, self.noted = at, 0, None
        self._overruns += 1
        if self._overruns == _LONG:
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

    def convert(self, generator: Any) -> None:
        """Let a generator of a thread's own become one that may be in memory."""
        share(generator)

    def parts_of(self, value: Any, frozen: Callable[[Any, str], Any]) -> dict[str, Any]:
        """Returns what memory holds for what it is made of."""
        return parts_of(value, frozen)

    def enter(self, thing: Any, reference: Reference) -> None:
        """An object becomes the shared one that a reference names."""
        known = Identity(self, reference)
        self._objects[reference] = thing
        self.shared[identity(thing)] = known
        self.kept.append(thing)
        if type(thing) is CellType:
            self.variables[identity(thing)] = known
        elif is_a(thing, ShareableBuiltin):
            thing.become_shared(known)
            check_weak_references(thing, known)
        elif not is_a(thing, type) and not is_bare(type(thing)):
            Sharing(thing, known).replace()
            _empty(thing, known)
            check_weak_references(thing, known)

    def _standing_for(self, reference: Reference) -> Any:
        """A new object for one that another instance made."""
        of_thread = reference.member.made
        kind: Any = reference.member.kind if of_thread is None else self.thaw(of_thread)
        base: Any = base_of(kind)
        if kind in (CellType, FunctionType, partial) or issubclass(kind, BaseException | type):
            content = reference.member.content
            return made_again(kind, content, self.thaw, lambda made: self.enter(made, reference))
        if issubclass(kind, ShareableBuiltin):
            thing: Any = kind()
        elif VALUE in reference.member.content:
            thing = with_value(kind, self.thaw(reference.member.content[VALUE]))
        elif base is not None:
            thing = base.__new__(kind)
            if base is deque:
                deque.__init__(thing, (), reference.member.content[LIMIT])
        else:
            try:
                made_by = next(each for each in _MAKERS if issubclass(kind, each))
                thing = made_by.__new__(kind)
            except TypeError:
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
        variables = object.__getattribute__(thing, "__dict__")
        variables.clear()
        if hasattr(type(thing), "__del__"):
            variables[EMPTIED] = True
    if base is bytearray:
        empty_bytes(thing, known)
    elif base is not None:
        base.clear(thing)
        if issubclass(base, dict):
            base.__setitem__(thing, KEY, known)
        else:
            (set.add if base is set else base.append)(thing, known)


def _number(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=6).digest(), "big")
