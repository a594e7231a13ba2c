"""Which functions and classes interpreted code has made. All others are of the host: they were there before it ran.

What native code makes, and nobody notes, counts as the host's: whatever changes it is seen.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any
from weakref import WeakValueDictionary, ref

from replay.interpreter.lookup import identity


class _Noted(ref[Any]):
    """A weak reference that knows the identity of its object, which it cannot tell any more when that is gone."""

    __slots__ = ("key",)
    key: int


_made: dict[int, _Noted] = {}


def _forget(noted: _Noted) -> None:
    if _made.get(noted.key) is noted:
        del _made[noted.key]


def note_made(thing: Any) -> None:
    """Code that shares objects has made a function or a class."""
    noted = _Noted(thing, _forget)
    noted.key = identity(thing)
    _made[noted.key] = noted


def is_note(reference: Any) -> bool:
    """Returns whether a weak reference is one of these notes, and no code of users has made it."""
    return type(reference) is _Noted


def is_of_host(thing: Any) -> bool:
    """Returns whether a function or a class is none that interpreted code has made."""
    return identity(thing) not in _made


_of_programs: WeakValueDictionary[int, FunctionType] = WeakValueDictionary()
"""By the identity of its global variables, a function that declares a program: there may be no module of that name."""


def note_program(function: Any) -> None:
    """The function declares a program, so its global variables were there before any thread."""
    if type(function) is FunctionType:
        _of_programs[identity(function.__globals__)] = function


def is_host_space(names: dict[str, Any]) -> bool:
    """Returns whether these are the global variables of a function that declares a program."""
    found = _of_programs.get(identity(names))
    return found is not None and found.__globals__ is names
