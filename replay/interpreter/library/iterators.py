"""`iter` and `next`, and the iterators which hold others: `map`, `filter`, `zip`, `enumerate`, `reversed`."""

from __future__ import annotations

from typing import Any

from replay.interpreter.generators import Generator
from replay.interpreter.intrinsics import called_type
from replay.interpreter.library.looking import MISSING, call_method, has, raw_method, sequence
from replay.interpreter.library.numeric import as_index
from replay.interpreter.lookup import is_a
from replay.interpreter.natives import natively, shows_as, stands_for, steps_natively


class LibraryIterator:
    """The base of iterators of ours."""

    __slots__ = ()

    def __iter__(self) -> Any:
        return self

    def __repr__(self) -> str:
        return f"<{called_type(self)} object at {address(self)}>"


class Rest(LibraryIterator):
    """Goes on with an iterator in a loop, without calling its `__iter__` again."""

    __slots__ = ("iterator",)

    def __init__(self, iterator: Any) -> None:
        self.iterator = iterator

    def __iter__(self) -> Any:
        return self.iterator


@natively
def address(thing: object) -> str:
    return f"{id(thing):#x}"


def _of_sequence_or_itself(arguments: Any, keywords: Any) -> bool:
    """The argument is a plain sequence, or an iterator of ours, which gives itself."""
    if sequence(arguments, keywords):
        return True
    return len(arguments) == 1 and any(raw_method(arguments[0], "__iter__") is each for each in _GIVES_ITSELF)


_GIVES_ITSELF: tuple[Any, ...] = tuple(vars(kind)["__iter__"] for kind in (LibraryIterator, Rest, Generator))


@stands_for(iter, natively_if=_of_sequence_or_itself)
def iterate(thing: Any, sentinel: Any = MISSING, /) -> Any:
    if sentinel is not MISSING:
        return CallableIterator(thing, sentinel) if has(thing, "__call__") else native_iter(None, sentinel)
    if raw_method(thing, "__iter__") is None or not (has(thing, "__iter__") or is_sequence(thing)):
        raise TypeError(f"'{called_type(thing)}' object is not iterable")
    if not has(thing, "__iter__"):
        return SequenceIterator(thing)
    iterator = call_method(thing, "__iter__")
    if not has(iterator, "__next__"):
        raise TypeError(f"iter() returned non-iterator of type '{called_type(iterator)}'")
    return iterator


@natively
def native_iter(function: Any, sentinel: Any) -> Any:
    return iter(function, sentinel)


@natively
def is_sequence(thing: Any) -> bool:
    """`PySequence_Check`: it has `__getitem__`, and is no dictionary."""
    return has(thing, "__getitem__") and not is_a(thing, dict)


_SEQUENCES: tuple[Any, ...] = ([], (), "", "\N{GREEK SMALL LETTER ALPHA}", b"", range(1), range(1 << 80))
_PLAIN_ITERATORS = frozenset(type(iter(each)) for each in _SEQUENCES)


def _of_plain_iterator(arguments: Any, keywords: Any) -> bool:
    """The iterator is a native one of a sequence, and its end raises StopIteration by itself."""
    return bool(arguments) and type(arguments[0]) in _PLAIN_ITERATORS


NO_DEFAULT: Any = object()


@stands_for(next, natively_if=_of_plain_iterator)
def next_item(iterator: Any, default: Any = NO_DEFAULT, /) -> Any:
    if not has(iterator, "__next__"):
        raise TypeError(f"'{called_type(iterator)}' object is not an iterator")
    if default is NO_DEFAULT:
        return call_method(iterator, "__next__")
    try:
        return call_method(iterator, "__next__")
    except StopIteration:
        return default


@shows_as(type(iter(int, 1)))
class CallableIterator(LibraryIterator):
    """`iter(function, sentinel)`. Both are MISSING after the end."""

    __slots__ = ("function", "sentinel")

    def __init__(self, function: Any, sentinel: Any) -> None:
        self.function = function
        self.sentinel = sentinel

    def __next__(self) -> Any:
        if self.function is MISSING:
            raise StopIteration
        result = called_or_end(self.function)
        if self.function is MISSING or result is MISSING:
            pass
        elif not (self.sentinel is result or self.sentinel == result):
            return result
        self.function = MISSING
        raise StopIteration


def called_or_end(function: Any) -> Any:
    """The result of a call; MISSING if it raises StopIteration."""
    try:
        return function()
    except StopIteration:
        return MISSING


class _Indexed:
    def __getitem__(self, index: int) -> int:
        raise IndexError


@shows_as(type(iter(_Indexed())))
class SequenceIterator(LibraryIterator):
    """The iterator of an object which has `__getitem__` only. `things` is MISSING after the end."""

    __slots__ = ("position", "things")

    def __init__(self, things: Any) -> None:
        self.things = things
        self.position = 0

    def __next__(self) -> Any:
        if self.things is not MISSING:
            item = item_or_end(self.things, self.position)
            if item is not MISSING:
                self.position += 1
                return item
            self.things = MISSING
        raise StopIteration

    def __length_hint__(self) -> Any:
        if self.things is MISSING:
            return 0
        if not has(self.things, "__len__"):
            return NotImplemented
        return max(len(self.things) - self.position, 0)


def item_or_end(things: Any, position: int) -> Any:
    """An item of a sequence; MISSING after the last."""
    try:
        return things[position]
    except (IndexError, StopIteration):
        return MISSING


@stands_for(reversed, natively_if=sequence)
def reverse(things: Any, /) -> Any:
    method = raw_method(things, "__reversed__")
    if method is None or (method is MISSING and not is_sequence(things)):
        raise TypeError(f"'{called_type(things)}' object is not reversible")
    if method is not MISSING:
        return call_method(things, "__reversed__")
    return Reversed(things, len(things) - 1)


@shows_as(reversed)
class Reversed(LibraryIterator):
    """`reversed` of an object without `__reversed__`. `position` is -1 after the end."""

    __slots__ = ("position", "things")

    def __init__(self, things: Any, position: int) -> None:
        self.things = things
        self.position = position

    def __next__(self) -> Any:
        if self.position >= 0:
            item = item_or_end(self.things, self.position)
            if item is not MISSING:
                self.position -= 1
                return item
            self.position = -1
            self.things = MISSING
        raise StopIteration

    def __length_hint__(self) -> Any:
        if self.things is MISSING:
            return 0
        position = self.position + 1
        return position if len(self.things) >= position else 0


@stands_for(enumerate)
class Enumerate(LibraryIterator):
    __slots__ = ("count", "iterator")

    def __init__(self, iterable: Any, start: Any = 0) -> None:
        self.count = as_index(start)
        self.iterator = iter(iterable)

    def __next__(self) -> Any:
        item = next(self.iterator)
        self.count += 1
        return self.count - 1, item


steps_natively(vars(Enumerate)["__next__"], lambda iterator: type(iterator.iterator) in _PLAIN_ITERATORS)


@stands_for(map)
class Map(LibraryIterator):
    __slots__ = ("function", "iterators")

    def __init__(self, function: Any, iterable: Any, /, *iterables: Any) -> None:
        self.iterators = [iter(each) for each in (iterable, *iterables)]
        self.function = function

    def __next__(self) -> Any:
        items = [next(each) for each in self.iterators]
        return self.function(*items)


class FunctionIterator(LibraryIterator):
    """Goes through an iterable, and calls a function with what that gives."""

    __slots__ = ("function", "iterator")

    def __init__(self, function: Any, iterable: Any, /) -> None:
        self.iterator = iter(iterable)
        self.function = function


@stands_for(filter)
class Filter(FunctionIterator):
    __slots__ = ()

    def __next__(self) -> Any:
        function = self.function
        while True:
            item = next(self.iterator)
            if item if function is None or function is bool else function(item):
                return item


@stands_for(zip)
class Zip(LibraryIterator):
    __slots__ = ("iterators", "strict")

    def __init__(self, *iterables: Any, strict: Any = False) -> None:
        self.strict = bool(strict)
        self.iterators = [iter(each) for each in iterables]

    def __next__(self) -> Any:
        if not self.iterators:
            raise StopIteration
        if self.strict:
            return self.next_strictly()
        items = [next(each) for each in self.iterators]
        return tuple(items)

    def next_strictly(self) -> Any:
        """The next tuple. Raises ValueError if some iterators have ended, and others not."""
        items: list[Any] = []
        for each in self.iterators:
            item = next(each, MISSING)
            if item is MISSING:
                break
            items.append(item)
        count = len(items)
        if count == len(self.iterators):
            return tuple(items)
        if count:
            raise ValueError(different_lengths("shorter", count))
        for count, each in enumerate(self.iterators[1:], 1):
            if next(each, MISSING) is not MISSING:
                raise ValueError(different_lengths("longer", count))
        raise StopIteration


def different_lengths(how: str, count: int) -> str:
    others = " " if count == 1 else "s 1-"
    return f"zip() argument {count + 1} is {how} than argument{others}{count}"
