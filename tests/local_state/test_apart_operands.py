# ruff: noqa: C400, C414, C417
"""Values that wait on a thread's stack, or inside functions written in C, are told apart."""

from __future__ import annotations

import functools

import pytest

from tests.local_state.pairs import Trap, trap_of

TRAPS: dict[str, Trap] = {}
trap = trap_of(TRAPS)


# -- operands that wait -----------------------------------------------------------


@trap([1], [2], [5])
def operand_of_a_sum(p):
    x = p.var("x", 0)
    return lambda: x.load() + x.load()


@trap([1], [2], [5])
def argument_of_a_call(p):
    x = p.var("x", 0)
    return lambda: max(x.load(), x.load() * 0)


@trap([1], [2], [5])
def part_of_a_string(p):
    x = p.var("x", 0)
    return lambda: f"{x.load()} and {x.load()}"


@trap([1], [7], [5])
def chained_comparison(p):
    x = p.var("x", 0)
    return lambda: x.load() < x.load() < 6


@trap([1], [2], [5])
def element_of_a_tuple(p):
    x = p.var("x", 0)
    return lambda: (x.load(), x.load())


@trap([1], [2], [5])
def key_of_a_dictionary(p):
    x = p.var("x", 0)
    return lambda: tuple({x.load(): x.load()}.items())


@trap([1], [2], [5])
def operand_in_the_caller_of_a_helper(p):
    x = p.var("x", 0)

    def helper():
        return x.load()

    def deep():
        return helper() * 10 + helper()

    return lambda: deep() + 0


@trap([1], [2], [0])
def target_of_an_assignment(p):
    x = p.var("x", 0)

    def thread():
        values = [0, 0, 0]
        values[x.load()] += x.load() + 1
        return tuple(values)

    return thread


@trap([1], [2], [5])
def function_of_a_call(p):
    x = p.var("x", 0)
    functions = {1: lambda v: v, 2: lambda v: -v}
    return lambda: functions[x.load()](x.load())


# -- state inside functions written in C ------------------------------------------


@trap([1], [2], [0, 0])
def best_of_max(p):
    a = p.array("a", [0, 0])
    return lambda: max(cell.load() for cell in a)


@trap([1], [2], [0])
def sum_so_far(p):
    a = p.array("a", [0, 0])
    return lambda: sum(cell.load() for cell in a)


@trap([1, 2], [2, 1], [])
def keys_of_sorted(p):
    a = p.array("a", [0, 0])

    def thread():
        order = sorted(range(2), key=lambda number: a[number].load())
        a[order[0]].load()
        return order[0]

    return thread


@trap([1], [2], [1, 5])
def keys_while_sorting(p):
    a = p.array("a", [0, 0, 0])

    def thread():
        order = sorted(range(3), key=lambda number: a[number].load() * 10 + number)
        return tuple(order)

    return thread


@trap([1], [2], [0])
def list_of_a_generator(p):
    a = p.array("a", [0, 0])
    return lambda: tuple(list(cell.load() for cell in a))


@trap([1], [2], [0])
def reduced(p):
    a = p.array("a", [0, 0])
    return lambda: functools.reduce(lambda total, cell: total * 2 + cell.load(), a, 0)


@trap([1], [2], [0])
def mapped(p):
    a = p.array("a", [0, 0])
    return lambda: tuple(map(lambda cell: cell.load(), a))


@trap([1], [2], [0])
def joined(p):
    a = p.array("a", [0, 0])
    return lambda: "".join(str(cell.load()) for cell in a)


@trap([1], [2], [0, 0])
def zip_of_generators(p):
    a = p.array("a", [0, 0])

    def values():
        for cell in a:
            yield cell.load()

    def thread():
        for pair in zip(values(), values(), strict=True):
            return pair
        return None

    return thread


@trap([1], [2], [0])
def unpacked(p):
    a = p.array("a", [0, 0])

    def thread():
        first, second = (cell.load() for cell in a)
        return first * 10 + second

    return thread


@trap([1], [2], [0])
def spread(p):
    a = p.array("a", [0, 0])
    return lambda: (*[*(cell.load() for cell in a)],)


@trap([1, 1], [0, 1], [True, True, True])
def filtered(p):
    a = p.array("a", [0, 0, 0])
    return lambda: tuple(filter(lambda number: a[number].load(), range(3)))


@pytest.mark.parametrize("name", TRAPS)
def test_other_futures_have_other_keys(name: str) -> None:
    TRAPS[name].check()
