"""Publication: a value that is stored becomes shared, with all objects to which it leads."""

from __future__ import annotations

import _random
import _thread
import dataclasses
import functools
import itertools
import weakref
from collections.abc import Iterator
from contextvars import ContextVar
from datetime import tzinfo
from enum import Enum
from types import (
    BuiltinFunctionType,
    CellType,
    MappingProxyType,
    MethodType,
    MethodWrapperType,
    SimpleNamespace,
)
from typing import Any, NoReturn

from replay.code.belonging import is_of_checker, is_user_class
from replay.code.ordinary import LOCAL
from replay.code.outside import LUCK
from replay.code.running_thread import refuse
from replay.frontend.ordinary.constants import found_by_name, is_constant, title_of
from replay.frontend.ordinary.contents import (
    ALIKE,
    base_of,
    in_order,
    is_equal_by_code,
    refuse_alike,
    runs_code,
)
from replay.frontend.ordinary.identity import HeapForObjects, Identity, is_bare, spelled
from replay.frontend.ordinary.kinds import content_of, identity_of, is_shared
from replay.frontend.ordinary.local_parts import held_by_local
from replay.frontend.ordinary.own import Lock, RLock, ShareableBuiltin, SharedCount, begun_with
from replay.frontend.ordinary.plain import PLAIN, held_by, is_plain
from replay.frontend.ordinary.seeded import STATE, state_of
from replay.frontend.ordinary.valued import VALUE, VALUES, check_no_value, has_attributes, value_of
from replay.frontend.ordinary.values import Built, Group, Member, Reference
from replay.frontend.ordinary.wholes import whole_of
from replay.interpreter.generators import Generator
from replay.interpreter.lookup import identity, is_a
from replay.interpreter.natives import STANDS_FOR
from replay.interpreter.origins import is_of_host
from replay.world.anatomy import HEAP_TYPE, is_written_in_python
from replay.world.shown import shown
from replay.world.values import NoValue

LOCK, RLOCK = type(_thread.allocate_lock()), type(_thread.RLock())

_PARAMETERS: Any = vars(dataclasses)["_DataclassParams"]


class SharingTransaction:
    """One time at which objects become shared.

    named  what the first of them is called, "" for a name with a number
    part   where it is stored, for errors
    is_lasting  they outlive the runs: they stay what they are, and memory has others that hold the same
    """

    def __init__(self, heap: HeapForObjects, named: str, part: str, *, is_lasting: bool = False) -> None:
        self._heap = heap
        self._named = named
        self._part = part
        self._group = Group(declared=bool(named))
        self._names: set[str] = heap.names if named else set()
        self._references: dict[int, Reference | Built] = {}
        self._things: list[tuple[Any, Reference]] = []
        self._built: list[tuple[Built, Any]] = []
        self._kept: list[Any] = []
        self._stays = bool(named)
        self._is_lasting = is_lasting

    def complete(self) -> None:
        """All that was found becomes shared."""
        if not self._things and not self._built:
            return
        self._group.complete()
        for thing, reference in self._things:
            self._heap.enter(thing, reference)
        for frozen, thing in self._built:
            self._heap.remember(frozen, thing)

    def frozen(self, value: Any, path: str = "") -> Any:
        """Returns what memory holds for a value that is found at a path, which names it if it is new."""
        kind = type(value)
        if kind in PLAIN:
            return value
        if kind is Identity:
            value.looked_into()
        if is_shared(value):
            return identity_of(value).reference
        known = (
            self._references.get(identity(value))
            or self._heap.lasting_references.get(identity(value))
            or self._heap.built_of(value)
        )
        if known is not None:
            return known
        if issubclass(kind, tuple) and not has_attributes(value) and not self._heap.is_object(kind):
            return self._frozen_tuple(value, path)
        if kind is frozenset:
            return frozenset(
                in_order(value, lambda each, step: self.frozen(each, path + step if path or step is ALIKE else ""))
            )
        if issubclass(kind, LOCK | RLOCK | itertools.count):
            return self._converted(value, path)
        if kind is CellType and not self._is_lasting and (made := self._heap.variable_of_host(value, path)) is not None:
            return identity_of(made).reference
        if kind is Generator and not self._is_lasting:
            self._heap.convert(value)
        if self._heap.is_object(value):
            return self._member(value, path)
        if _can_be_member(value):
            if not self._is_lasting and is_constant(value):
                return self._lasting(value, path)
            return self._member(value, path)
        if is_plain(value):
            return value
        return self._frozen_built(value, path)

    def _frozen_tuple(self, value: tuple[Any, ...], path: str) -> Any:
        frozen = tuple(self.frozen(each, f"{path}[{index}]" if path else "") for index, each in enumerate(value))
        kind = type(value)
        if kind is not tuple and not self._heap.declaring and found_by_name(kind) is not kind and not is_constant(kind):
            _refuse_made_anew(kind, path or self._part)
        if all(one is two for one, two in zip(frozen, value, strict=True)):
            return value
        return frozen if type(value) is tuple else tuple.__new__(type(value), frozen)

    # -- objects -----------------------------------------------------------------

    def _lasting(self, value: Any, path: str) -> Reference:
        """A reference to what holds the same as an object that outlives the runs, which stays what it is."""
        if identity(value) not in self._heap.lasting_references:
            title = path or self._named or title_of(value)
            apart = SharingTransaction(self._heap, title, self._part, is_lasting=True)
            apart._member(value, title)
            apart.complete()
        return self._heap.lasting_references[identity(value)]

    def _member(self, value: Any, path: str, instead_of: Any = None) -> Reference:
        """A reference to an object of its own, or to one of the model that takes the place of one that lasts."""
        lasting = value if instead_of is None else instead_of
        kind: Any = type(value)
        if not _has_classes(value):
            is_known = self._is_lasting or self._heap.is_object(kind)
            _check_class(kind, path or self._part, is_lasting=is_known)
        if kind is ContextVar and not self._heap.declaring:
            refuse(f"{path or self._part} is a ContextVar that a thread has made: make it in the program function")
        _, known = self._heap.host_names.get(identity(lasting), ("", "")) if self._is_lasting else ("", "")
        is_class = issubclass(kind, type)
        if is_class and not self._heap.declaring:
            path = self._heap.next_name(value)
        name = known or self._own_name(path, kind)
        if self._is_lasting:
            self._heap.host_names[identity(lasting)] = lasting, name
        member = Member(name, kind)
        member.stays = stays = self._stays
        member.lasts = self._is_lasting
        reference = self._references[identity(value)] = Reference(member, self._group)
        self._group.members.append(member)
        if self._is_lasting:
            self._heap.lasting_references[identity(lasting)] = reference
        else:
            self._things.append((value, reference))
        if self._heap.is_object(kind):
            member.made = self.frozen(kind, kind.__name__)
        if issubclass(kind, ShareableBuiltin):
            member.content = value.held(lambda each, step: self.frozen(each, f"{name}{step}"), name)
        elif self._heap.is_object(value):
            member.content = self._heap.parts_of(value, lambda each, step: self.frozen(each, f"{name}{step}"))
        elif issubclass(kind, LOCAL):
            member.content = held_by_local(value, lambda each, step: self.frozen(each, f"{name}{step}"))
        elif issubclass(kind, VALUES):
            member.content[VALUE] = self.frozen(value_of(value), name)
        elif base_of(kind) is not None:
            self._stays = False
            member.content = content_of(value, lambda each, step: self.frozen(each, f"{name}{step}"))
        elif issubclass(kind, _random.Random):
            if self._is_lasting:
                refuse(f"thread code uses {name}, which draws numbers for all runs: {LUCK}")
            member.content = {STATE: state_of(value)}
        if not (is_class or issubclass(kind, ShareableBuiltin) or is_bare(kind) or kind is base_of(kind)):
            for attribute, each in held_by(value).items():
                self._stays = stays and not self._heap.varies_in(member, attribute)
                member.content[attribute] = self.frozen(each, self._path(member, attribute, each))
        self._stays = stays
        return reference

    def _own_name(self, path: str, kind: Any) -> str:
        """A name that no other object has: two may be found at one path, as variables of one closure."""
        if ALIKE in path:
            refuse_alike()
        wanted = path or self._named or self._heap.next_name(kind)
        names = itertools.chain([wanted], (f"{wanted}#{number}" for number in itertools.count(2)))
        name = next(each for each in names if each not in self._names)
        self._names.add(name)
        return name

    def _converted(self, thing: Any, path: str) -> Reference:
        """A lock that was made elsewhere, as by a default argument, or a counter: one of the model takes its place."""
        if not self._is_lasting and (known := self._heap.stand_in_of(thing)) is not None:
            return identity_of(known).reference
        self._kept.append(thing)
        is_counter = is_a(thing, itertools.count)
        made: Any = self._counter(thing, path) if is_counter else self._lock(thing, path)
        reference = self._references[identity(thing)] = self._member(made, path, thing)
        return reference

    def _lock(self, lock: Any, path: str) -> Lock | RLock:
        is_taken = getattr(lock, "_is_owned", None) or lock.locked
        if is_taken():
            refuse(f"{path or self._part} is a lock that was taken when its module was loaded: make it in __init__")
        return RLock() if is_a(lock, RLOCK) else Lock()

    def _counter(self, counter: Any, path: str) -> SharedCount:
        try:
            return SharedCount(*begun_with(counter))
        except ValueError:
            refuse(f"{path or self._part} is {counter!r}, and nobody knows what it gives next: count in int or float")

    def _mark(self, value: Any, path: str) -> Reference:
        """Returns a reference for a value that is known by its name only, and is told from others that are built of
        the same."""
        reference = Reference(Member(self._own_name(path, type(value)), object), self._group)
        self._group.members.append(reference.member)
        self._things.append((object(), reference))
        return reference

    def _path(self, owner: Member, attribute: str, value: object) -> str:
        """Returns the name of an object that an attribute holds; a location must not have that of a cell."""
        name = f"{owner.name}.{spelled(owner.kind, attribute)}"
        is_location = is_a(value, ShareableBuiltin) or base_of(type(value)) is not None
        if is_location and self._heap.varies_in(owner, attribute):
            return f"{name}.{type(value).__name__}"
        return name

    # -- what is built -----------------------------------------------------------

    def _frozen_built(self, value: Any, path: str) -> Built:
        """Returns what is built again where it is read."""
        if (found := whole_of(value)) is not None:
            how, known = found
            mark = self._mark(value, path)
            built = Built(how, (mark, *(self.frozen(each, path) for each in known)))
            self._references[identity(value)] = built
            self._built.append((built, value))
            return built
        how, parts = _parts(value, path or self._part)
        built = Built(how, (self.frozen(each, path) for each in parts))
        if how != "built-in method" and not self._is_lasting:  # they would go past what its object becomes
            self._built.append((built, value))
        return built


def _can_be_member(value: Any) -> bool:
    """Returns whether something is an object of its own: its identity counts, and it may change."""
    kind = type(value)
    if issubclass(kind, ShareableBuiltin | LOCAL) or base_of(kind) is not None:
        return True
    if is_bare(kind):
        return not is_constant(value)
    if issubclass(kind, type | Enum | NoValue | BaseException | functools.partial | weakref.ref):
        return False
    if kind is SimpleNamespace:
        return True
    if kind is _PARAMETERS or not is_written_in_python(kind):
        return False
    base = next(each for each in kind.__mro__ if not each.__flags__ & HEAP_TYPE)
    # a `tzinfo` of C holds nothing
    is_known = base in (object, tzinfo) or (base in VALUES and not is_equal_by_code(kind))
    return is_known and not is_plain(value)


_OF_CONTAINERS = ("replay.frontend.ownership.", "replay.frontend.ordinary.iterating")
"""Modules that define iterators and views of what is shared, by what their names begin with."""


def _has_classes(value: Any) -> bool:
    """Returns whether a container of weak references has classes for keys, which there are as long as their modules."""
    is_weak = type(value) is weakref.WeakKeyDictionary
    return is_weak and all(is_a(key(), type) for key in value.data)


def _check_class(kind: type, where: str, *, is_lasting: bool) -> None:
    if issubclass(kind, ShareableBuiltin):
        return
    shown_kind = kind.native if issubclass(kind, Generator) else STANDS_FOR.get(kind)
    if shown_kind not in (None, functools._lru_cache_wrapper) or str(kind.__module__).startswith(_OF_CONTAINERS):
        if shown_kind is dict:
            refuse(f"{where or 'this'} is the __dict__ of what is shared: store a copy of it")
        name = (shown_kind or kind).__name__
        if shown_kind is itertools.cycle:
            refuse(f"{where or 'this'} is a cycle of what may change: write itertools.cycle(tuple(...))")
        refuse(f"{where or 'this'} is a {name}, which cannot be shared: nobody can see what it holds")
    if kind is weakref.finalize:
        refuse(f"{where or 'this'} calls a function when an object is freed: call that function in your code instead")
    if is_user_class(kind) and not is_of_host(kind) and not is_lasting:
        _refuse_made_anew(kind, where)


def _refuse_made_anew(kind: type, where: str) -> NoReturn:
    refuse(
        f"{where + ' is' if where else 'this is'} an object of class {kind.__qualname__.rpartition('.')[2]}, which "
        "every run of the program makes anew: define the class in the file, outside of functions"
    )


def _parts(value: Any, where: str) -> tuple[str, Iterator[Any] | tuple[Any, ...]]:
    """How a value is built, and of what."""
    match value:
        case MethodType() if (
            is_shared(value.__self__) and base_of(type(value.__self__)) and is_of_checker(value.__func__)
        ):
            return "built-in method", (value.__name__, value.__self__)
        case MethodType():
            return "method", (value.__func__, value.__self__)
        case BuiltinFunctionType() | MethodWrapperType():
            return "built-in method", (value.__name__, value.__self__)
        case weakref.ref() if type(value) is weakref.KeyedRef:
            return "weak reference with a key", (value(), value.key)
        case weakref.ref() if type(value) is weakref.ref:
            if value.__callback__ is not None and runs_code(value(), ("__hash__", "__eq__")):
                refuse(
                    f"{where or 'this'} is known to a weak container, and {type(value()).__name__} is compared by code "
                    "of its own: use a dict or a set"
                )
            return "weak reference", (value(),)
        case _ if type(value) is _PARAMETERS:
            return "parameters", tuple(getattr(value, slot) for slot in _PARAMETERS.__slots__)
        case property() if type(value) is property:
            return "property", (value.fget, value.fset, value.fdel, value.__doc__)
        case classmethod() | staticmethod() if type(value) in (classmethod, staticmethod):
            return type(value).__name__, (value.__func__,)
    name = type(value).__name__
    if is_a(value, MappingProxyType):
        refuse(f"{where or 'this'} is a mappingproxy of a dict that others have, too: make it of a copy of that")
    check_no_value(value, where or "this")
    refuse(f"{where or 'this'}: {shown(value)} is a {name}, which cannot be shared: nobody can see what it holds")
