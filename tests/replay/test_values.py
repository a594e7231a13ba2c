"""Values that Python calls equal and memory does not: a thread gets back what was stored, not what equals it."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import pytest

import mcr
from replay.world.values import canonical_key, same


class Named(NamedTuple):
    item: object


@dataclasses.dataclass(frozen=True)
class Frozen:
    item: object
    note: str = dataclasses.field(default="", compare=False)


@dataclasses.dataclass(frozen=True)
class Lawful:
    """Its own equality is not that of its fields."""

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
    ("one", "two"),
    [
        (Frozen(1, "a"), Frozen(1, "b")),
        (Named((1, 2)), Named((1, 2))),
        (Lawful(1), Lawful(3)),
        (complex(1, 2), complex(1, 2)),
    ],
    ids=repr,
)
def test_what_a_type_calls_equal_is_the_same(one: object, two: object) -> None:
    assert canonical_key(one) == canonical_key(two)
    assert same(one, two)


def test_fields_must_be_values() -> None:
    with pytest.raises(mcr.ModelError, match="cannot be stored: it is not hashable"):
        canonical_key(Named([]))
