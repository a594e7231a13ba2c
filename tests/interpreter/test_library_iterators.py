"""Models of `itertools` against CPython's."""

from __future__ import annotations

import itertools
import sys
from typing import Any

import pytest

from tests.interpreter.against_native import agree
from tests.interpreter.iterables import FAILS, ITERABLES
from tests.interpreter.spies import Items, Number, generator, logged, returns

OF_ONE = [
    *(itertools.cycle, itertools.accumulate, itertools.chain, itertools.chain.from_iterable, itertools.pairwise),
    *(itertools.zip_longest, itertools.tee, itertools.product, itertools.permutations, itertools.groupby),
]


@pytest.mark.parametrize("make", ITERABLES)
def test_iterator_tools(make: Any) -> None:
    for native in OF_ONE:
        if native != itertools.chain.from_iterable:
            agree(native, lambda call: call(make()))
    agree(vars(itertools.chain)["from_iterable"], lambda call: call(itertools.chain, make()))
    agree(vars(itertools.chain)["from_iterable"], lambda call: call(itertools.chain, [make(), [7], make()]))
    agree(itertools.chain, lambda call: call(Items(1), make(), generator(7)))
    agree(itertools.accumulate, lambda call: call(make(), logged(lambda left, right: right)))
    agree(itertools.accumulate, lambda call: call(make(), initial=Number(9)))
    agree(itertools.accumulate, lambda call: call(make(), FAILS, initial=0))
    agree(itertools.compress, lambda call: call(make(), Items(1, 0, Number(2))))
    agree(itertools.compress, lambda call: call(Items(1, 2, 3, 4), make()))
    for native in (itertools.dropwhile, itertools.takewhile, itertools.filterfalse):
        agree(native, lambda call: call(logged(lambda each: each == 1), make()))
        agree(native, lambda call: call(FAILS, make()))
    agree(itertools.filterfalse, lambda call: call(None, make()))
    agree(itertools.starmap, lambda call: call(logged(lambda *all: all), make()))
    agree(itertools.starmap, lambda call: call(logged(lambda *all: all), [make(), (1, 2), make()]))
    for bounds in ((2,), (0,), (1, None), (1, 3), (0, 9, 2), (1, 4, 2), (None, None, None), (Number(1), Number(2))):
        agree(itertools.islice, lambda call: call(make(), *bounds))
    agree(itertools.zip_longest, lambda call: call(make(), Items(1, 2, 3, 4), make(), fillvalue="none"))
    agree(itertools.product, lambda call: call(make(), "ab", repeat=2))
    for count in (0, 1, 2, 3, -1, Number(2), 1.5, None):
        for native in (itertools.combinations, itertools.combinations_with_replacement, itertools.permutations):
            agree(native, lambda call: call(make(), count))
    agree(itertools.groupby, lambda call: groups(call(make(), logged(lambda each: each == 1))))
    agree(itertools.groupby, lambda call: groups(call(make())))
    agree(itertools.tee, lambda call: interleaved(call(make(), 3)))
    if sys.version_info >= (3, 12):
        agree(itertools.batched, lambda call: call(make(), 2))


def groups(iterator: Any) -> list[Any]:
    """The groups of `groupby`, of which every other one is gone through."""
    found = []
    for number, (key, group) in enumerate(iterator):
        found.append((key, list(group) if number % 2 else next(group), group))
    return found


def interleaved(iterators: Any) -> list[Any]:
    first, second, third = iterators
    found = [next(first, "end"), next(first, "end"), next(second, "end")]
    return [*found, list(third), list(first), list(second)]


def test_iterator_tools_without_iterables() -> None:
    for arguments in ((), (3,), (3, 2), (1.5,), (0, 0.25), (Number(2),), (1, Number(2)), ("x",), (FAILS,), (1, None)):
        agree(itertools.count, lambda call: call(*arguments))
        agree(itertools.count, lambda call: repr(call(*arguments)))
    agree(itertools.count, lambda call: call(step=2, start=5))
    for times in ((), (2,), (0,), (-3,), (Number(1),), (1.5,), (None,)):
        agree(itertools.repeat, lambda call: call("thing", *times))
        agree(itertools.repeat, lambda call: repr(call("thing", *times)))
    agree(itertools.repeat, lambda call: call(object="thing", times=2))
    agree(itertools.tee, lambda call: call([1], -1))
    agree(itertools.tee, lambda call: call([1], 0))
    agree(itertools.tee, lambda call: call([1], 1.5))
    agree(itertools.product, lambda call: call([1], repeat=-1))
    agree(itertools.product, lambda call: call([1, 2], repeat=0))
    agree(itertools.product, lambda call: call([1, 2], [], [3]))
    agree(itertools.islice, lambda call: call([1], -1))
    agree(itertools.islice, lambda call: call([1], "x"))
    agree(itertools.islice, lambda call: call([1], 0, 5, 0))
    agree(itertools.islice, lambda call: call([1], 2, -1))
    for native in (itertools.count, itertools.cycle, itertools.product, itertools.groupby, itertools.accumulate):
        agree(native, lambda call: call(1, 2, 3, 4))
        agree(native, lambda call: call(wrong=3))


@pytest.mark.parametrize("size", range(5))
@pytest.mark.parametrize("count", range(6))
def test_choices_come_in_order(size: int, count: int) -> None:
    for native in (itertools.combinations, itertools.combinations_with_replacement, itertools.permutations):
        agree(native, lambda call: len(list(call(range(size), count))))
        agree(native, lambda call: list(call("abcde"[:size], count)))
    agree(itertools.product, lambda call: list(call("abcde"[:size], repeat=min(count, 4))))


def test_copies_of_tee() -> None:
    def copied(tee: Any) -> Any:
        first, second = tee(Items(1, 2, 3))
        next(first)
        third, fourth = tee(first)
        return list(third), list(second), list(fourth), list(first)

    agree(itertools.tee, copied)
    agree(itertools.tee, lambda call: call(returns(iter=returns(next=3, copy=[7]))))
