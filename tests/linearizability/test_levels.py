"""Levels of classes: against all interleavings and all orders, and of classes that everybody knows."""

from __future__ import annotations

import threading
import typing
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import strategies

import mcr
from mcr.linearizability.guessing import operations_of
from mcr.linearizability.search import Linearizability, linearizable
from replay.errors import CheckerError
from tests.amount import amount
from tests.linearizability import structures
from tests.linearizability.campaign import compare


@pytest.mark.parametrize("seed", [0, 3, 7, 11, 98])
def test_levels_are_those_of_all_interleavings_and_all_orders(seed: int) -> None:
    """`python -m tests.linearizability.campaign` looks at thousands."""
    for model, right, said in compare(seed):
        assert said == right, model


@pytest.mark.parametrize("seed", [1, 0][: amount(1, 2)])
def test_levels_of_calls_that_return_objects_are_theirs_too(seed: int) -> None:
    for model, right, said in compare(seed, objects=True):
        assert said == right, model


class Counter:
    def __init__(self) -> None:
        self.count = 0

    def add(self) -> int:
        self.count += 1
        return self.count

    def get(self) -> int:
        return self.count


class LockedCounter(Counter):
    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()

    def add(self) -> int:
        with self.lock:
            return super().add()


class ByTwo(LockedCounter):
    """Right by itself, and not as a counter."""

    def add(self) -> int:
        super().add()
        return super().add()


class Register:
    """Written and read with nothing else."""

    def __init__(self, p: mcr.Declarations) -> None:
        self.cell = p.var("cell", 0)

    def write(self, value: int) -> None:
        self.cell.store(value)

    def read(self) -> int:
        value: int = self.cell.load()
        return value


class CountingNetwork:
    """Aspnes, Herlihy and Shavit 1994, with one balancer: who has passed it may be overtaken."""

    def __init__(self, p: mcr.Declarations) -> None:
        self.passed = p.var("passed", 0)
        self.wires = p.array("wires", [0, 1])

    def next(self) -> int:
        number: int = self.wires[self.passed.fetch_add(1) % 2].fetch_add(2)
        return number


Stack, LosingStack = structures.TreiberStack, structures.LosingStack

STACK = [("push", 1), ("push", 2), "pop"]


def level(make: Callable[..., Any], *operations: Any, **how: Any) -> str:
    return linearizable(make, operations or None, **how).level


def test_a_counter_loses_what_two_add_at_once() -> None:
    found = linearizable(Counter)
    assert (found.verdict, found.model, found.level) == (mcr.Verdict.BUG, "sc", "")
    assert found.counterexample is not None
    assert found.counterexample.calls == (("counter.add()",), ("counter.add()",))
    assert [call.result for call in found.counterexample.seen] == ["returns 2", "returns 2"]
    assert set(found.counterexample.orders) == {f"{thread}: counter.add() would return 1, not 2" for thread in (0, 1)}


def test_with_a_lock_it_does_not() -> None:
    found = linearizable(LockedCounter, calls=2)
    assert found.verdict is mcr.Verdict.VERIFIED
    assert found.clients == 10
    assert found.bounds == "all clients of 2 threads with up to 2 calls each, of add(), get()"


@pytest.mark.parametrize(
    ("model", "right"), [("sc", "linearizable"), ("tso", "sequentially consistent"), ("pso", "sequentially consistent")]
)
def test_a_write_has_returned_before_others_see_it(model: str, right: str) -> None:
    assert level(Register, ("write", 1), "read", calls=2, model=model) == right


@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
def test_who_is_never_alone_may_be_overtaken(model: str) -> None:
    found = linearizable(CountingNetwork, ["next"], calls=2, model=model)
    assert found.level == "quiescently consistent"
    assert found.counterexample is not None
    assert [call.result for call in found.counterexample.seen] == ["", "returns 1", "returns 0"]


STRUCTURES = {
    structures.LosingStack: (STACK, {}, 2),
    structures.LosingQueue: ([("enqueue", 1), "dequeue"], {}, 2),
    structures.UnfencedRing: ([("put", 1), "get"], {"put": 0, "get": 1}, 1),
    structures.UnfencedDeque: ([("push", 1), "take", "steal"], {"push": 0, "take": 0}, 3),
    structures.TrustingList: (structures.SETS, {}, 1),
    structures.TrustingSkipList: (structures.SETS, {}, 1),
}


@pytest.mark.parametrize("make", STRUCTURES, ids=lambda make: make.__name__)
def test_the_known_errors_of_structures_are_found(make: Any) -> None:
    operations, only, calls = STRUCTURES[make]
    assert level(make, *operations, only=only, calls=calls, model="pso") == ""


@pytest.mark.parametrize("make", [structures.MichaelScottQueue, structures.LazyList, structures.HarrisList])
def test_structures_without_errors(make: Any) -> None:
    operations = [("enqueue", 1), "dequeue"] if "Queue" in make.__name__ else structures.SETS
    assert level(make, *operations, calls=2 if len(operations) == 2 else 1, model="pso") == "linearizable"


@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
def test_a_stack(model: str) -> None:
    assert level(Stack, *STACK, calls=1, threads=3, model=model) == "linearizable"


def test_who_waits_is_told_what_is_looked_at() -> None:
    seen = dict[str, int]()
    linearizable(Counter, ["add"], calls=1, on_progress=lambda title, found: seen.update({title: found.global_states}))
    levels = ("linearizable", "sequentially consistent", "quiescently consistent")
    assert {f"Counter under SC: {level}, 1+1 calls" for level in levels} <= seen.keys()
    assert all(seen.values())


def test_the_smallest_client_is_shown() -> None:
    example = linearizable(LosingStack, STACK[1:], calls=2, model="tso").counterexample
    assert example is not None
    assert example.calls == (("losingstack.push(2)", "losingstack.pop()"),) * 2


def test_a_thread_that_calls_nothing_is_not_shown() -> None:
    example = linearizable(Counter, ["add"], threads=3, calls=1).counterexample
    assert example is not None
    assert example.calls == (("counter.add()",),) * 2


def test_a_history_that_nobody_finds_shortest_is_shortened(monkeypatch: pytest.MonkeyPatch) -> None:
    """What notes depend on is kept: `mcr.executions.causal_past` did not know them."""
    monkeypatch.setattr("mcr.explorers.stateful.explorer.MOST_FOR_SHORTEST", 0)
    example = linearizable(Counter, ["add"], calls=1).counterexample
    assert example is not None
    assert len(example.seen) == 2


class Cell:
    """Gives what was put in once, and raises an exception if there is nothing."""

    def __init__(self) -> None:
        self.held: list[int] = []

    def put(self, value: int) -> None:
        self.held.append(value)

    def take(self) -> int:
        return self.held.pop()


class Impatient(Cell):
    def take(self) -> int:
        if self.held:
            return self.held.pop()
        raise LookupError("nothing here")


def test_exceptions_are_results() -> None:
    assert level(Cell, ("put", 1), "take", calls=2) == "linearizable"
    found = linearizable(Impatient, [("put", 1), "take"], calls=2)
    assert found.counterexample is not None
    assert "raises IndexError(pop from empty list)" in [call.result for call in found.counterexample.seen]


class Gate:
    """`pass_through` waits until somebody opens it."""

    def __init__(self) -> None:
        self.event = threading.Event()

    def open(self) -> None:
        self.event.set()

    def pass_through(self) -> bool:
        return self.event.wait()


def test_a_call_that_waits_takes_effect_when_it_may() -> None:
    assert level(Gate, "open", "pass_through", calls=1) == "linearizable"


class Drowsy:
    """Who looks before it is opened, and waits after that, is never woken."""

    def __init__(self) -> None:
        self.is_open = False
        self.opened = threading.Condition()

    def open(self) -> None:
        self.is_open = True
        with self.opened:
            self.opened.notify_all()

    def pass_through(self) -> None:
        if not self.is_open:
            with self.opened:
                self.opened.wait()


def test_a_call_that_waits_though_nobody_else_would() -> None:
    found = linearizable(Drowsy, ["open", "pass_through"], calls=1)
    assert found.levels == ("sequentially consistent", "quiescently consistent")
    assert found.counterexample is not None
    assert [call.result for call in found.counterexample.seen if call.text == "drowsy.pass_through()"] == [""]
    order = "1: drowsy.open(), 0: drowsy.pass_through() would return None, and not wait"
    assert order in found.counterexample.orders
    assert mcr.levels(Drowsy, ["open", "pass_through"], before=0, after=0).of("open", "pass_through").level == "safe"


@pytest.mark.parametrize(
    ("make", "operations", "model"),
    [
        (Register, [("write", 1), "read"], "pso"),
        (CountingNetwork, ["next"], "tso"),
        (Stack, STACK[1:], "pso"),
        (LosingStack, STACK[1:], "tso"),
        (LockedCounter, ["add", "get"], "sc"),
        (Gate, ["open", "pass_through"], "sc"),
        (Drowsy, ["open", "pass_through"], "sc"),
    ][:: amount(2, 1)],
)
def test_a_call_begins_as_late_and_ends_as_early_as_it_can(make: Any, operations: Any, model: str) -> None:
    """What observers are told belongs to the step beside it: answers are the same, of fewer states."""
    joined, apart = (
        linearizable(make, operations, calls=2, model=model, options=mcr.Options(reduce=each)) for each in (True, False)
    )
    assert (joined.verdict, joined.levels) == (apart.verdict, apart.levels)
    if joined.verdict is mcr.Verdict.VERIFIED:
        assert 1.5 * joined.states < apart.states


class Shelf:
    def __init__(self) -> None:
        self.lock, self.things = threading.Lock(), set[int]()

    def add(self, thing: int) -> None:
        with self.lock:
            self.things.add(thing)

    def remove(self, thing: int) -> None:
        if self.contains(thing):
            with self.lock:
                self.things.discard(thing)

    def contains(self, thing: int) -> bool:
        return thing in self.things


def test_clients_that_write_nothing_are_not_run_and_counted() -> None:
    """Nothing is there to be removed: `remove` and `contains` only read, as long as nobody adds anything."""
    every = linearizable(Shelf, structures.SETS, calls=2, options=mcr.Options(reduce=False))
    found = linearizable(Shelf, structures.SETS, calls=2)
    assert (found.verdict, found.clients, found.left_out) == (mcr.Verdict.VERIFIED, 136, 10)
    assert (every.verdict, every.clients, every.left_out) == (mcr.Verdict.VERIFIED, 136, 0)


class Asking(Counter):
    """What calls return depends on who asks."""

    def who(self) -> int:
        return threading.get_ident()


@pytest.mark.parametrize(
    ("make", "operations", "how"),
    [
        (Counter, ["get"], {}),  # nothing else is left, and somebody has to look what the code does
        (Asking, ["who", "add"], {}),
        (Counter, ["get", "add"], {"spec": LockedCounter}),
        (Gate, ["pass_through", "open"], {}),
        (Counter, ["get", "add"], {"only": {"add": 0}}),
    ],
)
def test_what_could_fail_is_run(make: Any, operations: Any, how: Any) -> None:
    assert linearizable(make, operations, calls=1, **how).left_out == 0


def test_another_class_is_the_specification() -> None:
    assert level(ByTwo, "add", calls=1, threads=1) == "linearizable"
    assert level(ByTwo, "add", calls=1, threads=1, spec=Counter) == ""


def test_limits_hold() -> None:
    found: Linearizability = linearizable(Stack, STACK, calls=3, options=mcr.Options(timeout=0.5))
    assert found.verdict is mcr.Verdict.INCOMPLETE
    assert found.level == ""
    assert found.stop is not None


class Long:
    """One thread needs more operations than are followed."""

    def __init__(self) -> None:
        self.count = 0

    def climb(self) -> None:
        while self.count < 1000:
            self.count += 1


class Leaving:
    def leave(self) -> None:
        raise SystemExit


@pytest.mark.parametrize(
    ("make", "operation", "says"),
    [(Long, "climb", "take more than 400 operations"), (Leaving, "leave", "ends the thread: SystemExit")],
)
def test_a_specification_comes_to_its_end(make: Callable[[], Any], operation: str, says: str) -> None:
    """What does not is not taken for a call that waits."""
    with pytest.raises(CheckerError, match=says):
        linearizable(make, [operation], calls=1)


class Annotated:
    def of_a_strategy(self, number: typing.Annotated[int, strategies.integers(3, 9)]) -> None: ...

    def of_one(self, text: typing.Annotated[str, strategies.just("a")]) -> None: ...

    def literal(self, text: typing.Literal["x", "y"]) -> None: ...

    def either(self, flag: bool | None) -> None: ...

    def nothing_said(self, number, more=1): ...  # type: ignore[no-untyped-def]


def test_arguments_are_guessed_from_annotations_and_strategies() -> None:
    assert [*map(str, operations_of(Annotated))] == [
        "of_a_strategy(3)", "of_a_strategy(4)", "of_one('a')", "literal('x')", "literal('y')",
        "either(False)", "either(True)", "either(None)", "nothing_said(1)", "nothing_said(2)",
    ]  # fmt: skip


class Odd:
    def give(self) -> object:
        return object()

    def compare(self, other: Odd) -> None:
        pass


@pytest.mark.parametrize(
    ("operations", "how", "says"),
    [
        (["giv"], {}, "Odd has no method 'giv'"),
        ([], {}, "Odd: which operations"),
        ([3], {}, 'an operation is "method", or'),
        (None, {}, "Odd.compare: which arguments for other?"),
        (["give"], {}, "a call returned an object of type object"),
        (["give"], {"threads": 5, "calls": 3}, "clients have 1 to 12 calls"),
    ],
)
def test_what_cannot_be_asked_is_refused(operations: Any, how: dict[str, Any], says: str) -> None:
    with pytest.raises(CheckerError, match=says.replace("?", r"\?")):
        linearizable(Odd, operations, **how)
