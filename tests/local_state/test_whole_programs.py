"""Programs in which two histories look alike and are not: merged or not, the checker says what brute force does.

What a thread returns tells which history it had; whoever merged too much would miss a value, or invent one.
"""

from __future__ import annotations

import functools
import itertools
import operator
import random
import re
from collections.abc import Callable
from typing import Any

import pytest

import mcr
from mcr.exploration.options import Options
from replay.frontend.program import Program
from replay.world.memory_models import MODELS
from tests.amount import one_of
from tests.behaviours import Failure, enumerate_behaviours

TRAPS: dict[str, Callable[[Any, Any, Any], object]] = {}


def _trap(body: Callable[[Any, Any, Any], object]) -> Callable[[Any, Any, Any], object]:
    """`body` is what a thread does with a program and two locations, which become 1 meanwhile."""
    TRAPS[body.__name__.strip("_")] = body
    return body


# -- pending operands ------------------------------------------------------------------


@_trap
def _a_sum(p, x, y):  # type: ignore[no-untyped-def]
    return 2 * x.load() + y.load()


@_trap
def _arguments(p, x, y):  # type: ignore[no-untyped-def]
    return (lambda one, other: (one, other))(x.load(), y.load())


@_trap
def _an_f_string(p, x, y):  # type: ignore[no-untyped-def]
    return f"{x.load()}{y.load()}"


@_trap
def _a_chained_comparison(p, x, y):  # type: ignore[no-untyped-def]
    return 0 < x.load() <= y.load() + x.load() <= 1


@_trap
def _a_display(p, x, y):  # type: ignore[no-untyped-def]
    return (x.load(), {"y": y.load()}.popitem())


# -- inside of C functions ---------------------------------------------------------------


@_trap
def _the_largest(p, x, y):  # type: ignore[no-untyped-def]
    return max(each.load() * weight for each, weight in ((x, 1), (y, 2), (x, 3)))


@_trap
def _a_total(p, x, y):  # type: ignore[no-untyped-def]
    return sum(each.load() for each in (x, y, x, y))


@_trap
def _whether_any(p, x, y):  # type: ignore[no-untyped-def]
    return any(each.load() == 1 for each in (x, y)), all(each.load() for each in (y, x))


@_trap
def _sorted_by_what_is_loaded(p, x, y):  # type: ignore[no-untyped-def]
    return "".join(sorted("ab", key=lambda letter: -(x if letter == "a" else y).load()))


@_trap
def _mapped(p, x, y):  # type: ignore[no-untyped-def]
    return tuple(map(operator.methodcaller("load"), (x, y)))


@_trap
def _reduced(p, x, y):  # type: ignore[no-untyped-def]
    return functools.reduce(lambda total, each: 2 * total + each.load(), (x, y, x), 0)


# -- iterators -----------------------------------------------------------------------------


@_trap
def _an_iterator_in_a_variable(p, x, y):  # type: ignore[no-untyped-def]
    numbers = iter([10, 20, 30])
    if x.load():
        next(numbers)
    return y.load() + next(numbers)


@_trap
def _a_generator_in_a_variable(p, x, y):  # type: ignore[no-untyped-def]
    numbers = (10 * each for each in range(5))
    for _ in range(x.load()):
        next(numbers)
    return y.load() + next(numbers)


@_trap
def _a_comprehension(p, x, y):  # type: ignore[no-untyped-def]
    return tuple([each.load() for each in (x, y, x)])


@_trap
def _a_counter(p, x, y):  # type: ignore[no-untyped-def]
    numbers = itertools.count(10)
    if x.load():
        next(numbers)
    return y.load() + next(numbers)


@_trap
def _random_numbers(p, x, y):  # type: ignore[no-untyped-def]
    numbers = random.Random(1)
    if x.load():
        numbers.random()
    return y.load(), numbers.randint(0, 1000)


@_trap
def _a_match(p, x, y):  # type: ignore[no-untyped-def]
    found = re.match("a|b", "a" if x.load() else "b")
    y.load()
    return found and found.group()


# -- closures and what is kept in them -------------------------------------------------------


@_trap
def _a_nonlocal(p, x, y):  # type: ignore[no-untyped-def]
    count = 0

    def note(value: int) -> None:
        nonlocal count
        count = 2 * count + value

    note(x.load())
    note(y.load())
    x.load()
    return count


@_trap
def _a_default_argument(p, x, y):  # type: ignore[no-untyped-def]
    def kept(value=x.load()):  # type: ignore[no-untyped-def]  # noqa: B008
        return value

    y.load()
    return kept()


@_trap
def _a_helper_that_caches(p, x, y):  # type: ignore[no-untyped-def]
    kept: dict[str, int] = {}

    def cached(name, place):  # type: ignore[no-untyped-def]
        if name not in kept:
            kept[name] = place.load()
        return kept[name]

    cached("x", x)
    return y.load(), cached("x", x)


@_trap
def _a_mutable_default(p, x, y):  # type: ignore[no-untyped-def]
    def noted(value, values=[]):  # type: ignore[no-untyped-def]  # noqa: B006
        values.append(value)
        return tuple(values)

    noted(x.load())
    return noted(y.load())


# -- sharing and equality -----------------------------------------------------------------------


@_trap
def _one_list_or_two(p, x, y):  # type: ignore[no-untyped-def]
    one: list[int] = []
    other = one if x.load() else []
    y.load()
    one.append(1)
    return len(other)


@_trap
def _one_true_and_one_point_zero(p, x, y):  # type: ignore[no-untyped-def]
    value: object = (1, True, 1.0)[x.load() + y.load()]
    y.load()
    return repr(value)


@_trap
def _zeros(p, x, y):  # type: ignore[no-untyped-def]
    value = 0.0 if x.load() else -0.0
    y.load()
    return repr(value)


class _Liar:
    """Says that it equals every other one."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


@_trap
def _equality_that_lies(p, x, y):  # type: ignore[no-untyped-def]
    value = _Liar(x.load())
    y.load()
    return value.value


@_trap
def _order_of_a_dictionary(p, x, y):  # type: ignore[no-untyped-def]
    found = {"a": 0, "b": 0} if x.load() else {"b": 0, "a": 0}
    y.load()
    return "".join(found)


# -- exceptions and contexts ------------------------------------------------------------------


@_trap
def _an_exception_in_flight(p, x, y):  # type: ignore[no-untyped-def]
    try:
        try:
            raise ValueError(x.load())
        finally:
            y.load()
    except ValueError as error:
        return error.args


@_trap
def _a_handler(p, x, y):  # type: ignore[no-untyped-def]
    try:
        raise (KeyError if x.load() else ValueError)
    except (KeyError, ValueError):
        y.load()
        try:
            raise
        except LookupError:
            return "lookup"
        except ValueError:
            return "value"


@_trap
def _a_return_that_waits_for_finally(p, x, y):  # type: ignore[no-untyped-def]
    try:
        return x.load()
    finally:
        y.load()


class _Context:
    def __init__(self, place: Any, value: int) -> None:
        self.place, self.value = place, value

    def __enter__(self) -> None:
        self.place.load()

    def __exit__(self, *_: object) -> bool:
        return self.value == 1


@_trap
def _a_context_that_swallows(p, x, y):  # type: ignore[no-untyped-def]
    with _Context(y, x.load()):
        y.load()
        raise ValueError
    return "swallowed"


# -- generator threads and names ---------------------------------------------------------------


@_trap
def _a_generator_thread(p, x, y):  # type: ignore[no-untyped-def]
    one = yield x.op.load()
    other = yield from _delegate(y)
    yield x.op.load()
    return one, other


def _delegate(place):  # type: ignore[no-untyped-def]
    return 2 * (yield place.op.load()) + (yield place.op.load())


@_trap
def _names_by_count(p, x, y):  # type: ignore[no-untyped-def]
    if x.load():
        p.record("node", value=0)
    else:
        y.load()
    x.load()
    node = p.record("node", value=0)
    return repr(node)


@_trap
def _a_failure(p, x, y):  # type: ignore[no-untyped-def]
    found = x.load()
    y.load()
    assert found == 0, f"x was {found}"


def _program(body: Callable[[Any, Any, Any], object]) -> Program:
    def declare(p):  # type: ignore[no-untyped-def]
        x, y = p.var("x", 0), p.var("y", 0)

        def other():
            x.store(1)
            y.store(1)
            x.store(0)

        p.thread(body, p, x, y)
        p.thread(other)

    return Program(declare)


@pytest.mark.parametrize("body", TRAPS.values(), ids=TRAPS)
def test_merged_or_not(body: Callable[[Any, Any, Any], object]) -> None:
    program = _program(body)
    for model in one_of(("tso", "pso"), body.__name__):
        expected = enumerate_behaviours(program, MODELS[model])
        for algorithm, merge in (("cover", True), ("cover", False), ("auto", True)):
            options = Options(keep_going=True, merge=merge, paranoid=True)
            result = mcr.check(program, model, objective="outcomes", algorithm=algorithm, options=options)
            assert set(result.outcomes) == expected.outcomes
            assert {_failure(trace) for trace in result.failures} == expected.failures
            assert result.stop is None


def _failure(trace: mcr.Trace) -> Failure:
    failure = trace.failure
    assert failure is not None
    return Failure(failure.error, failure.message, str(failure.line or ""))


def test_what_the_traps_are_told_from() -> None:
    """Most of them have histories that differ in nothing but what is returned."""
    found = (len(enumerate_behaviours(_program(body), MODELS["pso"]).outcomes) for body in TRAPS.values())
    assert sum(number > 1 for number in found) > 0.8 * len(TRAPS)
