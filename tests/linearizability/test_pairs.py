"""`mcr levels`: the level of each pair of methods, and CPython's word for a class."""

from __future__ import annotations

import threading
from collections import defaultdict
from typing import Any

import pytest

import mcr
from replay.errors import CheckerError
from tests.amount import amount
from tests.desk import Desk
from tests.linearizability.campaign import compare_pairs
from tests.linearizability.test_levels import Register, Stack


class Till:
    """Loses what two add at once, and finds an emptied list where it has looked."""

    def __init__(self) -> None:
        self.total = 0
        self.items: list[int] = []

    def add(self) -> None:
        self.total += 1

    def get(self) -> int:
        return self.total

    def put(self) -> None:
        self.items.append(1)

    def take(self) -> int | None:
        return self.items.pop() if self.items else None


class LockedTill(Till):
    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()

    def add(self) -> None:
        with self.lock:
            super().add()


class Counted:
    """Right but for what nobody asks: how often it was used."""

    def __init__(self) -> None:
        self.used = 0

    def use(self) -> None:
        self.used += 1


class Plates:
    """A stack without a lock: two that push at once overwrite each other, which one call afterwards cannot show."""

    def __init__(self) -> None:
        self.plates: tuple[int, ...] = ()

    def push(self, plate: int) -> None:
        self.plates = (*self.plates, plate)

    def pop(self) -> int | None:
        if not self.plates:
            return None
        *self.plates, last = self.plates  # type: ignore[assignment]
        return last


class LockedPlates(Plates):
    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()

    def push(self, plate: int) -> None:
        with self.lock:
            super().push(plate)


class Pool:
    """Objects that threads made: which of them made the first one is no difference."""

    def __init__(self) -> None:
        self.made: list[Counted] = []
        self.by_name: dict[str, Counted] = {}
        self.lock = threading.Lock()

    def make(self) -> None:
        with self.lock:
            self.made.append(Counted())
            self.by_name["latest"] = self.made[-1]


class Numbered:
    """All objects of the class count together."""

    count = 0

    def next(self) -> int:
        Numbered.count = number = Numbered.count + 1
        return number


def positive(counted: Counted) -> bool:
    return counted.used == 2


def test_a_pair_is_atomic_safe_or_racy() -> None:
    found = mcr.levels(Till, ["add", "get", "take", "put"], before=1)
    racy = {pair.methods: pair.level for pair in found.pairs if pair.level != "atomic"}
    assert racy == {("add", "add"): "safe", ("take", "take"): "racy"}
    assert found.word == "distinct"
    lost = found.of("add", "add").counterexample
    assert lost is not None
    assert lost.calls == (("till.add()",), ("till.add()",), ("till.get()",))


@pytest.mark.parametrize(
    ("make", "operations", "how", "word"),
    [
        (LockedTill, ["add", "get"], {}, "atomic"),
        (Till, ["add", "get"], {}, "shared"),
        (Numbered, ["next"], {}, "shared"),
        (Stack, [("push", 1), "pop"], {"model": "tso"}, "atomic"),
        (Register, [("write", 1), "read"], {"model": "pso"}, "shared"),
        (Counted, ["use"], {"invariant": positive, "after": 0, "before": 0}, "distinct"),
    ],
)
def test_a_word_for_a_class(make: Any, operations: Any, how: dict[str, Any], word: str) -> None:
    assert mcr.levels(make, operations, **{"before": 1, **how}).word == word


def test_pairs_that_touch_nothing_in_common_are_not_run_and_counted() -> None:
    """`add` and `get` have nothing in common with `put`; two calls of one method are run in any case."""
    operations = ["add", "get", "put"]
    found, every = (mcr.levels(Till, operations, before=0, options=mcr.Options(reduce=each)) for each in (True, False))
    assert [pair.level for pair in found.pairs] == [pair.level for pair in every.pairs]
    left_out = [pair.methods for pair in found.pairs if not pair.was_run]
    assert left_out == [("add", "put"), ("get", "put")]
    assert (found.left_out, every.left_out) == (2, 0)


def test_with_an_invariant_all_pairs_are_run() -> None:
    assert not mcr.levels(Till, ["get", "take"], before=0, after=0, invariant=bool).left_out


def test_what_is_linearizable_may_break_an_invariant() -> None:
    (pair,) = mcr.levels(Counted, ["use"], invariant=positive, before=0, after=0).pairs
    assert pair.level == "racy"
    assert pair.counterexample is not None
    assert "the invariant does not hold" in str(pair.counterexample.trace.failure)


@pytest.mark.parametrize(("kind", "level"), [(Plates, "safe"), (LockedPlates, "atomic")])
def test_what_the_object_holds_in_the_end_is_compared(kind: type, level: str) -> None:
    found = mcr.levels(kind, [("push", 1), ("push", 2), "pop"], before=0).of("push", "push")
    assert found.level == level
    if found.counterexample is not None:
        assert "what plates holds returns 'Plates 0(plates=(1))'" in str(found.counterexample.trace.failure)


def test_what_is_held_is_compared_without_the_names_of_objects() -> None:
    assert mcr.levels(Pool, ["make"], before=1).word == "atomic"


def test_a_difference_in_what_is_held_can_be_replayed(desk: Desk) -> None:
    lines = ["class Box:", "    def __init__(self):", "        self.n = 0", "    def add(self):", "        self.n += 1"]
    desk.write("box.py", "\n".join([*lines, ""]))
    answer = desk.mcr("levels", "box.py::Box")
    assert answer.status == 1
    assert "add and add: safe: box.add() returns None, box.add() returns None, what box holds returns" in answer.out
    assert desk.mcr("replay", ".mcr/box-add-add-sc.json").status == 1


def test_a_table_in_markdown_and_one_for_machines(desk: Desk) -> None:
    desk.write(
        "till.py",
        "class Till:\n    def __init__(self):\n        self.total = 0\n\n"
        "    def add(self):\n        self.total += 1\n\n"
        "    def get(self):\n        return self.total\n\n    def limit(self):\n        return 9\n",
    )
    asked = "levels", "till.py::Till", "--before", "0"
    answer = desk.mcr(*asked)
    assert answer.status == 1
    assert answer.out.startswith(
        "**Till** under SC: shared\n\n| | add | get | limit |\n|---|---|---|---|\n| add | safe | atomic | atomic |\n"
    )
    assert (
        " after them, of add(), get(), limit(). Not run, as they touch nothing in common: 2 of 6 pairs. " in answer.out
    )
    assert "`mcr replay .mcr/till-add-add-sc.json`" in answer.out
    assert desk.mcr("replay", ".mcr/till-add-add-sc.json").status == 1
    (found,) = desk.mcr(*asked, "--json").document["classes"]
    assert (found["word"], [pair["level"] for pair in found["pairs"]]) == ("shared", ["safe", *["atomic"] * 5])
    assert [pair["methods"] for pair in found["pairs"] if not pair["run"]] == [["add", "limit"], ["get", "limit"]]


class Account:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.n = 0


class Bank:
    """Only its first calls race: each makes an account, and one of them is lost."""

    def __init__(self) -> None:
        self.accounts: dict[str, Account] = defaultdict(Account)

    def pay(self) -> int:
        account = self.accounts["k"]
        with account.lock:
            account.n += 1
            return account.n


class SoonFull:
    """Races while it is empty, and after one call; with a method that leaves an empty one empty."""

    def __init__(self) -> None:
        self.items: tuple[int, ...] = ()

    def put(self) -> int:
        if len(self.items) < 2:
            self.items = (*self.items, 1)
        return len(self.items)

    def get(self) -> int:
        return len(self.items)


@pytest.mark.parametrize(
    ("before", "kind", "method"),
    [(before, *each) for before in (0, 1, 2) for each in ((Bank, "pay"), (SoonFull, "put"))][:: amount(3, 1)],
)
def test_a_race_in_the_first_call_is_found_whatever_may_come_before(kind: type, method: str, before: int) -> None:
    assert mcr.levels(kind, before=before).of(method, method).level == "safe"


def test_an_invariant_has_to_hold_after_fewer_calls_too() -> None:
    (pair,) = mcr.levels(Counted, ["use"], invariant=lambda counted: counted.used != 2, before=0, after=1).pairs
    assert pair.level == "racy"


@pytest.mark.parametrize("seed", range(amount(1, 20)))
def test_pairs_of_random_classes_are_as_brute_force_says(seed: int) -> None:
    """`python -m tests.linearizability.campaign --levels` looks at hundreds."""
    for objects in (False, True):
        for model, right, said in compare_pairs(seed, before=1, objects=objects):
            assert said == right, (seed, objects, model)


def test_numbers_of_calls_below_0_are_refused() -> None:
    with pytest.raises(CheckerError, match="0 or more calls before and after"):
        mcr.levels(Counted, before=-1)


class Loud:
    def __init__(self) -> None:
        self.n = 0

    def add(self) -> None:
        print("adding")
        self.n += 1


def test_the_specification_prints_nothing_as_it_is_explored(capsys: pytest.CaptureFixture[str]) -> None:
    mcr.linearizable(Loud, calls=1)
    mcr.levels(Loud, before=0)
    assert capsys.readouterr().out == ""
