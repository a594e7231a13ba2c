"""Makers of iterables for models: of plain values, of spies, failing ones, and things that are none."""

from __future__ import annotations

from typing import Any

from tests.interpreter.spies import Fails, Indexed, Items, Number, generator, returns

FAILS = Fails()

ITERABLES: list[Any] = [
    lambda: [1, 2, 3],
    lambda: (),
    lambda: Items(3, 1, 2),
    lambda: Items(Number(3), Number(1), Number(2)),
    lambda: Items(Number(0), 2.5, Number(7), length=4),
    lambda: Items(1, 2, length=ValueError("hint")),
    lambda: Items(1, 2, length=TypeError("hint")),
    lambda: Items(1, 2, length="many"),
    lambda: Items(1, 2, length=-1),
    lambda: Items(0, error=KeyError("late")),
    lambda: Items(),
    lambda: generator(2, 1, result=5),
    lambda: generator(Number(0), Number(2)),
    lambda: Indexed(1, 0, Number(4)),
    lambda: Indexed(),
    lambda: [Number(2), Number(2, "2'"), FAILS],
    lambda: {"a": 1, "b": 2},
    lambda: {"a": 1, "b": 2}.items(),
    lambda: "text",
    lambda: [1.5, 2, True, Number(3), 0.1, 0.2],
    lambda: [[1], [2]],
    lambda: ["a", "b"],
    lambda: {3, 1},
    lambda: frozenset({2}),
    lambda: 7,
    lambda: FAILS,
    lambda: returns(iter=7),
    lambda: returns(iter=iter([1, 2])),
    lambda: returns(iter=TypeError("not now")),
    lambda: returns(getitem=IndexError("no")),
    lambda: returns(getitem=StopIteration("no")),
    lambda: returns(getitem=KeyError("no")),
    lambda: returns(len=3, iter=iter([1, 2])),
    lambda: returns(len=KeyError("len"), iter=iter([1, 2])),
]
"""An iterator of spies can be gone through once: each use needs a new one."""


def items_of(make: Any) -> tuple[Any, ...]:
    """The items of an iterable, or the name of the exception that it raises."""
    try:
        return tuple(make())
    except Exception as error:
        return (type(error).__name__,)
