"""Objects of C that never change and have an identity: matches, `struct.Struct`, getters, fields, hidden dictionaries.

Memory holds what each is built of, and a name that tells it from others that are built of the same.
"""

from __future__ import annotations

import gc
import operator
import re
import struct
import sys
from collections import OrderedDict
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from replay.code.reachable import Reached
from replay.code.running_thread import refuse
from replay.code.watched import Watched
from replay.frontend.ordinary.named_tuples import FIELD
from replay.frontend.ordinary.values import Built


def whole_of(value: Any) -> tuple[str, tuple[Any, ...]] | None:
    """How such an object is built, and of what; None for any other one."""
    if type(value) is re.Match and type(value.string) in (str, bytes):
        return "match", (value.re, value.string, value.pos, value.endpos, value.regs, value.lastindex)
    if type(value) is struct.Struct:
        return "struct", (value.format,)
    if type(value) is FIELD:
        return "field", value.__reduce__()[1]
    if type(value) in _GETTERS:
        return _getter_of(value)
    if type(value) is MappingProxyType and (held := _hidden(value)) is not None:
        return "mappingproxy", (type(held), tuple(held), tuple(held.values()))
    return None


_GETTERS: tuple[Any, ...] = (operator.attrgetter, operator.itemgetter, operator.methodcaller)


def _getter_of(value: Any) -> tuple[str, tuple[Any, ...]] | None:
    """How a getter is built of names, numbers and the like; None for one that holds what may change."""
    kind, given = value.__reduce__()
    keywords: dict[str, Any] = {}
    if kind is not type(value):  # methodcaller with keywords
        kind, given, keywords = type(value), (*kind.args, *given), kind.keywords
    if not all(type(each) in _KEYS for each in (*given, *keywords.values())):
        return None
    return "getter", (kind, given, tuple(keywords.items()))


def _hidden(proxy: Any) -> dict[Any, Any] | None:
    """The dictionary of a view if nobody else has it, so that it never changes; keys are what code compares in C."""
    (held,) = gc.get_referents(proxy)
    if type(held) not in (dict, OrderedDict) or not {*map(type, held)} <= _KEYS:
        return None
    others = sys.getrefcount(held) - _ALONE
    if others:  # what watches objects of the host has those, too
        others -= sum(type(each) in (Reached, Watched) for each in gc.get_referrers(held))
    return None if others else held


def _count() -> int:
    (held,) = gc.get_referents(MappingProxyType({}))
    proxy = MappingProxyType(held)
    del held
    (held,) = gc.get_referents(proxy)
    return sys.getrefcount(held)


_ALONE = _count()
"""How many references to a dictionary there are when a view has one, and a function that asks has another one."""

_KEYS = {str, int, bytes, bool, type(None), type}


def _match(_: Any, pattern: Any, string: Any, start: int, end: int, regs: Any, last: int | None) -> Any:
    ways: tuple[Any, ...] = (pattern.match, pattern.fullmatch, pattern.search)
    found = [way(string, start, end) for way in ways]
    for each in (*found, *pattern.finditer(string, start, end)):
        if each is not None and each.regs == regs and each.lastindex == last:
            return each
    refuse(f"the match {regs[0]} of {pattern!r} is shared, and cannot be made again: keep its groups in a tuple")


def _proxy(_: Any, kind: Any, keys: tuple[Any, ...], values: tuple[Any, ...]) -> Any:
    return MappingProxyType(kind(zip(keys, values, strict=True)))


BUILDERS: dict[str, Callable[..., Any]] = {
    "match": _match,
    "mappingproxy": _proxy,
    "struct": lambda _, text: struct.Struct(text),
    "field": lambda _, index, text: FIELD(index, text),
    "getter": lambda _, kind, given, keywords: kind(*given, **dict(keywords)),
}


def is_itself(frozen: Built) -> bool:
    """Returns whether memory holds such an object."""
    return frozen.how in BUILDERS
