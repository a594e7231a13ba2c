"""What can be shared as an object of its own: objects of classes, containers, and what threads wait at.

A container is one location, each of its methods one operation. An object that is a plain list becomes shared where it
is, so that whoever has it has the shared one; Python knows no way to say so, and its class is written where an object
keeps that. One of a class of the user's may have attributes as well: they are cells, as of any object.
"""

from __future__ import annotations

import functools
import itertools
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Any

from replay.code.in_place import set_class
from replay.code.ordinary import MARK, class_of_shared
from replay.code.running_thread import refuse
from replay.frontend.ordinary import changes, objects
from replay.frontend.ordinary.contents import BASES, FACTORY, LIMIT, base_of, taken
from replay.frontend.ordinary.identity import KEY, Identity, owned_identity
from replay.frontend.ordinary.methods import methods_of
from replay.frontend.ordinary.own import ShareableBuiltin
from replay.world.anatomy import is_written_in_python


def is_shared(thing: object) -> bool:
    """Whether an object is shared memory."""
    if isinstance(thing, ShareableBuiltin):
        return thing.identity is not None
    return class_of_shared(type(thing)) is not None or owned_identity(thing) is not None


def identity_of(thing: Any) -> Identity:
    """The identity of an object that is shared."""
    if isinstance(thing, ShareableBuiltin):
        assert thing.identity is not None
        return thing.identity
    if (owned := owned_identity(thing)) is not None:
        return owned
    if base_of(type(thing)) is not None:
        return changes.identity_of_container(thing)
    return objects.identity_of_object(thing)


def check_untouched(thing: Any) -> None:
    """Refuse an object that is shared, and was changed otherwise than by its methods and attributes."""
    if class_of_shared(type(thing)) is None:
        return
    if base_of(type(thing)) is not None:
        changes.identity_of_container(thing)
    if issubclass(type(thing), objects.SharedObject):
        objects.check_untouched(thing)


def become(thing: Any, identity: Identity) -> None:
    """Let an object be the shared one of that identity: what it held is what its cells hold at first."""
    if isinstance(thing, ShareableBuiltin):
        thing.become_shared(identity)
    elif base_of(type(thing)) is not None:
        _become_container(thing, identity)
    else:
        objects.become_shared(thing, identity)


def blank(identity: Identity) -> Any:
    """A new object that stands for the shared one of that identity."""
    kind: Any = identity.reference.member.kind
    base: Any = base_of(kind)
    if issubclass(kind, ShareableBuiltin):
        thing: Any = kind()
    elif base is not None:
        thing = base.__new__(kind)
        if base is deque:
            deque.__init__(thing, (), identity.content[LIMIT])
    else:
        thing = object.__new__(kind)
    become(thing, identity)
    return thing


def _become_container(thing: Any, identity: Identity) -> None:
    """Let a container be the one of that identity; it holds nothing else from now on."""
    before: Any = type(thing)
    kind = shared_class(before)
    base: Any = base_of(kind)
    base.clear(thing)
    if issubclass(base, dict):
        base.__setitem__(thing, KEY, identity)
    else:
        (set.add if base is set else base.append)(thing, identity)
    if before is not base and objects.has_attributes(before):
        objects.keep_identity(thing, kind, identity)
    set_class(thing, kind)


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
    """The class of shared objects made of a class: the user's own, or that of a container."""
    base = base_of(kind)
    if base is None:
        return objects.shared_class(kind)
    if kind is base:
        return _SHARED[base]
    below = (objects.SharedObject, _SHARED[base]) if objects.has_attributes(kind) else (_SHARED[base],)
    return objects.class_made_of(kind, below, _class_of_classes(kind))


def method_of(base: type, name: str) -> Any:
    """What a method of a container is for one that is shared."""
    return vars(_SHARED[base])[name]


def content_of(thing: Any, each: Callable[[Any, str], Any]) -> dict[str, Any]:
    """What a container holds that is not shared yet, without attributes. Refuses one of Python's own that has such."""
    base = base_of(type(thing))
    assert base is not None
    if type(thing) is base and getattr(thing, "__dict__", None):
        refuse(f"an object of class {base.__name__} with attributes of its own cannot be shared: make a class of it")
    if unknown := next((each for each in _above(base, type(thing)) if not is_written_in_python(each)), None):
        refuse(f"an object of class {unknown.__name__} cannot be shared: the class is written in C, and may hold more")
    content: dict[str, Any] = {"": taken(base, thing, each)}
    if base is deque:
        content[LIMIT] = thing.maxlen
    if base is defaultdict:
        content[FACTORY] = each(thing.default_factory, ".default_factory")
    return content


def _above(base: type, kind: type) -> Iterator[type]:
    """A class that is made from a container, and the classes between the two."""
    return itertools.takewhile(lambda each: each is not base, kind.__mro__)
