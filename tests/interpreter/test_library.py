"""Models of native callables against these: results, exceptions, and the order of calls of special methods."""

from __future__ import annotations

import contextlib
import math
import operator
from typing import Any

import pytest

from replay.interpreter.execution import Execution
from tests.interpreter.against_native import agree
from tests.interpreter.iterables import FAILS, ITERABLES, items_of
from tests.interpreter.spies import Items, Number, logged, returns

OF_ONE = [any, all, sum, min, max, sorted, iter, enumerate, zip]


@pytest.mark.parametrize("native", OF_ONE, ids=lambda native: native.__name__)
@pytest.mark.parametrize("make", ITERABLES)
def test_functions_of_an_iterable(native: Any, make: Any) -> None:
    agree(native, lambda call: call(make()))


@pytest.mark.parametrize("make", ITERABLES)
def test_functions_of_an_iterable_and_more(make: Any) -> None:
    agree(sum, lambda call: call(make(), Number(10)))
    agree(sum, lambda call: call(make(), start=[]))
    agree(sum, lambda call: call(make(), ""))
    agree(sum, lambda call: call(make(), 0.5))
    for native in (min, max):
        agree(native, lambda call: call(make(), key=logged(str)))
        agree(native, lambda call: call(make(), default=9))
        agree(native, lambda call: call(make(), key=logged(lambda each: [each])))
        agree(native, lambda call: call(make(), default=None, key=None))
        agree(native, lambda call: call(*items_of(make)))
        agree(native, lambda call: call(1, make(), default=3))
    agree(sorted, lambda call: call(make(), key=logged(str)))
    agree(sorted, lambda call: call(make(), reverse=True))
    agree(sorted, lambda call: call(make(), key=logged(lambda each: [each]), reverse=1))
    agree(sorted, lambda call: call(make(), key=FAILS))
    agree(sorted, lambda call: call(make(), reverse=1.5))
    agree(map, lambda call: call(logged(str), make()))
    agree(map, lambda call: call(logged(lambda *all: all), make(), Items("x", "y")))
    agree(map, lambda call: call(FAILS, make()))
    agree(map, lambda call: call(7, make()))
    agree(filter, lambda call: call(None, make()))
    agree(filter, lambda call: call(bool, make()))
    agree(filter, lambda call: call(logged(lambda each: each), make()))
    agree(zip, lambda call: call(make(), Items(1, 2)))
    agree(zip, lambda call: call(make(), Items(1, 2), strict=True))
    agree(zip, lambda call: call(Items(1, 2), [1, 2], make(), strict=True))
    agree(zip, lambda call: call(Items(1, 2), make(), [8, 9, 10, 11], strict=True))
    agree(enumerate, lambda call: call(make(), Number(5)))
    agree(enumerate, lambda call: call(make(), start=1.5))
    agree(enumerate, lambda call: call(iterable=make(), start=2))
    agree(reversed, lambda call: call(make()))
    agree(next, lambda call: call(iter(make())))
    agree(next, lambda call: call(make(), "none"))


def test_arguments_that_do_not_fit() -> None:
    natives = (any, all, sum, min, max, sorted, iter, next, map, filter, zip, enumerate, reversed, len, hash, abs)
    for native in (*natives, round, divmod, pow, int, float, bool, complex, list.sort, math.floor):
        agree(native, lambda call: call())
        agree(native, lambda call: call(1, 2, 3, 4))
        agree(native, lambda call: call([1], wrong=2))
        agree(native, lambda call: call([1], [2], [3], wrong=2))


def test_iter_with_a_sentinel() -> None:
    agree(iter, lambda call: call(logged(Items(1, 2, 3).__iter__().__next__), 3))
    agree(iter, lambda call: call(logged(Items(1, Number(2), 3).__iter__().__next__), Number(2)))
    agree(iter, lambda call: call(logged(Items(1).__iter__().__next__), 3))
    agree(iter, lambda call: call(7, 3))
    agree(iter, lambda call: call(FAILS, 3))
    agree(iter, lambda call: call(logged(lambda: 1), FAILS))


def test_results_of_reversed() -> None:
    agree(reversed, lambda call: call(returns(reversed=[3, 4])))
    agree(reversed, lambda call: call(returns(len=3)))
    agree(reversed, lambda call: call(returns(len=3, getitem=8)))
    agree(reversed, lambda call: call(returns(len=2, getitem=IndexError())))
    agree(reversed, lambda call: call(returns(len=-2, getitem=1)))
    agree(reversed, lambda call: call(7))


ORDERS = [
    [3, 1, 2],
    [1, 2, 3, 0],
    [3, 2, 1, 0],
    [3, 2, 2, 1, 1, 5],
    [2, 2, 2, 1, 1, 3],
    [1, 1, 1],
    [5, 5, 4, 4, 6, 6, 1],
    [*range(62), 5],
    [*range(40, 0, -1), 7, 9],
    [each * 37 % 61 for each in range(63)],
]


@pytest.mark.parametrize("order", ORDERS)
def test_sorting_compares_as_python_does(order: list[int]) -> None:
    for reverse in (False, True):
        agree(sorted, lambda call: call([Number(n, f"{n}.{at}") for at, n in enumerate(order)], reverse=reverse))
        agree(list.sort, lambda call: _sorted_in_place(call, order, reverse))


def _sorted_in_place(sort: Any, order: list[int], reverse: bool) -> Any:
    items = [*order]
    sort(items, key=lambda each: Number(each), reverse=reverse)
    return items


@pytest.mark.parametrize("reverse", [False, True])
def test_a_list_whose_sorting_fails_keeps_its_order(reverse: bool) -> None:
    def failing(sort: Any) -> Any:
        items = [1, 2, FAILS, 3]
        with contextlib.suppress(KeyError):
            sort(items, reverse=reverse)
        return ["fails" if each is FAILS else each for each in items]

    agree(list.sort, failing)


def test_sorting_many_is_stable() -> None:
    rows = [Number(n * 7919 % 31, f"{n}") for n in range(300)]
    for reverse in (False, True):
        expected = [each.name for each in sorted(rows, reverse=reverse)]
        assert [each.name for each in Execution().call(sorted, rows, reverse=reverse)] == expected


def test_a_list_changed_while_it_is_sorted() -> None:
    def changing(sort: Any) -> Any:
        items = [3, 2, 1]

        seen = []

        def key(each: int) -> int:
            seen.append(len(items))
            items.append(each)
            return each

        try:
            sort(items, key=key)
        except ValueError as error:
            return str(error), sorted(items), seen

    agree(list.sort, changing)
    agree(list.sort, lambda call: call([FAILS, FAILS]))
    agree(list.sort, lambda call: call([1, Number(1)]))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("order", [[1, 2, "x"], [2, 1, "x", 0], [1, 3, 2, "x", 0], ["x", 1], [*range(9, 0, -1), "x"]])
def test_a_list_whose_comparison_fails_is_as_far_as_it_has_come(order: list[Any], reverse: bool) -> None:
    def left(sort: Any) -> Any:
        seen = []
        for items in ([*order], [Number(each) for each in order]):
            try:
                sort(items, reverse=reverse)
            except TypeError as error:
                seen.append((str(error), [str(each) for each in items]))
        return seen

    agree(list.sort, left)


SPECIAL: list[tuple[Any, list[dict[str, Any]]]] = [
    (len, [{"len": each} for each in (3, -1, 2.5, True, 1 << 80, Number(4), Number(-4), "x", KeyError("k"))]),
    (hash, [{"hash": each} for each in (3, -1, 1 << 80, True, "x", KeyError("k"))]),
    (abs, [{"abs": each} for each in (3, "x", KeyError("k"))]),
    (round, [{"round": each} for each in (3, "x", KeyError("k"))]),
    (bool, [{"bool": each} for each in (True, 1, KeyError("k"))] + [{"len": each} for each in (0, 3, -1, "x")]),
    (int, [{"int": each} for each in (3, True, 2.5, "x", KeyError("k"))]),
    (int, [{"index": each} for each in (3, 2.5, KeyError("k"))] + [{"index": 3, "int": 4}]),
    (int, [{"trunc": each} for each in (3, 2.5, Number(3), KeyError("k"))]),
    (float, [{"float": each} for each in (3, 2.5, "x", KeyError("k"))] + [{"index": 3}, {"index": "x"}, {"int": 3}]),
    (complex, [{"complex": each} for each in (3, 1j, KeyError("k"))] + [{"float": 2.5}, {"index": 3}, {"int": 3}]),
    (operator.index, [{"index": each} for each in (3, True, 2.5, KeyError("k"))]),
    (math.floor, [{"floor": each} for each in (3, "x", KeyError("k"))] + [{"float": 2.5}, {"index": 3}, {"int": 3}]),
    (math.ceil, [{"ceil": each} for each in (3, "x", KeyError("k"))] + [{"float": 2.5}, {"index": 3}, {"int": 3}]),
    (math.trunc, [{"trunc": each} for each in (3, "x", KeyError("k"))] + [{"float": 2.5}, {"index": 3}]),
]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(("native", "results"), SPECIAL)
def test_special_methods(native: Any, results: list[dict[str, Any]]) -> None:
    for each in results:
        agree(native, lambda call: call(returns(**each)))
    for thing in (object(), 7, 2.5, True, "7", b"7", None, [], (), {}, FAILS, {1}, "x", "0x10", 1 << 2000):
        agree(native, lambda call: call(thing))


def test_numbers_with_more_arguments() -> None:
    special = (returns(round=1), returns(divmod=2), returns(pow=NotImplemented), returns(complex=1j))
    for thing in (7, 2.5, True, "11", b"11", None, FAILS, *special):
        for other in (2, None, Number(3), 1.5, "2", FAILS, returns(rdivmod=4), returns(rdivmod=NotImplemented)):
            for native in (round, divmod, pow, int, complex):
                agree(native, lambda call: call(thing, other))
            agree(pow, lambda call: call(thing, other, 5))
            agree(pow, lambda call: call(thing, 2, other))
            agree(int, lambda call: call(thing, base=other))
            agree(round, lambda call: call(number=thing, ndigits=other))
            agree(complex, lambda call: call(imag=other))


def test_classes_derived_from_numbers() -> None:
    class Whole(int):
        pass

    class Part(float):
        pass

    for thing in (7, "7", returns(int=7), returns(index=7), None, 2.5):
        agree(int.__new__, lambda call: call(Whole, thing))
        agree(float.__new__, lambda call: call(Part, thing))
    for native in (int, float, abs, hash, operator.index, math.floor, round):
        agree(native, lambda call: call(Whole(3)))
        agree(native, lambda call: call(Part(3.5)))
