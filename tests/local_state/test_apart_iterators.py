# ruff: noqa: B007, B009, F841, SIM105
"""How far iterators, generators and comprehensions have come is told apart."""

from __future__ import annotations

import pytest

from tests.local_state.pairs import Trap, trap_of

TRAPS: dict[str, Trap] = {}
trap = trap_of(TRAPS)


# -- iterators --------------------------------------------------------------------


@trap([0, 0], [5, 0], [0, 0, 0, 0])
def position_in_a_list(p):
    x = p.var("x", 0)

    def thread():
        numbers = [0, 1, 2]
        for number in numbers:
            if x.load() == 5:
                break
            x.store(number)
        for number in numbers:
            x.store(number)

    return thread


@trap([2, None], [1, None], [None, None])
def length_of_a_range(p):
    x = p.var("x", 0)

    def thread():
        for number in range(x.load() + 1):
            x.store(7)

    return thread


@trap([0, None], [1, None], [None, None, None])
def start_of_a_range(p):
    x = p.var("x", 0)

    def thread():
        for number in range(x.load(), 3):
            x.store(number * 0)

    return thread


@trap([1], [2], [0, 0])
def number_of_an_enumeration(p):
    x = p.var("x", 0)

    def thread():
        for number, _ in enumerate("ab", x.load()):
            x.load()
        return number

    return thread


@trap([1, 0], [2, 0], [0, 0])
def iterators_of_zip(p):
    x = p.var("x", 0)

    def thread():
        total = 0
        for pair in zip(range(2), range(x.load(), 5), strict=False):
            x.load()
            total = pair[1]
        return total

    return thread


@trap([1], [2], [0])
def iterator_in_a_variable(p):
    x = p.var("x", 0)

    def thread():
        numbers = iter([1, 2, 3, 4])
        for _ in range(x.load()):
            next(numbers)
        x.load()
        return next(numbers)

    return thread


@trap([1], [2], [0])
def generator_in_a_variable(p):
    x = p.var("x", 0)

    def count():
        number = 0
        while True:
            number += 1
            yield number

    def thread():
        numbers = count()
        for _ in range(x.load()):
            next(numbers)
        x.load()
        return next(numbers)

    return thread


@trap([1], [2], [0])
def generator_with_a_waiting_operand(p):
    x = p.var("x", 0)

    def sums(value):
        yield value + (yield 0)

    def thread():
        sum_ = sums(x.load())
        next(sum_)
        x.load()
        return sum_.send(10)

    return thread


@trap([1], [2], [0])
def comprehension(p):
    a = p.array("a", [0, 0])
    return lambda: tuple([cell.load() for cell in a])


@trap([1], [2], [0, 0, 0])
def comprehension_of_comprehensions(p):
    a = p.array("a", [0, 0])
    return lambda: str([[cell.load() for cell in a] for _ in range(2)])


@trap([1], [2], [0])
def dictionary_comprehension(p):
    a = p.array("a", [0, 0])
    return lambda: str({number: cell.load() for number, cell in enumerate(a)})


@trap([0], [1], [0, 0])
def order_of_a_dictionary(p):
    x = p.var("x", 0)

    def thread():
        named = {"a": 1, "b": 2} if x.load() else {"b": 2, "a": 1}
        x.load()
        for name in named:
            return name
        return None

    return thread


@trap([0], [1], [0])
def order_of_a_set(p):
    x = p.var("x", 0)

    def thread():
        first, second = (0, 8) if x.load() else (8, 0)
        members = set()
        members.add(first)
        members.add(second)
        first = second = None
        x.load()
        return tuple(members)

    return thread


@trap([0, 0], [1, 0], [0, 0])
def dictionary_iterator(p):
    x = p.var("x", 0)

    def thread():
        named = {"a": 1, "b": 2, "c": 3}
        names = iter(named)
        for _ in range(x.load() + 1):
            next(names)
        x.load()
        x.load()
        return next(names)

    return thread


@trap([0], [1], [0])
def call_until(p):
    x = p.var("x", 0)

    def thread():
        wanted = x.load()
        for value in iter(x.load, wanted):
            return value
        return "over"

    return thread


@trap([1], [2], [0])
def reversed_list(p):
    x = p.var("x", 0)

    def thread():
        numbers = reversed([1, 2, 3])
        for _ in range(x.load()):
            next(numbers)
        x.load()
        return next(numbers)

    return thread


# -- generators -------------------------------------------------------------------


@trap([1], [2], [0])
def generator_thread(p):
    x = p.var("x", 0)

    def thread():
        first = yield x.op.load()
        yield x.op.load()
        return first

    return thread


@trap([1], [2], [0])
def generator_thread_with_a_waiting_operand(p):
    x = p.var("x", 0)

    def thread():
        return (yield x.op.load()) + (yield x.op.load())

    return thread


@trap([1], [2], [5])
def yield_from(p):
    x = p.var("x", 0)

    def twice(factor):
        value = yield x.op.load()
        return value * factor

    def thread():
        return (yield from twice((yield x.op.load())))

    return thread


@trap([1, 0], [2, 0], [0])
def yield_from_below(p):
    x = p.var("x", 0)

    def twice():
        value = yield x.op.load()
        yield x.op.load()
        yield x.op.load()
        return value

    def thread():
        return (yield from twice())

    return thread


@trap([1], [2], [0])
def generator_thread_in_an_exception(p):
    x = p.var("x", 0)

    def thread():
        try:
            raise ValueError((yield x.op.load()))
        except ValueError:
            yield x.op.load()
            raise

    return thread


@trap([1], [2], [0, 0])
def send_to_a_generator(p):
    x = p.var("x", 0)

    def loads(value):
        while True:
            value = value * 10 + x.load()
            yield value

    def thread():
        values = loads(x.load())
        return next(values)

    return thread


@trap([1], [2], [None])
def generator_that_is_given_up(p):
    x = p.var("x", 0)

    def loads():
        while True:
            try:
                yield x.load()
            finally:
                x.store(0)

    def thread():
        return next(loads())

    return thread


@trap([1], [2], [None])
def generator_that_survives_that_it_is_given_up(p):
    x = p.var("x", 0)

    def loads():
        try:
            yield x.load()
        except GeneratorExit:
            pass
        x.store(0)

    def thread():
        return next(loads())

    return thread


@trap([1], [2], [None])
def object_that_is_given_up(p):
    x = p.var("x", 0)

    class Guard:
        def __init__(self, number):
            self.number = number

        def __del__(self):
            self = None
            x.store(0)

    def thread():
        return getattr(Guard(x.load()), "number")

    return thread


@pytest.mark.parametrize("name", TRAPS)
def test_other_futures_have_other_keys(name: str) -> None:
    TRAPS[name].check()
