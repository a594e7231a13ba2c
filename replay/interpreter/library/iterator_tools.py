"""`itertools` that go through iterables one by one: objects of ours, which say what they hold."""

from __future__ import annotations

import itertools
from typing import Any

from replay.interpreter.intrinsics import class_of
from replay.interpreter.library.iterators import FunctionIterator, LibraryIterator
from replay.interpreter.library.looking import MISSING, has
from replay.interpreter.library.numeric import as_index
from replay.interpreter.library.sequences import make_tuple
from replay.interpreter.lookup import is_a
from replay.interpreter.natives import call_natively, natively, shows_as, stands_for


@natively
def is_number(thing: Any) -> bool:
    """`PyNumber_Check`."""
    return any(has(thing, f"__{name}__") for name in ("index", "int", "float", "complex"))


@stands_for(itertools.count)
class Count(LibraryIterator):
    __slots__ = ("number", "step")

    def __init__(self, start: Any = 0, step: Any = 1) -> None:
        for number in (start, step):
            if not is_number(number):
                raise TypeError("a number is required")
        self.number = int(start) if class_of(start) is bool else start
        self.step = step

    def __next__(self) -> Any:
        number = self.number
        self.number = number + self.step
        return number

    def __repr__(self) -> str:
        if is_a(self.step, int) and self.step == 1:
            return f"count({self.number!r})"
        return f"count({self.number!r}, {self.step!r})"


@stands_for(itertools.cycle)
class Cycle(LibraryIterator):
    """`iterator` is MISSING after its end; then the items are given from `position` on."""

    __slots__ = ("items", "iterator", "position")

    def __init__(self, iterable: Any, /) -> None:
        self.iterator = iter(iterable)
        self.items: list[Any] = []
        self.position = 0

    def __next__(self) -> Any:
        if self.iterator is not MISSING:
            item = next(self.iterator, MISSING)
            if item is not MISSING:
                self.items.append(item)
                return item
            self.iterator = MISSING
        if not self.items:
            raise StopIteration
        item = self.items[self.position]
        self.position = (self.position + 1) % len(self.items)
        return item


@stands_for(itertools.repeat)
class Repeat(LibraryIterator):
    """`left` is how often the object is still given, None for ever."""

    __slots__ = ("left", "thing")

    def __init__(self, object: Any, times: Any = MISSING) -> None:
        self.thing = object
        self.left = None if times is MISSING else max(as_index(times), 0)

    def __next__(self) -> Any:
        if self.left is not None:
            if not self.left:
                raise StopIteration
            self.left -= 1
        return self.thing

    def __length_hint__(self) -> Any:
        if self.left is None:
            raise TypeError("len() of unsized object")
        return self.left

    def __repr__(self) -> str:
        return f"repeat({self.thing!r})" if self.left is None else f"repeat({self.thing!r}, {self.left})"


@stands_for(itertools.accumulate)
class Accumulate(LibraryIterator):
    """`total` is MISSING before the first item; `initial` is MISSING when there is none, or it was given."""

    __slots__ = ("function", "initial", "iterator", "total")

    def __init__(self, iterable: Any, func: Any = None, *, initial: Any = None) -> None:
        self.iterator = iter(iterable)
        self.function = func
        self.initial = MISSING if initial is None else initial
        self.total: Any = MISSING

    def __next__(self) -> Any:
        if self.initial is not MISSING:
            self.total, self.initial = self.initial, MISSING
            return self.total
        item = next(self.iterator)
        if self.total is MISSING:
            self.total = item
        elif self.function is None:
            self.total = self.total + item
        else:
            self.total = self.function(self.total, item)
        return self.total


@shows_as(itertools.chain)
class Chain(LibraryIterator):
    """`iterables` is an iterator over what is still to be gone through, MISSING after the end."""

    __slots__ = ("active", "iterables")

    def __init__(self, iterables: Any) -> None:
        self.iterables = iterables
        self.active: Any = MISSING

    def __next__(self) -> Any:
        while self.active is not MISSING or self.iterables is not MISSING:
            if self.active is MISSING:
                self.begin_next()
                continue
            item = next(self.active, MISSING)
            if item is not MISSING:
                return item
            self.active = MISSING
        raise StopIteration

    def begin_next(self) -> None:
        """Begin with the next iterable. If there is none, or it cannot be gone through, the chain ends."""
        iterables, self.iterables = self.iterables, MISSING
        iterable = next(iterables, MISSING)
        if iterable is not MISSING:
            self.active = iter(iterable)
            self.iterables = iterables


@stands_for(itertools.chain)
def chain(*iterables: Any) -> Any:
    return Chain(iter(iterables))


@stands_for(vars(itertools.chain)["from_iterable"])
def chain_from_iterable(kind: Any, iterable: Any, /) -> Any:
    return Chain(iter(iterable))


@stands_for(itertools.compress)
class Compress(LibraryIterator):
    __slots__ = ("iterator", "selectors")

    def __init__(self, data: Any, selectors: Any) -> None:
        self.iterator = iter(data)
        self.selectors = iter(selectors)

    def __next__(self) -> Any:
        while True:
            item = next(self.iterator)
            if next(self.selectors):
                return item


@stands_for(itertools.dropwhile)
class DropWhile(FunctionIterator):
    __slots__ = ("drops",)

    def __init__(self, predicate: Any, iterable: Any, /) -> None:
        FunctionIterator.__init__(self, predicate, iterable)
        self.drops = True

    def __next__(self) -> Any:
        while self.drops:
            item = next(self.iterator)
            if not self.function(item):
                self.drops = False
                return item
        return next(self.iterator)


@stands_for(itertools.takewhile)
class TakeWhile(FunctionIterator):
    __slots__ = ("has_ended",)

    def __init__(self, predicate: Any, iterable: Any, /) -> None:
        FunctionIterator.__init__(self, predicate, iterable)
        self.has_ended = False

    def __next__(self) -> Any:
        if self.has_ended:
            raise StopIteration
        item = next(self.iterator)
        if self.function(item):
            return item
        self.has_ended = True
        raise StopIteration


@stands_for(itertools.filterfalse)
class FilterFalse(FunctionIterator):
    __slots__ = ()

    def __next__(self) -> Any:
        function = self.function
        while True:
            item = next(self.iterator)
            if not (item if function is None or function is bool else function(item)):
                return item


@stands_for(itertools.starmap)
class StarMap(FunctionIterator):
    __slots__ = ()

    def __next__(self) -> Any:
        arguments = make_tuple(next(self.iterator))
        return self.function(*arguments)


@stands_for(itertools.islice)
class Islice(LibraryIterator):
    """`position` items were taken, the next one to give is `wanted`; `iterator` is MISSING after the end."""

    __slots__ = ("iterator", "position", "step", "stop", "wanted")

    def __init__(self, iterable: Any, start: Any, stop: Any = MISSING, step: Any = None, /) -> None:
        self.wanted, self.stop, self.step = bounds(start, stop, step)
        self.iterator = iter(iterable)
        self.position = 0

    def __next__(self) -> Any:
        if self.iterator is MISSING:
            raise StopIteration
        stop = self.stop
        while self.position < self.wanted:
            self.following()
        if stop is not None and self.position >= stop:
            self.iterator = MISSING
            raise StopIteration
        item = self.following()
        self.wanted += self.step
        if stop is not None and self.wanted > stop:
            self.wanted = stop
        return item

    def following(self) -> Any:
        item = next_or_over(self)
        self.position += 1
        return item


def next_or_over(over: Any) -> Any:
    """The next item of an iterator that is not asked again after it has raised something."""
    iterator, over.iterator = over.iterator, MISSING
    item = next(iterator)
    over.iterator = iterator
    return item


def bounds(start: Any, stop: Any, step: Any) -> Any:
    """The three numbers of a slice. Raises what CPython raises for wrong ones."""
    start, stop, step = [bound(each) for each in (start, stop, step)]
    if stop is MISSING:
        call_natively(itertools.islice, (), start)
        return 0, start, 1
    call_natively(itertools.islice, (), start, stop, step)
    return start or 0, stop, 1 if step is None else step


def bound(number: Any) -> Any:
    return as_index(number) if has(number, "__index__") else number


@stands_for(itertools.pairwise)
class Pairwise(LibraryIterator):
    """`before` is MISSING until the first item was taken; `iterator` is MISSING after the end."""

    __slots__ = ("before", "iterator")

    def __init__(self, iterable: Any, /) -> None:
        self.iterator = iter(iterable)
        self.before: Any = MISSING

    def __next__(self) -> Any:
        if self.iterator is MISSING:
            raise StopIteration
        if self.before is MISSING:
            self.before = next_or_over(self)
        before, self.before = self.before, next_or_over(self)
        return before, self.before


@stands_for(itertools.zip_longest)
class ZipLongest(LibraryIterator):
    """Iterators that have ended are MISSING."""

    __slots__ = ("fill", "iterators")

    def __init__(self, *iterables: Any, fillvalue: Any = None) -> None:
        self.iterators = [iter(each) for each in iterables]
        self.fill = fillvalue

    def __next__(self) -> Any:
        iterators, self.iterators = self.iterators, []  # it has ended if an iterator raises
        items: list[Any] = []
        for place, iterator in enumerate(iterators):
            item = MISSING if iterator is MISSING else next(iterator, MISSING)
            if item is MISSING:
                iterators[place] = MISSING
                item = self.fill
            items.append(item)
            if have_ended(iterators):
                raise StopIteration
        if not items:
            raise StopIteration
        self.iterators = iterators
        return tuple(items)


@natively
def have_ended(iterators: list[Any]) -> bool:
    return all(each is MISSING for each in iterators)


class Shared:
    """The iterator from which several iterators made by `tee` get their items."""

    __slots__ = ("is_running", "iterator")

    def __init__(self, iterator: Any) -> None:
        self.iterator = iterator
        self.is_running = False

    def next_item(self) -> Any:
        if self.is_running:
            raise RuntimeError("cannot re-enter the tee iterator")
        self.is_running = True
        try:
            item = next(self.iterator, MISSING)
        finally:
            self.is_running = False
        if item is MISSING:
            raise StopIteration
        return item


@shows_as(type(itertools.tee(())[0]))
class Tee(LibraryIterator):
    """`link` holds the next item and the link after it, or nothing if the item was not taken yet."""

    __slots__ = ("link", "shared")

    def __init__(self, shared: Shared, link: list[Any]) -> None:
        self.shared = shared
        self.link = link

    def __next__(self) -> Any:
        link = self.link
        if not link:
            link[:] = [self.shared.next_item(), []]
        item, self.link = link
        return item

    def __copy__(self) -> Tee:
        return Tee(self.shared, self.link)


@stands_for(itertools.tee)
def tee(iterable: Any, n: Any = 2, /) -> Any:
    count = as_index(n)
    if count < 0:
        raise ValueError("n must be >= 0")
    if not count:
        return ()
    iterator = iter(iterable)
    if not hasattr(iterator, "__copy__"):
        iterator = Tee(Shared(iter(iterator)), [])
    copies = [iterator.__copy__() for _ in range(count - 1)]
    return (iterator, *copies)


@stands_for(itertools.groupby)
class GroupBy(LibraryIterator):
    """`wanted` is the key of the group that was given last; `key` and `item` are what was taken last, and a group has
    not given."""

    __slots__ = ("function", "group", "item", "iterator", "key", "wanted")

    def __init__(self, iterable: Any, key: Any = None) -> None:
        self.iterator = iter(iterable)
        self.function = key
        self.wanted = self.key = self.item = MISSING
        self.group: Any = None

    def __next__(self) -> Any:
        self.group = None
        while True:
            if self.key is not MISSING and (
                self.wanted is MISSING or not (self.wanted is self.key or self.wanted == self.key)
            ):
                break
            self.step()
        self.wanted = self.key
        self.group = Grouper(self, self.wanted)
        return self.key, self.group

    def step(self) -> None:
        item = next(self.iterator, MISSING)
        if item is MISSING:
            raise StopIteration
        self.key = item if self.function is None else self.function(item)
        self.item = item


@shows_as(type(next(itertools.groupby([1]))[1]))
class Grouper(LibraryIterator):
    __slots__ = ("key", "parent")

    def __init__(self, parent: GroupBy, key: Any) -> None:
        self.parent = parent
        self.key = key

    def __next__(self) -> Any:
        parent = self.parent
        if parent.group is not self:
            raise StopIteration
        if parent.item is MISSING:
            parent.step()
        if not (self.key is parent.key or self.key == parent.key):
            raise StopIteration
        item, parent.item, parent.key = parent.item, MISSING, MISSING
        return item


if hasattr(itertools, "batched"):

    @stands_for(itertools.batched)
    class Batched(LibraryIterator):
        """`iterator` is MISSING after the end."""

        __slots__ = ("count", "iterator", "strict")

        def __init__(self, iterable: Any, n: Any, *, strict: Any = False) -> None:
            self.count = as_index(n)
            if self.count < 1:
                raise ValueError("n must be at least one")
            self.iterator = iter(iterable)
            self.strict = bool(strict)

        def __next__(self) -> Any:
            items: list[Any] = []
            while self.iterator is not MISSING and len(items) < self.count:
                iterator, self.iterator = self.iterator, MISSING
                item = next(iterator, MISSING)
                self.iterator = iterator
                if item is MISSING:
                    break
                items.append(item)
            if len(items) < self.count and (not items or self.strict):
                self.iterator = MISSING
            if not items:
                raise StopIteration
            if self.strict and len(items) < self.count:
                raise ValueError("batched(): incomplete batch")
            return tuple(items)
