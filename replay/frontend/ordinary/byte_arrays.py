"""A shared bytearray: memory holds its bytes.

A method that only looks is one load, one that changes bytes one update. What asks for the buffer instead, as `+`, `==`
and `bytes()` do, takes no lock in free-threaded CPython: meanwhile the bytearray cannot be re-sized, and others may
change bytes that are being read ("Thread safety for bytearray objects").
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from replay.code.running_thread import perform, refuse
from replay.frontend.ordinary import changes
from replay.frontend.ordinary.changes import begun_again, identity_of_container, spelled_call
from replay.frontend.ordinary.comparing import COMPARED
from replay.frontend.ordinary.contents import LentContent
from replay.frontend.ordinary.identity import Identity, owned_identity
from replay.frontend.ordinary.iterating import length, steps_back, steps_through
from replay.interpreter.library.texts import is_buffer
from replay.interpreter.lookup import is_a
from replay.interpreter.natives import natively
from replay.world.operation import UNWRITTEN, Kind

_LOOKING = """
    __getitem__ __mul__ __rmul__ capitalize center copy count decode endswith expandtabs find hex index isalnum isalpha
    isascii isdigit islower isspace istitle isupper ljust lower lstrip partition removeprefix removesuffix replace rfind
    rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title translate upper zfill
    __contains__ __repr__ __str__
"""
"""Methods that hold the lock and only look: one load."""

_CHANGING = """
    __delitem__ __iadd__ __imul__ __setitem__ append clear extend insert pop remove resize reverse
"""
"""Methods that hold the lock and change bytes: one update."""

_BORROWING = "__add__ __mod__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__"
"""Operators that ask for the buffer, and take no lock."""

_RESIZED = "Existing exports of data: object cannot be re-sized"


def empty_bytes(thing: Any, known: Identity) -> None:
    """Empty a bytearray that has become shared. Refuses one of which its thread has a `memoryview`."""
    try:
        bytearray.clear(thing)
    except BufferError:
        refuse(f"{known} becomes shared while code has a memoryview of it: release that first, or share its bytes")


@natively
def is_shared_bytes(thing: Any) -> bool:
    """Returns whether an object is a shared bytearray."""
    return is_a(thing, bytearray) and owned_identity(thing) is not None


# -- the buffer ----------------------------------------------------------------------


def borrowed(values: Any) -> list[Any]:
    """Interpreted: the values, with the bytes of shared bytearrays in the place of these, whose buffers are asked for
    at the same time."""
    arrays = [identity_of_container(each) for each in values if is_shared_bytes(each)]
    lent = [array for array in arrays if changes.others_look_between() and not array.heap.is_constant(array, "")]
    for array in lent:
        perform(Kind.UPDATE, array.cell(""), update=_lent, label="its buffer is asked for")
    held = [array.load("") for array in arrays]
    for array in lent:
        perform(Kind.UPDATE, array.cell(""), update=_given_back, label="its buffer is given back")
    held.reverse()
    return [held.pop() if is_shared_bytes(each) else each for each in values]


def _lent(held: Any) -> LentContent:
    count, changed, data = held if type(held) is LentContent else (0, False, held)
    return LentContent((count + 1, changed, data))


def _given_back(held: Any) -> Any:
    count, changed, data = held
    return LentContent((count - 1, changed, data)) if count > 1 else data


# -- changes -------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class _Change:
    """A call of a method that changes a bytearray: what it makes of what memory holds, and what it returns."""

    of: Identity
    change: Callable[..., Any]
    arguments: tuple[Any, ...]

    def _called(self, before: Any) -> tuple[bytes, Any]:
        array = bytearray(before[-1] if type(before) is LentContent else before)
        result = self.change(array, *self.arguments)
        return bytes(array), None if result is array else result

    def written(self, before: Any) -> object:
        after, _ = self._called(before)
        if type(before) is not LentContent:
            return UNWRITTEN if after == before else after
        count, changed, data = before
        if len(after) != len(data):
            raise BufferError(_RESIZED)
        differ = sum(one != two for one, two in zip(after, data, strict=True))
        if differ > 1 or (differ and changed):
            refuse(
                f"bytes of {self.of} are changed while another thread compares or copies it, which takes no lock, so "
                f"that it may see some of them changed and some not: copy it by a slice, as in {self.of}[:]"
            )
        return LentContent((count, True, after)) if differ else UNWRITTEN

    def result(self, before: Any) -> Any:
        return self._called(before)[1]


@natively
def _change(thing: Any, change: Any, arguments: tuple[Any, ...]) -> tuple[Identity, _Change]:
    known = identity_of_container(thing)
    known.heap.check_change(known, "")
    return known, _Change(known, change, arguments)


def _changing(name: str) -> Callable[..., Any]:
    change = getattr(bytearray, name)
    takes_many = name in ("extend", "__setitem__")

    def method(self: Any, *arguments: Any) -> Any:
        given = [locked_bytes(each) for each in arguments]
        if takes_many and given and not is_taken_as_it_is(given[-1]):
            given[-1] = tuple([as_number(each) for each in given[-1]])
        own = tuple([as_number(each) for each in given])
        known, call = _change(self, change, own)
        result = perform(
            Kind.UPDATE, known.cell(""), update=call.written, result=call.result, label=spelled_call(name, own, {})
        )
        return self if is_in_place(name) else result

    return method


@natively
def is_in_place(name: str) -> bool:
    return name.startswith("__i")


def locked_bytes(value: Any) -> Any:
    """Interpreted: a shared bytearray as the bytes that it holds now, by one load; another value as it is."""
    if is_shared_bytes(value):
        return identity_of_container(value).load("")
    return value


@natively
def is_taken_as_it_is(value: Any) -> bool:
    """Returns whether a method of C takes a value as it is: bytes, a text, a number, or what it cannot take at all."""
    kind = type(value)
    return issubclass(kind, bytes | bytearray | memoryview | str | int) or not (
        hasattr(kind, "__iter__") or hasattr(kind, "__getitem__")
    )


def as_number(value: Any) -> Any:
    """Interpreted: the number that an object stands for by an `__index__` of Python; other values as they are."""
    return operator.index(value) if has_index(value) else as_plain(value)


@natively
def has_index(value: Any) -> bool:
    return hasattr(getattr(type(value), "__index__", None), "__code__")


@natively
def as_plain(value: Any) -> Any:
    """Returns bytes for a bytearray or a view of the thread's own: an update is computed again and again."""
    return bytes(value) if is_a(value, bytearray | memoryview) else value


# -- methods that only look -----------------------------------------------------------


def _looking(name: str) -> Callable[..., Any]:
    look = getattr(bytearray, name)

    def method(self: Any, *arguments: Any, **keywords: Any) -> Any:
        given = borrowed(arguments)
        return look(as_array(locked_bytes(self)), *given, **keywords)

    return method


@natively
def as_array(held: Any) -> bytearray:
    return bytearray(held)


def _borrowing(name: str) -> Callable[..., Any]:
    operate = getattr(bytearray, name)

    def method(self: Any, other: Any) -> Any:
        if is_comparison(name) and not is_buffer(other):
            return NotImplemented
        mine, theirs = borrowed((self, other))
        return operate(as_array(mine), theirs)

    return method


@natively
def is_comparison(name: str) -> bool:
    return name in COMPARED


def _join(self: Any, items: Any, /) -> Any:
    separator = as_array(locked_bytes(self))
    return separator.join(borrowed(list(items)))


def _reduced(self: Any, _: int = 0) -> Any:
    """Interpreted: as `copy` asks: a copy made at once."""
    return as_array, (locked_bytes(self),)


@functools.cache
def methods_of_bytes() -> dict[str, Any]:
    """Returns the methods of shared bytearrays in the place of Python's."""
    found: dict[str, Any] = {
        name: make(name)
        for names, make in ((_LOOKING, _looking), (_CHANGING, _changing), (_BORROWING, _borrowing))
        for name in names.split()
        if hasattr(bytearray, name)
    }
    found |= {"__len__": length, "__iter__": steps_through, "__reversed__": steps_back, "join": _join}
    found |= {"__hash__": None, "__init__": begun_again, "__reduce__": _reduced, "__reduce_ex__": _reduced}
    for name, method in found.items():
        if method is not None and not name.startswith("__"):
            method.__name__ = name
    return found
