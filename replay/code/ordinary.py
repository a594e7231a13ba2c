"""How an object of an ordinary class is known that is shared memory: its class says which one it stands for."""

from __future__ import annotations

from typing import Any

MARK = "__shared_class_of__"
"""The name under which a class made for shared objects has the class that it stands for."""

STANDS_FOR = "__stands_for__"
"""The name under which a function that is put in the place of one of Python's has that one."""


names_of_class = type.__dict__["__dict__"].__get__
"""What a class holds, as Python keeps it."""


class ClassAttribute:
    """The base of what stands in a class for an attribute that is memory where a model runs. `kind` is the class."""

    __slots__ = ()
    kind: Any


class Unshared:
    """The base of what is of one thread until it is shared, of classes of ours: a lock, a queue."""

    __slots__ = ()


def class_of_shared(kind: type) -> Any:
    """The class whose objects are shared by objects of this class; None if this is no such class."""
    return vars(kind).get(MARK)
