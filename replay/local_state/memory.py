"""Reading what Python does not show of a suspended frame: its evaluation stack, and its variables beside.

CPython keeps both in one array of object pointers behind a header whose layout
depends on the version. `why_unreadable()` says whether this Python is one whose
layout is known here and was found as expected, by reading frames and a set
whose contents are known; nothing else is read before that.
"""

from __future__ import annotations

import ctypes
import functools
import platform
import sys
import sysconfig
from collections.abc import Iterator
from types import FrameType
from typing import Any

from greenlet import getcurrent, greenlet

TESTED = ((3, 11), (3, 12), (3, 13))
"""Versions of CPython that the tests of this package run on."""

_WORD = ctypes.sizeof(ctypes.c_void_p)

_IN_FRAME_OBJECT = 3 * _WORD
"""Where a frame object keeps the address of its frame: after its own header and `f_back`."""


_CODE, _PREVIOUS = (4, 6) if sys.version_info < (3, 12) else (0, 1)
"""Which words of `_PyInterpreterFrame` (Include/internal/pycore_frame.h) are its code and the frame that called it."""

_STACK_TOP = 8
"""Which word begins with the number of slots and stack entries in use, as an `int`."""

_HEADER = 9
"""After so many words come the slots and the stack."""


class Nothing:
    """The type of `NOTHING_THERE`."""

    def __repr__(self) -> str:
        return "NOTHING_THERE"


NOTHING_THERE = Nothing()
"""Stands for an empty slot: a variable without a value, or the NULL of a call."""


class RawFrame:
    """The first `size` slots and stack entries of a suspended frame."""

    __slots__ = ("_objects", "_words", "address")

    def __init__(self, frame: FrameType, size: int) -> None:
        address: int = ctypes.c_ssize_t.from_address(id(frame) + _IN_FRAME_OBJECT).value
        words, objects = _array_types(size)
        self.address = address
        self._words: list[int] = words.from_address(address)[:]
        self._objects = objects.from_address(address + _HEADER * _WORD)
        assert self._words[_CODE] == id(frame.f_code)

    @property
    def previous(self) -> int:
        """The address of the frame that called this one; frames of C code may lie between the two."""
        return self._words[_PREVIOUS]

    @property
    def stack_top(self) -> int:
        """How many slots and stack entries are in use, if Python code was called directly; -1 if C code was.

        Of a suspended generator it is known too.
        """
        top = self._words[_STACK_TOP] & 0xFFFFFFFF
        return -1 if top == 0xFFFFFFFF else top

    def entry(self, index: int) -> object:
        """What lies there, NOTHING_THERE if nothing does. It must be in use."""
        return self._objects[index] if self._words[_HEADER + index] else NOTHING_THERE


@functools.cache
def _array_types(size: int) -> tuple[type[ctypes.Array[Any]], type[ctypes.Array[Any]]]:
    """Of a frame with its header as numbers, and of its contents as objects."""
    return ctypes.c_ssize_t * (_HEADER + size), ctypes.py_object * size


# -- sets ------------------------------------------------------------------------


class _Set(ctypes.Structure):
    """`PySetObject` (Include/cpython/setobject.h), after the object header."""

    _fields_ = (
        ("filled", ctypes.c_ssize_t),
        ("used", ctypes.c_ssize_t),
        ("mask", ctypes.c_ssize_t),
        ("table", ctypes.c_void_p),
        ("hash", ctypes.c_ssize_t),
        ("finger", ctypes.c_ssize_t),
    )


def set_layout(value: set[Any] | frozenset[Any]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Where a set keeps what: (mask, finger), and the numbers of the places in use, negative where a member left.

    The order of iteration, now and after changes, depends on nothing else.
    """
    header = _Set.from_address(id(value) + 2 * _WORD)
    table = (ctypes.c_ssize_t * (2 * (header.mask + 1))).from_address(header.table)
    places = (
        -place - 1 if table[2 * place + 1] == -1 else place for place in range(header.mask + 1) if table[2 * place]
    )
    return (header.mask, header.finger & header.mask), tuple(places)


# -- is it so? -------------------------------------------------------------------


@functools.cache
def why_unreadable() -> str:
    """Why keys cannot be had from this Python, in a few words; "" if they can."""
    version = f"{platform.python_implementation()} {platform.python_version()}"
    if sys.implementation.name != "cpython" or sys.version_info[:2] not in TESTED:
        return f"{version} was never tested"
    if sysconfig.get_config_var("Py_GIL_DISABLED") or _WORD != 8:
        return f"this build of {version} was never tested"
    if "_Py_JIT" in str(sysconfig.get_config_var("PY_CORE_CFLAGS")):
        return f"{version} with a just-in-time compiler was never tested"
    try:
        fits = _frames_fit() and _sets_fit()
    except Exception:
        fits = False
    return "" if fits else f"{version} does not keep its frames as expected"


def _frames_fit() -> bool:
    """Whether a frame in a greenlet and one of a generator hold what they must hold."""
    probe = _Probe()
    runner = greenlet(probe.outer)
    runner.parent = getcurrent()
    generator: Any = probe.generator([3, 4])
    next(generator)
    runner.switch()
    inner = runner.gr_frame
    assert inner is not None and inner.f_back is not None
    below, above = RawFrame(inner, 2), RawFrame(inner.f_back, 4)
    asleep = RawFrame(generator.gi_frame, 3)
    seen = [
        below.stack_top == -1,
        below.previous == above.address,
        [below.entry(index) for index in range(2)] == [probe, 7],
        above.stack_top == 5,
        [above.entry(index) for index in range(4)] == [probe, probe.listed, NOTHING_THERE, probe.listed],
        asleep.stack_top == 4,
        [asleep.entry(index) for index in range(3)] == [probe, [3, 4], 3],
    ]
    runner.switch()
    return all(seen)


class _Probe:
    """Code whose frames are known."""

    def __init__(self) -> None:
        self.listed = ["a"]

    def outer(self) -> object:
        local = self.listed
        if local is None:
            unused = 1
            return unused
        return [local, len(local) + self.inner(7)]

    def inner(self, given: int) -> int:
        parent = getcurrent().parent
        assert parent is not None
        parent.switch()
        return given

    def generator(self, given: list[int]) -> Iterator[int]:
        for each in given:  # noqa: UP028 - its iterator must lie on its own stack
            yield each


def _sets_fit() -> bool:
    changed = {8, 0, 16, 3}
    changed.discard(3)
    header, places = set_layout(changed)
    members = [place for place in places if place >= 0]
    return set_layout({1, 5}) == ((7, 0), (1, 5)) and header == (7, 0) and len(members) == 3 and -4 in places
