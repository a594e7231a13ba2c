"""Functions which go through an iterable to one result: `sum`, `min`, `max`, `any`, `all`."""

from __future__ import annotations

from typing import Any

from replay.interpreter.intrinsics import class_of
from replay.interpreter.library.iterators import Rest
from replay.interpreter.library.looking import MISSING, all_plain, plain_arguments
from replay.interpreter.lookup import is_a
from replay.interpreter.natives import call_natively, natively, stands_for


@stands_for(any, natively_if=plain_arguments)
def any_of(iterable: Any, /) -> Any:
    for item in iterable:  # noqa: SIM110 - `any` is what this stands for
        if item:
            return True
    return False


@stands_for(all, natively_if=plain_arguments)
def all_of(iterable: Any, /) -> Any:
    for item in iterable:  # noqa: SIM110 - `all` is what this stands for
        if not item:
            return False
    return True


NUMBERS = frozenset({int, float, bool, complex})
"""Classes whose objects `sum` adds up in a way of its own: floats more exactly than `+` does from 3.12 on."""


@stands_for(sum, natively_if=plain_arguments)
def total(iterable: Any, /, start: Any = 0) -> Any:
    iterator = Rest(iter(iterable))
    refuse_text(start)
    numbers: list[Any] = []
    if class_of(start) in NUMBERS:
        for item in iterator:
            if class_of(item) not in NUMBERS:
                start = call_natively(sum, numbers, start) + item
                break
            numbers.append(item)
        else:
            return call_natively(sum, numbers, start)
    for item in iterator:
        start = start + item
    return start


@natively
def refuse_text(start: Any) -> None:
    """Raise what `sum` raises for a start that is a text."""
    if is_a(start, (str, bytes, bytearray)):
        sum((), start)


def _plain_extreme(arguments: Any, keywords: Any) -> bool:
    return all_plain(arguments) and all(name == "default" or value is None for name, value in keywords.items())


@stands_for(min, natively_if=_plain_extreme)
def least(first: Any, /, *others: Any, key: Any = None, default: Any = MISSING) -> Any:
    best = best_key = MISSING
    for item in candidates(first, others, default, min):
        item_key = item if key is None else key(item)
        if best is MISSING or item_key < best_key:
            best, best_key = item, item_key
    return chosen(best, default, min)


@stands_for(max, natively_if=_plain_extreme)
def greatest(first: Any, /, *others: Any, key: Any = None, default: Any = MISSING) -> Any:
    best = best_key = MISSING
    for item in candidates(first, others, default, max):
        item_key = item if key is None else key(item)
        if best is MISSING or item_key > best_key:
            best, best_key = item, item_key
    return chosen(best, default, max)


def candidates(first: Any, others: Any, default: Any, native: Any) -> Any:
    """The iterable of what is compared."""
    if not others:
        return first
    if default is not MISSING:
        call_natively(native, first, *others, default=default)
    return (first, *others)


def chosen(best: Any, default: Any, native: Any) -> Any:
    """The best of all, or the default of none."""
    if best is not MISSING:
        return best
    return call_natively(native, ()) if default is MISSING else default
