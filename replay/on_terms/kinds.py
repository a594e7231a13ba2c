"""Which objects may hold a symbol, and whose operators and iterators treat a symbol as they treat the number.

What is written in Python calls operators of symbols, which do what those of numbers do. What is written in C may look
at types instead, so it is known here by its exact type, or not at all.
"""

from __future__ import annotations

import abc
import functools
import gc
import itertools
import operator
import types
import typing
from collections import deque
from typing import Any
from weakref import WeakKeyDictionary

from replay.on_terms.symbols import Number, Truth

SYMBOLS = frozenset({Number, Truth})

NUMBERS = frozenset({int, bool, float, complex})

ATOMS = NUMBERS | {str, bytes, type(None), type(Ellipsis), type(NotImplemented)}
"""Types whose objects hold nothing, and leave it to a symbol how the two compare, or add up."""

CONTAINERS = frozenset({list, tuple, dict, set, frozenset, deque})
"""Types whose objects do with what they hold what its own operators say."""

_WRITTEN_IN_PYTHON: tuple[object, ...] = (object, typing.Generic, typing.Protocol, abc.ABC)

OF_C = (
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
    types.BuiltinFunctionType,
    types.MethodWrapperType,
    types.GetSetDescriptorType,
)
"""Types of what a class of C has."""

PLAIN_EXCEPTIONS: frozenset[type] = frozenset(
    {
        *(BaseException, Exception, ValueError, TypeError, AssertionError, RuntimeError, KeyError, IndexError),
        *(LookupError, ArithmeticError, ZeroDivisionError, OverflowError, NotImplementedError, StopIteration),
    }
)
"""Exceptions that keep what they are given, and show it."""

_OPAQUE = (type, types.ModuleType, types.FunctionType, types.CodeType, types.FrameType)
"""What may reach nearly everything, and is nothing that code in C looks for numbers in."""

_MOST = 20_000
"""Objects that are looked at for a symbol."""

_OURS = "replay."

_bases: WeakKeyDictionary[type, type | None] = WeakKeyDictionary()


def base_of(kind: type) -> type | None:
    """The class of C whose operators objects of a class have where they have none in Python; None if it is not known.

    That is `object` for most classes of users, and BaseException for plain exceptions.
    """
    if kind in ATOMS or kind in CONTAINERS:
        return kind
    if kind not in _bases:
        _bases[kind] = _base(kind)
    return _bases[kind]


def _base(kind: type) -> type | None:
    found: type = object
    for each in kind.__mro__:
        if each in PLAIN_EXCEPTIONS:
            found = BaseException
        elif each in CONTAINERS or each in ATOMS:
            found = each if found is object else found
        elif each not in _WRITTEN_IN_PYTHON and any(map(_is_foreign, vars(each).items())):
            return None
    return found


def _is_foreign(attribute: tuple[str, object]) -> bool:
    """Whether an attribute of a class is code in C that is not known."""
    name, value = attribute
    if not isinstance(value, OF_C):
        return False
    known = name in ("__dict__", "__weakref__") or getattr(value, "__objclass__", None) in (object, *NUMBERS, str)
    return not known


def is_ours(kind: type) -> bool:
    """Whether a class is one of this package: what its objects do was written for symbols."""
    return kind.__module__.startswith(_OURS)


class TooLarge(Exception):
    """There is more than anybody wants to look at."""


def symbol_in(value: object) -> Any:
    """A symbol that can be reached from an object, None if there is none. Raises TooLarge."""
    kind = type(value)
    if kind in SYMBOLS:
        return value
    if kind in ATOMS or kind is types.FunctionType:
        return None
    return _search([value])


def _search(todo: list[Any]) -> Any:
    seen: dict[int, Any] = {}
    while todo:
        value = todo.pop()
        kind = type(value)
        if kind in SYMBOLS:
            return value
        if kind in ATOMS or id(value) in seen or isinstance(value, _OPAQUE) or is_ours(kind):
            continue
        seen[id(value)] = value
        if len(seen) > _MOST:
            raise TooLarge
        todo += gc.get_referents(value)
    return None


def items_of(value: Any) -> list[object]:
    """What a container holds, whatever its class makes of that."""
    if isinstance(value, dict):
        return [*dict.keys(value), *dict.values(value)]
    kind: Any = base_of(type(value))
    return [*kind.__iter__(value)]


def is_plain(value: object) -> bool:
    """Whether operators of a value, and of all that it holds, are known to treat symbols as numbers."""
    todo, seen = [value], set[int]()
    while todo:
        each = todo.pop()
        kind = type(each)
        if kind in ATOMS or kind in SYMBOLS or id(each) in seen or isinstance(each, _OPAQUE) or is_ours(kind):
            continue
        seen.add(id(each))
        base = base_of(kind)
        if base is None:
            return False
        if base is BaseException:
            todo += each.args  # type: ignore[attr-defined]
        elif base in CONTAINERS:
            todo += items_of(each)
    return True


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
    if kind is types.MethodType:
        return is_faithful(function.__func__)
    if kind is functools.partial:
        return type(function.func) is types.FunctionType
    return kind is types.FunctionType


def hands_on(iterable: Any) -> bool:
    """Whether to go through something does nothing with what it holds but what operators of symbols know of."""
    todo, seen = [iterable], set[int]()
    while todo:
        each: Any = todo.pop()
        kind = type(each)
        if kind is types.GeneratorType or id(each) in seen:
            continue
        seen.add(id(each))
        if kind in _HANDING_ON or kind in _CALLING:
            held = _parts(each)
            if kind in _CALLING and not all(is_faithful(part) for part in held if callable(part)):
                return False
            todo += (part for part in held if _is_iterator(type(part)))
            continue
        base = base_of(kind)
        if base is object:
            names = ("__next__", "__iter__", "__getitem__")
            if not any(isinstance(getattr(kind, name, None), types.FunctionType) for name in names):
                return False
        elif base not in CONTAINERS and base not in (str, bytes):
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
    return kind is not types.GeneratorType and hasattr(kind, "__next__")
