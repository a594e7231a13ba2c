"""Lists, dicts, sets and deques as shared memory: a container is one location, each of its methods one operation.

An object that is a plain list becomes shared where it is, so that whoever has
it has the shared one; Python knows no way to say so, and its class is written
where an object keeps that.
"""

from __future__ import annotations

import ctypes
import functools
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any

from replay.code.ordinary import MARK
from replay.code.running_thread import refuse
from replay.frontend.ordinary.contents import BASES, base_of, taken
from replay.frontend.ordinary.identity import KEY, Identity
from replay.frontend.ordinary.methods import methods_of
from replay.world.anatomy import HEAP_TYPE


class _NoSet(type):
    """The class of classes of shared sets: C code does not take their objects for sets, and asks their methods.

    What is written in C looks into a set, and into an object of any class that has `set` among those that it looks
    attributes up in. The objects are laid out as sets nevertheless, and freed as such.
    """

    def mro(cls) -> list[type]:
        return [each for each in super().mro() if each is not set]


def _class_of_classes(kind: type) -> Any:
    """The class of the class of shared objects that is made of a class."""
    if not issubclass(kind, set):
        return type(kind)
    return _NoSet if type(kind) is type else type(_NoSet.__name__, (_NoSet, type(kind)), {})


_SHARED: dict[type, Any] = {
    base: _class_of_classes(base)(
        base.__name__, (base,), {"__slots__": (), MARK: base, "__module__": __name__, **methods_of(base)}
    )
    for base in BASES
}


@functools.cache
def shared_class(kind: Any) -> Any:
    """The class of shared objects made of that of a container, or of a user's class that is made from one."""
    base = base_of(kind)
    assert base is not None
    if kind is base:
        return _SHARED[base]
    members = {"__slots__": (), MARK: kind, "__module__": kind.__module__, "__qualname__": kind.__qualname__}
    return _class_of_classes(kind)(kind.__name__, (kind, _SHARED[base]), members)


def content_of(thing: Any, each: Callable[[Any, str], Any]) -> dict[str, Any]:
    """What a container holds that is not shared yet. Refuses one that has attributes as well."""
    base = base_of(type(thing))
    assert base is not None
    if getattr(thing, "__dict__", None):
        refuse(
            f"an object of class {type(thing).__name__}, which is a {base.__name__} with attributes, cannot be shared: "
            f"give the class an attribute that is the {base.__name__}"
        )
    content: dict[str, Any] = {"": taken(base, thing, each)}
    if base is deque:
        content["maxlen"] = thing.maxlen
    if base is defaultdict:
        content["default_factory"] = each(thing.default_factory, ".default_factory")
    return content


def empty(kind: Any, identity: Identity) -> Any:
    """A new container of a class."""
    base: Any = base_of(kind)
    thing = base.__new__(kind)
    if base is deque:
        deque.__init__(thing, (), identity.content["maxlen"])
    return thing


def become_shared(thing: Any, identity: Identity) -> None:
    """Let a container be the one of that identity; it holds nothing else from now on."""
    before: Any = type(thing)
    kind = shared_class(before)
    base: Any = base_of(kind)
    base.clear(thing)
    if issubclass(base, dict):
        base.__setitem__(thing, KEY, identity)
    else:
        (set.add if base is set else base.append)(thing, identity)
    set_class(thing, kind)


_CLASS_AT = object.__basicsize__ - ctypes.sizeof(ctypes.c_void_p)


def set_class(thing: Any, kind: Any) -> None:
    """Give an object another class that has the same room, which Python does only for classes written in Python."""
    before = type(thing)
    assert before.__basicsize__ == kind.__basicsize__ and before.__dictoffset__ == kind.__dictoffset__
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(kind))
    ctypes.c_void_p.from_address(id(thing) + _CLASS_AT).value = id(kind)
    if before.__flags__ & HEAP_TYPE:
        ctypes.pythonapi.Py_DecRef(ctypes.py_object(before))
