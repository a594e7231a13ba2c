"""What `type` is in modules of users: it tells the class of a shared object as its author knows it."""

from __future__ import annotations

from types import GenericAlias
from typing import Any

from replay.code.ordinary import class_of_shared


class _ClassOfType(type):
    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is Type and len(args) == 1 and not kwargs:
            found = type(args[0])
            return Type if found is type else class_of_shared(found) or found
        return type.__call__(type if cls is Type else cls, *args, **kwargs)

    def __instancecheck__(cls, thing: object) -> bool:
        return isinstance(thing, type) if cls is Type else type.__instancecheck__(cls, thing)

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, type) if cls is Type else type.__subclasscheck__(cls, kind)


class Type(type, metaclass=_ClassOfType):
    """`type`, where a module says so."""

    def __class_getitem__(cls, key: Any) -> Any:
        return GenericAlias(type, key)


Type.__name__ = Type.__qualname__ = "type"
