"""Symbols do what numbers do: every operator and function of Python, decided where Python needs to know."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import pytest

import mcr
from mcr.exploration.options import Options
from tests.bmc.agreement import differences

VALUES = (-3, 0, 2)

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "arithmetic": lambda v: (v + 1, 1 - v, v * v, -v, +v, ~v, abs(v), v // 2, v % 3, divmod(v, 3), 7 // (v or 1)),
    "bits": lambda v: (v & 6, v | 1, v ^ 5, v << 2, v >> 1, 1 << abs(v)),
    "power": lambda v: (v**2, 2 ** abs(v), pow(v, 3, 5)),
    "fractions": lambda v: (v / 2, v + 0.5, v < 0.5, float(v)),
    "comparisons": lambda v: (v < 1, v <= 0, v == 2, v != 2, v > 1, v >= -3, 0 < v < 3, not v, bool(v)),
    "logic": lambda v: ((v > 0) & (v < 3), (v > 0) | (v < -1), (v > 0) ^ (v == 2), (v > 0) == (v < 3), (v > 0) + 1),
    "extremes": lambda v: (max(v, 1), min(v, 1, -1), max([v, 0]), max(v, 1, key=abs), sum([v, v]), sorted([v, 0, -v])),
    "containers": lambda v: ([5, 6, 7][v % 3], {0: "a", 2: "b"}.get(v), v in (0, 2), {v, 0} == {0}, (v, 1) < (0, 2)),
    "texts": lambda v: (str(v), f"{v:3d}", "%d" % v, repr(v)),  # noqa: UP031
    "loops": lambda v: (list(range(v)), sum(1 for _ in range(abs(v)))),
    "library": lambda v: (math.gcd(v, 4), operator.add(v, 1), round(v), int(v), v.bit_length(), isinstance(v, int)),
    "mistakes": lambda v: _caught(lambda: 6 // v) + _caught(lambda: 6 % v) + _caught(lambda: v + "x"),
    "nothing": lambda v: (v is None, v == None, v == "2", v == (2,)),  # noqa: E711
}


def _caught(function: Callable[[], object]) -> tuple[object, ...]:
    try:
        return (function(),)
    except (ZeroDivisionError, TypeError) as error:
        return (type(error).__name__,)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_code_computes_is_what_python_computes(name: str) -> None:
    """A value that a load may have read: each, and the same results as without terms."""
    function = FUNCTIONS[name]

    @mcr.program
    def computing(p):  # type: ignore[no-untyped-def]
        x = p.var("x", VALUES[0])

        def writer() -> None:
            for value in VALUES[1:]:
                x.store(value)

        def reader() -> object:
            return str(function(x.load()))

        p.thread(writer)
        thread = p.thread(reader)
        p.final(lambda: thread.join())

    result = mcr.check(computing, "sc", objective="outcomes", algorithm="bmc")
    assert set(result.outcomes) == {repr(str(function(value))) for value in VALUES}
    assert result.verdict is mcr.Verdict.VERIFIED


@mcr.program
def doubling(p, limit, start=2**70):  # type: ignore[no-untyped-def]
    """Two threads double a number and add 1, twice each, and one takes its square."""
    x, square = p.var("x", start), p.var("square", 0)

    def double() -> None:
        for _ in range(2):
            x.store(2 * x.load() + 1)

    def multiply() -> None:
        value = x.load()
        square.store(value * value)

    p.thread(double)
    p.thread(double)
    p.thread(multiply)

    @p.final
    def bounded() -> None:
        assert square.load() <= limit


def test_values_beyond_64_bits() -> None:
    """Whole numbers are Python's: a bound that is met is verified, one that is missed by one is a bug."""
    most = (2**74 + 15) ** 2
    assert mcr.check(doubling(limit=most), "sc", algorithm="bmc").verdict is mcr.Verdict.VERIFIED
    assert mcr.check(doubling(limit=most - 1), "sc", algorithm="bmc").verdict is mcr.Verdict.BUG


@mcr.program
def million(p, bad=-1):
    """Fails under: nothing, without a bad number."""
    x = p.var("x", 0)

    def doubles():
        number = p.integer(0, 10**6)
        x.store(2 * number)

    def looks():
        assert x.load() != 2 * bad, "the bad number"

    p.thread(doubles)
    p.thread(looks)


def test_an_input_from_a_million() -> None:
    assert mcr.check(million, "pso", algorithm="bmc").verdict is mcr.Verdict.VERIFIED
    found = mcr.check(million(bad=777_777), "pso", algorithm="bmc")
    assert found.verdict is mcr.Verdict.BUG
    (trace,) = found.failures
    assert mcr.replay(million(bad=777_777), trace).failure == trace.failure
    assert any(event.read == "777777" for event in trace.events)


@pytest.mark.parametrize("algorithm", ["cover", "trust", "exhaustive"])
def test_other_algorithms_refuse_as_many_inputs(algorithm: str) -> None:
    with pytest.raises(mcr.ModelError, match="any of 1000001 numbers: no more than 1000 are tried one by one"):
        mcr.check(million, "tso", algorithm=algorithm)


def test_few_inputs_are_tried_one_by_one() -> None:
    @mcr.program
    def few(p):  # type: ignore[no-untyped-def]
        thread = p.thread(lambda: p.choose(range(3)) + p.integer(0, 1))
        p.final(lambda: thread.join())

    for algorithm in ("auto", "bmc", "exhaustive"):
        result = mcr.check(few, "sc", objective="outcomes", algorithm=algorithm)
        assert set(result.outcomes) == {"0", "1", "2", "3"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [((1, 0), r"integer\(1, 0\): there is no number between"), ((0, 1.5), "and 1.5 is none"), ((None, 1), "None")],
)
def test_inputs_that_make_no_sense(arguments: tuple[Any, Any], sentence: str) -> None:
    @mcr.program
    def senseless(p):  # type: ignore[no-untyped-def]
        p.thread(lambda: p.integer(*arguments))

    with pytest.raises(mcr.ModelError, match=sentence):
        mcr.check(senseless, "sc")


def test_a_loop_beyond_the_bound_is_no_proof() -> None:
    @mcr.program
    def endless(p):  # type: ignore[no-untyped-def]
        x = p.var("x", 0)

        def count() -> None:
            while x.load() >= 0:
                x.fetch_add(1)

        p.thread(count)

    result = mcr.check(endless, "sc", algorithm="bmc", options=Options(max_operations=20))
    assert result.verdict is mcr.Verdict.INCOMPLETE
    assert result.stop is not None and "cut after 20 operations" in result.stop.reason


def test_what_no_path_reaches_is_said() -> None:
    @mcr.program
    def stuck(p):  # type: ignore[no-untyped-def]
        x = p.var("x", 0)

        def waits() -> None:
            p.wait_until(lambda: x.load() == 1)

        p.thread(waits)
        p.thread(lambda: x.store(2))

    result = mcr.check(stuck, "tso", algorithm="bmc", options=Options(deadlocks=False))
    assert result.verdict is mcr.Verdict.VERIFIED
    assert result.unreached == ("0",)


def test_updates_that_raise_and_write_nothing() -> None:
    @mcr.program
    def picky(p):  # type: ignore[no-untyped-def]
        x = p.var("x", 0)

        def change(old: int) -> object:
            if old == 1:
                raise ValueError
            return mcr.UNWRITTEN if old > 1 else old + 1

        def thread() -> object:
            try:
                return x.update(change)
            except ValueError:
                return "refused"

        for _ in range(3):
            p.thread(thread)

    assert differences(picky, "tso", 20_000) == ""


def test_an_input_is_no_look() -> None:
    """A loop that takes a number of a range each time does more than look."""

    @mcr.program
    def guesses(p):  # type: ignore[no-untyped-def]
        def guess() -> None:
            while p.integer(0, 2) != 2:
                pass

        p.thread(guess)

    for algorithm in ("auto", "bmc"):
        result = mcr.check(guesses, "sc", algorithm=algorithm, options=Options(max_operations=10))
        assert result.stop is not None and "cut after 10 operations" in result.stop.reason
