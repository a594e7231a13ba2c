"""User code inside operations: updates, conditions, and operations that are yielded."""

from __future__ import annotations

import pytest

import mcr


@mcr.program
def caught(p: mcr.Declarations, generator: bool = False) -> None:
    """An update that fails is a read, in the thread that asked for it."""
    x, seen = p.var("x", 0), p.var("seen")

    def half(value: int) -> int:
        if value % 2:
            raise ValueError(value)
        return value // 2

    def halver() -> None:
        try:
            x.update(half)
            x.fetch_add("text")
        except (ValueError, TypeError) as error:
            seen.store(str(error))

    def halver_that_yields():
        try:
            yield x.op.update(half)
            yield x.op.fetch_add("text")
        except (ValueError, TypeError) as error:
            yield seen.op.store(str(error))

    p.thread(halver_that_yields if generator else halver)
    p.thread(x.store, 3)

    @p.final
    def outcome() -> object:
        return x.load(), seen.load()


@pytest.mark.parametrize("generator", [False, True])
@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
@pytest.mark.parametrize("algorithm", ["cover", "trust", "trust-rf"])
def test_a_thread_catches_what_its_update_raises(algorithm: str, model: str, generator: bool) -> None:
    result = mcr.check(caught(generator=generator), model, algorithm=algorithm, options=mcr.Options(paranoid=True))
    assert result.verdict is mcr.Verdict.VERIFIED
    text = "unsupported operand type(s) for +: 'int' and 'str'"
    assert result.outcomes == tuple(sorted([repr((3, "3")), repr((3, text))]))


def test_an_update_that_is_not_caught_fails_at_its_line() -> None:
    @mcr.program
    def wrong(p: mcr.Declarations) -> None:
        x = p.var("x", 0)

        def divide(value: int) -> float:
            return 1 / value

        def thread() -> None:
            x.update(divide)

        p.thread(thread)

    failure = mcr.check(wrong).failures[0].failure
    assert failure is not None
    assert [line.line - wrong.line for line in failure.stack] == [5, 8]


def test_an_update_runs_where_the_thread_stands() -> None:
    """Also when another value is considered than the one that was read."""

    @mcr.program
    def late(p: mcr.Declarations) -> None:
        x = p.var("x", 0)

        def adder() -> int:
            amount = 1
            old = x.update(lambda value: value + amount, "add")
            amount = 100
            return old

        p.thread(adder)
        p.thread(adder)
        p.final(x.load)

    for objective in ("states", "values", "rf"):
        assert mcr.check(late, objective=objective).outcomes == ("2",)


def test_an_update_may_not_use_shared_memory() -> None:
    @mcr.program
    def nested(p: mcr.Declarations) -> None:
        x = p.var("x", 0)

        def thread() -> None:
            try:
                x.update(lambda old: x.load() + 1)
            except Exception:
                x.store(1)

        p.thread(thread)

    with pytest.raises(mcr.ModelError, match="an update must not use shared memory"):
        mcr.check(nested)


@mcr.program
def yields(p: mcr.Declarations) -> None:
    x, n = p.var("x", 0), p.var("n", 5)

    def method():
        return (x.compare_exchange(0, 1), x.compare_exchange(0, 1), x.exchange(7), n.fetch_add(2), n.load(), x.store(1))

    def generator():
        first = yield x.op.compare_exchange(0, 1)
        second = yield x.op.compare_exchange(0, 1)
        third = yield x.op.exchange(7)
        fourth = yield n.op.fetch_add(2)
        return first, second, third, fourth, (yield n.op.load()), (yield x.op.store(1))

    first = p.thread(method)

    def undo():
        first.join()
        x.store(0), n.store(5), p.fence()
        return p.spawn(generator).join()

    p.thread(undo)


def test_operations_that_are_yielded_give_what_the_methods_give() -> None:
    (outcome,) = mcr.check(yields.returning_results()).outcomes
    assert outcome == repr(((True, False, 1, 5, 7, None),) * 2)


@mcr.program
def wait_that_raises(p: mcr.Declarations) -> None:
    """The wait is over for who catches what left its condition."""
    x, y = p.var("x", 0), p.var("y", 0)

    def ready() -> bool:
        if x.load() == 0:
            raise ValueError
        return bool(y.load())

    def waiter() -> str:
        try:
            p.wait_until(ready)
        except ValueError:
            y.store(2)
            p.assume(y.load() == 1)
        return "over"

    def other() -> None:
        x.store(1)
        y.store(1)

    p.thread(waiter)
    p.thread(other)
    p.final(lambda: y.load())


@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
def test_an_exception_ends_the_wait_that_it_leaves(model: str) -> None:
    result = mcr.check(wait_that_raises, model, objective="outcomes,deadlocks")
    assert result.verdict is mcr.Verdict.VERIFIED
    assert result.outcomes == ("1",)


def test_an_assumption_inside_a_condition_is_no_wait() -> None:
    @mcr.program
    def assumes(p: mcr.Declarations) -> None:
        x = p.var("x", 0)
        p.thread(lambda: p.wait_until(lambda: p.assume(x.load() == 1)))

    assert mcr.check(assumes, objective="deadlocks").verdict is mcr.Verdict.VERIFIED
