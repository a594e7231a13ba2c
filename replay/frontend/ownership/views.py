"""Results of `vars` for shared objects, classes and modules: each access is one of theirs."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any

from replay.code.running_thread import refuse
from replay.frontend.ordinary.identity import Identity
from replay.frontend.ordinary.values import UNSET
from replay.frontend.ownership import attributes
from replay.interpreter.lookup import lookup
from replay.interpreter.natives import natively, shows_as


class View(MutableMapping[str, Any]):
    """A dictionary of attributes, which loads and stores. Its methods are interpreted."""

    __slots__ = ()

    def load(self, name: str) -> Any:
        """Returns an attribute, UNSET if there is none."""
        raise NotImplementedError

    def names(self) -> list[str]:
        """Returns the names of attributes that there may be. Refuses to tell if that is more than one operation."""
        raise NotImplementedError

    def __getitem__(self, name: str) -> Any:
        held = self.load(name)
        if held is UNSET:
            raise KeyError(name)
        return held

    def __iter__(self) -> Iterator[str]:
        return iter([name for name in self.names() if self.load(name) is not UNSET])

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __eq__(self, other: object) -> bool:
        return dict(self.items()) == (dict(other.items()) if isinstance(other, View) else other)

    def __repr__(self) -> str:
        return repr(dict(self.items()))

    def copy(self) -> dict[str, Any]:
        return dict(self.items())

    def __or__(self, other: Any) -> Any:
        return dict(self.items()) | plain(other) if isinstance(other, dict) else NotImplemented

    def __ror__(self, other: Any) -> Any:
        return plain(other) | dict(self.items()) if isinstance(other, dict) else NotImplemented

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self


def plain(other: Any) -> Any:
    """Interpreted: what a dictionary holds, be it a view or not."""
    return dict(other.items()) if isinstance(other, View) else other


def method_of_view(view: View, native: Any) -> Any:
    """Returns the method of a view in the place of one of C for dictionaries. Refuses one that it does not have."""
    found = lookup(type(view), native.__name__)
    if type(found) is not FunctionType:
        refuse(f"dict.{native.__name__} looks into the __dict__ of what is shared: give it a copy")
    return found


@shows_as(dict)
class AttributesView(View):
    """Of a shared object."""

    __slots__ = ("_identity",)
    __class__ = property(lambda self: dict)

    def __init__(self, identity: Identity) -> None:
        self._identity = identity

    def is_of(self, known: Identity) -> bool:
        """Returns whether it is of this object."""
        return self._identity is known

    def load(self, name: str) -> Any:
        return UNSET if is_in_slot(self._identity, name) else attributes.loaded(self._identity, name)

    def names(self) -> list[str]:
        return names_of(self._identity)

    def __setitem__(self, name: str, value: object) -> None:
        check_no_slot(self._identity, name)
        attributes.store(self._identity, name, value)

    def __delitem__(self, name: str) -> None:
        if is_in_slot(self._identity, name) or self._identity.remove(name) is UNSET:
            raise KeyError(name)

    def setdefault(self, name: str, value: object = None) -> Any:
        check_no_slot(self._identity, name)
        frozen = attributes.frozen(self._identity, value, name)
        return attributes.thawed(self._identity, self._identity.set_default(name, frozen))

    def pop(self, name: str, *default: Any) -> Any:
        held = UNSET if is_in_slot(self._identity, name) else self._identity.remove(name)
        if held is not UNSET:
            return attributes.thawed(self._identity, held)
        if not default:
            raise KeyError(name)
        return default[0]


class HomeView(View):
    """A view of the attributes of a class, or of the variables of a module."""

    __slots__ = ("_heap", "_home")
    __class__ = property(lambda self: MappingProxyType if is_class(self._home) else dict)

    def __init__(self, home: Any, heap: Any) -> None:
        self._home = home
        self._heap = heap

    def load(self, name: str) -> Any:
        return attributes.held_by_home(self._home, name, self._heap)

    def names(self) -> list[str]:
        return self._heap.homes.all_names(self._home)  # type: ignore[no-any-return]

    def __setitem__(self, name: str, value: object) -> None:
        if is_class(self._home):
            raise TypeError("'mappingproxy' object does not support item assignment")
        attributes.store_in_home(self._home, name, value, self._heap)

    def __delitem__(self, name: str) -> None:
        if is_class(self._home):
            raise TypeError("'mappingproxy' object does not support item deletion")
        if self.load(name) is UNSET:
            raise KeyError(name)
        attributes.store_in_home(self._home, name, UNSET, self._heap)


def home_view(home: Any, heap: Any) -> HomeView:
    """Interpreted: a view of all that a home has."""
    return HomeView(home, heap)


@natively
def is_class(home: Any) -> bool:
    return home.kind is not ModuleType


@natively
def is_in_slot(known: Identity, name: str) -> bool:
    """Returns whether an attribute has a slot, and no place in the dictionary."""
    return attributes.is_slot(lookup(known.reference.member.kind, name))


@natively
def check_no_slot(known: Identity, name: str) -> None:
    """Refuse to put into the dictionary what is called like a slot."""
    if is_in_slot(known, name):
        refuse(f"{known}.__dict__[{name!r}] is set, and the class has a slot of that name: give them two names")


@natively
def names_of(known: Identity) -> list[str]:
    """The names of attributes that an object may have. Refuses to tell if more than one of them changes."""
    heap: Any = known.heap
    member = known.reference.member
    prefix = heap.key(member, "\0").removesuffix("\0")
    # all but what a container holds, and what is in slots
    held = [name for name in member.content if name and name[0] != "\0" and not is_in_slot(known, name)]
    varying = [name for name in held if heap.varies_in(member, name)]
    varying += sorted({each.removeprefix(prefix) for each in heap.changing if each.startswith(prefix)} - {*varying})
    varying = [name for name in varying if not is_in_slot(known, name)]
    if len(varying) > 1:
        refuse(f"code that uses {known}.__dict__ goes through all attributes: name the attributes, as in {known}.x")
    return [*held, *(name for name in varying if name not in held)]
