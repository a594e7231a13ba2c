"""Things that the walk over Python objects finds beside objects: variables, and what only stands for something."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator
from typing import Any, NamedTuple

from replay.interpreter.lookup import identity
from replay.world.anatomy import dictionary_of


class Global(NamedTuple):
    """A global variable, of the module of the code or of one that it imports."""

    namespace: dict[str, Any]
    name: str

    @property
    def value(self) -> Any:
        return self.namespace.get(self.name)


class Kept(NamedTuple):
    """Whatever objects of an unknown type hold, which do not say it: those of one package may have it together."""

    home: str
    kind: type


class Table(NamedTuple):
    """A container of Python's library, which its code changes: nobody else has what it holds."""

    held: Any


def key_of(thing: object) -> object:
    """Returns the identity by which something is known."""
    match thing:
        case Global():
            return identity(thing.namespace), thing.name
        case Kept():
            return thing.home
        case Table():
            return identity(thing.held)
    return identity(thing)


INNER = object()
"""Stands for a dictionary that is part of something found: of its attributes, or of default values."""


def inner(thing: Any) -> Iterator[int]:
    """Yields the identities of dictionaries that are part of a thing, and that code may have asked it for."""
    kind = type(thing)
    if kind is types.FunctionType and thing.__kwdefaults__ is not None:
        yield identity(thing.__kwdefaults__)
    elif kind is functools.partial:
        yield identity(thing.keywords)
    if kind.__dictoffset__ and not issubclass(kind, type | types.ModuleType):
        yield identity(dictionary_of(thing))
