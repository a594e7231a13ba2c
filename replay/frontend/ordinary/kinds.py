"""What can be shared as an object of its own: objects of classes, containers, and what threads wait at."""

from __future__ import annotations

from typing import Any

from replay.code.ordinary import class_of_shared
from replay.frontend.ordinary import changes, containers, objects
from replay.frontend.ordinary.contents import base_of
from replay.frontend.ordinary.identity import Identity
from replay.frontend.ordinary.own import ShareableBuiltin


def is_shared(thing: object) -> bool:
    """Whether an object is shared memory."""
    if isinstance(thing, ShareableBuiltin):
        return thing.identity is not None
    return class_of_shared(type(thing)) is not None


def identity_of(thing: Any) -> Identity:
    """The identity of an object that is shared."""
    if isinstance(thing, ShareableBuiltin):
        assert thing.identity is not None
        return thing.identity
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
        containers.become_shared(thing, identity)
    else:
        objects.become_shared(thing, identity)


def blank(identity: Identity) -> Any:
    """A new object that stands for the shared one of that identity."""
    kind = identity.reference.member.kind
    if issubclass(kind, ShareableBuiltin):
        thing: Any = kind()
    elif base_of(kind) is not None:
        thing = containers.empty(kind, identity)
    else:
        thing = object.__new__(kind)
    become(thing, identity)
    return thing
