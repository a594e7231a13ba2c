"""Attributes of shared objects and of classes, in Python which the interpreter runs: each access is an operation."""

from __future__ import annotations

from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any

from replay.frontend.ordinary.identity import Identity
from replay.frontend.ordinary.objects import Attributes
from replay.frontend.ordinary.values import UNSET
from replay.interpreter.frame import MISSING, NULL
from replay.interpreter.lookup import lookup, mro_of, namespace_of
from replay.interpreter.natives import natively
from replay.world.anatomy import is_written_in_python


def load(thing: Any, identity: Identity, name: str, kind: Any, fall_back: Any, is_memory: bool) -> Any:
    """`thing.name` of a shared object; `fall_back` is its `__getattr__`, None if it has none.

    As `object.__getattribute__` does: data descriptors first, then what the object holds, then what the class has.
    `is_memory` says whether what one of its classes has by the name is memory as well.
    """
    try:
        found = found_in(kind, name)
        if is_data(found):
            if is_slot(found):
                held = loaded(identity, name)
                if held is not UNSET:
                    return held
                raise missing(kind, name)
            return admitted(found, name, identity).__get__(thing, kind)
        if name == "__dict__":
            return Attributes(thing, identity)
        held = loaded(identity, name)
        if held is not UNSET:
            return held
        return of_class(thing, kind, name, is_memory, identity.heap)
    except AttributeError:
        if fall_back is None:
            raise
    return fall_back(thing, name)


def load_changing(thing: Any, identity: Identity, name: str, kind: Any, fall_back: Any, is_memory: bool) -> Any:
    """The same of an attribute that may change, where no data descriptor comes before it."""
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
    """The same of an object of the thread's own, where what one of its classes has by the name is memory."""
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
    """`kind.name` of a class, where what it or a base has by the name is memory."""
    found = held_by_classes(kind, name, heap)
    if found is MISSING:
        raise missing_of_class(kind, name)
    if hasattr(type(found), "__get__"):
        return found.__get__(None, kind)
    return found


def of_class(thing: Any, kind: Any, name: str, is_memory: bool, heap: Any) -> Any:
    """Returns what an object has by its class. Raises AttributeError."""
    found = held_by_classes(kind, name, heap) if is_memory else found_in(kind, name)
    if found is MISSING:
        raise missing(kind, name)
    if hasattr(type(found), "__get__"):
        return found.__get__(thing, kind)
    return found


def held_by_classes(kind: Any, name: str, heap: Any) -> Any:
    """Returns what the first class that has something by a name has; MISSING if none has."""
    for cell, value in places(kind, name, heap):
        if cell is None:
            return value
        held = heap.classes.load(cell)
        if held is not UNSET:
            return held
    return MISSING


def loaded(identity: Identity, name: str) -> Any:
    """Returns what an attribute of the object holds, UNSET for none: by an operation, if the attribute may change."""
    held = identity.load(name) if may_change(identity, name) else first(identity, name)
    return held if held is UNSET else thawed(identity, held)


def delete(thing: Any, identity: Identity, name: str) -> None:
    """`del thing.name`."""
    check_varies(identity, name)
    if identity.remove(name) is UNSET:
        raise missing(type(thing), name)


@natively
def found_in(kind: Any, name: str) -> Any:
    """Returns what a class has by a name; MISSING if nothing."""
    found = lookup(kind, name)
    return MISSING if found is NULL else found


@natively
def places(kind: Any, name: str, heap: Any) -> list[tuple[Any, Any]]:
    """Returns where a class and its bases have a name: a cell of memory, or None with the value."""
    found: list[tuple[Any, Any]] = []
    for base in mro_of(kind):
        cell = heap.homes.cell_of_class(base, name)
        if cell is not None or name in namespace_of(base):
            found.append((cell, None if cell is not None else namespace_of(base)[name]))
    return found


@natively
def own_attribute(thing: Any, name: str) -> Any:
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
def is_slot(found: Any) -> bool:
    return type(found) is MemberDescriptorType and is_written_in_python(found.__objclass__)


@natively
def missing(kind: type, name: str) -> AttributeError:
    return AttributeError(f"{kind.__name__!r} object has no attribute {name!r}")


@natively
def missing_of_class(kind: type, name: str) -> AttributeError:
    return AttributeError(f"type object {kind.__name__!r} has no attribute {name!r}")


@natively
def may_change(identity: Identity, name: str) -> bool:
    """Returns whether some code of the program may set an attribute of objects of this class."""
    return identity.heap.varies(identity.reference.member.kind, name)


@natively
def check_varies(identity: Identity, name: str) -> None:
    identity.heap.check_varies(identity, name)  # type: ignore[attr-defined]


@natively
def admitted(found: Any, name: str, identity: Identity) -> Any:
    return identity.heap.admitted(found, name)  # type: ignore[attr-defined]


@natively
def first(identity: Identity, name: str) -> Any:
    return identity.content.get(name, UNSET)


@natively
def thawed(identity: Identity, held: Any) -> Any:
    return identity.heap.thaw(held)
