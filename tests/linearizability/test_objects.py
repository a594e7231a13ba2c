"""Calls that return objects: known by their identity, whatever they are called."""

from __future__ import annotations

import re
import threading

import pytest

import mcr
from mcr.linearizability.results import Pairing, in_the_history, matched


class Connection:
    pass


class Pool:
    def __init__(self) -> None:
        self.free = [Connection(), Connection()]

    def take(self) -> Connection | None:
        if not self.free:
            return None
        taken = self.free[-1]
        del self.free[-1]
        return taken


class LockedPool(Pool):
    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()

    def take(self) -> Connection | None:
        with self.lock:
            return super().take()


class Factory:
    def make(self) -> Connection:
        return Connection()


class Lazy:
    def __init__(self) -> None:
        self.made: Connection | None = None

    def get(self) -> tuple[Connection, str]:
        if self.made is None:
            self.made = Connection()
        return self.made, "⟨not an object⟩"


class LockedLazy(Lazy):
    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()

    def get(self) -> tuple[Connection, str]:
        with self.lock:
            return super().get()


class PerThread:
    def __init__(self) -> None:
        self.own = threading.local()

    def get(self) -> Connection:
        if not hasattr(self.own, "made"):
            self.own.made = Connection()
        return self.own.made  # type: ignore[no-any-return]


class Exposed:
    def __init__(self) -> None:
        self.items: list[int] = []

    def get(self) -> list[int]:
        return self.items


@pytest.mark.parametrize(
    ("kind", "level"),
    [
        (LockedPool, "linearizable"), (Factory, "linearizable"), (LockedLazy, "linearizable"),
        (Pool, ""), (Lazy, ""), (PerThread, ""),
    ],
)  # fmt: skip
def test_objects_are_known_by_identity(kind: type, level: str) -> None:
    assert mcr.linearizable(kind, calls=2).level == level


def test_two_threads_that_get_one_object_are_shown() -> None:
    found = mcr.linearizable(Pool, calls=1, level="linearizable")
    assert found.counterexample is not None
    results = {call.result for call in found.counterexample.seen}
    assert len(results) == 1
    (name,) = re.findall("⟨.*⟩", results.pop())
    assert found.counterexample.orders[0].endswith(f" would return another object, not {name}")


def test_a_specification_has_objects_of_its_own() -> None:
    assert mcr.linearizable(LockedLazy, spec=Lazy, calls=2).level == "linearizable"
    assert mcr.linearizable(LockedLazy, ["get"], spec=PerThread, calls=1).level == ""


def test_what_can_change_is_refused() -> None:
    with pytest.raises(mcr.ModelError, match=r"object of type list: .* return a copy"):
        mcr.linearizable(Exposed, calls=1)


A, B, X, Y = "⟨a⟩", "⟨b⟩", "⟨x⟩", "⟨y⟩"


@pytest.mark.parametrize(
    ("expected", "seen", "pairing", "after"),
    [
        ("1", "1", (), ()),
        ("1", "2", (), None),
        (A, X, (), ((A, X),)),
        (A, "None", (), None),
        (f"({A}, {B})", f"({X}, {X})", (), None),
        (f"({A}, {A})", f"({X}, {Y})", (), None),
        (f"({A}, {A})", f"({X}, {X})", (), ((A, X),)),
        (f"({A}, 1)", f"({X}, 2)", (), None),
        (B, X, ((A, X),), None),
        (A, Y, ((A, X),), None),
        (B, Y, ((A, X),), ((A, X), (B, Y))),
    ],
)
def test_pairings(expected: str, seen: str, pairing: Pairing, after: Pairing | None) -> None:
    assert matched(expected, seen, pairing) == after


def test_objects_of_an_order_have_names_of_the_history() -> None:
    assert in_the_history(f"returns ({A}, {B})", ((A, X),)) == f"returns ({X}, another object)"
