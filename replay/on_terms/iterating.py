"""Iterators that hand on what they are given, and callables that C code may call with symbols."""

from __future__ import annotations

import functools
import gc
import itertools
import operator
from collections import deque
from types import FunctionType, GeneratorType, MethodType
from typing import Any

from replay.on_terms.kinds import CONTAINERS, base_of

_EMPTY: tuple[Any, ...] = ([], (), {}, {}.values(), {}.items(), set(), "", b"", range(0), deque())

_HANDING_ON: frozenset[type] = frozenset(
    {
        *(zip, enumerate, reversed, range, str, bytes, type(None)),
        *(type(iter(each)) for each in _EMPTY),
        *(type(reversed(each)) for each in _EMPTY if hasattr(each, "__reversed__")),
        *(type({}.keys()), type({}.values()), type({}.items()), type(iter("é"))),
        *(itertools.chain, itertools.islice, itertools.cycle, itertools.repeat, itertools.zip_longest),
        *(itertools.product, itertools.permutations, itertools.combinations, itertools.pairwise),
        *(type(itertools.tee(())[0]), type(iter(range(10**30)))),
    }
)
"""Types of iterators, and of what has them, that do nothing with what they hand on."""

_CALLING: frozenset[type] = frozenset(
    {map, filter, itertools.filterfalse, itertools.takewhile, itertools.dropwhile, itertools.starmap}
)
"""Those that call a function with it."""

_FAITHFUL: dict[int, object] = {
    id(function): function
    for function in (
        *(abs, bool, str, repr, float, int, hash),
        *(operator.neg, operator.pos, operator.invert, operator.abs, operator.not_, operator.truth, operator.index),
    )
}
"""Functions of C, by identity, that ask nothing but operators of what they are given."""


def is_faithful(function: Any) -> bool:
    """Whether what C code calls treats symbols as numbers: it is written in Python, or known."""
    if function is None or id(function) in _FAITHFUL:
        return True
    kind = type(function)
    if kind is MethodType:
        return is_faithful(function.__func__)
    if kind is functools.partial:
        return type(function.func) is FunctionType
    return kind is FunctionType


def hands_on(iterable: Any) -> bool:
    """Whether to go through something does nothing with what it holds but what operators of symbols know of."""
    todo, seen = [iterable], set[int]()
    while todo:
        each: Any = todo.pop()
        kind = type(each)
        if kind is GeneratorType or id(each) in seen:
            continue
        seen.add(id(each))
        if kind in _HANDING_ON or kind in _CALLING:
            held = _parts(each)
            if kind in _CALLING and not all(is_faithful(part) for part in held if callable(part)):
                return False
            todo += (part for part in held if _is_iterator(type(part)))
            continue
        base = base_of(kind)
        if base is None or (base is object and not _iterates_in_python(kind)):
            return False
        if base is not object and base not in CONTAINERS and base not in (str, bytes):
            return False
    return True


def _parts(iterator: object) -> list[object]:
    """What an iterator refers to, with what tuples and lists of iterators hold."""
    found: list[object] = []
    for part in gc.get_referents(iterator):
        if type(part) in (tuple, list) and any(_is_iterator(type(each)) for each in part):
            found += part
        elif not isinstance(part, type):
            found.append(part)
    return found


def _is_iterator(kind: type) -> bool:
    return kind is not GeneratorType and hasattr(kind, "__next__")


def _iterates_in_python(kind: type) -> bool:
    return any(isinstance(getattr(kind, name, None), FunctionType) for name in ("__next__", "__iter__", "__getitem__"))
