"""The hidden layout of containers: where they keep what, which decides what comes next.

It is read out of memory, whose layout is that of the versions in `TESTED`. `why_unreadable()` says whether this Python
is one of them and was found as expected, by reading containers whose contents are known; nothing is read before that.
"""

from __future__ import annotations

import ctypes
import functools
import sys
import sysconfig
from typing import Any

from replay.interpreter.opcodes import TABLES
from replay.interpreter.versions import VERSION

TESTED = tuple(TABLES)
"""Versions of CPython that the tests of this package run on."""

_WORD = ctypes.sizeof(ctypes.c_void_p)


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
    """Returns (mask, finger) of a set, and the numbers of the places in use, negative where a member left.

    The order of iteration, now and after changes, depends on nothing else.
    """
    mask, finger, members = _members(value)
    return (mask, finger), tuple(-place - 1 if kept == _GONE else place for place, kept in members)


def set_hashes(value: set[Any] | frozenset[Any]) -> tuple[int, ...]:
    """The hashes under which a set keeps its members, in their order."""
    return tuple(kept for _, kept in _members(value)[2] if kept != _GONE)


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


def function_behind(function: object) -> int:
    """Returns what tells a function written in C from all others, whatever object it is a method of."""
    return ctypes.c_ssize_t.from_address(id(function) + 2 * _WORD).value


@functools.cache
def why_unreadable() -> str:
    """Why keys cannot be had from this Python, in a few words; "" if they can."""
    version = f"{sys.implementation.name} {sys.version.split()[0]}".replace("cpython", "CPython")
    if sys.implementation.name != "cpython" or VERSION not in TESTED:
        return f"{version} was never tested"
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return f"this build of {version}, without a global lock, keeps containers otherwise"
    if _WORD != 8:
        return f"this build of {version} was never tested"
    try:
        fits = _sets_fit() and _others_fit()
    except Exception:
        fits = False
    return "" if fits else f"{version} does not keep its containers as expected"


def _sets_fit() -> bool:
    changed = {8, 0, 16, 3}
    changed.discard(3)
    header, places = set_layout(changed)
    members = [place for place in places if place >= 0]
    return set_layout({1, 5}) == ((7, 0), (1, 5)) and header == (7, 0) and len(members) == 3 and -4 in places


class _Shares:
    """Its objects share the keys of their dictionaries."""

    def __init__(self) -> None:
        self.first = 1


def _others_fit() -> bool:
    texts: dict[Any, int] = {"a": 0, "b": 1}
    mixed: dict[Any, int] = {"a": 0, 7: 1, -1: 2}
    del mixed["a"]
    seen = [
        dict_layout(texts) == (3, _TEXTS_ONLY, 3, 2),
        (dict_layout(mixed) or ())[1::2] == (_GENERAL, 3),
        (dict_layout(mixed) or ())[4:] == (0,),
        dict_hashes(mixed) == (7, -2),
        dict_layout(vars(_Shares())) is None,
        set_hashes({-1}) == (-2,),
        function_behind([].append) == function_behind([1].append) != function_behind([].pop),
    ]
    return all(seen)
