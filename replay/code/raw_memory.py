"""Reading what Python does not show of a suspended frame: its evaluation stack, and its variables beside.

CPython keeps both in one array behind a header whose layout depends on the
version: up to 3.13 an array of object pointers, from 3.14 on one of references
that carry tags in their lowest bits. From 3.13 on CPython publishes most of the
layout (`_Py_DebugOffsets`, made for PEP 768), and it is read from there.
`why_unreadable()` says whether this Python is one whose layout is known here and
was found as expected, by reading frames and a set whose contents are known;
nothing else is read before that.
"""

from __future__ import annotations

import ctypes
import functools
import sys
import sysconfig
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any, NamedTuple

from greenlet import getcurrent, greenlet

from replay.code.bytecode import ITERATOR_ENTRIES

TESTED = ((3, 11), (3, 12), (3, 13), (3, 14))
"""Versions of CPython that the tests of this package run on."""

_WORD = ctypes.sizeof(ctypes.c_void_p)

_IN_FRAME_OBJECT = 3 * _WORD
"""Where a frame object keeps the address of its frame: after its own header and `f_back`."""


class _Layout(NamedTuple):
    """Which words of `_PyInterpreterFrame` (Include/internal) are what.

    code           its code
    previous       the frame that called it, or one of C code that stands between the two
    function       the function whose code it runs
    stack          up to 3.13 the word that begins with the number of slots and stack entries in use, as an `int`; from
                   3.14 on the address behind the last of them
    header         how many words come before the slots and the stack
    tagged         whether the two lowest bits of a slot are a tag, and no part of an address
    """

    code: int
    previous: int
    function: int
    stack: int
    header: int
    tagged: bool = False


_PUBLISHED_AT = {(3, 13): 28, (3, 14): 31, (3, 15): 39}
"""Which word of `_Py_DebugOffsets` begins what it says of frames: size, previous, code, instruction, slots, owner and,
from 3.14 on, stack pointer."""


def _layout() -> _Layout | None:
    """The layout that this version has, None if nothing here says."""
    version = sys.version_info[:2]
    if version == (3, 11):
        return _Layout(code=4, previous=6, function=0, stack=8, header=9)
    if version == (3, 12):
        return _Layout(code=0, previous=1, function=2, stack=8, header=9)
    if version not in _PUBLISHED_AT:
        return None
    words = (ctypes.c_uint64 * (_PUBLISHED_AT[version] + 7)).in_dll(ctypes.pythonapi, "_PyRuntime")
    if words[0].to_bytes(8, "little") != b"xdebugpy":
        return None
    _, previous, code, _, slots, _, stack = (offset // _WORD for offset in words[_PUBLISHED_AT[version] :])
    tagged = version >= (3, 14)
    return _Layout(code, previous, 2, stack if tagged else slots - 1, slots, tagged)


_LAYOUT = _layout() or _Layout(0, 1, 2, 8, 9)  # that of no known version is never used: see `why_unreadable`

_KEPT_BY_GREENLET = FrameType.__basicsize__ - _LAYOUT.header * _WORD if sys.version_info >= (3, 12) else 0
"""Where in a frame object greenlet keeps, while the thread is suspended, what `previous` was: it lets `previous` skip
what belongs to C code (`Greenlet::expose_frames`)."""

_TAGS = 3
"""The bits of a tag. Both of them are set in a number, the lower one in what the frame does not own."""


class Nothing:
    """The type of `NOTHING_THERE`."""

    def __repr__(self) -> str:
        return "NOTHING_THERE"


NOTHING_THERE = Nothing()
"""Stands for an empty slot: a variable without a value, or the NULL of a call."""


class _Pointers(threading.local):
    """Look at one address after the other: Python tells every audit hook if an array is made there.

    Each thread has its own. Nobody moves them before they are read: what the garbage collector calls reads no frame.
    """

    def __init__(self) -> None:
        self.words = ctypes.POINTER(ctypes.c_ssize_t)()
        self.objects = ctypes.POINTER(ctypes.py_object)()
        self._words_at, self._objects_at = (
            ctypes.c_size_t.from_address(ctypes.addressof(each)) for each in (self.words, self.objects)
        )

    def to(self, address: int) -> None:
        """Both begin there."""
        self._words_at.value = self._objects_at.value = address


_pointers = _Pointers()


class RawFrame:
    """The first `size` slots and stack entries of a suspended frame."""

    __slots__ = ("_objects", "_words", "address")

    def __init__(self, frame: FrameType, size: int) -> None:
        pointers = _pointers
        pointers.to(id(frame) + _IN_FRAME_OBJECT)
        self.address: int = pointers.words[0]
        pointers.to(self.address)
        self._words: list[int] = pointers.words[: _LAYOUT.header + size]
        if _LAYOUT.tagged:
            words, objects = _array_types(size)
            untagged = words(*(word & ~_TAGS for word in self._words))
            self._objects = objects.from_buffer(untagged, _LAYOUT.header * _WORD)
        assert self._words[_LAYOUT.code] & ~_TAGS == id(frame.f_code)

    def called(self, frame: FrameType) -> bool:
        """Whether this frame of a suspended thread called another one with no C code between the two.

        To make an object of a class counts as C code: an own frame keeps the object meanwhile.
        """
        if not _KEPT_BY_GREENLET:
            return self.stack_top >= 0
        kept: int = ctypes.c_ssize_t.from_address(id(frame) + _KEPT_BY_GREENLET).value
        return kept == self.address

    def runs_directly(self, called: FrameType) -> bool:
        """Whether this frame of the running thread called the one that runs, with no C code between the two."""
        if not _KEPT_BY_GREENLET:
            return self.stack_top >= 0
        return RawFrame(called, 0)._words[_LAYOUT.previous] == self.address

    def is_call_of(self, function: object) -> bool:
        """Whether the frame runs the code of this very function."""
        return self._words[_LAYOUT.function] & ~_TAGS == id(function)

    @property
    def stack_top(self) -> int:
        """How many slots and stack entries are in use, -1 if that is not known.

        Up to 3.13 it is known if Python code was called directly, and of a suspended generator; from 3.14 on always.
        """
        word = self._words[_LAYOUT.stack]
        if _LAYOUT.tagged:
            return (word - self.address) // _WORD - _LAYOUT.header if word else -1
        top = word & 0xFFFFFFFF
        return -1 if top == 0xFFFFFFFF else top

    def entry(self, index: int) -> object:
        """What lies there, NOTHING_THERE if nothing does. It must be in use."""
        word = self._words[_LAYOUT.header + index]
        if _LAYOUT.tagged and word & _TAGS == _TAGS:
            return word >> 2
        if not word & ~_TAGS:
            return NOTHING_THERE
        if _LAYOUT.tagged:
            return self._objects[index]
        _pointers.to(self.address + (_LAYOUT.header + index) * _WORD)
        return _pointers.objects[0]

    def address_of(self, index: int) -> int:
        """Where the object is that lies there; it may be gone if an instruction is done with it."""
        return self._words[_LAYOUT.header + index] & ~_TAGS


def stack_entries(frame: FrameType, first: int, last: int) -> list[object]:
    """The slots and stack entries of a frame from `first` up to `last`, which must be in use."""
    if _LAYOUT.tagged:
        raw = RawFrame(frame, last)
        return [raw.entry(index) for index in range(first, last)]
    words, objects = _pointers.words, _pointers.objects
    _pointers.to(id(frame) + _IN_FRAME_OBJECT)
    _pointers.to(words[0] + (_LAYOUT.header + first) * _WORD)
    return [objects[index] if words[index] else NOTHING_THERE for index in range(last - first)]


@functools.cache
def _array_types(size: int) -> tuple[type[ctypes.Array[Any]], type[ctypes.Array[Any]]]:
    """Of a frame with its header as numbers, and of its contents as objects."""
    return ctypes.c_ssize_t * (_LAYOUT.header + size), ctypes.py_object * size


# -- sets ------------------------------------------------------------------------


def _members(value: set[Any] | frozenset[Any]) -> tuple[int, int, list[tuple[int, int]]]:
    """The mask of a set, its finger, and its places in use, each with the hash that is kept there.

    That is `PySetObject` (Include/cpython/setobject.h): what was filled and is used, mask, table, hash, finger.
    """
    _, _, mask, table, _, finger = (ctypes.c_ssize_t * 6).from_address(id(value) + 2 * _WORD)
    words = (ctypes.c_ssize_t * (2 * (mask + 1))).from_address(table)
    return mask, finger & mask, [(place, words[2 * place + 1]) for place in range(mask + 1) if words[2 * place]]


_GONE = -1
"""The hash in a place whose member has left."""


def set_layout(value: set[Any] | frozenset[Any]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Where a set keeps what: (mask, finger), and the numbers of the places in use, negative where a member left.

    The order of iteration, now and after changes, depends on nothing else.
    """
    mask, finger, members = _members(value)
    return (mask, finger), tuple(-place - 1 if kept == _GONE else place for place, kept in members)


def set_hashes(value: set[Any] | frozenset[Any]) -> tuple[int, ...]:
    """The hashes under which a set keeps its members, in their order."""
    return tuple(kept for _, kept in _members(value)[2] if kept != _GONE)


# -- dictionaries ----------------------------------------------------------------


class _DictKeys(ctypes.Structure):
    """`PyDictKeysObject` (Include/internal/pycore_dict.h), up to the indices, behind which lie the entries."""

    _fields_ = (
        ("references", ctypes.c_ssize_t),
        ("log2_size", ctypes.c_uint8),
        ("log2_index_bytes", ctypes.c_uint8),
        ("kind", ctypes.c_uint8),
        ("version", ctypes.c_uint32),
        ("usable", ctypes.c_ssize_t),
        ("entries", ctypes.c_ssize_t),
    )


_GENERAL, _TEXTS_ONLY = 0, 1
"""Kinds of dictionaries that are not those of objects which share their keys."""


def _entries(value: dict[Any, Any]) -> tuple[_DictKeys, int, Any, int]:
    """The header of a dictionary, where it has values apart if it has, its entries as words, and how many each has.

    That is `PyDictObject` (Include/cpython/dictobject.h): used, version, keys, values. The last word is the value.
    """
    _, _, keys_at, values = (ctypes.c_ssize_t * 4).from_address(id(value) + 2 * _WORD)
    keys = _DictKeys.from_address(keys_at)
    size = 3 if keys.kind == _GENERAL else 2
    start = keys_at + ctypes.sizeof(_DictKeys) + (1 << keys.log2_index_bytes)
    return keys, values, (ctypes.c_ssize_t * (size * keys.entries)).from_address(start), size


def dict_layout(value: dict[Any, Any]) -> tuple[int, ...] | None:
    """Size, kind, room left, places, and those of them that are empty; None where other objects share the keys.

    What an iteration that has begun comes to see after a change depends on nothing else.
    """
    keys, values, words, size = _entries(value)
    if keys.kind not in (_GENERAL, _TEXTS_ONLY) or values:
        return None
    holes = (place for place in range(keys.entries) if not words[size * place + size - 1])
    return (keys.log2_size, keys.kind, keys.usable, keys.entries, *holes)


def dict_hashes(value: dict[Any, Any]) -> tuple[int, ...]:
    """The hashes under which a dictionary keeps its keys, in their order; none if all of them are texts."""
    keys, _, words, size = _entries(value)
    if keys.kind != _GENERAL:
        return ()
    return tuple(words[size * place] for place in range(keys.entries) if words[size * place + size - 1])


# -- iterators, functions --------------------------------------------------------


def iteration(iterator: object) -> tuple[int, int]:
    """How large the set or dictionary was over which an iterator goes, and the place to which it has come."""
    words = (ctypes.c_ssize_t * 5).from_address(id(iterator))
    return words[3], words[4]


def function_behind(function: object) -> int:
    """What tells a function written in C from all others, whatever object it is a method of."""
    return ctypes.c_ssize_t.from_address(id(function) + 2 * _WORD).value


# -- is it so? -------------------------------------------------------------------


@functools.cache
def why_unreadable() -> str:
    """Why keys cannot be had from this Python, in a few words; "" if they can."""
    version = f"{sys.implementation.name} {sys.version.split()[0]}".replace("cpython", "CPython")
    if sys.implementation.name != "cpython" or sys.version_info[:2] not in TESTED:
        return f"{version} was never tested"
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return f"this build of {version}, without a global lock, keeps its frames elsewhere"
    if _WORD != 8:
        return f"this build of {version} was never tested"
    if _compiles_just_in_time():
        return f"{version} with its just-in-time compiler switched on was never tested"
    try:
        fits = _layout() is not None and _frames_fit() and _sets_fit() and _others_fit()
    except Exception:
        fits = False
    return "" if fits else f"{version} does not keep its frames as expected"


def _compiles_just_in_time() -> bool:
    """Whether frames may be those of compiled code, which keeps in registers what is looked for here."""
    jit = getattr(sys, "_jit", None)  # from 3.14 on
    if jit is not None:
        return bool(jit.is_enabled())
    return "_Py_JIT" in str(sysconfig.get_config_var("PY_CORE_CFLAGS"))


def _frames_fit() -> bool:
    """Whether a frame in a greenlet and one of a generator hold what they must hold."""
    probe = _Probe()
    runner = greenlet(probe.outermost)
    runner.parent = getcurrent()
    generator: Any = probe.generator([3, 4])
    next(generator)
    runner.switch()
    inner = runner.gr_frame
    assert inner is not None
    outer = inner.f_back
    assert outer is not None and outer.f_back is not None
    below, above, outermost = RawFrame(inner, 2), RawFrame(outer, 4), RawFrame(outer.f_back, 0)
    asleep = RawFrame(generator.gi_frame, 3)
    seen = [
        below.stack_top == (inner.f_code.co_nlocals + 2 if _LAYOUT.tagged else -1),
        above.called(inner),
        not outermost.called(outer),
        probe.direct == [True, False],
        below.is_call_of(_Probe.inner),
        not below.is_call_of(_Probe.outer),
        [below.entry(index) for index in range(2)] == [probe, 7],
        above.stack_top == 5,
        [above.entry(index) for index in range(4)] == [probe, probe.listed, NOTHING_THERE, probe.listed],
        asleep.stack_top == 3 + ITERATOR_ENTRIES,
        [asleep.entry(index) for index in range(3)] == [probe, [3, 4], 3],
    ]
    runner.switch()
    return all(seen)


def _direct_calls(frame: FrameType) -> list[bool]:
    """Whether a frame, and the one that called it, were called with no C code between."""
    above = frame.f_back
    assert above is not None and above.f_back is not None
    return [RawFrame(above, 0).runs_directly(frame), RawFrame(above.f_back, 0).runs_directly(above)]


class _Probe:
    """Code whose frames are known."""

    def __init__(self) -> None:
        self.listed = ["a"]
        self.direct: list[bool] = []

    def outermost(self) -> object:
        return next(map(_Probe.outer, [self]))

    def outer(self) -> object:
        local = self.listed
        if local is None:
            unused = 1
            return unused
        return [local, len(local) + self.inner(7)]

    def inner(self, given: int) -> int:
        self.direct = _direct_calls(sys._getframe())
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


def _others_fit() -> bool:
    texts: dict[Any, int] = {"a": 0, "b": 1}
    mixed: dict[Any, int] = {"a": 0, 7: 1, -1: 2}
    del mixed["a"]
    iterator = iter(mixed)
    next(iterator)
    seen = [
        dict_layout(texts) == (3, _TEXTS_ONLY, 3, 2),
        (dict_layout(mixed) or ())[1::2] == (_GENERAL, 3),
        (dict_layout(mixed) or ())[4:] == (0,),
        dict_hashes(mixed) == (7, -2),
        dict_layout(vars(_Probe())) is None,
        iteration(iterator) == (2, 2),
        set_hashes({-1}) == (-2,),
        function_behind([].append) == function_behind([1].append) != function_behind([].pop),
    ]
    return all(seen)
