"""States without a key, and the reason that is given."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

from replay.interpreter.lookup import forget_lookups
from replay.local_state import layouts
from tests.local_state.driving import Driver


@pytest.mark.usefixtures("untested_python")
def test_a_python_that_was_never_tested() -> None:
    driver = Driver(lambda p: p.var("x", 0).load)
    assert driver.key([]) is None
    assert driver.keys.doubt.endswith(" was never tested")


def test_containers_that_are_not_as_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layouts, "_GENERAL", 2)
    layouts.why_unreadable.cache_clear()
    try:
        assert layouts.why_unreadable().endswith(" does not keep its containers as expected")
    finally:
        layouts.why_unreadable.cache_clear()


def _holding(make: Any) -> Any:
    def body(p: Any) -> Any:
        x = p.var("x", 0)

        def thread() -> object:
            held = make()
            x.load()
            return held is None

        return thread

    return body


class _Plain:
    def __init__(self) -> None:
        self.a = 1


def _attributes_while_iterated() -> object:
    return iter(_Plain().__dict__)


def _nested(depth: int) -> object:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("make", "doubt"),
    [
        (lambda: list(map(float, range(20_000))), "more objects than are worth the time"),
        (lambda: _nested(9_000), "objects that are nested too deeply"),
        (lambda: {object()}, "a set of objects of type object, whose order is that of their addresses"),
        (lambda: memoryview(b"a"), "an object of type memoryview"),
    ],
    ids=["large", "deep", "addresses", "unknown"],
)
def test_reasons(make: Any, doubt: str) -> None:
    driver = Driver(_holding(make))
    assert driver.key([]) is None
    assert driver.keys.doubt == doubt


def test_classes_of_one_run_are_not_kept_alive() -> None:
    classes: list[weakref.ref[type]] = []

    def body(p: Any) -> Any:
        x = p.var("x", 0)

        class Node:
            pass

        classes.append(weakref.ref(Node))

        def thread() -> object:
            dead, live = Node(), Node()
            x.load()
            return live is dead

        return thread

    driver = Driver(body)
    assert driver.key([]) == driver.key([]) is not None
    forget_lookups()  # the interpreter remembers so many, of whatever class
    gc.collect()
    unused, *of_runs = classes
    assert unused() is not None
    assert [kept() for kept in of_runs] == [None, None]
