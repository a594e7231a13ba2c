"""Values that differ are written differently, however they are nested: all small ones, each with each."""

from __future__ import annotations

import itertools
from collections import OrderedDict, deque
from collections.abc import Iterator
from typing import Any

from tests.local_state.driving import Driver


class Items(tuple[Any, ...]):
    """Of each object another number of items, and no attributes."""

    __slots__ = ()


class Lines(list[Any]):
    """The same, which can be changed."""


class Record(dict[Any, Any]):
    """A dict with a class of its own."""


class Text(str):
    __slots__ = ()


class Slots:
    __slots__ = ("one", "other")


def _slots(*values: object) -> Slots:
    made = Slots()
    for name, value in zip(Slots.__slots__, values, strict=False):
        setattr(made, name, value)
    return made


_KINDS: tuple[Any, ...] = (
    *(lambda *held: held, lambda *held: [*held], lambda *held: Items(held), lambda *held: Lines(held)),
    *(lambda *held: deque(held), lambda *held: dict(enumerate(held)), lambda *held: Record(enumerate(held))),
    *(lambda *held: OrderedDict(enumerate(held)), lambda *held: [iter(held)], _slots),
)


def _of_size(size: int, kind: Any) -> Iterator[Any]:
    """Yields functions that make values of so many objects: containers of one kind around numbers and each other."""
    if size == 1:
        yield from (lambda: 0, lambda: Text("a"), kind)
        return
    for sizes in _sums(size - 1):
        for parts in itertools.product(*(list(_of_size(each, kind)) for each in sizes)):
            yield lambda parts=parts: kind(*(part() for part in parts))


def _sums(whole: int) -> Iterator[tuple[int, ...]]:
    if not whole:
        yield ()
    for first in range(1, whole + 1):
        yield from ((first, *rest) for rest in _sums(whole - first))


def test_values_that_differ_are_written_differently() -> None:
    makers = [make for kind in _KINDS for size in (1, 2, 3, 4) for make in _of_size(size, kind)]

    def body(p: Any) -> Any:
        number = p.var("number", 0)

        def thread() -> str:
            held = makers[number.load()]()
            number.load()
            return repr(held)

        return thread

    driver = Driver(body)
    found: dict[Any, list[int]] = {}
    for number in range(len(makers)):
        key = driver.key([number])
        assert key is not None
        found.setdefault(key, []).append(number)
    alike = [numbers for numbers in found.values() if len({_told(makers[number]()) for number in numbers}) > 1]
    assert not alike, [[_told(makers[number]()) for number in numbers] for numbers in alike[:3]]
    assert len(found) > len(makers) * 0.9


def _told(value: Any) -> str:
    """A value and what is in it, each with its class and its end."""
    kind = type(value)
    if kind is Slots:
        held: Any = [getattr(value, name) for name in Slots.__slots__ if hasattr(value, name)]
    elif kind in (int, Text):
        return f"{kind.__name__} {value}"
    else:
        held = value.values() if isinstance(value, dict) else list(value)
    return f"{kind.__name__}({', '.join(map(_told, held))})"
