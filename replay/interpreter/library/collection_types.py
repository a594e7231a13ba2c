"""`collections`: filling, searching and comparing deques, counting, and dictionaries that keep their order."""

from __future__ import annotations

import collections
import operator
import sys
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any

from replay.interpreter.execution import is_shared_here
from replay.interpreter.intrinsics import class_of
from replay.interpreter.library.dictionaries import items_now, native_get
from replay.interpreter.library.iterators import LibraryIterator
from replay.interpreter.library.keyed import check_hashed
from replay.interpreter.library.looking import MISSING, going_through, plain_arguments, raw_of_class
from replay.interpreter.library.sequences import slice_bound
from replay.interpreter.library.shown import is_being_shown, short_name, shows_itself
from replay.interpreter.library.views import dictionary_of, goes_through, itself
from replay.interpreter.lookup import is_a
from replay.interpreter.natives import call_natively, natively, shows_as, stands_for
from replay.interpreter.versions import NEW_MESSAGES, SHOWS_ORDERED_AS_DICT

_MUTATED = "deque mutated during iteration"


def _filled_plainly(arguments: Any, keywords: Any) -> bool:
    return going_through(arguments[1:2], {}) and len(arguments) < 3


@stands_for(deque)
def make_deque(iterable: Any = (), maxlen: Any = None) -> Any:
    made = call_natively(deque)
    initialise_deque(made, iterable, maxlen)
    return made


@stands_for(deque.__init__, natively_if=_filled_plainly)
def initialise_deque(things: Any, iterable: Any = (), maxlen: Any = None) -> None:
    call_natively(deque.__init__, things, (), maxlen)
    extend(things, iterable)


@stands_for(deque.extend, natively_if=_filled_plainly)
def extend(things: Any, iterable: Any, /) -> None:
    if iterable is things:
        iterable = native_items(things)
    for item in iterable:
        deque.append(things, item)


@stands_for(deque.extendleft, natively_if=_filled_plainly)
def extend_left(things: Any, iterable: Any, /) -> None:
    if iterable is things:
        iterable = native_items(things)
    for item in iterable:
        deque.appendleft(things, item)


@stands_for(deque.__iadd__, natively_if=_filled_plainly)
def extend_in_place(things: Any, iterable: Any, /) -> Any:
    extend(things, iterable)
    return things


@natively
def native_items(things: Any) -> list[Any]:
    return list(deque.__iter__(things))


@natively
def size_of(things: Any) -> int:
    return deque.__len__(things)


def place_in(things: Any, value: Any, start: int, stop: int) -> int:
    """The position of the first item equal to a value, -1 if there is none. The deque must not change meanwhile."""
    items = native_items(things)
    for position in range(start, min(stop, len(items))):
        item = items[position]
        is_equal = item is value or item == value
        if size_of(things) != len(items):
            raise RuntimeError(_MUTATED)
        if is_equal:
            return position
    return -1


@stands_for(deque.__contains__, natively_if=plain_arguments)
def contains(things: Any, value: Any, /) -> Any:
    return place_in(things, value, 0, size_of(things)) >= 0


@stands_for(deque.count, natively_if=plain_arguments)
def count(things: Any, value: Any, /) -> Any:
    number, position, size = 0, 0, size_of(things)
    while (position := place_in(things, value, position, size)) >= 0:
        number += 1
        position += 1
    return number


@stands_for(deque.index, natively_if=plain_arguments)
def index(things: Any, value: Any, start: Any = 0, stop: Any = sys.maxsize, /) -> Any:
    start, stop = slice_bound(size_of(things), start), slice_bound(size_of(things), stop)
    position = place_in(things, value, start, stop)
    if position < 0:
        raise ValueError("deque.index(x): x not in deque" if NEW_MESSAGES else f"{value!r} is not in deque")
    return position


@stands_for(deque.remove, natively_if=plain_arguments)
def remove(things: Any, value: Any, /) -> None:
    items = native_items(things)
    for position, item in enumerate(items):
        is_equal = item is value or item == value
        if size_of(things) != len(items):
            raise IndexError("deque mutated during remove().")
        if is_equal:
            deque.__delitem__(things, position)
            return
    raise ValueError(f"{value!r} is not in deque")


def _comparison(name: str) -> None:
    of_sizes: Callable[[int, int], bool] = getattr(operator, name)

    @stands_for(vars(deque)[f"__{name}__"], natively_if=plain_arguments)
    def compare(things: Any, others: Any, /) -> Any:
        if not is_a(others, deque):
            return NotImplemented
        items, other_items = native_items(things), native_items(others)
        if name in ("eq", "ne") and len(items) != len(other_items):
            return name == "ne"
        for item, other in zip(items, other_items):  # noqa: B905 - the shorter one ends it
            if not (item is other or item == other):
                return True if of_sizes(item, other) else False  # noqa: SIM210
        return of_sizes(len(items), len(other_items))


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    _comparison(_name)


class DequeIterator(LibraryIterator):
    """`size` is that of the deque at the beginning, -1 after the end."""

    __slots__ = ("position", "size", "things")

    def __init__(self, things: Any, _: Any = None) -> None:
        self.things = things
        self.size = size_of(things)
        self.position = 0

    def __next__(self) -> Any:
        if self.size >= 0 and size_of(self.things) != self.size:
            self.position = self.size
            raise RuntimeError(_MUTATED)
        if self.position >= self.size:
            self.size = -1
            raise StopIteration
        self.position += 1
        return deque.__getitem__(self.things, self.place())

    def place(self) -> int:
        return self.position - 1

    def __length_hint__(self) -> int:
        return max(self.size - self.position, 0)


@shows_as(type(iter(deque())))
class ForwardIterator(DequeIterator):
    __slots__ = ()


@shows_as(type(reversed(deque())))
class BackwardIterator(DequeIterator):
    __slots__ = ()

    def __next__(self) -> Any:
        if self.position >= self.size:
            raise StopIteration
        return super().__next__()

    def place(self) -> int:
        return self.size - self.position


goes_through(deque.__iter__, ForwardIterator, itself)
goes_through(deque.__reversed__, BackwardIterator, itself)


@stands_for(collections._count_elements)  # type: ignore[attr-defined]
def count_elements(counts: Any, iterable: Any, /) -> None:
    if not is_shared_here(counts) and counts_as_dict(counts):
        for item in iterable:
            call_natively(collections._count_elements, counts, (item,))  # type: ignore[attr-defined]
    else:
        for item in iterable:
            counts[item] = counts.get(item, 0) + 1


@natively
def counts_as_dict(counts: Any) -> bool:
    return is_a(counts, dict) and all(
        raw_of_class(type(counts), name) is vars(dict)[name] for name in ("get", "__setitem__")
    )


# -- OrderedDict ------------------------------------------------------------------------------


@stands_for(OrderedDict)
def make_ordered(source: Any = MISSING, /, **more: Any) -> Any:
    made = call_natively(OrderedDict)
    update_ordered(made, source, **more)
    return made


@stands_for(OrderedDict.__init__, OrderedDict.update)
def update_ordered(things: Any, source: Any = MISSING, /, **more: Any) -> None:
    if source is not MISSING:
        update_from(things, source)
    put_all(things, items_now(more))


def update_from(things: Any, source: Any) -> None:
    """As `mutablemapping_update_arg` does."""
    if class_of(source) is dict:
        put_all(things, items_now(source))
        return
    keys = getattr(source, "keys", MISSING)
    if keys is not MISSING:
        for key in keys():
            things[key] = source[key]
        return
    items = getattr(source, "items", MISSING)
    put_all(things, source if items is MISSING else items())


def put_all(things: Any, pairs: Any) -> None:
    for pair in pairs:
        key, value = pair_of(pair)
        things[key] = value


def pair_of(pair: Any) -> Any:
    """The two items of a pair, as `mutablemapping_add_pairs` takes it apart."""
    iterator = iter(pair)
    items: list[Any] = []
    while len(items) < 2:
        item = next(iterator, MISSING)
        if item is MISSING:
            raise ValueError(f"need more than {len(items)} value{'' if items else 's'} to unpack")
        items.append(item)
    if next(iterator, MISSING) is not MISSING:
        raise ValueError("too many values to unpack (expected 2)")
    return items


@stands_for(OrderedDict.__eq__, natively_if=plain_arguments)
def equal(things: Any, others: Any, /) -> Any:
    result = dict.__eq__(things, others)
    if result is NotImplemented or not result or not is_a(others, OrderedDict):
        return result
    for key, other in zip(native_keys(things), native_keys(others), strict=True):
        if not (key is other or key == other):
            return False
    return True


@stands_for(OrderedDict.__ne__, natively_if=plain_arguments)
def unequal(things: Any, others: Any, /) -> Any:
    result = equal(things, others)
    return result if result is NotImplemented else not result


@natively
def native_keys(things: Any) -> list[Any]:
    for key in dict.keys(things):
        check_hashed(key)
    return list(OrderedDict.__iter__(things))


@stands_for(OrderedDict.__repr__, natively_if=plain_arguments)
@shows_itself
def show_ordered(container: Any, /) -> Any:
    if not len(native_keys(container)):
        return f"{short_name(container)}()"
    if is_being_shown(container):
        return "..."
    items = items_now(container)
    return f"{short_name(container)}({dict(items) if SHOWS_ORDERED_AS_DICT else items!r})"


class OrderedIterator(LibraryIterator):
    """Goes through an OrderedDict whose keys were `keys` when it began; `things` is None after the end."""

    __slots__ = ("keys", "position", "things")

    def __init__(self, things: Any, *, backwards: bool = False) -> None:
        self.things = things
        self.keys = native_keys(things)
        if backwards:
            self.keys.reverse()
        self.position = 0

    def __next__(self) -> Any:
        things = self.things
        if things is None:
            raise StopIteration
        if has_other_keys(things, self.keys):
            self.things = None
            raise RuntimeError("OrderedDict mutated during iteration")
        if self.position == len(self.keys):
            self.things = None
            raise StopIteration
        self.position += 1
        return self.entry(self.keys[self.position - 1])

    def entry(self, key: Any) -> Any:
        return key


@natively
def has_other_keys(things: Any, keys: list[Any]) -> bool:
    """Returns True if an OrderedDict has other keys than it had, or in another order; they may be reversed."""
    now = [*map(id, OrderedDict.__iter__(things))]
    before = [*map(id, keys)]
    return now not in (before, before[::-1])


class OrderedValueIterator(OrderedIterator):
    __slots__ = ()

    def entry(self, key: Any) -> Any:
        return native_get(self.things, key, None)


class OrderedItemIterator(OrderedIterator):
    __slots__ = ()

    def entry(self, key: Any) -> Any:
        return key, native_get(self.things, key, None)


def _iteration(view: type, iterator: Any, dictionary: Callable[[Any], Any]) -> None:
    """Register the iterators of an OrderedDict or a view of one."""

    goes_through(vars(view)["__iter__"], iterator, dictionary)
    goes_through(vars(view)["__reversed__"], iterator, dictionary, backwards=True)
    shows_as(type(iter(OrderedDict())))(iterator)


_ordered: Any = OrderedDict()
_iteration(OrderedDict, OrderedIterator, itself)
_iteration(type(_ordered.keys()), OrderedIterator, dictionary_of)
_iteration(type(_ordered.values()), OrderedValueIterator, dictionary_of)
_iteration(type(_ordered.items()), OrderedItemIterator, dictionary_of)
