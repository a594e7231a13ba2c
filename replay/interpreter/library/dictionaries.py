"""Dictionaries: filling them from iterables and mappings, `__missing__`, and equality of values.

A look-up of a key with a `__hash__` or `__eq__` of Python runs these natively: the result is CPython's, but they must
not ask for shared memory.
"""

from __future__ import annotations

import collections
from typing import Any

from replay.interpreter.intrinsics import class_of, merges_natively, native_update
from replay.interpreter.library.keyed import has_plain_key
from replay.interpreter.library.looking import MISSING, call_method, has, is_plain, plain_arguments, raw_of_class
from replay.interpreter.library.sequences import make_list
from replay.interpreter.lookup import is_a
from replay.interpreter.natives import call_natively, natively, stands_for
from replay.interpreter.protocols import iterator_or_missing, keys_of
from replay.interpreter.versions import NEW_MESSAGES


def _filled_plainly(arguments: Any, keywords: Any) -> bool:
    return type(arguments[1]) is dict if len(arguments) == 2 else len(arguments) == 1


def _made_plainly(arguments: Any, keywords: Any) -> bool:
    return not arguments or type(arguments[0]) is dict or is_plain(arguments)


@stands_for(dict, natively_if=_made_plainly)
def make_dict(source: Any = MISSING, /, **more: Any) -> Any:
    made: dict[Any, Any] = {}
    update(made, source, **more)
    return made


@stands_for(dict.__init__, dict.update, natively_if=_filled_plainly)
def update(filled: Any, source: Any = MISSING, /, **more: Any) -> None:
    if source is MISSING:
        pass
    elif class_of(source) is not dict and not hasattr(source, "keys"):
        update_from_pairs(filled, source)
    elif merges_natively(source):
        native_update(filled, dict.copy(source))
    elif class_of(source) is not dict:
        for key in keys_of(source):
            dict.__setitem__(filled, key, source[key])
    else:
        update_from_pairs(filled, source)
    native_update(filled, more)


def update_from_pairs(filled: Any, pairs: Any) -> None:
    for position, pair in enumerate(pairs):
        items = pair_or_missing(pair)
        if items is MISSING:
            raise no_pair(position)
        if len(items) != 2:
            raise ValueError(f"dictionary update sequence element #{position} has length {len(items)}; 2 is required")
        dict.__setitem__(filled, items[0], items[1])


@natively
def no_pair(position: int) -> TypeError:
    """The exception for what cannot be a pair."""
    text = f"annot convert dictionary update sequence element #{position} to a sequence"
    if not NEW_MESSAGES:
        return TypeError(f"c{text}")
    error = TypeError("object is not iterable")
    error.add_note(f"C{text}")
    return error


def pair_or_missing(pair: Any) -> Any:
    """The items of what should be a pair; MISSING if it cannot be iterated over."""
    if class_of(pair) in (list, tuple):
        return pair
    iterator = iterator_or_missing(pair)
    return MISSING if iterator is MISSING else make_list(iterator)


@stands_for(vars(dict)["fromkeys"], natively_if=lambda arguments, _: arguments[0] is dict and is_plain(arguments[1:]))
def from_keys(kind: Any, iterable: Any, value: Any = None, /) -> Any:
    made = kind()
    if class_of(made) is dict:
        for key in iterable:
            dict.__setitem__(made, key, value)
    else:
        for key in iterable:
            made[key] = value
    return made


def _has_no_default(arguments: Any, keywords: Any) -> bool:
    has_none = not arguments or raw_of_class(type(arguments[0]), "__missing__") is MISSING
    return has_none and has_plain_key(arguments, keywords)


@stands_for(dict.__getitem__, natively_if=_has_no_default)
def item_of(things: Any, key: Any, /) -> Any:
    value = dict.get(things, key, MISSING)
    if value is not MISSING:
        return value
    if class_of(things) is dict or not has(things, "__missing__"):
        raise KeyError(key)
    return call_method(things, "__missing__", key)


@natively
def native_get(things: dict[Any, Any], key: Any, default: Any) -> Any:
    return dict.get(things, key, default)


@stands_for(collections.defaultdict.__missing__)
def missing(things: Any, key: Any, /) -> Any:
    factory = native_factory(things)
    if factory is None:
        raise KeyError(key)
    value = factory()
    things[key] = value
    return value


@natively
def native_factory(things: Any) -> Any:
    return vars(collections.defaultdict)["default_factory"].__get__(things)


@stands_for(collections.defaultdict.__init__)
def initialise_defaultdict(things: Any, factory: Any = None, /, *arguments: Any, **keywords: Any) -> None:
    call_natively(collections.defaultdict.__init__, things, factory)
    dict.__init__(things, *arguments, **keywords)


@stands_for(collections.defaultdict)
def make_defaultdict(*arguments: Any, **keywords: Any) -> Any:
    made = call_natively(collections.defaultdict)
    initialise_defaultdict(made, *arguments, **keywords)
    return made


@stands_for(dict.__eq__, natively_if=plain_arguments)
def equal(things: Any, others: Any, /) -> Any:
    if not is_a(others, dict):
        return NotImplemented
    if size_of(things) != size_of(others):
        return False
    for key, value in items_now(things):
        other = native_get(others, key, MISSING)
        if not (other is value or (other is not MISSING and value == other)):
            return False
    return True


@stands_for(dict.__ne__, natively_if=plain_arguments)
def unequal(things: Any, others: Any, /) -> Any:
    result = equal(things, others)
    return result if result is NotImplemented else not result


@natively
def size_of(things: Any) -> int:
    return dict.__len__(things)


@natively
def items_now(things: Any) -> list[Any]:
    return list(dict.items(things))
