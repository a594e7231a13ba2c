"""Values that Python calls equal and memory does not: a thread gets back what was stored, not what equals it."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import fractions
import pathlib
import uuid
from collections.abc import Callable
from types import GenericAlias
from typing import Any, NamedTuple

import pytest

import mcr
from replay.world.values import canonical_key, same


class Named(NamedTuple):
    item: object


@dataclasses.dataclass(frozen=True)
class Frozen:
    item: object
    note: str = dataclasses.field(default="", compare=False)


class Text(str):
    """A text with attributes; what is made of numbers and tuples is no other."""


class Whole(int):
    pass


class Pair(tuple[object, ...]):
    pass


class Several(frozenset[object]):
    pass


class Level(enum.IntEnum):
    LOW = 1


class Slotted:
    """Equal to all others."""

    __slots__ = ("item", "other")

    def __init__(self, item: object) -> None:
        self.item = item

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Slotted)

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return f"Slotted({self.item!r})"


@dataclasses.dataclass(frozen=True)
class Holder:
    """What it holds can be changed, and does not decide its hash."""

    held: list[object] = dataclasses.field(compare=False)


def noted(value: Any, note: object) -> Any:
    """The value with an attribute."""
    vars(value)["note"] = note
    return value


def at(fold: int, zone: datetime.timezone | None = None) -> datetime.datetime:
    return datetime.datetime(2020, 10, 25, 2, 30, fold=fold, tzinfo=zone)


@dataclasses.dataclass(frozen=True)
class Lawful:
    """Its own equality is not that of its fields: memory does not go by it."""

    item: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lawful) and self.item % 2 == other.item % 2

    def __hash__(self) -> int:
        return self.item % 2


PAIRS = [
    (1, True),
    (1, 1.0),
    (0.0, -0.0),
    ((1,), (True,)),
    (((0.0,),), ((-0.0,),)),
    (frozenset([1]), frozenset([1.0])),
    (complex(0.0, 0.0), complex(0.0, -0.0)),
    (range(0), range(1, 1)),
    (Named(1), Named(True)),
    (Named(1), (1,)),
    (Frozen(1), Frozen(True)),
    (Frozen(Named(0.0)), Frozen(Named(-0.0))),
    (Frozen(1, "a"), Frozen(1, "b")),
    (Lawful(1), Lawful(3)),
    (Slotted(1), Slotted(2)),
    (Slotted([1]), Slotted([True])),
    (decimal.Decimal("1.0"), decimal.Decimal("1.00")),
    (noted(Text("a"), 1), noted(Text("a"), 2)),
    (noted(Whole(1), 1), noted(Whole(1), 2)),
    (noted(Pair([1]), 1), noted(Pair([1]), 2)),
    (noted(Several([1]), 1), noted(Several([1]), 2)),
    (Pair([1]), Pair([True])),
    (Text("a"), "a"),
    (Level.LOW, 1),
    (at(0), at(1)),
    (at(0, datetime.UTC), at(0, datetime.timezone(datetime.timedelta(0), "Z"))),
    (datetime.time(2, 30, fold=0), datetime.time(2, 30, fold=1)),
    (frozenset([0, 8]), frozenset([8, 0])),
]
"""Equal to Python, not the same to memory."""


@pytest.mark.parametrize(("one", "two"), PAIRS, ids=repr)
def test_values_of_two_types_are_two(one: object, two: object) -> None:
    assert one == two
    assert canonical_key(one) != canonical_key(two)
    assert not same(one, two)


@pytest.mark.parametrize(("one", "two"), PAIRS, ids=repr)
def test_a_thread_loads_what_was_stored(one: object, two: object) -> None:
    @mcr.program
    def overwritten(p: mcr.Declarations) -> None:
        x = p.var("x", one)

        def thread() -> None:
            assert not x.compare_exchange(two, None)
            x.store(two)
            assert repr(x.load()) == repr(two)

        p.thread(thread)

    assert mcr.check(overwritten).verdict is mcr.Verdict.VERIFIED


@pytest.mark.parametrize(
    "make",
    [
        lambda: Frozen(1, "a"),
        lambda: Named((1, 2)),
        lambda: Lawful(3),
        lambda: Slotted([{"a": {1}}]),
        lambda: Holder([{"a": {1}}]),
        lambda: complex(1, 2),
        lambda: decimal.Decimal("1.0"),
        lambda: fractions.Fraction(2, 4),
        lambda: at(1, datetime.UTC),
        lambda: pathlib.Path("a/b"),
        lambda: frozenset(["a", "b"]),
        lambda: noted(Text("a"), 1),
        lambda: len,
    ],
)
def test_values_that_nobody_can_tell_apart_are_one(make: Callable[[], object]) -> None:
    one, two = make(), make()
    hash(one), str(one)  # some remember what they found
    assert canonical_key(one) == canonical_key(two)
    assert same(one, two)


def test_attributes_are_told_from_what_a_tuple_has() -> None:
    assert canonical_key(Pair([("note", 1)])) != canonical_key(noted(Pair([]), 1))


def test_fields_must_be_values() -> None:
    with pytest.raises(mcr.ModelError, match="cannot be stored: it is not hashable"):
        canonical_key(Named([]))


def test_what_cannot_be_told_apart_for_sure_is_refused() -> None:
    with pytest.raises(mcr.ModelError, match="'GenericAlias' cannot be stored: what tells one from another"):
        canonical_key(GenericAlias(list, (int,)))
    assert same(uuid.UUID(int=1), uuid.UUID(int=1))
