"""Shared objects: which object is one, and what a container holds before it becomes one."""

from __future__ import annotations

import itertools
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Any

from replay.code.running_thread import refuse
from replay.frontend.ordinary.contents import FACTORY, LIMIT, base_of, taken
from replay.frontend.ordinary.identity import Identity, owned_identity
from replay.frontend.ordinary.own import ShareableBuiltin
from replay.interpreter.lookup import is_a
from replay.world.anatomy import is_written_in_python


def is_shared(thing: Any) -> bool:
    """Returns whether an object is shared memory."""
    if is_a(thing, ShareableBuiltin):
        return thing.identity is not None
    return owned_identity(thing) is not None


def identity_of(thing: Any) -> Identity:
    """The identity of an object that is shared."""
    if is_a(thing, ShareableBuiltin):
        known: Identity | None = thing.identity
    else:
        known = owned_identity(thing)
    assert known is not None
    return known


def content_of(thing: Any, each: Callable[[Any, str], Any]) -> dict[str, Any]:
    """Returns what a container holds that is not shared yet. Refuses one of Python's own that has attributes."""
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
