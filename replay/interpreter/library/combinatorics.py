"""`itertools` that choose among items which are all taken first. Their state is a list of positions."""

from __future__ import annotations

import itertools
from typing import Any

from replay.interpreter.library.iterators import LibraryIterator
from replay.interpreter.library.numeric import as_index
from replay.interpreter.library.sequences import make_tuple
from replay.interpreter.lookup import is_a
from replay.interpreter.natives import call_natively, natively, stands_for


class Choices(LibraryIterator):
    """Gives tuples of items. `positions` are those of the next tuple, None after the last one."""

    __slots__ = ("items", "positions")

    def __init__(self, items: tuple[Any, ...], positions: list[int] | None) -> None:
        self.items = items
        self.positions = positions

    def __next__(self) -> Any:
        if self.positions is None:
            raise StopIteration
        chosen = self.chosen()
        self.positions = self.following()
        return chosen

    def chosen(self) -> tuple[Any, ...]:
        return chosen_of(self.items, self.positions)

    def following(self) -> Any:
        raise NotImplementedError


@natively
def chosen_of(items: tuple[Any, ...], positions: Any) -> tuple[Any, ...]:
    return tuple([items[position] for position in positions])


@stands_for(itertools.product)
class Product(Choices):
    """`items` are the pools of items, of each of which one is given."""

    __slots__ = ()

    def __init__(self, *iterables: Any, repeat: Any = 1) -> None:
        times = as_index(repeat)
        if times < 0:
            raise ValueError("repeat argument cannot be negative")
        pools = [make_tuple(each) for each in (iterables if times else ())] * times
        super().__init__(tuple(pools), [0] * len(pools) if all_filled(pools) else None)

    def chosen(self) -> tuple[Any, ...]:
        return one_of_each(self.items, self.positions)

    def following(self) -> Any:
        return next_product(self.items, self.positions)


@natively
def all_filled(pools: list[tuple[Any, ...]]) -> bool:
    return all(pools)


@natively
def one_of_each(pools: Any, positions: Any) -> tuple[Any, ...]:
    return tuple([pool[position] for pool, position in zip(pools, positions, strict=True)])


@natively
def next_product(pools: Any, positions: Any) -> list[int] | None:
    for place in reversed(range(len(pools))):
        if positions[place] + 1 < len(pools[place]):
            return [*positions[:place], positions[place] + 1, *([0] * (len(pools) - place - 1))]
    return None


@stands_for(itertools.combinations)
class Combinations(Choices):
    __slots__ = ()

    def __init__(self, iterable: Any, r: Any) -> None:
        count = as_index(r)
        items = make_tuple(iterable)
        call_natively(itertools.combinations, (), count)
        super().__init__(items, list(range(count)) if count <= len(items) else None)

    def following(self) -> Any:
        return next_combination(len(self.items), self.positions)


@natively
def next_combination(size: int, positions: Any) -> list[int] | None:
    count = len(positions)
    for place in reversed(range(count)):
        if positions[place] < size - count + place:
            start = positions[place] + 1
            return [*positions[:place], *range(start, start + count - place)]
    return None


@stands_for(itertools.combinations_with_replacement)
class CombinationsWithReplacement(Choices):
    __slots__ = ()

    def __init__(self, iterable: Any, r: Any) -> None:
        count = as_index(r)
        items = make_tuple(iterable)
        call_natively(itertools.combinations_with_replacement, (), count)
        super().__init__(items, [0] * count if items or not count else None)

    def following(self) -> Any:
        return next_with_replacement(len(self.items), self.positions)


@natively
def next_with_replacement(size: int, positions: Any) -> list[int] | None:
    count = len(positions)
    for place in reversed(range(count)):
        if positions[place] < size - 1:
            return [*positions[:place], *([positions[place] + 1] * (count - place))]
    return None


@stands_for(itertools.permutations)
class Permutations(Choices):
    """`positions` holds all positions, of which the first `count` are given; `cycles` how far each place has turned."""

    __slots__ = ("count", "cycles")

    def __init__(self, iterable: Any, r: Any = None) -> None:
        items = make_tuple(iterable)
        if r is not None and not is_a(r, int):
            raise TypeError("Expected int as r")
        size = len(items)
        count = size if r is None else r
        call_natively(itertools.permutations, (), count)
        self.count = count
        self.cycles = list(range(size, size - count, -1))
        super().__init__(items, list(range(size)) if count <= size else None)

    def chosen(self) -> tuple[Any, ...]:
        return chosen_of(self.items, (self.positions or [])[: self.count])

    def following(self) -> Any:
        return next_permutation(self.positions, self.cycles)


@natively
def next_permutation(positions: Any, cycles: list[int]) -> list[int] | None:
    """The documentation's algorithm, which gives CPython's order."""
    order = list(positions)
    size = len(order)
    for place in reversed(range(len(cycles))):
        cycles[place] -= 1
        if cycles[place] == 0:
            order[place:] = [*order[place + 1 :], order[place]]
            cycles[place] = size - place
        else:
            other = -cycles[place]
            order[place], order[other] = order[other], order[place]
            return order
    return None
