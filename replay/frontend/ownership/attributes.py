"""Attributes of shared objects and of classes, in Python which the interpreter runs: each access is an operation."""

from __future__ import annotations

from types import GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any

from replay.code.ordinary import LOCAL
from replay.frontend.ordinary.identity import Identity
from replay.frontend.ordinary.values import UNSET
from replay.interpreter.frame import MISSING, NULL
from replay.interpreter.intrinsics import class_of
from replay.interpreter.library.looking import raw_of_class
from replay.interpreter.lookup import is_a, lookup, mro_of, namespace_of
from replay.interpreter.natives import natively
from replay.world.anatomy import is_written_in_python


def load(thing: Any, identity: Identity, name: str, kind: Any, fall_back: Any, is_memory: bool) -> Any:
    """`thing.name` of a shared object; `fall_back` is its `__getattr__`, None if it has none.

    As `object.__getattribute__` does: data descriptors first, then what the object holds, then what the class has.
    `is_memory` says whether what one of its classes has by the name is memory as well.
    """
    try:
        found = raw_of_class(kind, name)
        if is_data(found):
            if is_slot(found):
                held = loaded(identity, name)
                if held is not UNSET:
                    return held
                raise missing(thing, name)
            if is_of_c(found):
                return kept(found, thing, kind)
            return admitted(found, name, identity).__get__(thing, kind)
        if name == "__dict__" and has_variables(kind):
            return view(identity)
        held = loaded(identity, name)
        if held is not UNSET:
            return held
        return of_class(thing, kind, name, is_memory, identity.heap)
    except AttributeError:
        if fall_back is None:
            raise
    return fall_back(thing, name)


def load_changing(thing: Any, identity: Identity, name: str, kind: Any, fall_back: Any, is_memory: bool) -> Any:
    """Loads an attribute that may change, where no data descriptor comes before it."""
    held = identity.load(name)
    if held is not UNSET:
        return thawed(identity, held)
    try:
        return of_class(thing, kind, name, is_memory, identity.heap)
    except AttributeError:
        if fall_back is None:
            raise
    return fall_back(thing, name)


def load_own(thing: Any, name: str, kind: Any, fall_back: Any, heap: Any) -> Any:
    """Loads an attribute of an object of the thread's own, where what one of its classes has by the name is memory."""
    held = own_attribute(thing, name)
    if held is not MISSING:
        return held
    try:
        return of_class(thing, kind, name, True, heap)
    except AttributeError:
        if fall_back is None:
            raise
    return fall_back(thing, name)


def load_of_class(kind: Any, name: str, heap: Any) -> Any:
    """`kind.name` of a class, where something else is read than what it or a base has by the name."""
    found = held_by_classes(kind, name, heap)
    if found is MISSING:
        return of_class(kind, type(kind), name, True, heap)
    if hasattr(type(found), "__get__"):
        return found.__get__(None, kind)
    return found


def of_class(thing: Any, kind: Any, name: str, is_memory: bool, heap: Any) -> Any:
    """Returns what an object has by its class. Raises AttributeError."""
    found = held_by_classes(kind, name, heap) if is_memory else raw_of_class(kind, name)
    if found is MISSING:
        raise missing(thing, name)
    if hasattr(type(found), "__get__"):
        return found.__get__(thing, kind)
    return found


def held_by_classes(kind: Any, name: str, heap: Any) -> Any:
    """Returns what the first class that has something by a name has; MISSING if none has."""
    for base in bases(kind):
        home = home_of(base, heap)
        held = held_by_home(home, name, heap) if home is not None else held_by_own(base, name)
        if held is not UNSET:
            return held
    return MISSING


def held_by_home(home: Any, name: str, heap: Any) -> Any:
    """Returns what a home has by a name; UNSET for nothing."""
    known = heap.homes.cell(home, name)
    return heap.homes.first(home, name) if known is None else loaded(known, name)


def global_variable(home: Any, name: str, builtins: dict[str, Any], heap: Any) -> Any:
    held = held_by_home(home, name, heap)
    if held is not UNSET:
        return held
    if name in builtins:
        return builtins[name]
    raise NameError(f"name {name!r} is not defined", name=name)


def of_home(thing: Any, home: Any, name: str, heap: Any) -> Any:
    """`thing.name` of a module or a function: what it holds, then what its class has."""
    held = held_by_home(home, name, heap)
    if held is not UNSET:
        return held
    kind = class_of(thing)
    if raw_of_class(kind, name) is not MISSING:
        return by_class(thing, name)
    fall_back = held_by_home(home, "__getattr__", heap) if issubclass(kind, ModuleType) else UNSET
    if fall_back is UNSET:
        raise missing(thing, name)
    return fall_back(name)


def store_in_home(home: Any, name: str, value: Any, heap: Any) -> None:
    """A home is given an attribute."""
    if heap.declaring:
        heap.homes.set_up(home, name, value)
    else:
        store(heap.homes.changed(home, name), name, value)


def delete_global(home: Any, name: str, heap: Any) -> None:
    try:
        delete_in_home(None, home, name, heap)
    except AttributeError:
        raise NameError(f"name {name!r} is not defined", name=name) from None


def delete_in_home(thing: Any, home: Any, name: str, heap: Any) -> None:
    if not heap.declaring:
        delete(thing, heap.homes.changed(home, name), name)
    elif held_by_home(home, name, heap) is UNSET:
        raise missing(thing, name)
    else:
        heap.homes.set_up(home, name, UNSET)


def loaded(identity: Identity, name: str) -> Any:
    """Returns what an attribute of the object holds, UNSET for none."""
    held = identity.load(name)
    return held if held is UNSET else thawed(identity, held)


def store(identity: Identity, name: str, value: Any) -> None:
    """`thing.name = value`."""
    identity.store(name, frozen(identity, value, name))


def delete(thing: Any, identity: Identity, name: str) -> None:
    """`del thing.name`."""
    if identity.remove(name) is UNSET:
        raise missing(thing, name)


@natively
def by_class(thing: Any, name: str) -> Any:
    """Returns an attribute that a function or a module has by its class, which is written in C."""
    return object.__getattribute__(thing, name)


@natively
def home_of(kind: Any, heap: Any) -> Any:
    return heap.homes.of(kind)


@natively
def held_by_own(kind: Any, name: str) -> Any:
    return namespace_of(kind).get(name, UNSET)


@natively
def bases(kind: Any) -> Any:
    return mro_of(kind)


@natively
def own_attribute(thing: Any, name: str) -> Any:
    if is_a(thing, LOCAL):
        return LOCAL.__getattribute__(thing, "__dict__").get(name, MISSING)
    if not type(thing).__dictoffset__:
        return MISSING
    return object.__getattribute__(thing, "__dict__").get(name, MISSING)


@natively
def is_data(found: Any) -> bool:
    """Returns True if what a class has comes before what an object has."""
    if found is MISSING or (type(found) is GetSetDescriptorType and found.__name__ == "__dict__"):
        return False
    return lookup(type(found), "__set__") is not NULL or lookup(type(found), "__delete__") is not NULL


@natively
def has_variables(kind: type) -> bool:
    """Returns whether objects of a class have a `__dict__`: lists have none, nor has what has slots alone."""
    return bool(kind.__dictoffset__)


@natively
def view(identity: Identity) -> Any:
    return identity.heap.view(identity)  # type: ignore[attr-defined]


@natively
def is_slot(found: Any) -> bool:
    return type(found) is MemberDescriptorType and is_written_in_python(found.__objclass__)


@natively
def is_of_c(found: Any) -> bool:
    """Returns whether a descriptor gives what Python keeps of an object outside of its attributes."""
    return type(found) in (GetSetDescriptorType, MemberDescriptorType)


@natively
def kept(found: Any, thing: Any, kind: Any) -> Any:
    """Returns what such a descriptor gives: nobody changes it."""
    return found.__get__(thing, kind)


@natively
def missing(thing: Any, name: str) -> AttributeError:
    kind = type(thing)
    if issubclass(kind, type):
        return AttributeError(f"type object {thing.__name__!r} has no attribute {name!r}", name=name, obj=thing)
    if issubclass(kind, ModuleType):
        return AttributeError(f"module {thing.__name__!r} has no attribute {name!r}", name=name, obj=thing)
    return AttributeError(f"{kind.__name__!r} object has no attribute {name!r}", name=name, obj=thing)


@natively
def admitted(found: Any, name: str, identity: Identity) -> Any:
    return identity.heap.admitted(found, name)  # type: ignore[attr-defined]


@natively
def thawed(identity: Identity, held: Any) -> Any:
    return identity.heap.thaw(held)


@natively
def frozen(identity: Identity, value: Any, part: str) -> Any:
    return identity.heap.freeze(value, part)
